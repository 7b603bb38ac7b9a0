//! Everything that the server has of one task, gathered before anything of it is sent: a server
//! that goes away in the middle leaves no half of a task behind.

use std::collections::HashSet;

use super::card;
use super::list::Row;
use super::options::Options;
use super::people::{Author, Project, presentable};
use super::record::{Moment, Record};
use super::server::{Body, Server, Trouble};
use super::version::Abilities;
use crate::report::{ProblemKind, Report};
use crate::time::Instant;

/// Comments of one page.
const COMMENTS: usize = 200;

/// Where tasks come from that the company's own people, agents and the server itself make.
const INSIDE: [&str; 9] = [
    "manual",
    "routine_execution",
    "stale_active_run_evaluation",
    "harness_liveness_escalation",
    "issue_productivity_review",
    "stranded_issue_recovery",
    "task_watchdog",
    "task_watchdog_product_bug",
    "onboarding_first_task",
];

/// One task.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) status: String,
    pub(super) priority: String,
    pub(super) project_id: Option<String>,
    pub(super) project: Option<Project>,
    pub(super) creator: Author,
    pub(super) assignee: Author,
    /// Title of the task that this one is a part of.
    pub(super) parent: Option<String>,
    pub(super) labels: Vec<String>,
    pub(super) created: Option<Moment>,
    /// Hidden since the list was read.
    pub(super) hidden: bool,
    /// Whether somebody from outside wrote in it.
    pub(super) external: bool,
    /// In the order of time.
    pub(super) entries: Vec<Entry>,
    findings: Vec<(ProblemKind, String, String)>,
    unknown: u64,
}

/// A comment, a question, an answer or a document.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    /// Where it stands among the others.
    pub(super) order: (i64, u8),
    /// When it was written.
    pub(super) at: Instant,
    pub(super) author: Author,
    pub(super) text: String,
}

/// A request that failed, and how.
pub(super) type Failed = (String, Trouble);

impl Task {
    /// Asks for all of a task.
    pub(super) async fn gather(
        server: &Server,
        abilities: Abilities,
        options: &Options,
        row: &Row,
    ) -> Result<Self, Failed> {
        let path = format!("/issues/{}", row.id);
        let body = ask(server, &path).await?;
        let record = Record::parse(&body.text);
        let Some(mut record) = record.filter(|record| record.has("id")) else {
            return Err((
                path,
                Trouble::Unreadable("is no task or only a part of one"),
            ));
        };
        let mut task = Self::default();
        task.head(&mut record);
        task.found(server, &path, &body, record.odd().is_empty());
        if task.hidden {
            return Ok(task);
        }
        task.comments(server, abilities, options, row).await?;
        if abilities.interactions && options.include_interactions {
            task.part(server, &format!("{path}/interactions"), Self::interaction)
                .await?;
        }
        if abilities.documents && options.include_documents {
            task.part(server, &format!("{path}/documents"), Self::document)
                .await?;
        }
        task.entries
            .sort_by(|a, b| (a.order, &a.id).cmp(&(b.order, &b.id)));
        Ok(task)
    }

    fn head(&mut self, record: &mut Record<'_>) {
        self.title = presentable_title(&record.text("title").unwrap_or_default());
        self.description = record.text("description").unwrap_or_default();
        self.status = record.word("status").unwrap_or_default();
        self.priority = record.word("priority").unwrap_or_default();
        self.project_id = record.word("projectId");
        let project = record.object("project");
        self.project = project.and_then(|mut project| Project::read(&mut project));
        self.creator = Author::read(record, &["createdByAgentId"], &["createdByUserId"]);
        self.assignee = Author::read(record, &["assigneeAgentId"], &["assigneeUserId"]);
        let parent = record.word("parentId");
        let mut ancestors = record.objects("ancestors");
        let parent = parent.and_then(|id| {
            let mut parents = ancestors.iter_mut();
            let parent = parents.find_map(|task| (task.id("id")? == id).then_some(task));
            parent?.word("title")
        });
        self.parent = parent.map(|title| presentable_title(&title));
        let mut labels = record.objects("labels");
        let labels = labels.iter_mut().filter_map(|label| label.word("name"));
        self.labels = labels.map(|name| presentable(&name)).collect();
        self.labels.sort_unstable();
        self.created = record.moment("createdAt");
        self.hidden = record.has("hiddenAt");
        let origin = record.word("originKind");
        self.external = origin.is_some_and(|origin| !INSIDE.contains(&origin.as_str()))
            || record.has("sourceTrust")
            || record.has("externalChannelBinding");
    }

    async fn comments(
        &mut self,
        server: &Server,
        abilities: Abilities,
        options: &Options,
        row: &Row,
    ) -> Result<(), Failed> {
        let route = format!("/issues/{}/comments", row.id);
        let mut limit = COMMENTS;
        let mut met = HashSet::new();
        let mut last = None::<String>;
        loop {
            let path = match (&last, abilities.comment_pages) {
                (_, false) => route.clone(),
                (None, true) => format!("{route}?order=asc&limit={limit}"),
                (Some(last), true) => format!("{route}?order=asc&limit={limit}&after={last}"),
            };
            let body = match ask(server, &path).await {
                Err((_, Trouble::TooLong)) if abilities.comment_pages && limit > 1 => {
                    limit = (limit / 8).max(1);
                    continue;
                }
                other => other?,
            };
            let before = met.len();
            let all = self.records(server, &path, &body, |task, record| {
                let id = record.id("id")?;
                if met.insert(id.clone()) {
                    task.comment(record, options, id.clone());
                }
                last = Some(id);
                Some(())
            })?;
            if all == 0 && before > 0 {
                return newest_is_known(server, &route, &met).await;
            }
            if !abilities.comment_pages || all < limit || met.len() == before {
                return Ok(());
            }
        }
    }

    fn comment(&mut self, record: &mut Record<'_>, options: &Options, id: String) {
        let author = Author::read(
            record,
            &["derivedAuthorAgentId", "authorAgentId"],
            &["authorUserId"],
        );
        let presentation = record.object("presentation");
        let kind = presentation.and_then(|mut presentation| presentation.word("kind"));
        let notice = kind.as_deref() == Some("system_notice");
        let left_out = record.has("deletedAt") || notice && options.skip_system_notices;
        let text = record.text("body").unwrap_or_default();
        let text = match notice && author.is_known() {
            true => format!("(system notice) {text}"),
            false => text,
        };
        let at = record.moment("createdAt");
        self.external |= record.has("sourceTrust");
        let text = if left_out { String::new() } else { text };
        self.enter(id, 0, at, at, author, text);
    }

    /// A question stands where it was asked, its answer where it was given.
    fn interaction(&mut self, record: &mut Record<'_>) -> Option<()> {
        let id = record.id("id")?;
        let asked = record.moment("createdAt");
        let resolved = record.moment("resolvedAt");
        let changed = record.moment("updatedAt");
        let asker = Author::read(record, &["createdByAgentId"], &["createdByUserId"]);
        let resolver = Author::read(record, &["resolvedByAgentId"], &["resolvedByUserId"]);
        self.external |= record.has("sourceTrust");
        let card = card::read(record);
        self.unknown += u64::from(card.unknown);
        if let Some(outcome) = card.outcome {
            let at = resolved.or(changed).or(asked);
            self.enter(format!("{id}/outcome"), 2, at, at, resolver, outcome);
        }
        self.enter(id, 1, asked, asked, asker, card.question);
        Some(())
    }

    /// A document stands where it was begun and shows its latest revision.
    fn document(&mut self, record: &mut Record<'_>) -> Option<()> {
        let id = record.id("id")?;
        let created = record.moment("createdAt");
        let updated = record.moment("updatedAt").or(created);
        let author = Author::read(
            record,
            &["updatedByAgentId", "createdByAgentId"],
            &["updatedByUserId", "createdByUserId"],
        );
        self.external |= record.has("sourceTrust");
        let key = presentable(&record.word("key").unwrap_or_default());
        let title = presentable_title(&record.text("title").unwrap_or_default());
        let revision = record.count("latestRevisionNumber");
        let revision = revision.map_or_else(String::new, |number| format!(", revision {number}"));
        let body = record.text("body").unwrap_or_default();
        let text = match body.trim().is_empty() {
            true => String::new(),
            false => {
                let heading = format!("(document {key}{revision}) {title}");
                format!("{}\n{body}", heading.trim_end())
            }
        };
        self.enter(id, 3, created, updated, author, text);
        Some(())
    }

    /// Adds an entry that stands at `order` and was written `at`. One without a time stands where
    /// the one before it stands.
    fn enter(
        &mut self,
        id: String,
        rank: u8,
        order: Option<Moment>,
        at: Option<Moment>,
        author: Author,
        text: String,
    ) {
        let before = self.entries.last().map(|entry| Moment {
            millis: entry.order.0,
            instant: entry.at,
        });
        let order = order.or(before).or(self.created).unwrap_or_default();
        self.entries.push(Entry {
            id,
            order: (order.millis, rank),
            at: at.unwrap_or(order).instant,
            author,
            text,
        });
    }

    /// Reads one of the lists that a task has; a server that has none of it, or does not show it,
    /// has said so.
    async fn part(
        &mut self,
        server: &Server,
        path: &str,
        take: fn(&mut Self, &mut Record<'_>) -> Option<()>,
    ) -> Result<(), Failed> {
        let body = match ask(server, path).await {
            Err((path, trouble @ (Trouble::NoRoute | Trouble::Forbidden))) => {
                let finding = (ProblemKind::Note, server.request(&path), trouble.reason());
                self.findings.push(finding);
                return Ok(());
            }
            other => other?,
        };
        self.records(server, path, &body, take)?;
        Ok(())
    }

    /// Reads the records of a list and returns how many stand in it.
    fn records(
        &mut self,
        server: &Server,
        path: &str,
        body: &Body,
        mut take: impl FnMut(&mut Self, &mut Record<'_>) -> Option<()>,
    ) -> Result<usize, Failed> {
        let list = Record::list_of(&body.text);
        let list = list.ok_or_else(|| {
            (
                path.to_owned(),
                Trouble::Unreadable("is no list or only a part of one"),
            )
        })?;
        let mut sound = true;
        for json in &list {
            let record = Record::parse(json);
            let taken = record.and_then(|mut record| {
                take(self, &mut record)?;
                sound &= record.odd().is_empty();
                Some(())
            });
            if taken.is_none() {
                let reason = "a record without an id was passed over".to_owned();
                let finding = (ProblemKind::PassedOver, server.request(path), reason);
                self.findings.push(finding);
            }
        }
        self.found(server, path, body, sound);
        Ok(list.len())
    }

    fn found(&mut self, server: &Server, path: &str, body: &Body, sound: bool) {
        let mut mended = |reason: &str| {
            let finding = (ProblemKind::Mended, server.request(path), reason.to_owned());
            self.findings.push(finding);
        };
        if body.lossy {
            mended("holds bytes that are no text");
        }
        if !sound {
            mended("fields of unexpected types were left out");
        }
    }

    /// Tells what was found while gathering.
    pub(super) fn tell(&mut self, report: &mut Report) {
        report.unknown += self.unknown;
        for (kind, place, reason) in self.findings.drain(..) {
            match kind {
                ProblemKind::PassedOver => report.pass_over(&place, None, reason),
                ProblemKind::Mended => report.mend(&place, None, reason),
                ProblemKind::Failed => report.fail(&place, reason),
                ProblemKind::Note => report.note(&place, None, reason),
            }
        }
    }
}

/// Makes sure that a list of comments ended because it was at its end: a server answers with an
/// empty page, too, when the comment to go on from was deleted meanwhile.
async fn newest_is_known(
    server: &Server,
    route: &str,
    met: &HashSet<String>,
) -> Result<(), Failed> {
    let path = format!("{route}?order=desc&limit=1");
    let body = ask(server, &path).await?;
    let list = Record::list_of(&body.text);
    let newest = list.and_then(|list| Record::parse(list.first()?)?.id("id"));
    if newest.is_none_or(|id| met.contains(&id)) {
        return Ok(());
    }
    Err((
        path,
        Trouble::Unreadable("does not fit: comments went while they were read"),
    ))
}

async fn ask(server: &Server, path: &str) -> Result<Body, Failed> {
    let answer = server.get(path).await;
    answer.map_err(|trouble| (path.to_owned(), trouble))
}

/// A title on one line.
fn presentable_title(title: &str) -> String {
    let title = title.replace(|c: char| c.is_control(), " ");
    title.trim().chars().take(500).collect()
}
