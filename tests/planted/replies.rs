//! Every field of a summariser's reply.

use std::sync::Arc;

use async_trait::async_trait;
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero::summarizer::{Answer, Reply, Summarizer, SummarizerError, Task};

use super::{all_that_is_stored, marker, shows};
use crate::cli::place::{Place, conversation};
use crate::support::reading;

/// Answers with the marker in one of its fields.
struct Talkative {
    field: usize,
    secret: String,
}

const FIELDS: usize = 9;

#[async_trait]
impl Summarizer for Talkative {
    fn name(&self) -> &str {
        "talkative"
    }

    fn costs(&self) -> bool {
        false
    }

    async fn summarize(&self, _: &Task<'_>) -> Result<Answer, SummarizerError> {
        let text = |field: usize, plain: &str| match field == self.field {
            true => format!("{plain} {}", self.secret),
            false => plain.to_owned(),
        };
        // Every field is named, so that a new one must be thought of here.
        Ok(Reply {
            title: match self.field {
                1 => format!("{}{}", "a ".repeat(90), self.secret),
                _ => text(0, "A title"),
            },
            summary: text(2, "A summary"),
            questions: vec![text(3, "what"), "why".to_owned()],
            atoms: vec![
                ("fact".to_owned(), text(4, "a fact")),
                (text(5, "command"), "checkout".to_owned()),
                ("command".to_owned(), text(6, "checkout")),
            ],
            project: match self.field {
                7 => Some(self.secret.clone()),
                8 => Some(self.secret.to_lowercase()),
                _ => None,
            },
        }
        .into())
    }
}

#[test]
fn a_secret_in_any_field_of_a_reply_goes_out_nowhere() {
    let place = Place::new();
    place.session("s", &conversation("tag", 3));
    let engine = Engine::embedded();
    let database = place.path("data/jezero.db");
    let mut store = Store::open(&database).unwrap();
    for field in 0..FIELDS {
        let summarizer = Arc::new(Talkative {
            field,
            secret: marker(20_000 + field),
        });
        let connector = reading::sessions(&place.path("sessions"));
        let report = reading::read(
            &mut store,
            &engine,
            summarizer.clone(),
            "2030-01-01T00:00:00Z",
            (&format!("s{field}"), connector),
        )
        .unwrap();
        assert_eq!(report.stored, 1, "{field}: {report:?}");
        let report = serde_json::to_string(&report).unwrap();
        assert!(!shows(report.as_bytes(), &summarizer.secret), "{report}");
    }
    store.finish().unwrap();
    let stored = all_that_is_stored(&database);
    for field in 0..FIELDS {
        assert!(!shows(&stored, &marker(20_000 + field)), "field {field}");
    }
}
