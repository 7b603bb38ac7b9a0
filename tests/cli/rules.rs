//! Rules listed, tested and explained, and values that are let through by their hash.

use serde_json::json;

use super::place::Place;

const VALUE: &str = "quaint-Otter-77-parade";

fn piped(place: &Place, arguments: &[&str], text: &str) -> super::place::Ran {
    use std::io::Write;
    let mut child = place
        .command(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap().into()
}

fn empty() -> Place {
    let place = Place::new();
    std::fs::remove_file(place.path("jezero.toml")).unwrap();
    place
}

#[test]
fn the_list_names_every_rule_with_its_state() {
    let place = empty();
    let listed = place.jezero(&["rules", "list", "--json"]).json();
    let listed = listed.as_array().unwrap();
    assert!(listed.len() > 300, "{}", listed.len());
    let state = |id: &str| {
        let rule = listed.iter().find(|rule| rule["id"] == id).unwrap();
        (rule["family"].clone(), rule["state"].clone())
    };
    assert_eq!(state("password"), (json!("names"), json!("on")));
    assert_eq!(state("url-password"), (json!("structure"), json!("on")));
    assert_eq!(state("private-key"), (json!("private-key"), json!("on")));
    assert_eq!(state("email-address"), (json!("personal"), json!("off")));

    place.write(
        "jezero.toml",
        "[redaction]\npersonal = true\ndisabled_rules = [\"cookie\"]\nextra_patterns = [\"x{9}\"]\n",
    );
    let text = place.jezero(&["rules", "list"]);
    let line = |id: &str| {
        let line = text.out.lines().find(|line| line.starts_with(id)).unwrap();
        line.split_whitespace()
            .take(3)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("cookie "), "cookie structure disabled");
    assert_eq!(line("email-address "), "email-address personal on");
    assert_eq!(line("custom-1 "), "custom-1 extra_patterns on");
    assert!(text.notes.ends_with(" are on\n"), "{}", text.notes);
}

#[test]
fn all_examples_are_as_they_say_and_a_wrong_one_is_told() {
    let place = empty();
    let ran = place.jezero(&["rules", "test"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.ends_with(" 0 not as they say\n"), "{ran:?}");

    std::fs::create_dir(place.path("mine")).unwrap();
    place.write(
        "mine/acme.toml",
        "[[rule]]\nid = \"acme\"\ndescription = \"Acme\"\nkeywords = [\"acmekey-\"]\n\
         regex = 'acmekey-[a-z0-9]{12}'\n\
         match = [\"acmekey-h4k7w2p9d3m6\", \"acmekey-short\"]\n\
         no_match = [\"acmekey-\", \"acmekey-z9y8x7w6v5u4\"]\n",
    );
    let ran = place.jezero(&["rules", "test", "mine"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        told[..2],
        [
            "mine/acme.toml: rule acme: match example 2: expected a text that the rule hides",
            "mine/acme.toml: rule acme: no_match example 2: expected a text that the rule leaves",
        ]
    );
    let ran = place.jezero(&["rules", "test", "nowhere"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.notes.starts_with("error: nowhere: cannot be read: "),
        "{ran:?}"
    );
}

#[test]
fn an_explanation_tells_the_place_and_the_rule_but_not_the_secret() {
    let place = empty();
    let text = format!("first line\nDB_PASSWORD={VALUE}\n");
    let ran = piped(&place, &["rules", "explain"], &text);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = "line 2, column 13, 22 bytes: password (names): ";
    assert!(ran.out.starts_with(told), "{ran:?}");
    assert!(
        !ran.out.contains(VALUE) && !ran.notes.contains(VALUE),
        "{ran:?}"
    );
    let ran = place.jezero(&["rules", "explain", "nothing here"]);
    assert_eq!(ran.out, "nothing is hidden\n");
}

#[test]
fn a_value_is_let_through_by_its_hash_and_by_nothing_else() {
    let place = empty();
    let text = format!("DB_PASSWORD={VALUE}\nAPI_PASSWORD={VALUE}\nOTHER_PASSWORD={VALUE}s\n");
    let report = piped(&place, &["redact", "--report", "--json"], &text).json();
    let values = report["values"].as_array().unwrap();
    let value = values.iter().find(|value| value["count"] == 2).unwrap();
    let hash = value["sha256"].as_str().unwrap();
    assert_eq!((value["bytes"].as_u64(), hash.len()), (Some(22), 64));
    let shown = piped(&place, &["redact", "--report"], &text).out;
    let line = format!("           2 x 22 bytes, sha256 {hash}\n");
    assert!(shown.contains(&line), "{shown}");

    let config = format!(
        "[redaction]\nallow_sha256 = [\"{}\"]\n",
        hash.to_uppercase()
    );
    place.write("jezero.toml", config);
    let expected = text.replace(&format!("{VALUE}s"), "[REDACTED:password]");
    assert_eq!(piped(&place, &["redact"], &text).out, expected);

    place.write(
        "jezero.toml",
        format!("[redaction]\nallow_sha256 = [\"{VALUE}\"]\n"),
    );
    let ran = place.jezero(&["redact"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes
            .contains("redaction.allow_sha256[0]: must be 64 hex digits"),
        "{ran:?}"
    );
    assert!(!ran.notes.contains(VALUE), "{ran:?}");
}
