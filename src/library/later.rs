//! later: newer items of the same project on the same subject.

use serde::Serialize;

use super::arguments::{given, limit};
use super::copies::Copies;
use super::{Library, LibraryError, Result};
use crate::access::Reader;
use crate::item::{Instant, Item, ItemId};
use crate::store::search::{Question, Terms, TextIndex, TextScope};
use crate::store::{Filter, Scope, Wanted};

/// Items that an answer without a limit holds at most.
const LIMIT: usize = 5;
/// How many matches are looked at.
const CANDIDATES: usize = 50;
/// The part of the best match's relevance that others must reach.
const SHARE: f64 = 0.3;
/// How many are taken for being closest, before date alone decides.
const CLOSEST: usize = 2;

/// What came later, or that the item is not there. A hidden item and an absent one answer alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaterAnswer {
    /// Whether the item is there.
    pub found: bool,
    /// What came later.
    #[serde(flatten)]
    pub newer: Option<Newer>,
}

/// What came later than an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Newer {
    /// The item that was asked about.
    pub item: Reference,
    /// How the newer ones were found.
    pub matched_by: MatchedBy,
    /// How many there are.
    pub count: usize,
    /// Newest first, ties by greater number.
    pub later: Vec<Item>,
}

/// Names an item and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// Its number.
    pub id: ItemId,
    /// When it happened.
    #[serde(serialize_with = "crate::item::as_text")]
    pub occurred_at: Instant,
}

/// How newer items were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// They are about the same.
    Subject,
    /// They are of the same project (or source) and may be unrelated.
    ProjectTimeline,
}

impl Library {
    /// Finds newer items of the same project on a subject: the item's title, if none is given.
    ///
    /// An item without a project stays in its own source.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn later(
        &self,
        reader: &Reader,
        id: ItemId,
        query: Option<&str>,
        asked: Option<i64>,
    ) -> Result<LaterAnswer> {
        let limit = limit(asked, LIMIT, self.settings.max_limit);
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let Some(item) = self.view.item(&scope, id)? else {
            return Ok(LaterAnswer {
                found: false,
                newer: None,
            });
        };
        let filter = Filter {
            project: item.project.as_ref().map(|project| project.as_str()),
            source: match item.project {
                Some(_) => None,
                None => Some(item.source.as_str()),
            },
            since: Some(item.occurred_at),
            ..Filter::default()
        };
        let subject = given(query).unwrap_or_else(|| item.title.as_str());
        let related = self.related(&scope, &filter, &item, subject)?;
        let (matched_by, later) = if related.is_empty() {
            let newest = self.newest_besides(&scope, &filter, &item, limit)?;
            (MatchedBy::ProjectTimeline, newest)
        } else {
            (MatchedBy::Subject, chosen(related, limit))
        };
        Ok(LaterAnswer {
            found: true,
            newer: Some(Newer {
                item: Reference {
                    id,
                    occurred_at: item.occurred_at,
                },
                matched_by,
                count: later.len(),
                later,
            }),
        })
    }

    /// Matches that reach [`SHARE`] of the best one (which may be the item itself), closest first,
    /// without the item and its copies.
    fn related(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        item: &Item,
        subject: &str,
    ) -> Result<Vec<Item>> {
        let found = self.index().matches(&Question {
            scope,
            filter,
            terms: &Terms::read(subject, self.rules()).used,
            texts: TextScope::Summary,
            pool: CANDIDATES,
        })?;
        let best = found.ranked.first().map_or(0.0, |best| best.relevance);
        let mut copies = besides(item);
        let mut related = Vec::new();
        for near in &found.ranked {
            if near.id == item.id || near.relevance < SHARE * best {
                continue;
            }
            if let Some(near) = self.view.item(scope, near.id)?
                && copies.is_first(&near)
            {
                related.push(near);
            }
        }
        Ok(related)
    }

    fn newest_besides(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        item: &Item,
        limit: usize,
    ) -> Result<Vec<Item>> {
        let mut copies = besides(item);
        let mut newest = Vec::new();
        self.view.newest(scope, filter, |near| {
            if near.id != item.id && copies.is_first(&near) {
                newest.push(near);
            }
            Ok::<_, LibraryError>(Wanted::until(newest.len() == limit))
        })?;
        Ok(newest)
    }
}

/// Copies that already count the item itself.
fn besides(item: &Item) -> Copies {
    let mut copies = Copies::default();
    copies.is_first(item);
    copies
}

/// The closest and the newest of the rest, newest first, at most `limit`.
fn chosen(mut related: Vec<Item>, limit: usize) -> Vec<Item> {
    let newest_first = |a: &Item, b: &Item| (b.occurred_at, b.id).cmp(&(a.occurred_at, a.id));
    let mut rest = related.split_off(related.len().min(CLOSEST));
    rest.sort_by(newest_first);
    related.extend(rest.into_iter().take(limit.saturating_sub(CLOSEST)));
    related.sort_by(newest_first);
    related.truncate(limit);
    related
}
