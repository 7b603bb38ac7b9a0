//! Secrets that only their place betrays.

use std::fs;

use crate::redaction::{Engine, RuleError, Settings};

/// A text and what becomes of it.
const SHAPES: &[(&str, &str)] = &[
    (
        "postgres://app:Blue42Fish@db.example:5432/app",
        "postgres://app:[REDACTED:url-password]@db.example:5432/app",
    ),
    (
        "redis://:Blue42Fish@cache.example",
        "redis://:[REDACTED:url-password]@cache.example",
    ),
    (
        "amqp://a:pss/w0rd@mq.example/v",
        "amqp://a:[REDACTED:url-password]@mq.example/v",
    ),
    (
        "Server=db;User Id=sa;Password=Blue42Fish;Encrypt=true",
        "Server=db;User Id=sa;Password=[REDACTED:password];Encrypt=true",
    ),
    (
        "jdbc:postgresql://db/app?user=a&password=Blue42Fish&ssl=1",
        "jdbc:postgresql://db/app?user=a&password=[REDACTED:password]&ssl=1",
    ),
    (
        r#"{"a":"{\"password\":\"Blue\\\"42\",\"b\":1}"}"#,
        r#"{"a":"{\"password\":\"[REDACTED:password]\",\"b\":1}"}"#,
    ),
    (
        r#"{"out":"DB_PASSWORD=hunter2\nNEXT=1"}"#,
        r#"{"out":"DB_PASSWORD=[REDACTED:password]\nNEXT=1"}"#,
    ),
    (
        "Authorization: Basic dXNlcjpCbHVlNDJGaXNo",
        "Authorization: Basic [REDACTED:auth-header]",
    ),
    (
        "Authorization: Token 4f9d2b7c1e8a3d5f6b0c",
        "Authorization: Token [REDACTED:auth-header]",
    ),
    (
        r#"'Authorization': 'Bearer q7Wn3xP0zR5tLk8v'"#,
        "'Authorization': 'Bearer [REDACTED:auth-header]'",
    ),
    (
        "Cookie: theme=dark; sid=q7Wn3xP0zR5t; lang=en",
        "Cookie: theme=dark; sid=[REDACTED:cookie]; lang=en",
    ),
    (
        "curl -u admin:Blue42Fish https://x.example",
        "curl -u admin:[REDACTED:command-password] https://x.example",
    ),
    (
        "sshpass -p 'Blue42Fish' ssh h",
        "sshpass -p '[REDACTED:command-password]' ssh h",
    ),
    (
        "mysql -u root -pBlue42Fish app",
        "mysql -u root -p[REDACTED:command-password] app",
    ),
    (
        "docker login -u a -p Blue42Fish reg.example",
        "docker login -u a -p [REDACTED:command-password] reg.example",
    ),
    (
        "tool --password Blue42Fish --x",
        "tool --password [REDACTED:password] --x",
    ),
    (
        "machine h login bob password Blue42Fish",
        "machine h login bob password [REDACTED:password]",
    ),
    (
        "db.example:5432:app:bob:Blue42Fish",
        "db.example:5432:app:bob:[REDACTED:pgpass]",
    ),
    (
        "CREATE USER bob PASSWORD 'Blue42Fish';",
        "CREATE USER bob PASSWORD '[REDACTED:password]';",
    ),
    (
        "<password>Blue42Fish</password>",
        "<password>[REDACTED:password]</password>",
    ),
    (
        "my password is Blue42Fish.",
        "my password is [REDACTED:password].",
    ),
    (
        "- name: DB_PASSWORD\n  value: hunter2",
        "- name: DB_PASSWORD\n  value: [REDACTED:password]",
    ),
    (
        "root:$6$q7Wn3xP0$zR5tLk8vB2cM6hJ4dF9gS1a:19000:0",
        "root:[REDACTED:password-hash]:19000:0",
    ),
    (
        r#"{"kty":"EC","crv":"P-256","d":"q7Wn3xP0zR5tLk8vB2cM"}"#,
        r#"{"kty":"EC","crv":"P-256","d":"[REDACTED:jwk-private]"}"#,
    ),
    (
        "kind: Secret\nmetadata:\n  name: db\ndata:\n  a.yaml: YTogMSBiOiB0d28=\n  b: \"cGxhaW53b3Jk\"\ntype: Opaque\n",
        "kind: Secret\nmetadata:\n  name: db\ndata:\n  a.yaml: [REDACTED:kubernetes-secret]\n  b: \"[REDACTED:kubernetes-secret]\"\ntype: Opaque\n",
    ),
    (
        r#"{"o":"{\"data\":{\"a\":\"dHdvIHdvcmRz\"},\"kind\":\"Secret\"}"}"#,
        r#"{"o":"{\"data\":{\"a\":\"[REDACTED:kubernetes-secret]\"},\"kind\":\"Secret\"}"}"#,
    ),
    (
        r#"{"kind": "Secret", "data": {"a": 12345678, "b": null, "c": true, "d": "cGxhaW53b3Jk"}}"#,
        r#"{"kind": "Secret", "data": {"a": 12345678, "b": null, "c": true, "d": "[REDACTED:kubernetes-secret]"}}"#,
    ),
    (
        r#"{"kind": "Secret", "stringData": {"pin": 12345678, "user": "Blue42Fish"}}"#,
        r#"{"kind": "Secret", "stringData": {"pin": 12345678, "user": "[REDACTED:kubernetes-secret]"}}"#,
    ),
    (
        "kind: Secret\nstringData:\n  pin: 12345678\n",
        "kind: Secret\nstringData:\n  pin: [REDACTED:kubernetes-secret]\n",
    ),
    (
        "kind: Secret\nstringData:\n  user: Blue42Fish\n  url: ${URL}\n",
        "kind: Secret\nstringData:\n  user: [REDACTED:kubernetes-secret]\n  url: ${URL}\n",
    ),
    (
        "kind: ConfigMap\ndata:\n  a: dHdvIHdvcmRz\n",
        "kind: ConfigMap\ndata:\n  a: dHdvIHdvcmRz\n",
    ),
    (
        "client_secret: |2-\n    q7Wn3xP0zR5tLk8v\n    B2cM6hJ4dF9gS1aY\nnext: 1",
        "client_secret: |2-\n    [REDACTED:secret]\nnext: 1",
    ),
    (
        "Private-Lines: 1\nAAAAIq7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7o\nPrivate-MAC: x",
        "Private-Lines: 1\n[REDACTED:private-key]\nPrivate-MAC: x",
    ),
    (
        "db.example:25060:app:bob:Blue42Fish",
        "db.example:25060:app:bob:[REDACTED:pgpass]",
    ),
    (
        r#"password = """Blue42Fish""""#,
        r#"password = """[REDACTED:password]""""#,
    ),
    (
        r##"let password = r#"Blue42Fish"#;"##,
        r##"let password = r#"[REDACTED:password]"#;"##,
    ),
    (
        "<password><![CDATA[Blue42Fish]]></password>",
        "<password><![CDATA[[REDACTED:password]]]></password>",
    ),
    (
        r#"<entry key="db.password">Blue42Fish</entry>"#,
        r#"<entry key="db.password">[REDACTED:password]</entry>"#,
    ),
    (
        "SET PASSWORD FOR 'a'@'h' = PASSWORD('Blue42Fish');",
        "SET PASSWORD FOR 'a'@'h' = PASSWORD('[REDACTED:password]');",
    ),
    (
        r#"CREATE USER a IDENTIFIED BY "Blue42Fish";"#,
        r#"CREATE USER a IDENTIFIED BY "[REDACTED:password]";"#,
    ),
    (
        r#"const apiKey string = "q7Wn3xP0zR5tLk8v""#,
        r#"const apiKey string = "[REDACTED:api-key]""#,
    ),
    (
        "mot de passe : Blue42Fish",
        "mot de passe : [REDACTED:password]",
    ),
    (
        "le mot de passe est Blue42Fish",
        "le mot de passe est [REDACTED:password]",
    ),
    ("a senha é Blue42Fish", "a senha é [REDACTED:password]"),
    ("密码是Blue42Fish", "密码是[REDACTED:password]"),
    (
        "https%3A%2F%2Fx%2F%3Faccess_token%3Dq7Wn3xP0zR5tLk8v",
        "https%3A%2F%2Fx%2F%3Faccess_token%3D[REDACTED:token]",
    ),
    (
        "echo Blue42Fish | docker login -u bob --password-stdin",
        "echo [REDACTED:command-password] | docker login -u bob --password-stdin",
    ),
    (
        "printf '%s' 'Blue42Fish' | wrangler secret put NAME",
        "printf '%s' '[REDACTED:command-password]' | wrangler secret put NAME",
    ),
    (
        "echo 'bob:Blue42Fish' | chpasswd",
        "echo 'bob:[REDACTED:command-password]' | chpasswd",
    ),
    (
        "echo \"$PASSWORD\" | docker login --password-stdin",
        "echo \"$PASSWORD\" | docker login --password-stdin",
    ),
    (
        "machine h login bob account x password Blue42Fish",
        "machine h login bob account x password [REDACTED:password]",
    ),
    ("requirepass Blue42Fish", "requirepass [REDACTED:password]"),
    (
        "az login -u x -p Blue42Fish",
        "az login -u x -p [REDACTED:command-password]",
    ),
    (
        "gh secret set NAME --body Blue42Fish",
        "gh secret set NAME --body [REDACTED:command-password]",
    ),
    (
        r#"let password: &str = "Blue42Fish";"#,
        r#"let password: &str = "[REDACTED:password]";"#,
    ),
];

#[test]
fn a_secret_goes_and_what_stands_around_it_stays() {
    let engine = Engine::embedded();
    let wrong: Vec<String> = SHAPES
        .iter()
        .map(|(text, expected)| (text, expected, engine.redact(text)))
        .filter(|(_, expected, hidden)| hidden.as_str() != **expected)
        .map(|(text, _, hidden)| format!("{text}\n  became {hidden}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const LINES: [&str; 3] = [
    "MIIEpAIBAAKCAQEAq7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5wQ8rT2yU4",
    "iO6pA0sD1fG3hJ5kL7zX9cV2bN4mQ6wE8rT0yU1iO3pA5sD7fG9hJ2kL4zX6cV8b",
    "N0mQ1wE3rT5yU7iO9pA2sD4f==",
];
const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";

#[test]
fn a_private_key_goes_in_every_dress() {
    let engine = Engine::embedded();
    let [first, second, third] = LINES;
    let hidden = "[REDACTED:private-key]";
    for (text, expected) in [
        (
            format!("a\n{BEGIN}\n{first}\n{second}\n{third}\n{END}\nb"),
            format!("a\n{hidden}\nb"),
        ),
        (
            format!("\"{BEGIN}\\n{first}\\n{second}\\n{third}\\n{END}\\n\""),
            format!("\"{hidden}\\n\""),
        ),
        (
            format!("{BEGIN}\n{first}\n{second}\n\nThe file ends here."),
            format!("{hidden}\n\nThe file ends here."),
        ),
        (
            format!("text\n{second}\n{third}\n{END}\nb"),
            format!("text\n{hidden}\nb"),
        ),
        (
            format!("1\t{BEGIN}\n2\t{first}\n3\t{second}\n4\t{third}\n5\t{END}"),
            format!("1\t{hidden}"),
        ),
        (
            format!("+{BEGIN}\n+{first}\n+{second}\n+{third}\n+{END}"),
            format!("+{hidden}"),
        ),
        (
            format!("{BEGIN}\nProc-Type: 4,ENCRYPTED\n\n{first}\n{third}\n{END}"),
            hidden.to_owned(),
        ),
    ] {
        assert_eq!(engine.redact(&text).as_str(), expected);
    }
}

#[test]
fn switched_off_rules_and_engines_hide_nothing() {
    let text = "DB_PASSWORD=hunter2 curl -u a:Blue42Fish";
    let off = Settings {
        enabled: false,
        ..Settings::default()
    };
    let engine = Engine::with(&off).unwrap();
    assert_eq!(engine.redact(text).as_str(), text);
    let disabled_rules = vec!["password".to_owned(), "command-password".to_owned()];
    let some = Settings {
        disabled_rules,
        ..Settings::default()
    };
    let engine = Engine::with(&some).unwrap();
    assert_eq!(engine.redact(text).as_str(), text);
}

#[test]
fn own_patterns_hide_their_secret() {
    let extra_patterns = vec![r"EMP-(?P<secret>\d{6})".to_owned()];
    let settings = Settings {
        extra_patterns,
        ..Settings::default()
    };
    let engine = Engine::with(&settings).expect("a right pattern");
    assert_eq!(
        engine.redact("EMP-123456").as_str(),
        "EMP-[REDACTED:custom-1]"
    );
}

#[test]
fn a_wrong_rule_file_is_named_with_rule_and_field() {
    for (rule, expected) in [
        (
            "regex = 'ab('\nkeywords = ['ab']",
            "regex: expected a regular expression",
        ),
        ("regex = 'ab'", "keywords: expected at least one"),
        (
            "regex = 'ab'\nkeywords = ['ab']\nalphabet = 'a\"'",
            "alphabet: expected ASCII letters",
        ),
        (
            "regex = 'ab[0-9]{9}'\nkeywords = ['ab']\nmatch = ['ab1']",
            "match: expected a text that the rule hides",
        ),
        (
            "regex = 'ab'\nkeywords = ['ab']\ncolour = 1",
            "unknown field `colour`",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.toml");
        fs::write(
            &file,
            format!("[[rule]]\nid = \"mine\"\ndescription = \"x\"\n{rule}\n"),
        )
        .expect("a file");
        let settings = Settings {
            rules_dir: Some(folder.path().to_owned()),
            ..Settings::default()
        };
        let error = Engine::with(&settings)
            .expect_err("a wrong rule")
            .to_string();
        assert!(
            error.contains("mine.toml") && error.contains(expected),
            "{error}"
        );
    }
    let settings = Settings {
        rules_dir: Some("no/such/folder".into()),
        ..Settings::default()
    };
    let error = Engine::with(&settings).expect_err("no folder");
    assert!(matches!(error, RuleError::Read { .. }), "{error}");
}
