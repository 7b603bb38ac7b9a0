//! The embedded summariser: picks sentences out of the text, offline, the same every time.

use async_trait::async_trait;

use super::{Reply, Summarizer, SummarizerError, Task};

/// Picks out of the text; needs no key and no network.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

#[async_trait]
impl Summarizer for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Reply, SummarizerError> {
        let first = task.text.as_str().lines().next().unwrap_or_default();
        let body = first.split_once(": ").map_or(first, |(_, body)| body);
        Ok(Reply {
            title: task
                .title_hint
                .map_or(body, |hint| hint.as_str())
                .to_owned(),
            summary: body.to_owned(),
            ..Reply::default()
        })
    }
}
