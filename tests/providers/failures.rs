//! Whatever a server does, it costs one segment at most, and the message says why and what next.

use std::time::Duration;

use jezero::config::{Provider, Summarizer as Settings};
use jezero::summarizer::{Answer, SummarizerError, Usage};
use serde_json::json;

use super::tried::{KEY, anthropic, completion, made, openai, record, settings, tool_use, tried};
use crate::support::model_server::{ModelServer, Turn};

fn good() -> Turn {
    Turn::json(&tool_use(&record()))
}

fn said(answer: Result<Answer, SummarizerError>) -> String {
    let text = answer.unwrap_err().to_string();
    // The port is another one each time.
    let (before, rest) = text.split_once("127.0.0.1:").unwrap_or(("", &text));
    match before.is_empty() && rest.len() == text.len() {
        true => text,
        false => format!(
            "{before}HOST{}",
            rest.trim_start_matches(|c: char| c.is_ascii_digit())
        ),
    }
}

#[tokio::test]
async fn a_busy_or_broken_server_is_asked_again_and_the_tries_are_counted() {
    let busy = Turn::status(529, r#"{"error": {"type": "overloaded_error"}}"#);
    let truncated = Turn::Truncate {
        body: tool_use(&record()).to_string(),
        after: 20,
    };
    let (answer, asked) = anthropic(vec![busy, Turn::Cut, truncated, good()]).await;
    let usage = answer.unwrap().usage;
    assert_eq!(
        usage,
        Usage {
            input_tokens: 1000,
            output_tokens: 200,
            retries: 3,
            repairs: 0
        }
    );
    assert_eq!(asked.len(), 4);
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up_after_five_tries() {
    let busy = Turn::status(503, r#"{"error": {"message": "loading model"}}"#);
    let (answer, asked) = anthropic(vec![busy]).await;
    let error = answer.unwrap_err();
    assert_eq!(error.usage().unwrap().retries, 4);
    assert_eq!(
        said(Err(error)),
        "HOST is busy, status 503 at try 5: loading model. Run again later; if it goes on, lower \
         summarizer.max_concurrency"
    );
    assert_eq!(asked.len(), 5);
    let cut = anthropic(vec![Turn::Cut]).await;
    assert_eq!(
        (said(cut.0), cut.1.len()),
        (
            "HOST: the connection ended in the middle of an answer. Check that the server is up, \
             that summarizer.base_url is right and that timeout_seconds is long enough; then run \
             again"
                .to_owned(),
            5
        )
    );
}

#[tokio::test]
async fn a_pause_that_a_server_asks_for_is_kept_and_one_too_long_is_not_waited_for() {
    let limited = Turn::status(429, r#"{"error": {"message": "slow down"}}"#);
    let (answer, asked) = anthropic(vec![limited.clone().header("retry-after", "0"), good()]).await;
    assert_eq!((answer.unwrap().usage.retries, asked.len()), (1, 2));
    let (answer, asked) = anthropic(vec![limited.header("retry-after", "3600")]).await;
    assert_eq!(
        said(answer),
        "HOST is busy, status 429 at try 1: slow down. Run again later; if it goes on, lower \
         summarizer.max_concurrency"
    );
    assert_eq!(asked.len(), 1);
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_after_the_timeout() {
    let server = ModelServer::turns(vec![Turn::Stall]);
    let summarizer = made(&Settings {
        timeout_seconds: 0.05,
        ..settings(Provider::Anthropic, &server.base)
    });
    assert_eq!(
        said(tried(summarizer.as_ref()).await),
        "HOST: the server did not answer within 0.05 seconds. Check that the server is up, that \
         summarizer.base_url is right and that timeout_seconds is long enough; then run again"
    );
    assert_eq!(server.asked().len(), 5);
}

#[tokio::test]
async fn a_slow_answer_within_the_timeout_is_taken() {
    let slow = Turn::Delay(Duration::from_millis(30), Box::new(good()));
    let (answer, _) = anthropic(vec![slow]).await;
    assert_eq!(answer.unwrap().usage.retries, 0);
}

#[tokio::test]
async fn a_wrong_key_fails_at_once_and_its_echo_is_hidden() {
    let body = json!({"error": {"message": format!("invalid x-api-key: {KEY}")}}).to_string();
    let (answer, asked) = anthropic(vec![Turn::status(401, &body)]).await;
    let error = answer.unwrap_err();
    assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    assert_eq!(
        said(Err(error)),
        "HOST refuses the key with status 401: invalid x-api-key: \
         [REDACTED:summarizer_api_key]. Check the variable JEZERO_SUMMARIZER_API_KEY and the \
         account behind it; then run again"
    );
    assert_eq!(asked.len(), 1);
    let plain = format!("<<{KEY}>>");
    let (answer, _) = anthropic(vec![
        Turn::status(403, &plain).header("content-type", "text/plain"),
    ])
    .await;
    assert!(!said(answer).contains(KEY));
}

#[tokio::test]
async fn a_key_that_a_model_repeats_reaches_no_field() {
    let mut echo = record();
    echo["title"] = json!(format!("the key is {KEY}"));
    echo["atoms"] = json!([{"kind": "fact", "text": KEY}]);
    let (answer, _) = anthropic(vec![Turn::json(&tool_use(&echo))]).await;
    let reply = answer.unwrap().reply;
    assert_eq!(reply.title, "the key is [REDACTED:summarizer_api_key]");
    assert!(!format!("{reply:?}").contains(KEY));
}

#[tokio::test]
async fn a_refused_question_is_quoted_redacted_and_cut() {
    let secret = format!("sk-ant-{}", "vQ7mZx2Lk9Rt4Bw8Nc3Hy6Jd");
    let long = format!("model: no such thing as\n{secret} {}", "x ".repeat(300));
    let body = json!({"error": {"message": long}}).to_string();
    let (answer, asked) = anthropic(vec![Turn::status(400, &body)]).await;
    let text = said(answer);
    assert!(
        text.starts_with(
            "HOST refuses the question with status 400: model: no such thing as \
             [REDACTED:anthropic-key-untyped] x x"
        ),
        "{text}"
    );
    assert!(
        text.contains("x [... 396 characters omitted ...] x")
            && text.ends_with(
                "x. Check summarizer.model and base_url, and lower max_input_chars if the text \
                 is too long for the model; then run again"
            ),
        "{text}"
    );
    assert!(text.len() < 520, "{text}");
    assert_eq!(asked.len(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let other = ModelServer::turns(vec![good()]);
    let there = Turn::status(307, "").header("location", &format!("{}/v1/messages", other.base));
    let (answer, _) = anthropic(vec![there]).await;
    assert_eq!(
        said(answer),
        "HOST does not answer as Anthropic's interface does: it leads to another address, and a \
         key does not follow. Check summarizer.base_url and provider; then run again"
    );
    assert_eq!(other.asked().len(), 0);
}

#[tokio::test]
async fn what_is_no_answer_of_the_interface_is_told_by_its_kind() {
    let html = Turn::status(200, "<!doctype html><title>Sign in</title>");
    for (turn, what) in [
        (
            html.header("content-type", "text/html"),
            "the answer is a page for browsers",
        ),
        (
            Turn::status(200, "{\"content\": ["),
            "the answer is no JSON",
        ),
        (Turn::status(200, " "), "the answer is empty"),
        (Turn::status(200, "[1]"), "the answer is no JSON object"),
        (
            Turn::status(200, "{\"content\": 3}"),
            "it has no list called content",
        ),
    ] {
        let (answer, asked) = anthropic(vec![turn]).await;
        assert_eq!(
            said(answer),
            format!(
                "HOST does not answer as Anthropic's interface does: {what}. Check \
                 summarizer.base_url and provider; then run again"
            )
        );
        assert_eq!(asked.len(), 1, "{what}");
    }
    let (answer, _) = openai(vec![Turn::status(200, "{}")]).await;
    assert!(said(answer).contains("it has no list called choices"));
    let page = Turn::status(404, "<html>nothing</html>").header("content-type", "text/html");
    let (answer, _) = openai(vec![page]).await;
    assert!(said(answer).starts_with("HOST refuses the question with status 404. Check"));
}

#[tokio::test]
async fn a_reply_that_was_cut_off_or_declined_is_a_failure_that_was_paid_for() {
    let ended = |reason: &str| {
        let mut body = tool_use(&record());
        body["stop_reason"] = json!(reason);
        vec![Turn::json(&body)]
    };
    let (cut, asked) = anthropic(ended("max_tokens")).await;
    let cut = cut.unwrap_err();
    assert_eq!(cut.usage().unwrap().output_tokens, 200);
    assert_eq!(
        said(Err(cut)),
        "the model's reply was cut off at 2048 tokens. Raise summarizer.max_output_tokens, or \
         lower max_input_chars if the model's memory is full; then run again"
    );
    assert_eq!(asked.len(), 1);
    let declined = "the model declined to write about this text. It is asked again at the next \
                    run; another summarizer.model may not decline";
    let (refused, _) = anthropic(ended("refusal")).await;
    assert_eq!(said(refused), declined);

    let mut body = completion("{\"title\": \"half");
    body["choices"][0]["finish_reason"] = json!("length");
    let (cut, asked) = openai(vec![Turn::json(&body)]).await;
    assert!(said(cut).starts_with("the model's reply was cut off at 2048 tokens."));
    assert_eq!(asked.len(), 1);
    body["choices"][0]["finish_reason"] = json!("content_filter");
    let (refused, _) = openai(vec![Turn::json(&body)]).await;
    assert_eq!(said(refused), declined);
    let mut body = completion("");
    body["choices"][0]["message"]["refusal"] = json!("I cannot");
    let (refused, _) = openai(vec![Turn::json(&body)]).await;
    assert!(said(refused).starts_with("the model declined to write about this text: I cannot. It"));
}

#[tokio::test]
async fn a_reply_that_breaks_a_rule_is_asked_for_once_more_with_the_rule() {
    let mut broken = record();
    broken["summary"] = json!(7);
    let turns = vec![Turn::json(&tool_use(&broken)), good()];
    let (answer, asked) = anthropic(turns).await;
    let answer = answer.unwrap();
    assert_eq!((answer.usage.repairs, answer.usage.output_tokens), (1, 400));
    let again = asked[1].body["messages"][0]["content"].as_str().unwrap();
    assert!(again.contains(
        "A first reply was refused: summary must be a text that is not empty. Reply again"
    ));
    assert!(again.contains("\"summary\":7"), "{again}");

    let (answer, asked) = anthropic(vec![Turn::json(&tool_use(&broken))]).await;
    let error = answer.unwrap_err();
    assert_eq!(error.usage().unwrap().repairs, 1);
    assert_eq!(
        error.to_string(),
        "the model's reply was refused twice: summary must be a text that is not empty. It is \
         asked again at the next run; if it goes on, take another summarizer.model"
    );
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn prose_fences_and_reasoning_round_the_json_cost_nothing() {
    let record = record();
    for content in [
        record.to_string(),
        format!("Here you are:\n```json\n{record}\n```\nAnything else?"),
        format!("<think>\nThe user wants {{\"title\": \"x\"}} maybe\n</think>\n\n{record}"),
    ] {
        let (answer, asked) = openai(vec![Turn::json(&completion(&content))]).await;
        let answer = answer.unwrap();
        assert_eq!(
            answer.reply.title,
            "Invoice export fails on a byte order mark"
        );
        assert_eq!((answer.usage.repairs, asked.len()), (0, 1));
    }
    let (answer, asked) = openai(vec![Turn::json(&completion("I'd rather chat."))]).await;
    assert_eq!(
        answer.unwrap_err().to_string(),
        "the model's reply was refused twice: it holds no JSON object with the keys title, \
         summary, questions, atoms and project. It is asked again at the next run; if it goes on, \
         take another summarizer.model"
    );
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn what_a_server_takes_is_found_once_and_remembered() {
    let server = ModelServer::start(|_, asked| {
        let refuse =
            |message: &str| Turn::status(400, &json!({"error": {"message": message}}).to_string());
        match asked.body["response_format"]["type"].as_str() {
            Some(kind) => refuse(&format!("response_format {kind} is not supported")),
            None if asked.body.get("max_tokens").is_some() => {
                refuse("max_tokens is not supported; use max_completion_tokens")
            }
            None => Turn::json(&completion(&record().to_string())),
        }
    });
    let base = format!("{}/v1/", server.base);
    let summarizer = made(&settings(Provider::OpenaiCompatible, &base));
    let first = tried(summarizer.as_ref()).await.unwrap();
    assert_eq!((first.usage.retries, first.usage.repairs), (0, 0));
    tried(summarizer.as_ref()).await.unwrap();
    let forms: Vec<_> = (server.asked().iter())
        .map(|asked| {
            let form = asked.body["response_format"]["type"].as_str();
            let limit = match asked.body.get("max_tokens") {
                Some(_) => "max_tokens",
                None => "max_completion_tokens",
            };
            let words = asked.body["messages"][0]["content"].as_str().unwrap();
            (
                form.map(str::to_owned),
                limit,
                words.contains("Reply with one JSON object"),
            )
        })
        .collect();
    let (old, new) = ("max_tokens", "max_completion_tokens");
    assert_eq!(
        forms,
        [
            (Some("json_schema".to_owned()), old, false),
            (Some("json_object".to_owned()), old, true),
            (None, old, true),
            (None, new, true),
            (None, new, true),
        ]
    );
}

#[tokio::test]
async fn a_refusal_that_is_not_about_the_form_is_told_as_the_server_told_it_first() {
    let body = |message: &str| json!({"error": {"message": message}}).to_string();
    let turns = vec![
        Turn::status(400, &body("bad model")),
        Turn::status(400, &body("other")),
    ];
    let (answer, asked) = openai(turns).await;
    assert!(
        said(answer).starts_with("HOST refuses the question with status 400: bad model. Check")
    );
    assert_eq!(asked.len(), 3);
    let (answer, asked) = openai(vec![Turn::status(404, &body("model 'tiny-1' not found"))]).await;
    assert!(said(answer).contains("status 404: model 'tiny-1' not found. Check"));
    assert_eq!(asked.len(), 1);
}
