//! What servers and programs say when they give no summary: refusals, broken answers, error output.

use jezero::config::{Provider, Summarizer as Settings};
use jezero::redaction::Engine;
use jezero::store::Store;
use serde_json::{Value, json};

use super::{all_that_is_stored, marker, shows};
use crate::cli::place::{Place, conversation};
use crate::providers::tried::{completion, made, settings, tool_use};
use crate::support::model_server::{ModelServer, Turn};
use crate::support::reading;

/// A way to give no summary, with a secret in it.
struct Refusal {
    what: &'static str,
    turn: fn(Provider, &str) -> Turn,
    /// Whether the program asks again before it gives up, which takes it seconds.
    patient: bool,
}

const REFUSALS: &[Refusal] = &[
    Refusal {
        what: "429 with a message",
        turn: |_, secret| busy(429, &message(secret)),
        patient: false,
    },
    Refusal {
        what: "500 with a message",
        turn: |_, secret| busy(500, &message(secret)),
        patient: false,
    },
    Refusal {
        what: "503 with a page of text",
        turn: |_, secret| {
            let text = format!("upstream said\n{secret}\nand ended");
            busy(503, &text).header("content-type", "text/plain")
        },
        patient: false,
    },
    Refusal {
        what: "502 with a page for browsers",
        turn: |_, secret| {
            busy(502, &format!("<html>{secret}</html>")).header("content-type", "text/html")
        },
        patient: false,
    },
    Refusal {
        what: "429 with the secret as a name and in a list",
        turn: |_, secret| {
            busy(
                429,
                &json!({"error": {secret: [secret, {"a": secret}]}}).to_string(),
            )
        },
        patient: false,
    },
    Refusal {
        what: "429 with the secret across a line break",
        turn: |_, secret| {
            let (one, two) = secret.split_at(22);
            busy(429, &message(&format!("{one}\n{two}")))
        },
        patient: false,
    },
    Refusal {
        what: "429 with the secret in its headers",
        turn: |_, secret| busy(429, "{}").header("x-request-id", secret),
        patient: false,
    },
    Refusal {
        what: "500 that is cut in its JSON",
        turn: |_, secret| busy(500, &format!("{{\"error\": {{\"message\": \"no {secret}")),
        patient: false,
    },
    Refusal {
        what: "401 with a message",
        turn: |_, secret| Turn::status(401, &message(secret)),
        patient: false,
    },
    Refusal {
        what: "400 with a message",
        turn: |_, secret| Turn::status(400, &message(secret)),
        patient: false,
    },
    Refusal {
        what: "a redirect to an address with the secret",
        turn: |_, secret| {
            let place = format!("http://user:{secret}@127.0.0.1:9/");
            Turn::status(307, &message(secret)).header("location", &place)
        },
        patient: false,
    },
    Refusal {
        what: "an error under status 200",
        turn: |_, secret| Turn::status(200, &message(secret)),
        patient: false,
    },
    Refusal {
        what: "JSON that is cut",
        turn: |provider, secret| {
            let whole = answer(provider, &json!({"title": secret})).to_string();
            Turn::status(200, whole.split_at(whole.len() - 40).0)
        },
        patient: false,
    },
    Refusal {
        what: "another shape",
        turn: |_, secret| Turn::json(&json!({"content": secret, "choices": {secret: secret}})),
        patient: false,
    },
    Refusal {
        what: "no JSON",
        turn: |_, secret| Turn::status(200, secret),
        patient: false,
    },
    Refusal {
        what: "a reply at the limit of tokens",
        turn: |provider, secret| {
            let mut body = answer(provider, &json!({"title": secret}));
            set(&mut body, "/stop_reason", json!("max_tokens"));
            set(&mut body, "/choices/0/finish_reason", json!("length"));
            Turn::json(&body)
        },
        patient: false,
    },
    Refusal {
        what: "a reply that was declined",
        turn: |provider, secret| {
            let mut body = answer(provider, &json!({"title": secret}));
            set(&mut body, "/stop_reason", json!("refusal"));
            set(
                &mut body,
                "/content",
                json!([{"type": "text", "text": secret}]),
            );
            set(&mut body, "/choices/0/message", json!({"refusal": secret}));
            Turn::json(&body)
        },
        patient: false,
    },
    Refusal {
        what: "a reply of a wrong shape, twice",
        turn: |provider, secret| {
            Turn::json(&answer(
                provider,
                &json!({"title": [secret], "summary": secret}),
            ))
        },
        patient: false,
    },
    Refusal {
        what: "a reply with another name",
        turn: |provider, secret| Turn::json(&answer(provider, &json!({secret: secret}))),
        patient: false,
    },
    Refusal {
        what: "a connection that ends in the middle",
        turn: |provider, secret| {
            let body = answer(provider, &json!({"title": secret})).to_string();
            let after = body.len() - 10;
            Turn::Truncate { body, after }
        },
        patient: true,
    },
];

/// A refusal that the program takes for final: it is told to wait for an hour.
fn busy(status: u16, body: &str) -> Turn {
    Turn::status(status, body).header("retry-after", "3600")
}

fn message(secret: &str) -> String {
    json!({"error": {"type": "error", "message": format!("not for {secret} now")}}).to_string()
}

/// An answer with a record in it, as a provider's interface gives it.
fn answer(provider: Provider, record: &Value) -> Value {
    match provider {
        Provider::Anthropic => tool_use(record),
        _ => completion(&record.to_string()),
    }
}

/// Changes what an answer says at a place, if its interface has that place.
fn set(body: &mut Value, place: &str, value: Value) {
    if let Some(said) = body.pointer_mut(place) {
        *said = value;
    }
}

/// The address of a server as the configuration of a provider has it.
fn base(provider: Provider, server: &ModelServer) -> String {
    match provider {
        Provider::Anthropic => server.base.clone(),
        _ => format!("{}/v1", server.base),
    }
}

const SERVED: [Provider; 2] = [Provider::Anthropic, Provider::OpenaiCompatible];

/// Reads one session with a summariser that fails; gives the report.
fn failed(place: &Place, store: &mut Store, source: &str, settings: &Settings) -> String {
    let connector = reading::sessions(&place.path("sessions"));
    let report = reading::read(
        store,
        &Engine::embedded(),
        made(settings),
        "2030-01-01T00:00:00Z",
        (source, connector),
    )
    .unwrap();
    assert_eq!((report.stored, report.failed), (0, 1), "{report:?}");
    format!("{} {report:?}", serde_json::to_string(&report).unwrap())
}

#[test]
fn a_secret_in_a_refusal_or_a_broken_answer_is_in_no_report_and_no_library() {
    let place = Place::new();
    place.session("s", &conversation("tag", 3));
    let database = place.path("data/jezero.db");
    let mut store = Store::open(&database).unwrap();
    let mut secrets = Vec::new();
    let mut quoted = 0;
    for provider in SERVED {
        for refusal in REFUSALS {
            let secret = marker(40_000 + secrets.len());
            let server = ModelServer::turns(vec![(refusal.turn)(provider, &secret)]);
            let settings = settings(provider, &base(provider, &server));
            let source = format!("s{}", secrets.len());
            let report = failed(&place, &mut store, &source, &settings);
            assert!(
                !shows(report.as_bytes(), &secret),
                "{}: {report}",
                refusal.what
            );
            assert!(!server.asked().is_empty(), "{}", refusal.what);
            quoted += usize::from(report.contains("[REDACTED:github"));
            secrets.push((refusal.what, secret));
        }
    }
    // The test must not pass because nothing is quoted.
    assert!(quoted > secrets.len() / 3, "{quoted} of {}", secrets.len());
    store.finish().unwrap();
    let stored = all_that_is_stored(&database);
    for (what, secret) in secrets {
        assert!(!shows(&stored, &secret), "{what}");
    }
}

/// Runs the commands that may tell of a failure, with everything logged, and looks for the secret in
/// what they say and in every file of the library.
fn told_nowhere(place: &Place, what: &str, secret: &str) {
    for arguments in [&["run", "--json"][..], &["run"], &["stats"], &["doctor"]] {
        let mut command = place.command(arguments);
        let ran = command.env("RUST_LOG", "trace").output().unwrap();
        if arguments == ["run"] {
            assert_eq!(ran.status.code(), Some(1), "{what}: {ran:?}");
        }
        for said in [&ran.stdout, &ran.stderr] {
            let text = String::from_utf8_lossy(said);
            assert!(!shows(said, secret), "{what} {arguments:?}: {text}");
        }
    }
    let stored = all_that_is_stored(&place.path("data/jezero.db"));
    assert!(!shows(&stored, secret), "{what}: in the library");
}

/// A place with one session and a summariser.
fn place(summarizer: &str) -> Place {
    let place = Place::new();
    let connectors = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let text = format!("[summarizer]\nmodel = \"tiny-1\"\n{summarizer}\n{connectors}");
    place.write("jezero.toml", text);
    place.write(".env", "JEZERO_SUMMARIZER_API_KEY=plain-words-as-a-key\n");
    place.session("s", &conversation("tag", 3));
    place
}

#[test]
fn the_program_says_and_logs_nothing_of_a_secret_in_a_refusal_or_a_broken_answer() {
    let impatient = REFUSALS.iter().filter(|refusal| !refusal.patient);
    for (number, refusal) in impatient.enumerate() {
        for provider in SERVED {
            let secret = marker(41_000 + 2 * number + usize::from(provider == SERVED[0]));
            let server = ModelServer::turns(vec![(refusal.turn)(provider, &secret)]);
            let place = place(&format!(
                "provider = \"{provider}\"\nbase_url = \"{}\"",
                base(provider, &server)
            ));
            told_nowhere(&place, refusal.what, &secret);
            assert!(!server.asked().is_empty(), "{}", refusal.what);
        }
    }
}

#[cfg(unix)]
#[test]
fn the_program_says_and_logs_nothing_of_a_secret_that_a_failing_command_writes() {
    use std::os::unix::fs::PermissionsExt;

    /// What goes wrong, and the script that does so with a secret.
    type Script = (&'static str, fn(&str) -> String);
    let scripts: [Script; 7] = [
        ("error output", |secret| {
            format!("echo 'not with {secret}' >&2; exit 3")
        }),
        ("output before a failure", |secret| {
            format!("echo 'not with {secret}'; exit 3")
        }),
        ("error output that is long", |secret| {
            format!(
                "i=0; while [ $i -lt 2000 ]; do echo '{secret} once more' >&2; i=$((i+1)); done; \
                 exit 3"
            )
        }),
        ("an envelope that reports an error", |secret| {
            let envelope = json!({"type": "result", "is_error": true, "result": secret});
            format!("echo '{envelope}'")
        }),
        ("error output beside a useless reply", |secret| {
            format!("echo '{secret}' >&2; echo 'I would rather chat of {secret}'")
        }),
        ("a reply of a wrong shape", |secret| {
            format!("echo '{}'", json!({"title": [secret], "summary": secret}))
        }),
        ("a signal", |secret| {
            format!("echo '{secret}' >&2; kill -9 $$")
        }),
    ];
    for (number, (what, script)) in scripts.into_iter().enumerate() {
        let secret = marker(42_000 + number);
        let place = place("provider = \"command\"\ncommand = [\"./sum\"]");
        let text = format!("#!/bin/sh\ncat > /dev/null\n{}\n", script(&secret));
        place.write("sum", text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path("sum"), mode).unwrap();
        told_nowhere(&place, what, &secret);
    }
}
