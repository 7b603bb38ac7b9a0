//! `jezero setup service`: what it prints, and what it does not.

use super::place::Place;

#[test]
fn a_unit_names_this_program_and_this_configuration_by_absolute_paths() {
    let place = Place::new();
    let ran = place.jezero(&["setup", "service", "--systemd"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let config = place.path("jezero.toml").canonicalize().unwrap();
    let expected = format!(
        "ExecStart=\"{}\" daemon --config \"{}\"",
        env!("CARGO_BIN_EXE_jezero"),
        config.display()
    );
    let line = ran.out.lines().find(|line| line.starts_with("ExecStart="));
    assert_eq!(line, Some(expected.as_str()));
    let start = "systemctl --user daemon-reload && systemctl --user enable --now jezero.service";
    assert!(ran.notes.contains(start), "{ran:?}");
    assert!(!place.path("data").exists());
}

#[test]
fn a_service_of_the_computer_runs_as_the_person_who_asks_and_writes_to_the_library_alone() {
    let place = Place::new();
    let setup = |user: &str, more: &[&str]| {
        let arguments = [&["setup", "service", "--systemd", "--system"], more].concat();
        let mut command = place.command(&arguments);
        let ran = command.env("USER", "root").env("SUDO_USER", user).output();
        super::place::Ran::from(ran.unwrap())
    };
    let data = place.path("").canonicalize().unwrap().join("data");
    let data = format!("ReadWritePaths=\"{}\"", data.display());
    for (more, user) in [
        (&[][..], "User=ana"),
        (&["--run-as", "ben"][..], "User=ben"),
    ] {
        let ran = setup("ana", more);
        assert!(ran.out.lines().any(|line| line == user), "{ran:?}");
        assert!(ran.out.lines().any(|line| line == data), "{ran:?}");
    }
    let nobody = place.jezero(&["setup", "service", "--systemd", "--system"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (2, ""));
    assert!(nobody.notes.contains("--run-as"), "{nobody:?}");
}

#[test]
fn a_timer_of_systemd_is_two_files_and_one_of_launchd_is_one() {
    let place = Place::new();
    let print = |arguments: &[&str]| place.jezero(&[&["setup", "service"], arguments].concat());
    let timer = print(&["--systemd", "--timer"]);
    assert!(timer.out.contains("[Timer]"), "{timer:?}");
    let once = print(&["--systemd", "--once"]);
    assert!(once.out.contains(" run --due --config "), "{once:?}");
    for ran in [&timer, &once] {
        for told in [
            "--once > ~/.config",
            "--timer > ~/.config",
            "enable --now jezero-run.timer",
        ] {
            assert!(ran.notes.contains(told), "{ran:?}");
        }
    }
    let list = print(&["--launchd", "--timer"]);
    assert!(list.out.contains("<string>--due</string>"), "{list:?}");
    assert_eq!(print(&["--launchd", "--once"]).code, 2);
    assert_eq!(print(&["--systemd", "--docker"]).code, 2);
}

#[test]
fn a_dockerfile_needs_no_configuration() {
    let place = Place::new();
    std::fs::remove_file(place.path("jezero.toml")).unwrap();
    let ran = place.jezero(&["setup", "service", "--docker", "--serve"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("CMD [\"daemon\", \"--serve\"]"), "{ran:?}");
    let without = place.jezero(&["setup", "service", "--systemd"]);
    assert_eq!(without.code, 2);
    assert!(without.notes.contains("jezero init"), "{without:?}");
}
