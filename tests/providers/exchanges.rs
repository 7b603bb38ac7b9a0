//! Exchanges as each interface documents them, with invented content: what is sent, byte for byte
//! in its meaning, and what is made of the answer.
//!
//! `JEZERO_WRITE_EXPECTED=1` writes the questions anew, to be read before they are kept.

use std::path::{Path, PathBuf};

use jezero::config::Provider;
use serde_json::{Value, json};

use super::tried::{KEY, made, settings, tried};
use crate::support::model_server::{ModelServer, Turn};

fn exchanges(provider: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/summarizer");
    let mut found: Vec<_> = std::fs::read_dir(folder.join(provider))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

async fn check(path: &Path, provider: Provider, base: fn(&str) -> String) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut exchange: Value = serde_json::from_str(&text).unwrap();
    let server = ModelServer::turns(vec![Turn::json(&exchange["answer"])]);
    let summarizer = made(&settings(provider, &base(&server.base)));
    let answer = tried(summarizer.as_ref()).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked.len(), 1, "{}", path.display());
    let headers = [
        "content-type",
        "anthropic-version",
        "authorization",
        "x-api-key",
    ];
    let headers: serde_json::Map<_, _> = (headers.into_iter())
        .filter_map(|name| Some((name.to_owned(), json!(asked[0].header(name)?))))
        .collect();
    let question = json!({"line": asked[0].line, "headers": headers, "body": asked[0].body});
    let reply = &answer.reply;
    let reply = json!({
        "title": reply.title,
        "summary": reply.summary,
        "questions": reply.questions,
        "atoms": reply.atoms,
        "project": reply.project,
        "tokens": [answer.usage.input_tokens, answer.usage.output_tokens],
    });
    #[expect(
        clippy::disallowed_methods,
        reason = "a switch for the one who runs the tests"
    )]
    if std::env::var_os("JEZERO_WRITE_EXPECTED").is_some() {
        exchange["question"] = question.clone();
        exchange["reply"] = reply.clone();
        let text = serde_json::to_string_pretty(&exchange).unwrap() + "\n";
        std::fs::write(path, text).unwrap();
    }
    assert_eq!(exchange["question"], question, "{}", path.display());
    assert_eq!(exchange["reply"], reply, "{}", path.display());
}

#[tokio::test]
async fn anthropic_is_spoken_as_documented() {
    let found = exchanges("anthropic");
    assert_eq!(found.len(), 2);
    for path in found {
        check(&path, Provider::Anthropic, str::to_owned).await;
        // An address with the version at its end means the same.
        check(&path, Provider::Anthropic, |base| format!("{base}/v1")).await;
    }
}

#[tokio::test]
async fn openai_and_the_servers_that_follow_it_are_spoken_as_documented() {
    let found = exchanges("openai_compatible");
    assert_eq!(found.len(), 5);
    for path in found {
        check(&path, Provider::OpenaiCompatible, |base| {
            format!("{base}/v1")
        })
        .await;
    }
}

#[tokio::test]
async fn a_key_goes_where_it_belongs_and_no_server_of_this_computer_gets_one_that_is_not_set() {
    let server = ModelServer::turns(vec![Turn::Cut]);
    let base = format!("{}/v1", server.base);
    let mut unset = settings(Provider::OpenaiCompatible, &base);
    unset.api_key_env = "ANOTHER".to_owned();
    drop(tried(made(&unset).as_ref()).await.unwrap_err());
    assert_eq!(server.asked()[0].header("authorization"), None);
    let summarizer = made(&settings(Provider::OpenaiCompatible, &base));
    drop(tried(summarizer.as_ref()).await.unwrap_err());
    let bearer = format!("Bearer {KEY}");
    assert_eq!(
        server.asked()[5].header("authorization"),
        Some(bearer.as_str())
    );
}
