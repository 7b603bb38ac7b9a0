//! Walking the list of a company's tasks, page by page, on servers of every age.
//!
//! Nothing of a list can be trusted but the ids in it: a server that does not know a parameter
//! ignores it, so a page that brings no new id is the last one. A row that makes the server fail is
//! found by asking for smaller pages, and gone around.

use std::collections::HashSet;

use super::company::ended;
use super::record::{Moment, Record};
use super::server::{Body, Server, Trouble};
use super::version::{Abilities, Paging};
use crate::digest;
use crate::error::ConnectorError;
use crate::report::Report;

/// Rows of a page, with all fields and with few.
const FULL: usize = 500;
const COMPACT: usize = 1000;
/// Rows that may be gone around before a list is given up.
const SKIPS: usize = 20;

/// A task as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: String,
    /// What people call it, such as `PAP-12`.
    pub(super) identifier: Option<String>,
    pub(super) status: String,
    pub(super) hidden: bool,
    /// Its last change, as far as it is known.
    pub(super) active: Option<Moment>,
    /// Changes whenever the list shows that something of the task changed.
    pub(super) stamp: u64,
}

/// A walk over one company's list.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    server: &'a Server,
    company: &'a str,
    paging: Paging,
    compact: bool,
    limit: usize,
    /// The last id of the page before.
    after: Option<String>,
    /// Rows that stand before the next page.
    offset: usize,
    /// Digests of ids met, since pages can overlap.
    met: HashSet<u64>,
    skipped: usize,
    ended: bool,
}

/// What became of one question for a page.
enum Turn {
    Page(Vec<Row>),
    Again,
}

impl<'a> Walk<'a> {
    pub(super) fn new(server: &'a Server, company: &'a str, abilities: Abilities) -> Self {
        let mut walk = Self {
            server,
            company,
            paging: abilities.paging,
            compact: abilities.compact,
            limit: 0,
            after: None,
            offset: 0,
            met: HashSet::new(),
            skipped: 0,
            ended: false,
        };
        walk.limit = walk.most();
        walk
    }

    fn most(&self) -> usize {
        if self.compact { COMPACT } else { FULL }
    }

    /// The rows of the next page that were in none before; `None` at the end.
    ///
    /// # Errors
    /// When the server does not answer any more or wants another key.
    pub(super) async fn next(
        &mut self,
        report: &mut Report,
    ) -> Result<Option<Vec<Row>>, ConnectorError> {
        while !self.ended {
            let path = self.path(None);
            let turn = match self.server.get(&path).await {
                Ok(body) => self.take(&path, &body, report),
                Err(trouble) => self.after_trouble(&path, trouble, report).await?,
            };
            match turn {
                Turn::Page(rows) if rows.is_empty() => self.ended = true,
                Turn::Page(rows) => return Ok(Some(rows)),
                Turn::Again => {}
            }
        }
        Ok(None)
    }

    /// The question for the next page, or for the one row at an offset.
    fn path(&self, only: Option<usize>) -> String {
        let mut path = format!(
            "/companies/{}/issues?includeRoutineExecutions=true",
            self.company
        );
        if self.compact {
            path.push_str("&view=compact");
        }
        let limit = if only.is_some() { 1 } else { self.limit };
        match self.paging {
            Paging::Whole => {}
            Paging::Offset => {
                let offset = only.unwrap_or(self.offset);
                path.push_str(&format!(
                    "&limit={limit}&offset={offset}&sortField=updated&sortDir=desc"
                ));
            }
            Paging::AfterId => {
                path.push_str(&format!("&limit={limit}&sortField=id&sortDir=asc"));
                match (only, &self.after) {
                    (Some(offset), _) => path.push_str(&format!("&offset={offset}")),
                    (None, Some(after)) => path.push_str(&format!("&afterId={after}")),
                    (None, None) => {}
                }
            }
        }
        path
    }

    fn take(&mut self, path: &str, body: &Body, report: &mut Report) -> Turn {
        let place = self.server.request(path);
        let Some(list) = Record::list_of(&body.text) else {
            let reason = list_reason(&Trouble::Unreadable("is no list or only a part of one"));
            report.fail(&place, reason);
            self.ended = true;
            return Turn::Again;
        };
        if body.lossy {
            report.mend(&place, None, "holds bytes that are no text");
        }
        let all = list.len();
        let rows = read(&place, &list, report);
        let ordered = rows
            .iter()
            .zip(rows.iter().skip(1))
            .all(|(a, b)| a.id < b.id);
        let follows = match (&self.after, rows.first()) {
            (Some(after), Some(first)) => first.id > *after,
            _ => true,
        };
        if self.paging == Paging::AfterId && !(ordered && follows) {
            // The server took the parameters for nothing.
            self.paging = Paging::Offset;
            self.offset = 0;
            report.note(
                &place,
                None,
                "the server does not sort by id; its list is read by counting",
            );
            return Turn::Again;
        }
        self.offset += all;
        self.after = rows.last().map(|row| row.id.clone()).or(self.after.take());
        // More than was asked for is all there is.
        self.ended |= self.paging == Paging::Whole || all > self.limit;
        self.limit = (self.limit * 4).min(self.most());
        let fresh = rows.into_iter().filter(|row| {
            let digest = digest::fast(0, row.id.as_bytes());
            self.met.insert(digest)
        });
        Turn::Page(fresh.collect())
    }

    async fn after_trouble(
        &mut self,
        path: &str,
        trouble: Trouble,
        report: &mut Report,
    ) -> Result<Turn, ConnectorError> {
        let place = self.server.request(path);
        match trouble {
            Trouble::Failing(500) | Trouble::TooLong if self.paging != Paging::Whole => {
                return self.narrow(report).await;
            }
            Trouble::Parameters if self.compact || self.paging != Paging::Whole => {
                report.note(
                    &place,
                    None,
                    "the server refuses the question; it is put in an older way",
                );
                self.paging = match self.paging {
                    Paging::AfterId => Paging::Offset,
                    _ if self.compact => self.paging,
                    _ => Paging::Whole,
                };
                self.compact = false;
                self.limit = self.most();
                self.offset = 0;
                return Ok(Turn::Again);
            }
            Trouble::Fatal(_) | Trouble::Silent(_) => {
                return Err(ended(self.server, path, trouble));
            }
            _ => report.fail(&place, list_reason(&trouble)),
        }
        self.ended = true;
        Ok(Turn::Again)
    }

    /// Finds a size of page that the server can do, without its usual patience: it has just failed
    /// several times.
    async fn narrow(&mut self, report: &mut Report) -> Result<Turn, ConnectorError> {
        loop {
            self.limit = (self.limit / 8).max(1);
            let path = self.path(None);
            match self.server.get_briskly(&path).await {
                Ok(body) => return Ok(self.take(&path, &body, report)),
                Err(Trouble::Failing(500) | Trouble::TooLong) if self.limit > 1 => {}
                Err(Trouble::Failing(500) | Trouble::TooLong) => {
                    return self.around(&path, report).await;
                }
                Err(trouble @ (Trouble::Fatal(_) | Trouble::Silent(_))) => {
                    return Err(ended(self.server, &path, trouble));
                }
                Err(trouble) => {
                    report.fail(&self.server.request(&path), list_reason(&trouble));
                    self.ended = true;
                    return Ok(Turn::Again);
                }
            }
        }
    }

    /// Reports the row that cannot be had and reads the one behind it, by its place in the list.
    async fn around(&mut self, path: &str, report: &mut Report) -> Result<Turn, ConnectorError> {
        self.skip(&self.server.request(path), report);
        while !self.ended {
            let path = self.path(Some(self.offset));
            match self.server.get_briskly(&path).await {
                Ok(body) => return Ok(self.take_one(&path, &body, report)),
                Err(Trouble::Failing(500) | Trouble::TooLong) => {
                    self.skip(&self.server.request(&path), report);
                }
                Err(trouble @ (Trouble::Fatal(_) | Trouble::Silent(_))) => {
                    return Err(ended(self.server, &path, trouble));
                }
                Err(trouble) => {
                    report.fail(&self.server.request(&path), list_reason(&trouble));
                    self.ended = true;
                }
            }
        }
        Ok(Turn::Again)
    }

    /// Takes a row by its place. When rows came in before it since the walk began, it is one that
    /// was met: then the next is looked at.
    fn take_one(&mut self, path: &str, body: &Body, report: &mut Report) -> Turn {
        let before = self.after.clone();
        let late = Record::list_of(&body.text).is_some_and(|list| {
            let rows = read(path, &list, &mut Report::default());
            let first = rows.first().zip(before.as_ref());
            self.paging == Paging::AfterId && first.is_some_and(|(row, after)| row.id <= *after)
        });
        if late {
            self.offset += 1;
            return Turn::Again;
        }
        self.take(path, body, report)
    }

    fn skip(&mut self, place: &str, report: &mut Report) {
        self.skipped += 1;
        self.offset += 1;
        if self.skipped > SKIPS {
            self.ended = true;
            report.fail(
                place,
                "the server fails at too many tasks of this list; the rest of it is not read. See \
                 the server's log",
            );
        } else {
            report.fail(
                place,
                "the server fails at showing this task; it was gone around. See the server's log",
            );
        }
    }
}

fn list_reason(trouble: &Trouble) -> String {
    format!("the list breaks off here: {}", trouble.reason())
}

/// Reads the rows of a page.
fn read(place: &str, list: &[&str], report: &mut Report) -> Vec<Row> {
    let mut rows = Vec::with_capacity(list.len());
    let mut odd = false;
    for json in list {
        let Some(mut record) = Record::parse(json) else {
            report.pass_over(place, None, "something in the list is no task");
            continue;
        };
        let Some(id) = record.id("id") else {
            report.pass_over(place, None, "a task without an id");
            continue;
        };
        let updated = record.text("updatedAt").unwrap_or_default();
        let acted = record.text("lastActivityAt").unwrap_or_default();
        let project = record.text("projectId").unwrap_or_default();
        let status = record.text("status").unwrap_or_default();
        let mut stamp = 0;
        for part in [&updated, &acted, &project, &status] {
            stamp = digest::fast(stamp, part.as_bytes());
        }
        rows.push(Row {
            identifier: record.word("identifier"),
            hidden: record.has("hiddenAt"),
            active: Moment::parse(&updated).max(Moment::parse(&acted)),
            id: id.to_ascii_lowercase(),
            status,
            stamp,
        });
        odd |= !record.odd().is_empty();
    }
    if odd {
        report.mend(place, None, "fields of unexpected types were left out");
    }
    rows
}
