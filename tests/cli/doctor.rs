//! `jezero doctor`: what it finds, and that the commands that it names mend it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::place::{Place, conversation};

/// The checks of one kind, with the exit code.
fn found(place: &Place, kind: &str) -> (i32, Vec<Value>) {
    let ran = place.jezero(&["doctor", "--json"]);
    let checks = ran.json()["checks"].as_array().unwrap().clone();
    let of_kind = checks.into_iter().filter(|check| check["check"] == kind);
    (ran.code, of_kind.collect())
}

/// The one check of a kind that is not ok.
fn ailing(place: &Place, kind: &str) -> Value {
    let (code, checks) = found(place, kind);
    let mut ailing = checks.into_iter().filter(|check| check["result"] != "ok");
    let one = ailing.next().unwrap();
    assert_eq!(ailing.next(), None);
    let is_failing = one["result"] == "failing";
    assert!(!is_failing || code == 1, "{one}");
    assert!(one["mend"].is_string(), "{one}");
    one
}

fn is_well(place: &Place, kind: &str) -> bool {
    let (_, checks) = found(place, kind);
    !checks.is_empty() && checks.iter().all(|check| check["result"] == "ok")
}

/// Does what a check says, as a person would.
fn mend(place: &Place, check: &Value, with: (&str, &str)) {
    let command = check["mend"].as_str().unwrap().replace(with.0, with.1);
    let programs = Path::new(env!("CARGO_BIN_EXE_jezero")).parent().unwrap();
    let done = Command::new("/bin/sh")
        .args(["-c", &command])
        .current_dir(place.path(""))
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
        .output()
        .unwrap();
    assert!(done.status.success(), "{command}: {done:?}");
}

/// A place that was read, with files of the right modes.
fn filled() -> Place {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    place.run();
    private(&place, "jezero.toml");
    place
}

#[cfg(unix)]
fn private(place: &Place, name: &str) {
    chmod(place, name, 0o600);
}

#[cfg(unix)]
fn chmod(place: &Place, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(place.path(name), mode).unwrap();
}

#[cfg(not(unix))]
fn private(_: &Place, _: &str) {}

#[test]
fn without_a_library_it_says_to_run() {
    let place = Place::new();
    let missing = ailing(&place, "library");
    assert_eq!(
        (&missing["result"], &missing["mend"]),
        (&"failing".into(), &"jezero run".into())
    );
    let shown = place.jezero(&["doctor"]);
    assert_eq!(shown.code, 1);
    assert!(
        shown
            .out
            .contains("\nfailing  library: there is no library at "),
        "{shown:?}"
    );
    assert!(
        shown.out.contains("\n         mend: jezero run\n"),
        "{shown:?}"
    );
    mend(&place, &missing, ("", ""));
    assert!(is_well(&place, "database integrity"));
}

#[test]
fn a_library_that_is_well_ends_with_0_also_when_all_of_it_is_read() {
    let place = filled();
    for arguments in [&["doctor", "--json"][..], &["doctor", "--full", "--json"]] {
        let ran = place.jezero(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        let report = ran.json();
        let ailing = report["checks"].as_array().unwrap().iter();
        let ailing: Vec<_> = ailing
            .filter(|check| check["result"] != "ok" && check["check"] != "disk space")
            .collect();
        assert_eq!(ailing, Vec::<&Value>::new());
    }
}

#[cfg(unix)]
#[test]
fn a_damaged_library_is_restored_by_the_command_that_is_named() {
    let place = filled();
    let copy = place.path("copy of it.db");
    let copied = place.jezero(&["backup", copy.to_str().unwrap()]);
    assert_eq!(copied.code, 0, "{copied:?}");
    let expected = place.export();
    let library = place.path("data/jezero.db");
    // The table of tables, which every opening reads; then what has the text of an item.
    for (needle, kind) in [
        (&b"CREATE TABLE"[..], "library"),
        (b"checkout", "database integrity"),
    ] {
        let mut bytes = std::fs::read(&library).unwrap();
        let pages = bytes.chunks_mut(4096).skip(1);
        let holding = pages.filter(|page| page.windows(needle.len()).any(|text| text == needle));
        let damaged = holding.map(|page| page[..64].fill(0xAA)).count();
        assert!(damaged > 0, "{kind}");
        std::fs::write(&library, &bytes).unwrap();
        let damaged = ailing(&place, kind);
        assert_eq!(damaged["result"], "failing");
        let told = damaged["mend"].as_str().unwrap();
        assert!(
            told.ends_with("docs/operations.md, \"Restore a backup\""),
            "{told}"
        );
        mend(&place, &damaged, ("COPY", &format!("'{}'", copy.display())));
        assert!(is_well(&place, "database integrity"));
        assert_eq!(place.export(), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_none_of_ours_is_told_and_left_alone() {
    let place = filled();
    place.write("data/jezero.db", "no database");
    let foreign = ailing(&place, "library");
    assert!(
        foreign["text"]
            .as_str()
            .unwrap()
            .contains("it is no SQLite file"),
        "{foreign}"
    );
    assert_eq!(
        std::fs::read(place.path("data/jezero.db")).unwrap(),
        b"no database"
    );
}

#[cfg(unix)]
#[test]
fn open_files_are_closed_by_the_commands_that_are_named() {
    let place = filled();
    assert!(is_well(&place, "file modes"));
    for (name, mode, result) in [
        ("data/jezero.db", 0o644, "failing"),
        ("jezero.toml", 0o622, "failing"),
        ("jezero.toml", 0o644, "warning"),
        ("data", 0o777, "failing"),
        ("data", 0o755, "warning"),
    ] {
        chmod(&place, name, mode);
        let open = ailing(&place, "file modes");
        assert_eq!(open["result"], result, "{name} {mode:o}");
        mend(&place, &open, ("", ""));
        if mode == 0o777 {
            chmod(&place, name, 0o700);
        }
        assert!(is_well(&place, "file modes"), "{name} {mode:o}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_is_missing_is_set_by_the_command_that_is_named() {
    let place = filled();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[summarizer]\nmodel = \"m\"\n{text}"),
    );
    let missing = ailing(&place, "summarizer");
    let told = "the environment variable JEZERO_SUMMARIZER_API_KEY is not set";
    assert_eq!(
        (&missing["result"], &missing["text"]),
        (&"failing".into(), &told.into())
    );
    mend(&place, &missing, ("=VALUE", "=k-1"));
    assert!(is_well(&place, "summarizer"));
    assert!(is_well(&place, "file modes"));
}

#[test]
fn a_source_that_is_gone_and_a_run_that_failed_are_told() {
    let place = filled();
    assert!(is_well(&place, "source"));
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    let gone = ailing(&place, "source");
    let text = gone["text"].as_str().unwrap();
    assert!(
        text.starts_with("agent-claude: options.projects_dir: "),
        "{text}"
    );
    assert!(text.ends_with("sessions does not exist"), "{text}");
    assert_eq!(place.jezero(&["run"]).code, 1);
    std::fs::create_dir(place.path("sessions")).unwrap();
    let failed = ailing(&place, "source");
    assert_eq!(failed["mend"], "jezero run --connector agent-claude");
    place.run();
    assert!(is_well(&place, "source"));
}

#[test]
fn transcripts_that_go_before_they_were_read_are_told_until_they_are_read() {
    let place = filled();
    assert!(is_well(&place, "transcripts"));
    place.session("b", &conversation("b", 3));
    let path = place.path("sessions/-home-me-shop/b.jsonl");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    file.set_modified(long_ago).unwrap();
    let going = ailing(&place, "transcripts");
    assert_eq!(
        (&going["result"], &going["mend"]),
        (
            &"failing".into(),
            &"jezero run --connector agent-claude".into()
        )
    );
    place.run();
    assert!(is_well(&place, "transcripts"));
}

#[test]
fn a_reading_in_the_future_says_that_the_clock_is_wrong() {
    let place = filled();
    assert!(is_well(&place, "clock"));
    let far = "UPDATE connector_state SET last_run_at = 4102444800";
    place.raw("data/jezero.db").execute(far, []).unwrap();
    let wrong = ailing(&place, "clock");
    assert_eq!(wrong["result"], "failing");
    assert!(
        wrong["text"]
            .as_str()
            .unwrap()
            .contains("was read at 2100-01-01"),
        "{wrong}"
    );
    place.run();
    assert!(is_well(&place, "clock"));
}

#[test]
fn a_configuration_that_is_named_is_named_in_every_command() {
    let place = Place::new();
    let ran = place.jezero(&["doctor", "-c", "jezero.toml"]);
    assert!(
        ran.out.contains("mend: jezero -c jezero.toml run\n"),
        "{ran:?}"
    );
}

#[test]
fn rules_that_cannot_be_read_and_clients_without_a_key_are_told() {
    let place = filled();
    assert!(is_well(&place, "redaction rules"));
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let more = "[[clients]]\nname = \"laptop\"\ntoken_env = \"LAPTOP_KEY\"\n[redaction]\nrules_dir = \"gone\"\n";
    place.write("jezero.toml", format!("{text}{more}"));
    let rules = ailing(&place, "redaction rules");
    assert_eq!(rules["result"], "failing");
    let (_, clients) = found(&place, "clients");
    assert_eq!(clients[0]["result"], "warning");
    let told = clients[0]["text"].as_str().unwrap();
    assert!(told.contains("LAPTOP_KEY"), "{told}");
}

#[test]
fn no_command_touches_a_folder_above_the_one_of_the_library() {
    let place = filled();
    let config = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write("plain", "a file where a folder should be");
    for (path, mend) in [
        (
            "plain/deep/jezero.db",
            "sudo install -d -m 700 -o \"$(id -un)\" ",
        ),
        ("sessions", "change "),
    ] {
        let text = format!("[storage]\npath = \"{path}\"\n{config}");
        place.write("jezero.toml", text);
        let told = ailing(&place, "library folder");
        let told = told["mend"].as_str().unwrap();
        assert!(told.starts_with(mend) && !told.contains(" -R "), "{told}");
    }
}
