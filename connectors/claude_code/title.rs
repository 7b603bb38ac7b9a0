//! The title of a session: the person's own, the agent's, a name, an old summary.

use serde::{Deserialize, Serialize};

use super::record::{Record, Text};
use crate::digest;

/// Summaries that wait for the record they name; older ones give way.
const WAITING: usize = 64;
/// Characters kept of a title, far above what a title is.
const LONGEST: usize = 300;

/// The best title so far, and what a summary needs to become one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Titles {
    best: Option<(u8, String)>,
    /// Old summaries name a record and count only if it stands in this file: several at the top of
    /// a file belong to other sessions.
    #[serde(skip)]
    waiting: Vec<(u64, String)>,
    /// Records of this file, needed only until its end.
    #[serde(skip)]
    records: Vec<u64>,
}

impl Titles {
    /// Notes what a record says of the title.
    pub(super) fn saw(&mut self, record: &Record<'_>, uuid: Option<&[u8]>) {
        if let Some(uuid) = uuid {
            self.records.push(digest::fast(0, uuid));
        }
        let kind = record.kind();
        let (rank, text) = match kind.as_ref() {
            "custom-title" => (4, &record.custom_title),
            "ai-title" => (3, &record.ai_title),
            "agent-name" => (2, &record.agent_name),
            "summary" => (1, &record.summary),
            _ => return,
        };
        let Some(title) = text.as_ref().and_then(clean) else {
            return;
        };
        if rank > 1 {
            self.offer(rank, title);
        } else if let Some(leaf) = &record.leaf_uuid {
            if self.waiting.len() == WAITING {
                self.waiting.remove(0);
            }
            self.waiting.push((digest::fast(0, &leaf.0), title));
        }
    }

    fn offer(&mut self, rank: u8, title: String) {
        if self.best.as_ref().is_none_or(|(best, _)| *best <= rank) {
            self.best = Some((rank, title));
        }
    }

    /// The title, once all records were seen.
    pub(super) fn settle(&mut self) -> Option<String> {
        for (leaf, title) in std::mem::take(&mut self.waiting) {
            if self.records.contains(&leaf) {
                self.offer(1, title);
            }
        }
        self.records = Vec::new();
        self.best.as_ref().map(|(_, title)| title.clone())
    }
}

/// A title on one line; `None` if nothing is left of it.
fn clean(text: &Text<'_>) -> Option<String> {
    let text = text.read();
    let words: Vec<&str> = text.split_whitespace().collect();
    let title: String = words.join(" ").chars().take(LONGEST).collect();
    let title = title.replace(char::is_control, "\u{fffd}");
    (!title.is_empty()).then_some(title)
}
