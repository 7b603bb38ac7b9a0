//! Each format with paths that hold what it reads as something else.

use std::path::PathBuf;

use super::*;

fn service(folder: &str, whose: Whose) -> Service {
    let folder = PathBuf::from(folder);
    Service {
        program: folder.join("jezero"),
        config: folder.join("jezero.toml"),
        data: folder.join("data"),
        whose,
        serves: false,
        starts_programs: false,
    }
}

fn named<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines();
    lines
        .filter_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        .collect()
}

#[test]
fn a_daemon_is_ready_when_it_says_so_and_has_longer_to_end_than_it_needs() {
    let text = daemon_unit(&service("/opt/j", Whose::User)).unwrap();
    assert_eq!(named(&text, "Type"), ["notify"]);
    assert_eq!(named(&text, "WatchdogSec"), ["120"]);
    assert_eq!(named(&text, "TimeoutStopSec"), ["20"]);
    assert_eq!(named(&text, "ExecReload"), ["/bin/kill -HUP $MAINPID"]);
    assert_eq!(
        named(&text, "ExecStart"),
        ["\"/opt/j/jezero\" daemon --config \"/opt/j/jezero.toml\""]
    );
    assert_eq!(named(&text, "WantedBy"), ["default.target"]);
    assert_eq!(named(&text, "User"), [""; 0]);
    assert_eq!(named(&text, "ReadWritePaths"), [""; 0]);
}

#[test]
fn a_path_for_systemd_has_its_percents_quotes_backslashes_and_dollars_escaped() {
    let whose = Whose::System("ana".to_owned());
    let text = daemon_unit(&service(r#"/a b/50% "c" \d $e"#, whose)).unwrap();
    let program = r#"/usr/bin/env "/a b/50%% \"c\" \\d $$e/jezero""#;
    let config = r#""/a b/50%% \"c\" \\d $$e/jezero.toml""#;
    assert_eq!(
        named(&text, "ExecStart"),
        [format!("{program} daemon --config {config}")]
    );
    assert_eq!(
        named(&text, "ReadWritePaths"),
        [r#""/a b/50%% \"c\" \\d $e/data""#]
    );
    assert_eq!(named(&text, "User"), ["ana"]);
    assert_eq!(named(&text, "WantedBy"), ["multi-user.target"]);
    let text = run_unit(&service("/a b/50% $e", Whose::User)).unwrap();
    assert_eq!(
        named(&text, "ExecStart"),
        ["\"/a b/50%% $e/jezero\" run --due --config \"/a b/50%% $$e/jezero.toml\""]
    );
}

#[test]
fn a_program_of_the_persons_own_may_make_code_at_run_time() {
    let mut service = service("/opt/j", Whose::System("ana".to_owned()));
    let denied =
        |service: &Service| named(&run_unit(service).unwrap(), "MemoryDenyWriteExecute").len();
    assert_eq!(denied(&service), 1);
    service.starts_programs = true;
    assert_eq!(denied(&service), 0);
}

#[test]
fn a_timer_starts_the_run_of_what_is_due() {
    let text = run_unit(&service("/opt/j", Whose::User)).unwrap();
    assert_eq!(
        named(&text, "ExecStart"),
        ["\"/opt/j/jezero\" run --due --config \"/opt/j/jezero.toml\""]
    );
    assert_eq!(named(&text, "Type"), ["oneshot"]);
    let timer = timer_unit();
    assert_eq!(named(&timer, "Unit"), ["jezero-run.service"]);
    assert_eq!(named(&timer, "OnUnitInactiveSec"), ["15min"]);
}

#[test]
fn a_property_list_has_its_signs_escaped_and_a_log_of_its_own() {
    let mut service = service("/a & <b>/'c' \"d\" 50%", Whose::User);
    service.serves = true;
    let log = PathBuf::from("/logs & more/j.log");
    let text = property_list(&service, &log, false).unwrap();
    let strings: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("<string>")?
                .strip_suffix("</string>")
        })
        .collect();
    assert_eq!(
        strings,
        [
            "jezero.daemon",
            "/a &amp; &lt;b&gt;/'c' \"d\" 50%/jezero",
            "daemon",
            "--serve",
            "--config",
            "/a &amp; &lt;b&gt;/'c' \"d\" 50%/jezero.toml",
            "--log-file",
            "/logs &amp; more/j.log",
            "Background",
        ]
    );
    let timer = property_list(&service, &log, true).unwrap();
    assert!(
        timer.contains("<key>StartInterval</key>\n  <integer>900</integer>"),
        "{timer}"
    );
    assert!(!timer.contains("KeepAlive"), "{timer}");
    assert!(!timer.contains("log"), "{timer}");
}

#[test]
fn a_path_with_a_line_break_is_refused() {
    let service = service("/a\nExecStart=/bin/evil", Whose::User);
    let told = "\"/a\\nExecStart=/bin/evil/jezero\" cannot stand in a file of the service manager: it \
                holds a line break or another control character";
    for refused in [
        daemon_unit(&service),
        run_unit(&service),
        property_list(&service, Path::new("/log"), true),
    ] {
        assert_eq!(
            refused
                .unwrap_err()
                .to_string()
                .replace("jezero.toml", "jezero"),
            told
        );
    }
}

#[test]
fn an_image_runs_as_nobody_in_particular_and_says_whether_it_is_well() {
    let text = dockerfile(true);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let stages = lines
        .iter()
        .filter(|line| line.starts_with("FROM "))
        .count();
    assert_eq!(stages, 2);
    for wanted in [
        "USER jezero",
        "VOLUME [\"/data\"]",
        "EXPOSE 8765",
        "CMD [\"daemon\", \"--serve\"]",
    ] {
        assert!(lines.contains(&wanted), "{wanted} in {text}");
    }
    let check = lines.iter().find(|line| line.starts_with("HEALTHCHECK"));
    assert!(check.unwrap().ends_with("CMD [\"jezero\", \"health\"]"));
    assert!(!dockerfile(false).contains("EXPOSE"));
}
