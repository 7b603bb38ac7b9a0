//! Why a search or a timeline found nothing, in terms of what the caller may see.

use serde::Serialize;

use super::arguments::{date, given};
use super::{Library, LibraryError, Result, SearchAnswer, SearchQuery, TermCount, TimelineQuery};
use crate::access::Reader;
use crate::store::search::{Question, Terms, TextIndex, TextScope};
use crate::store::{Filter, Scope, Wanted};

/// How alike a project's name must be to be offered, 0 to 1 (Jaro-Winkler).
const ALIKE: f64 = 0.8;
/// Most names that are offered.
const OFFERED: usize = 3;

/// Why there is nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WhyEmpty {
    /// In one sentence.
    pub reason: String,
    /// Items that the caller may see.
    pub items_searched: u64,
    /// Terms that were looked for, and how many of those items hold each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<TermCount>,
    /// Terms too short to be looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Arguments without one of which there would have been something; all that were given, if
    /// only several together removed everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_by: Vec<&'static str>,
    /// Projects that are called much like the one asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_projects: Vec<String>,
}

/// The filters that are set, each with what is left without it.
fn without_each(filter: Filter<'_>) -> Vec<(&'static str, Filter<'_>)> {
    let all = [
        (
            "project",
            Filter {
                project: None,
                ..filter
            },
        ),
        (
            "source",
            Filter {
                source: None,
                ..filter
            },
        ),
        (
            "since",
            Filter {
                since: None,
                ..filter
            },
        ),
        (
            "until",
            Filter {
                until: None,
                ..filter
            },
        ),
        (
            "kind",
            Filter {
                kind: None,
                ..filter
            },
        ),
        (
            "trust",
            Filter {
                trust: None,
                ..filter
            },
        ),
    ];
    // One that is not set leaves what there is.
    all.into_iter()
        .filter(|(_, left)| *left != filter)
        .collect()
}

impl Library {
    /// Says why a search that found nothing did so.
    ///
    /// # Errors
    /// As [`Library::search`].
    pub fn why_no_results(
        &self,
        reader: &Reader,
        query: &SearchQuery,
        answer: &SearchAnswer,
    ) -> Result<WhyEmpty> {
        let filter = query.filter()?;
        let terms = Terms::read(&query.query, self.rules()).used;
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let looked = &answer.looked;
        let mut why = WhyEmpty {
            items_searched: looked.items,
            terms: looked.terms.clone(),
            dropped: looked.dropped.clone(),
            ..WhyEmpty::default()
        };
        if looked.items == 0 && query.scope == TextScope::Original {
            NO_ORIGINAL.clone_into(&mut why.reason);
        } else if looked.items == 0 {
            NOTHING_TO_READ.clone_into(&mut why.reason);
        } else if terms.is_empty() {
            why.reason = "the query has no term that is long enough to be looked for".to_owned();
        } else if looked.terms.iter().all(|term| term.items == 0) {
            why.reason = "no item holds any of these terms; matching is literal".to_owned();
        } else {
            self.blame(&mut why, &scope, filter, |filter| {
                let found = self.index().matches(&Question {
                    scope: &scope,
                    filter: &filter,
                    terms: &terms,
                    texts: query.scope,
                    pool: 1,
                })?;
                Ok(!found.ranked.is_empty())
            })?;
        }
        Ok(why)
    }

    /// Says why a timeline that holds nothing does so.
    ///
    /// # Errors
    /// As [`Library::timeline`].
    pub fn why_no_items(&self, reader: &Reader, query: &TimelineQuery) -> Result<WhyEmpty> {
        let filter = query.filter()?;
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let counts = self.view.source_counts(&scope)?;
        let mut why = WhyEmpty {
            items_searched: counts.iter().map(|count| count.items).sum(),
            ..WhyEmpty::default()
        };
        if why.items_searched == 0 {
            NOTHING_TO_READ.clone_into(&mut why.reason);
        } else {
            self.blame(&mut why, &scope, filter, |filter| self.any(&scope, &filter))?;
        }
        Ok(why)
    }

    /// Finds out which limits removed everything.
    fn blame(
        &self,
        why: &mut WhyEmpty,
        scope: &Scope,
        filter: Filter<'_>,
        any: impl Fn(Filter<'_>) -> Result<bool>,
    ) -> Result<()> {
        let each = without_each(filter);
        let given: Vec<&str> = each.iter().map(|(name, _)| *name).collect();
        for (name, left) in each {
            if any(left)? {
                why.removed_by.push(name);
            }
        }
        why.reason = if why.removed_by.is_empty() {
            why.removed_by = given;
            "these filters together leave nothing".to_owned()
        } else {
            format!(
                "there would be something without {}",
                why.removed_by.join(" or without ")
            )
        };
        if let Some(project) = filter.project {
            why.near_projects = self.near_projects(scope, project)?;
        }
        Ok(())
    }

    fn any(&self, scope: &Scope, filter: &Filter<'_>) -> Result<bool> {
        let mut any = false;
        self.view.newest(scope, filter, |_| {
            any = true;
            Ok::<_, LibraryError>(Wanted::Enough)
        })?;
        Ok(any)
    }

    /// Projects that the caller may see and that are called much like `asked`, most alike first;
    /// none when there is a project of that very name.
    fn near_projects(&self, scope: &Scope, asked: &str) -> Result<Vec<String>> {
        let counts = self.view.project_counts(scope)?;
        if counts.iter().any(|count| count.name.as_str() == asked) {
            return Ok(Vec::new());
        }
        let asked = asked.to_lowercase();
        let mut near: Vec<(f64, String)> = counts
            .iter()
            .map(|count| {
                let name = count.name.as_str();
                let inside = name.contains(&asked) || asked.contains(name);
                let alike = strsim::jaro_winkler(name, &asked);
                (
                    if inside { alike.max(ALIKE) } else { alike },
                    name.to_owned(),
                )
            })
            .filter(|(alike, _)| *alike >= ALIKE)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        near.truncate(OFFERED);
        Ok(near.into_iter().map(|(_, name)| name).collect())
    }
}

const NO_ORIGINAL: &str = "there is no item with an original that this key may read";
const NOTHING_TO_READ: &str = "there is no item that this key may read";

impl SearchQuery {
    pub(super) fn filter(&self) -> Result<Filter<'_>> {
        Ok(Filter {
            project: given(self.project.as_deref()),
            source: given(self.source.as_deref()),
            since: date("since", self.since.as_deref())?,
            until: date("until", self.until.as_deref())?,
            kind: self.kind,
            trust: self.trust,
        })
    }
}

impl TimelineQuery {
    pub(super) fn filter(&self) -> Result<Filter<'_>> {
        Ok(Filter {
            project: given(self.project.as_deref()),
            source: given(self.source.as_deref()),
            since: date("since", self.since.as_deref())?,
            until: date("until", self.until.as_deref())?,
            kind: self.kind,
            trust: self.trust,
        })
    }
}
