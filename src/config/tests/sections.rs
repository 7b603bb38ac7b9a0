//! Every section: what it reads, what it refuses, in exact words.

use super::{parse, problems};
use std::path::Path;

use crate::config::{ClientKey, Config, Env, Provider};

/// One line of a file and the one problem that it gives.
fn each_gives(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(problems(text), [*expected], "{text}");
    }
}

#[test]
fn search_keeps_its_bounds() {
    each_gives(&[
        (
            "search.default_limit = 101",
            "1: search.default_limit: must be a whole number from 1 to 100, got 101",
        ),
        (
            "search.max_limit = 501",
            "1: search.max_limit: must be a whole number from 1 to 500, got 501",
        ),
        (
            "search.candidate_pool = 9",
            "1: search.candidate_pool: must be a whole number from 10 to 5000, got 9",
        ),
        (
            "search.recency_half_life_days = 0",
            "1: search.recency_half_life_days: must be a number above 0, got 0",
        ),
        (
            "search.recency_half_life_days = nan",
            "1: search.recency_half_life_days: must be a number above 0, got nan",
        ),
        (
            "search.recency_weight = 1.5",
            "1: search.recency_weight: must be a number from 0 to 1, got 1.5",
        ),
        (
            "search.short_terms = 'yes'",
            "1: search.short_terms: must be true or false, got \"yes\"",
        ),
        (
            "search.max_limit = 5",
            "1: search.max_limit: default_limit (10) must not be above max_limit (5)",
        ),
        (
            "[search]\nmax_limit = 5\ndefault_limit = 6",
            "3: search.default_limit: default_limit (6) must not be above max_limit (5)",
        ),
        ("search = 3", "1: search: must be a table, got 3"),
    ]);
    let search = parse("search.candidate_pool = 1_000\nsearch.recency_weight = 1")
        .unwrap()
        .search;
    assert_eq!((search.candidate_pool, search.recency_weight), (1000, 1.0));
}

#[test]
fn the_provider_without_a_setting_depends_on_the_model() {
    let provider = |text: &str| parse(text).unwrap().summarizer.provider;
    assert_eq!(provider(""), Provider::Extractive);
    assert_eq!(provider("summarizer.model = 'm'"), Provider::Anthropic);
    let both = "summarizer.model = 'm'\nsummarizer.provider = 'extractive'";
    assert_eq!(provider(both), Provider::Extractive);
}

#[test]
fn a_provider_says_what_it_lacks_before_its_first_call() {
    let lacks = |text: &str, key: &str| {
        let env = Env::given([("JEZERO_SUMMARIZER_API_KEY", key), ("OWN", "abc")]);
        let config = Config::parse(text, Path::new("/etc/jezero/jezero.toml"), env).unwrap();
        let ready = config.summarizer.ready(&config.env);
        ready.err().map(|error| error.to_string())
    };
    let model = "[summarizer]\nmodel = 'm'\n";
    let local = "provider = 'openai_compatible'\nbase_url = 'http://localhost:11434/v1'\n";
    let unset =
        "summarizer.api_key_env: the environment variable JEZERO_SUMMARIZER_API_KEY is not set";
    for (text, key, message) in [
        (String::new(), "", None),
        (model.to_owned(), "k", None),
        (model.to_owned(), "", Some(unset)),
        (
            model.to_owned(),
            "a key",
            Some(
                "summarizer.api_key_env: the value of JEZERO_SUMMARIZER_API_KEY is no key: it \
                 holds a blank, a line break or a sign that is not ASCII",
            ),
        ),
        (
            "summarizer.provider = 'anthropic'".to_owned(),
            "k",
            Some("summarizer.model: anthropic needs the name of a model, such as model = \"…\""),
        ),
        (
            format!("{model}provider = 'openai_compatible'"),
            "k",
            Some(
                "summarizer.base_url: openai_compatible needs an address, such as \
                 http://127.0.0.1:11434/v1 (Ollama) or https://api.openai.com/v1",
            ),
        ),
        (format!("{model}{local}"), "", None),
        (
            format!("{model}{local}api_key_env = 'NONE'"),
            "k",
            Some("summarizer.api_key_env: the environment variable NONE is not set"),
        ),
        (format!("{model}{local}api_key_env = 'OWN'"), "", None),
        (
            format!("{model}provider = 'openai_compatible'\nbase_url = 'https://example.org/v1'"),
            "",
            Some(unset),
        ),
        (
            "summarizer.provider = 'command'".to_owned(),
            "",
            Some(
                "summarizer.command: the provider command needs a program with its arguments, \
                 such as command = [\"summarise\", \"--json\"]",
            ),
        ),
        (
            "summarizer.provider = 'command'\nsummarizer.command = ['claude', '-p']".to_owned(),
            "",
            None,
        ),
    ] {
        assert_eq!(lacks(&text, key).as_deref(), message, "{text}");
    }
}

#[test]
fn a_program_s_path_starts_at_the_configuration_and_a_bare_name_stays() {
    let command = |text: &str| parse(text).unwrap().summarizer.command;
    assert_eq!(
        command("summarizer.command = ['bin/sum', 'a/b']"),
        ["/etc/jezero/bin/sum", "a/b"]
    );
    assert_eq!(command("summarizer.command = ['~/sum']"), ["/home/ana/sum"]);
    assert_eq!(
        command("summarizer.command = ['claude', '']"),
        ["claude", ""]
    );
}

#[test]
fn the_summariser_keeps_its_bounds() {
    each_gives(&[
        (
            "summarizer.provider = 'openai'",
            "1: summarizer.provider: must be one of extractive, anthropic, openai_compatible, \
             command, got \"openai\"",
        ),
        (
            "summarizer.base_url = 'api.example.org'",
            "1: summarizer.base_url: must be an address that starts with https:// or http://, got \
             \"api.example.org\"",
        ),
        (
            "summarizer.base_url = 'http://example.org'",
            "1: summarizer.base_url: must start with https://, or lead to this computer \
             (127.0.0.1, localhost), or be allowed with allow_insecure_http = true",
        ),
        (
            "summarizer.api_key_env = 'sk-ant-abc'",
            "1: summarizer.api_key_env: must be the name of an environment variable (letters, \
             digits and _), got another value (not shown)",
        ),
        (
            "summarizer.max_concurrency = 65",
            "1: summarizer.max_concurrency: must be a whole number from 1 to 64, got 65",
        ),
        (
            "summarizer.timeout_seconds = -1",
            "1: summarizer.timeout_seconds: must be a number above 0, got -1",
        ),
        (
            "summarizer.max_input_chars = 999",
            "1: summarizer.max_input_chars: must be a whole number of at least 1000, got 999",
        ),
        (
            "summarizer.daily_input_chars = 0",
            "1: summarizer.daily_input_chars: must be a whole number of at least 1, got 0",
        ),
        (
            "summarizer.daily_input_chars = 59_999",
            "1: summarizer.daily_input_chars: daily_input_chars (59999) must not be below \
             max_input_chars (60000)",
        ),
        (
            "summarizer.command = 'claude -p'",
            "1: summarizer.command: must be a list, each a text without NUL, got \"claude -p\"",
        ),
        (
            "summarizer.command = [' ']",
            "1: summarizer.command: must begin with the name of a program",
        ),
        (
            "summarizer.model = ''",
            "1: summarizer.model: must be a text that is not empty, got \"\"",
        ),
        (
            "summarizer.known_projects = ['shop',\n 'a/b']",
            "2: summarizer.known_projects[1]: must be a project name: a letter or digit, then \
             letters, digits, _, . or -, 64 at most, got \"a/b\"",
        ),
        (
            "summarizer.api_key = 'k'",
            "1: summarizer.api_key: unknown key, did you mean api_key_env? (valid here: provider, \
             base_url, model, api_key_env, max_concurrency, timeout_seconds, max_input_chars, \
             max_output_tokens, daily_input_chars, known_projects, output_language, \
             allow_insecure_http, command)",
        ),
    ]);
    let text = "[summarizer]\nbase_url = 'http://box:11434/v1/'\nallow_insecure_http = true\n\
                known_projects = ['Shop']";
    let summarizer = parse(text).unwrap().summarizer;
    assert_eq!(summarizer.base_url, "http://box:11434/v1");
    assert_eq!(summarizer.known_projects, ["shop"]);
    assert!(!summarizer.api_key_named);
}

#[test]
fn a_server_without_keys_is_for_this_computer_alone() {
    let text = "server.require_auth = false\n";
    for host in ["127.0.0.1", "::1", "[::1]", "localhost"] {
        let text = format!("{text}server.host = '{host}'");
        assert!(!parse(&text).unwrap().server.require_auth);
    }
    let prefix = "1: server.require_auth: must be true, got false:";
    for (more, reason) in [
        (
            "server.host = '0.0.0.0'",
            "host is not a loopback address (127.0.0.1, ::1, localhost)",
        ),
        (
            "server.public_url = 'https://a.example'",
            "public_url is set",
        ),
        ("server.allowed_hosts = ['box']", "allowed_hosts is set"),
    ] {
        let expected = format!("{prefix} {reason}, so others could read");
        assert_eq!(problems(&format!("{text}{more}")), [expected]);
    }
}

#[test]
fn the_server_keeps_its_bounds() {
    each_gives(&[
        (
            "server.port = 0",
            "1: server.port: must be a whole number from 1 to 65535, got 0",
        ),
        (
            "server.path = 'mcp'",
            "1: server.path: must be a path that starts with /, got \"mcp\"",
        ),
        (
            "server.public_url = 'https://me:pw@a.example'\nserver.port = 1\nserver.host = 'a/b'",
            "3: server.host: must be a host name or address without a port, got \"a/b\"",
        ),
        (
            "server.public_url = 'ftp://me:pw@a.example'",
            "1: server.public_url: must be an address that starts with https:// or http://, got \
             another value (not shown)",
        ),
        (
            "server.allowed_hosts = 'box'",
            "1: server.allowed_hosts: must be a list, each a host, with or without a port, got \
             \"box\"",
        ),
    ]);
    let server = parse("server.path = '/a/b//'\nserver.port = 0x1F90")
        .unwrap()
        .server;
    assert_eq!((server.path.as_str(), server.port), ("/a/b", 8080));
    assert_eq!(parse("server.path = '/'").unwrap().server.path, "/");
}

#[test]
fn a_client_has_one_key_that_no_other_has() {
    let digest = "0123456789abcdef".repeat(4);
    let one = format!("[[clients]]\nname = 'a'\ntoken_sha256 = '{digest}'\n");
    let client = parse(&one).unwrap().clients.remove(0);
    assert_eq!(client.key, ClientKey::Sha256(digest));
    assert_eq!(
        (client.sources, client.upload),
        (vec!["*".to_owned()], false)
    );

    let key = "clients[1].token_sha256: is the key of client \"a\" already: each needs its own";
    let name = "clients[1].name: \"a\" is taken by an earlier client";
    let twice = problems(&format!("{one}{one}"));
    assert_eq!(twice, [format!("5: {name}"), format!("6: {key}")]);
    each_gives(&[
        (
            "[[clients]]\nname = 'a'",
            "1: clients[0]: has no key: needs token_sha256 or token_env",
        ),
        (
            "[[clients]]\ntoken_env = 'T'",
            "1: clients[0].name: is missing: must be a name of a-z, 0-9, _ and -, 64 at most, a \
             letter or digit first",
        ),
        (
            "[[clients]]\nname = 'a'\ntoken_sha256 = 'A'",
            "3: clients[0].token_sha256: must be 64 lower-case hexadecimal digits, got another \
             value (not shown)",
        ),
        (
            "[[clients]]\nname = 'A'\ntoken_env = 'T'",
            "2: clients[0].name: must be a name of a-z, 0-9, _ and -, 64 at most, a letter or \
             digit first, got \"A\"",
        ),
        (
            "[[clients]]\nname = 'a'\ntoken_env = 'T'\nsources = ['a-[']",
            "4: clients[0].sources[0]: must be a glob over source names such as \"agent-*\", got \
             \"a-[\"",
        ),
        (
            "[clients]\nname = 'a'",
            "1: clients: must be a list of tables, each opened with [[clients]], got a table",
        ),
    ]);
    let both = format!("{one}token_env = 'T'\n");
    let expected = "3: clients[0].token_sha256: must not stand beside token_env: one key a client";
    assert_eq!(problems(&both), [expected]);
}

#[test]
fn connectors_are_named_once_and_of_a_known_type() {
    let one = "[[connectors]]\nname = 'a'\ntype = 'claude_code'\n";
    assert_eq!(
        problems(&format!("{one}{one}")),
        ["5: connectors[1].name: \"a\" is taken by an earlier connector"]
    );
    let found = problems("[[connectors]]\nname = 'A b'\ntype = 'gopher'");
    let kinds: Vec<&str> = jezero_connectors::ALL
        .iter()
        .map(|kind| kind.name())
        .collect();
    let kinds = kinds.join(", ");
    let rule = "a name of a-z, 0-9, _ and -, 64 at most, a letter or digit first";
    assert_eq!(
        found,
        [
            format!("2: connectors[0].name: must be {rule}, got \"A b\""),
            format!("3: connectors[0].type: must be one of {kinds}, got \"gopher\""),
        ]
    );
    assert_eq!(
        problems("[[connectors]]\n"),
        [
            format!("1: connectors[0].name: is missing: must be {rule}"),
            format!("1: connectors[0].type: is missing: must be one of {kinds}"),
        ]
    );
    assert_eq!(
        problems("[[connectors]]\nname = 'a'\ntype = 'jsonl'"),
        [
            "3: connectors[0].type: \"jsonl\" is no connector: use `jezero import-jsonl PATH \
          --source NAME`"
        ]
    );
    each_gives(&[
        (
            &format!("{one}interval_minutes = 0"),
            "4: connectors[0].interval_minutes: must be a whole number of at least 1, got 0",
        ),
        (
            &format!("{one}trust = 'full'"),
            "4: connectors[0].trust: must be \"own\" or \"external\", got \"full\"",
        ),
        (
            &format!("{one}project = '/'"),
            "4: connectors[0].project: must be a project name: a letter or digit, then letters, \
             digits, _, . or -, 64 at most, got \"/\"",
        ),
        (
            &format!("{one}[connectors.options]\napi_token = 'hunter2'"),
            "5: connectors[0].options.api_token: a secret does not belong in this file: put it \
             into an environment variable or the .env file, and name that variable in \
             api_token_env",
        ),
    ]);
}

#[test]
fn an_option_of_the_wrong_type_is_named_by_key_and_line() {
    let text = "[[connectors]]\nname = 'a'\ntype = 'claude_code'\n[connectors.options]\n\
                projects_dir = 'x'\nsettle_minutes = 'soon'\nmin_chars = []\n";
    assert_eq!(
        problems(text),
        [
            "6: connectors[0].options.settle_minutes: must be a whole number of at least 0, got \
             \"soon\"",
            "7: connectors[0].options.min_chars: must be a whole number of at least 0, got sequence",
        ]
    );
}

#[test]
fn an_expression_that_does_not_compile_is_not_repeated() {
    each_gives(&[
        (
            "redaction.extra_patterns = ['ok', 'hunter2(']",
            "1: redaction.extra_patterns: expression 1 is not valid: unclosed group",
        ),
        (
            "redaction.extra_patterns = [7]",
            "1: redaction.extra_patterns[0]: must be an expression, not empty, got another value \
             (not shown)",
        ),
        (
            "redaction.disabled_rules = [1]",
            "1: redaction.disabled_rules[0]: must be the id of a rule, got 1",
        ),
    ]);
}

#[test]
fn a_secret_is_not_repeated_wherever_it_was_pasted() {
    let secret = format!("sk-ant-{}-{}AA", "api03", "Zx9".repeat(31));
    each_gives(&[(
        &format!("server.path = '{secret}'"),
        "1: server.path: must be a path that starts with /, got another value (not shown)",
    )]);
}

#[test]
fn hours_and_sizes_are_above_zero() {
    each_gives(&[
        (
            "watchdog.realert_hours = 0.0",
            "1: watchdog.realert_hours: must be a number above 0, got 0.0",
        ),
        (
            "watchdog.alert_webhook_env = 'https://hooks.example/x'",
            "1: watchdog.alert_webhook_env: must be the name of an environment variable (letters, \
             digits and _), got another value (not shown)",
        ),
        (
            "inbox.max_mb = 0",
            "1: inbox.max_mb: must be a number above 0, got 0",
        ),
        (
            "inbox.max_device_mb = inf",
            "1: inbox.max_device_mb: must be a number above 0, got inf",
        ),
    ]);
}

#[test]
fn project_rules_are_brought_into_form_or_refused() {
    let text = "[projects]\nroots = ['Kunden']\n[projects.paths]\n'~/x' = 'My Shop'\n\
                [projects.aliases]\nOld = 'NEW'";
    let projects = parse(text).unwrap().projects;
    assert_eq!(projects.roots, ["kunden"]);
    assert_eq!(projects.paths["~/x"], "my-shop");
    assert_eq!(projects.aliases["old"], "new");
    each_gives(&[
        (
            "projects.roots = ['a/b']",
            "1: projects.roots[0]: must be a folder name that is not empty and holds no / and no \
             \\, got \"a/b\"",
        ),
        (
            "[projects.paths]\n'x/y' = 'shop'",
            "2: projects.paths.x/y: the folder must be absolute or start with ~/, got \"x/y\"",
        ),
        (
            "[projects.paths]\n'/x' = '-'",
            "2: projects.paths./x: must be a project name: a letter or digit, then letters, \
             digits, _, . or -, 64 at most, got \"-\"",
        ),
        (
            "[projects.aliases]\n'?' = 'shop'",
            "2: projects.aliases.?: the name before the = is no project name, got \"?\"",
        ),
    ]);
}
