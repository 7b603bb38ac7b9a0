//! What loads, what does not, and the exact words for it.

mod files;
mod sections;

use super::*;
use jezero_connectors::Trust;

/// Reads a text as `/etc/jezero/jezero.toml` of a person whose home is `/home/ana`.
fn parse(text: &str) -> Result<Config, ConfigError> {
    let env = Env::given([("HOME", "/home/ana")]);
    Config::parse(text, Path::new("/etc/jezero/jezero.toml"), env)
}

/// The problems of a text, without the file's name.
fn problems(text: &str) -> Vec<String> {
    let error = parse(text).unwrap_err().to_string();
    let prefix = "invalid config: /etc/jezero/jezero.toml:";
    error
        .lines()
        .map(|line| line.strip_prefix(prefix).unwrap().to_owned())
        .collect()
}

#[test]
fn an_empty_file_means_the_defaults() {
    let config = parse("").unwrap();
    assert_eq!(config.storage.path, Path::new("/etc/jezero/data/jezero.db"));
    assert_eq!(
        config.storage.tokenizer.as_str(),
        "trigram remove_diacritics 1"
    );
    assert_eq!(config.search, Search::default());
    assert_eq!(config.summarizer, Summarizer::default());
    assert_eq!(config.redaction, crate::redaction::Settings::default());
    assert_eq!(config.projects, Projects::default());
    assert!(config.connectors.is_empty());
}

#[test]
fn every_problem_of_a_file_is_told_at_once_in_the_order_of_its_lines() {
    let text = "[search]\ndefault_limit = 0\nmax_limits = 3\n\n[storage]\npath = 7\n[colours]\n";
    assert_eq!(
        problems(text),
        [
            "2: search.default_limit: must be a whole number from 1 to 100, got 0",
            "3: search.max_limits: unknown key, did you mean max_limit? (valid here: \
             default_limit, max_limit, candidate_pool, recency_half_life_days, recency_weight, \
             short_terms, originals)",
            "6: storage.path: must be a path, got 7",
            "7: colours: unknown key (valid here: storage, search, summarizer, server, clients, \
             connectors, redaction, watchdog, inbox, projects)",
        ]
    );
}

#[test]
fn text_that_is_not_toml_is_named_by_line_and_never_quoted() {
    assert_eq!(
        problems("[storage]\npath = \"sk-secret\n"),
        ["2: the config is not valid TOML: invalid basic string, expected `\"`"]
    );
    assert_eq!(
        problems("[search]\nmax_limit = 1\nmax_limit = 2\n"),
        ["3: the config is not valid TOML: duplicate key"]
    );
}

#[test]
fn paths_start_at_the_files_folder_or_at_home() {
    let path = |text: &str| parse(text).unwrap().storage.path;
    assert_eq!(
        path("storage.path = 'a/b.db'"),
        Path::new("/etc/jezero/a/b.db")
    );
    assert_eq!(path("storage.path = '~/b.db'"), Path::new("/home/ana/b.db"));
    assert_eq!(path("storage.path = '/b.db'"), Path::new("/b.db"));
}

#[test]
fn a_tokenizer_matches_parts_or_whole_words_and_nothing_else() {
    let tokenizer = |text: &str| parse(text).unwrap().storage.tokenizer;
    let parts = tokenizer("storage.tokenizer = 'trigram'");
    assert!(parts.matches_parts() && parts.minimum_term() == 3);
    let whole = tokenizer("storage.tokenizer = 'unicode61 remove_diacritics 2'");
    assert!(!whole.matches_parts() && whole.minimum_term() == 1);
    for bad in ["porter", "trigram; drop", "trigrams", ""] {
        assert_eq!(
            problems(&format!("storage.tokenizer = '{bad}'")),
            [format!(
                "1: storage.tokenizer: must be \"trigram\" (parts of words match) or \
                 \"unicode61\" (whole words match), each with options of a-z, 0-9, _ and spaces \
                 after it, got {bad:?}"
            )]
        );
    }
}

#[test]
fn a_box_of_notes_is_trusted_unless_the_configuration_says_otherwise() {
    let mail = |name: &str, more: &str, options: &str| {
        format!(
            "[[connectors]]\nname = '{name}'\ntype = 'email'\n{more}[connectors.options]\n\
             maildir = 'mail'\nown_addresses = ['ana@example.org']\n{options}"
        )
    };
    let text = [
        mail("mail", "", ""),
        mail("notes", "", "own_notes = true\n"),
        mail("shared", "trust = 'external'\n", "own_notes = true\n"),
    ];
    let config = parse(&text.concat()).unwrap();
    let trusts: Vec<Trust> = config.connectors.iter().map(|one| one.trust).collect();
    assert_eq!(trusts, [Trust::External, Trust::Own, Trust::External]);
}

#[test]
fn connectors_are_checked_by_their_kind_also_when_disabled() {
    let text = "[[connectors]]\nname = 'one'\ntype = 'claude_code'\ntrust = 'external'\n\
                project = ' Bílling Desk'\n[[connectors]]\nname = 'two'\ntype = 'claude_code'\n\
                enabled = false\n[connectors.options]\nprojects_dri = 'x'\nmin_char = 3\n";
    let found = problems(text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with(
            "11: connectors[1].options.projects_dri: unknown key, did you mean projects_dir? \
             (valid here: projects_dir, "
        ),
        "{found:?}"
    );
    assert!(
        found[1].starts_with(
            "12: connectors[1].options.min_char: unknown key, did you mean min_chars?"
        ),
        "{found:?}"
    );

    let config = parse(
        &text
            .replace("projects_dri", "projects_dir")
            .replace("char =", "chars ="),
    );
    let config = config.unwrap();
    let [one, two] = &config.connectors[..] else {
        panic!("two connectors")
    };
    assert_eq!(one.name.as_str(), "one");
    assert_eq!((one.trust, two.trust), (Trust::External, Trust::Own));
    assert_eq!(one.project.as_deref(), Some("bílling-desk"));
    assert_eq!((one.enabled, two.enabled), (true, false));
    assert_eq!(one.interval_minutes, 15);
    assert_eq!(two.options["min_chars"].as_integer(), Some(3));
    assert!(two.build(&config).is_ok());
}
