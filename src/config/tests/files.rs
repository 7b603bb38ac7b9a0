//! Configurations on disk: finding, loading, checking, and the text of a new one.

use std::path::{Path, PathBuf};

use jezero_connectors::{Kind, Trust};

use super::parse;
use crate::config::{
    Config, ConfigError, Env, Projects, Provider, Search, Summarizer, Watchdog, template,
};
use crate::redaction::Settings;

const COMPLETE: &str = include_str!("../../../jezero.toml");

/// Takes the `#` away from every line that has a key or a header right behind it.
fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => setting,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_complete_configuration_shows_every_key_with_the_default_of_the_code() {
    let config = parse(&uncommented(COMPLETE)).unwrap();
    let standard = parse("").unwrap();
    assert_eq!(config.storage, standard.storage);
    assert_eq!(config.search, Search::default());
    let summarizer = Summarizer {
        provider: Provider::Extractive,
        base_url_named: true,
        model: Some("model-name".to_owned()),
        api_key_named: true,
        daily_input_chars: Some(5_000_000),
        output_language: Some("English".to_owned()),
        command: vec!["claude".to_owned(), "-p".to_owned()],
        ..Summarizer::default()
    };
    assert_eq!(config.summarizer, summarizer);
    let mut server = standard.server.clone();
    server.public_url = Some("https://jezero.example.org".to_owned());
    assert_eq!(config.server, server);
    let redaction = Settings {
        rules_dir: Some(PathBuf::from("/etc/jezero/redaction-rules")),
        ..Settings::default()
    };
    assert_eq!(config.redaction, redaction);
    let watchdog = Watchdog {
        alert_webhook_env: Some("JEZERO_ALERT_WEBHOOK".to_owned()),
        heartbeat_url_env: Some("JEZERO_HEARTBEAT_URL".to_owned()),
        ..Watchdog::default()
    };
    assert_eq!(config.watchdog, watchdog);
    let mut inbox = standard.inbox;
    inbox.max_device_mb = Some(4096.0);
    assert_eq!(config.inbox, inbox);
    assert_eq!(config.projects, Projects::default());
    let [client] = &config.clients[..] else {
        panic!("one client")
    };
    assert_eq!(
        (&client.sources[..], client.upload),
        (&["*".to_owned()][..], false)
    );
    let [connector] = &config.connectors[..] else {
        panic!("one connector")
    };
    assert!(connector.enabled);
    assert_eq!(
        (connector.interval_minutes, connector.trust),
        (15, Trust::Own)
    );
}

#[test]
fn the_complete_configuration_leaves_no_key_out() {
    let sections = [
        ("storage", crate::config::Storage::KEYS),
        ("search", Search::KEYS),
        ("summarizer", Summarizer::KEYS),
        ("server", crate::config::Server::KEYS),
        ("redaction", crate::config::redaction::KEYS),
        ("watchdog", Watchdog::KEYS),
        ("inbox", crate::config::Inbox::KEYS),
        ("projects", Projects::KEYS),
    ];
    let table: toml::Table = uncommented(COMPLETE).parse().unwrap();
    for (section, keys) in sections {
        let shown: Vec<&str> = table[section]
            .as_table()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(shown, keys, "{section}");
    }
}

#[test]
fn as_it_stands_it_reads_the_fixtures_and_nothing_else() {
    let config = parse(COMPLETE).unwrap();
    let [connector] = &config.connectors[..] else {
        panic!("one connector")
    };
    assert_eq!(connector.name.as_str(), "agent-claude-code-fixtures");
    let options = &connector.options;
    assert_eq!(
        options["projects_dir"].as_str(),
        Some("fixtures/claude_code/everyday")
    );
    assert_eq!(options["settle_minutes"].as_integer(), Some(0));
    assert!(config.clients.is_empty());
    assert_eq!(config.summarizer, Summarizer::default());
}

#[test]
fn a_new_configuration_has_the_sources_that_were_found() {
    let kind: &dyn Kind = &jezero_connectors::claude_code::ClaudeCode;
    let text = template(
        &[(kind, PathBuf::from("/home/ana/.claude/projects"))],
        "Ana's Box.lan",
    );
    let config = parse(&text).unwrap();
    let [connector] = &config.connectors[..] else {
        panic!("one connector")
    };
    assert_eq!(connector.name.as_str(), "agent-claude-code-ana-s-box");
    assert_eq!(
        connector.options["projects_dir"].as_str(),
        Some("/home/ana/.claude/projects")
    );
    assert!(config.search.short_terms);
    assert!(!text.contains("fixtures"), "{text}");
}

#[test]
fn a_new_configuration_without_sources_shows_how_one_looks() {
    let text = template(&[], "");
    assert!(parse(&text).unwrap().connectors.is_empty());
    assert!(text.contains("\n#[[connectors]]\n#name = "), "{text}");
    assert_eq!(parse(&uncommented(&text)).unwrap().connectors.len(), 1);
}

#[test]
fn host_names_of_any_length_give_source_names() {
    let kind: &dyn Kind = &jezero_connectors::claude_code::ClaudeCode;
    for (host, name) in [
        ("", "agent-claude-code".to_owned()),
        ("-.x", "agent-claude-code".to_owned()),
        ("łaptop", "agent-claude-code-aptop".to_owned()),
        (
            &"h".repeat(80),
            format!("agent-claude-code-{}", "h".repeat(46)),
        ),
    ] {
        let text = template(&[(kind, PathBuf::from("/x"))], host);
        assert_eq!(parse(&text).unwrap().connectors[0].name.as_str(), name);
    }
}

#[test]
fn the_file_is_found_by_flag_then_variable_then_working_folder() {
    let env = Env::given([("JEZERO_CONFIG", "~/j.toml"), ("HOME", "/home/ana")]);
    let none = Env::given([("JEZERO_CONFIG", "")]);
    let flag = Some(Path::new("a.toml"));
    assert_eq!(Config::find(flag, &env), Path::new("a.toml"));
    assert_eq!(Config::find(None, &env), Path::new("/home/ana/j.toml"));
    assert_eq!(Config::find(None, &none), Path::new("jezero.toml"));
}

#[test]
fn a_missing_file_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jezero.toml");
    let error = Config::load(&path).unwrap_err();
    assert!(matches!(error, ConfigError::NotFound { .. }));
    assert_eq!(
        error.to_string(),
        format!("config not found at {}", path.display())
    );
    let error = Config::load(folder.path()).unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
}

#[test]
fn bytes_that_are_no_text_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jezero.toml");
    std::fs::write(&path, b"[storage]\n# \xFF\n").unwrap();
    assert_eq!(
        Config::load(&path).unwrap_err().to_string(),
        format!(
            "invalid config: {}:2: the config is not valid TOML: not UTF-8",
            path.display()
        )
    );
}

#[test]
fn what_loads_but_will_not_work_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    std::fs::write(base.join("file"), "").unwrap();
    std::fs::write(base.join(".env"), "KEY=hunter2\nnonsense\nB=same\nC=same\n").unwrap();
    let text = "storage.path = 'file/x.db'\nsummarizer.provider = 'anthropic'\n\
                redaction.rules_dir = 'rules'\nwatchdog.heartbeat_url_env = 'BEAT'\n\
                [[clients]]\nname = 'a'\ntoken_env = 'MISSING'\n\
                [[clients]]\nname = 'b'\ntoken_env = 'B'\n\
                [[clients]]\nname = 'c'\ntoken_env = 'C'\n\
                [[connectors]]\nname = 'one'\ntype = 'claude_code'\n\
                options.projects_dir = 'nowhere'\n\
                [[connectors]]\nname = 'off'\ntype = 'claude_code'\nenabled = false\n\
                options.projects_dir = 'nowhere'\n";
    let path = base.join("jezero.toml");
    std::fs::write(&path, text).unwrap();
    let config = Config::load_with(&path, Env::given([])).unwrap();
    let overview = config.overview();
    let base = base.display();
    assert_eq!(
        overview.problems,
        [
            format!("{base}/.env:2: not of the form NAME=VALUE; the line is passed over"),
            format!("storage.path: {base}/file is not writable"),
            "summarizer.model: anthropic needs the name of a model, such as model = \"…\""
                .to_owned(),
            format!("redaction.rules_dir: {base}/rules is no folder"),
            "client a: the environment variable MISSING is not set: this client is disabled"
                .to_owned(),
            "client b: its variable holds the same key as that of client c: both are disabled"
                .to_owned(),
            "client c: its variable holds the same key as that of client b: both are disabled"
                .to_owned(),
            "no client has a usable key: a server would refuse to start".to_owned(),
            format!("connector one: options.projects_dir: {base}/nowhere does not exist"),
            "watchdog.heartbeat_url_env: the environment variable BEAT is not set".to_owned(),
        ]
    );
    let variables: Vec<(&str, bool)> = (overview.variables.iter())
        .map(|(name, set)| (name.as_str(), *set))
        .collect();
    assert_eq!(
        variables,
        [
            ("B", true),
            ("BEAT", false),
            ("C", true),
            ("JEZERO_SUMMARIZER_API_KEY", false),
            ("MISSING", false),
        ]
    );
    assert_eq!(overview.server, "http://127.0.0.1:8765/mcp");
    assert_eq!(overview.summarizer, "anthropic");
    let shown = format!("{config:?} {overview:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_configuration_that_works_has_no_problem_and_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sessions")).unwrap();
    let path = folder.path().join("jezero.toml");
    let text = "[[connectors]]\nname = 'one'\ntype = 'claude_code'\n\
                options.projects_dir = 'sessions'\n";
    std::fs::write(&path, text).unwrap();
    let config = Config::load_with(&path, Env::given([])).unwrap();
    assert_eq!(config.problems(), [""; 0]);
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["jezero.toml", "sessions"]);
}
