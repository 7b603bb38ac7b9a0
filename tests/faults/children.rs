//! Programs that ours starts are ended by the system, as when memory runs out.

use std::fs;

use crate::cli::place::{Place, conversation};

use super::ground::sound;

#[test]
fn a_summariser_that_the_system_kills_fails_its_segments_and_the_rest_is_not_asked_again() {
    let place = Place::new();
    let text = fs::read_to_string(place.path("jezero.toml")).unwrap();
    // Each question is counted; every second one is the end of the program that is asked.
    let folder = place.path("").display().to_string();
    let script = format!(
        "cd {folder:?}; cat > question; echo >> asked; \
         if [ -e short ] && [ $(($(wc -l < asked) % 2)) = 0 ]; then kill -9 $$; fi; \
         echo '{{\"title\": \"Till\", \"summary\": \"Counted.\", \"questions\": [\"Why?\"], \"atoms\": []}}'"
    );
    let command = serde_json::json!(["/bin/sh", "-c", script]);
    place.write(
        "jezero.toml",
        format!(
            "[summarizer]\nprovider = \"command\"\ncommand = {command}\nmax_concurrency = 1\n\
             max_input_chars = 1000\n{text}"
        ),
    );
    place.write("short", "");
    for name in ["a", "b", "c"] {
        place.session(name, &conversation(name, 12));
    }
    let asked = || fs::read_to_string(place.path("asked")).unwrap().len();
    let ran = place.jezero(&["run", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = ran.json();
    let failed = report["failed"].as_u64().unwrap();
    assert!(failed > 2, "{report}");
    let errors = report["errors"].to_string();
    assert!(errors.contains("signal"), "{errors}");
    sound(&place);
    let before = asked();
    fs::remove_file(place.path("short")).unwrap();
    let report = place.run();
    assert_eq!(report["failed"], 0, "{report}");
    assert_eq!(asked() - before, usize::try_from(failed).unwrap());
    assert_eq!(place.export().len(), before);
    sound(&place);
}
