//! Every rule's first sample in the settings in which transcripts show tokens.

use crate::redaction::Engine;

/// Settings: a name and a text with `@` in the place of the token.
const SETTINGS: &[(&str, &str)] = &[
    ("environment", "export SOME_VALUE=@\nexport NEXT=1"),
    ("JSON member", r#"{"value": "@", "n": 1}"#),
    ("JSON in JSON", r#"{"a":"{\"value\": \"@\"}"}"#),
    (
        "JSON in JSON in JSON",
        r#"{"a":"{\"b\":\"{\\\"value\\\":\\\"@\\\"}\"}"}"#,
    ),
    ("between escaped line breaks", r#""one\n@\ntwo""#),
    ("behind an escaped tab", r#""one\t@\ttwo""#),
    ("environment in JSON", r#"{"out":"A=1\nVALUE=@\nB=2\n"}"#),
    ("prose with a full stop", "The value is @. Then it worked."),
    ("Markdown code", "use `@` here"),
    ("table", "| name | @ | x |"),
    ("colour code", "\u{1b}[32m@\u{1b}[0m done"),
    ("escaped colour code", r"\u001b[1;32m@\u001b[0m done"),
    (
        "Bearer header",
        r#"curl -H "Authorization: Bearer @" https://api.example.com"#,
    ),
    (
        "query of an address",
        "GET https://api.example.com/v1?x=@&page=2",
    ),
    (
        "user of an address",
        "git clone https://oauth2:@@git.example.com/a/b.git",
    ),
    ("round brackets", "(@)"),
    ("square brackets", "[@]"),
    ("commas", "a,@,b"),
    ("colons", "value:@: end"),
    ("semicolons", "a=@;b=2"),
    ("XML", "<v>@</v>"),
    ("HTML attribute", r#"<input value="@">"#),
    ("escaped quotes", r"{\u0022value\u0022:\u0022@\u0022}"),
    ("entities", "x=&quot;@&quot;"),
    ("curly quotes", "value\u{a0}“@” seen"),
    ("argument", "tool --some @ --other"),
    ("YAML", "a:\n  value: @\n  b: 1"),
    ("diff", "+VALUE=@\n-VALUE=x"),
];

#[test]
fn every_sample_is_gone_in_every_setting() {
    let engine = Engine::embedded();
    let mut left = Vec::new();
    for rule in engine.ready().unwrap().scanner.rules() {
        let Some(sample) = rule.raw.matches.first() else {
            continue;
        };
        let token = sample.text();
        let Some(secret) = longest_word(&token) else {
            continue;
        };
        for (name, setting) in SETTINGS {
            let text = match setting.split_once("@@") {
                Some((head, tail)) => format!("{head}{token}@{tail}"),
                None => setting.replacen('@', &token, 1),
            };
            let hidden = engine.redact(&text);
            if hidden.as_str().contains(secret) || !hidden.as_str().contains("[REDACTED:") {
                left.push(format!("{} in {name}: {hidden}", rule.raw.id));
            }
        }
    }
    assert!(left.is_empty(), "{} left\n{}", left.len(), left.join("\n"));
}

#[test]
fn a_token_with_an_invisible_character_inside_is_gone() {
    let engine = Engine::embedded();
    for rule in engine.ready().unwrap().scanner.rules() {
        let Some(sample) = rule.raw.matches.first() else {
            continue;
        };
        let mut token = sample.text();
        let middle = longest_word(&token).and_then(|word| Some(token.find(word)? + word.len() / 2));
        token.insert(middle.unwrap_or_default(), '\u{200b}');
        let hidden = engine.redact(&format!("see {token} end"));
        assert!(
            !hidden.as_str().contains('\u{200b}'),
            "{}: {hidden}",
            rule.raw.id
        );
    }
}

#[test]
fn a_token_that_a_line_break_cuts_is_gone_on_both_lines() {
    let engine = Engine::embedded();
    let token = format!(
        "sk-ant-api03-{}AA",
        "q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1a".repeat(3)
    );
    for break_here in ["\n", "\r\n", "\\n", "\n  "] {
        for at in [40, 60, 80] {
            let (head, tail) = token.split_at(at);
            let hidden = engine.redact(&format!("see {head}{break_here}{tail} end"));
            assert_eq!(hidden.as_str(), "see [REDACTED:anthropic-api-key] end");
        }
    }
}

#[test]
fn lines_that_each_begin_as_a_token_does_are_not_joined() {
    let engine = Engine::embedded();
    let text = "sk-ant-api03-ab1cd9\nsk-ant-api03-ef2gh8\nsk-ant-api03-ij3kl7\n";
    assert_eq!(engine.redact(text).as_str(), text);
    let token = format!(
        "sk-ant-api03-{}AA",
        "q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1a".repeat(3)
    );
    let hidden = engine.redact(&format!("sk-ant-api03-ab1cd9\n{token}\n"));
    assert_eq!(
        hidden.as_str(),
        "sk-ant-api03-ab1cd9\n[REDACTED:anthropic-api-key]\n"
    );
}

/// The longest run without punctuation, which is sure to belong to the secret.
fn longest_word(token: &str) -> Option<&str> {
    token
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .max_by_key(|word| word.len())
}
