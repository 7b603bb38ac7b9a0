//! Which tasks are read, in which order, and what is sent of each.
//!
//! A page of a list is compared with what is remembered; the tasks on it that changed are asked for
//! side by side and sent in the order of the list. So memory holds one page, and the tasks that are
//! under way.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::blocks;
use super::company;
use super::list::{Row, Walk};
use super::mark::{self, Names, Remembered};
use super::options::Options;
use super::people::Directory;
use super::server::{HEALTH, Server, Trouble};
use super::task::{Failed, Task};
use super::version::Abilities;
use crate::connector::Request;
use crate::error::ConnectorError;
use crate::report::Report;
use crate::source::{OriginalRef, Trust, UnitId};
use crate::unit::{Event, Evidence, Extent, Sink, UnitEnd, UnitStart};

/// One run over the tasks of a server.
pub(super) struct Delivery<'a> {
    options: Arc<Options>,
    server: Arc<Server>,
    abilities: Abilities,
    request: &'a Request,
    names: Names,
    sink: &'a mut Sink,
    report: &'a mut Report,
}

/// A task to be read, under the name that it has now.
struct Wanted {
    row: Row,
    name: String,
}

/// Reads what is new on a server, and sends it.
///
/// # Errors
/// When the server does not answer or refuses everything, or the receiver wants no more.
pub(super) async fn run(
    options: Arc<Options>,
    server: Server,
    request: &Request,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<(), ConnectorError> {
    let abilities = company::greet(&server).await?;
    let companies = company::companies(&server, &options, report).await?;
    let mut delivery = Delivery {
        options,
        server: Arc::new(server),
        abilities,
        request,
        names: Names::new(request.memory.memory()),
        sink,
        report,
    };
    match request.sample {
        Some(count) => delivery.sample(&companies, count).await,
        None => {
            for company in &companies {
                delivery.company(company).await?;
            }
            Ok(())
        }
    }
}

impl Delivery<'_> {
    async fn company(&mut self, company: &str) -> Result<(), ConnectorError> {
        let server = Arc::clone(&self.server);
        let mut walk = Walk::new(&server, company, self.abilities);
        let mut directory = None;
        while let Some(rows) = walk.next(self.report).await? {
            let wanted: Vec<Wanted> = rows.into_iter().filter_map(|row| self.want(row)).collect();
            if wanted.is_empty() {
                continue;
            }
            if directory.is_none() {
                directory = self.directory(company).await?;
            }
            // Without names the texts would come out otherwise, and change back at the next run.
            let Some(directory) = &directory else {
                return Ok(());
            };
            self.read(company, wanted, directory).await?;
        }
        Ok(())
    }

    /// The newest tasks, whether or not they changed.
    async fn sample(&mut self, companies: &[String], count: usize) -> Result<(), ConnectorError> {
        let server = Arc::clone(&self.server);
        let mut newest: BTreeMap<_, (usize, Row)> = BTreeMap::new();
        for (at, company) in companies.iter().enumerate() {
            let mut walk = Walk::new(&server, company, self.abilities);
            while let Some(rows) = walk.next(self.report).await? {
                self.report.seen += u64::try_from(rows.len()).unwrap_or(0);
                let rows = rows.into_iter().filter(|row| !self.is_left_out(row));
                newest.extend(rows.map(|row| ((row.active, row.id.clone()), (at, row))));
                while newest.len() > count {
                    newest.pop_first();
                }
            }
        }
        for (at, company) in companies.iter().enumerate() {
            let rows = newest.values().filter(|(of, _)| *of == at);
            let wanted: Vec<Wanted> = rows
                .map(|(_, row)| Wanted {
                    name: self.names.give(row),
                    row: row.clone(),
                })
                .collect();
            if wanted.is_empty() {
                continue;
            }
            if let Some(directory) = self.directory(company).await? {
                self.read(company, wanted, &directory).await?;
            }
        }
        Ok(())
    }

    async fn directory(&mut self, company: &str) -> Result<Option<Directory>, ConnectorError> {
        let loaded = Directory::load(&self.server, company, &self.options, self.report).await;
        match loaded {
            Ok(directory) => Ok(Some(directory)),
            Err(failed) => {
                self.fail(failed).await?;
                Ok(None)
            }
        }
    }

    fn is_left_out(&self, row: &Row) -> bool {
        row.hidden || self.options.skip_statuses.contains(&row.status)
    }

    /// Whether a task of the list is to be read.
    fn want(&mut self, row: Row) -> Option<Wanted> {
        self.report.seen += 1;
        if self.is_left_out(&row) {
            self.report.left_out += 1;
            return None;
        }
        let name = self.names.give(&row);
        if mark::is_current(&row, &name, self.request.memory.get(&row.id)) {
            self.report.unchanged += 1;
            return None;
        }
        if !self.is_settled(&row) {
            self.report.deferred += 1;
            return None;
        }
        Some(Wanted { row, name })
    }

    /// A time in the future says nothing and counts as long ago, as does none at all.
    fn is_settled(&self, row: &Row) -> bool {
        row.active.is_none_or(|active| {
            let rested = self.request.now.unix() - active.instant.unix();
            rested < 0 || rested >= i64::from(self.options.settle_minutes) * 60
        })
    }

    /// Asks for tasks side by side and sends them in their order.
    async fn read(
        &mut self,
        company: &str,
        wanted: Vec<Wanted>,
        directory: &Directory,
    ) -> Result<(), ConnectorError> {
        // Dropped with what is under way in it when this returns early.
        let mut under_way = JoinSet::new();
        let mut gathered: BTreeMap<usize, Result<Task, Failed>> = BTreeMap::new();
        let mut waiting = wanted.iter().enumerate();
        let mut begun = 0;
        for (at, next) in wanted.iter().enumerate() {
            let gathered = loop {
                while begun - at < self.options.max_concurrency
                    && let Some((number, wanted)) = waiting.next()
                {
                    let (server, options) = (Arc::clone(&self.server), Arc::clone(&self.options));
                    let (abilities, row) = (self.abilities, wanted.row.clone());
                    under_way.spawn(async move {
                        let task = Task::gather(&server, abilities, &options, &row).await;
                        (number, task)
                    });
                    begun += 1;
                }
                if let Some(task) = gathered.remove(&at) {
                    break task;
                }
                match under_way.join_next().await {
                    Some(Ok((number, task))) => drop(gathered.insert(number, task)),
                    Some(Err(_)) | None => return Err(ConnectorError::Broken),
                }
            };
            match gathered {
                Ok(task) => self.deliver(company, next, task, directory).await?,
                Err(failed) => self.fail(failed).await?,
            }
        }
        Ok(())
    }

    async fn deliver(
        &mut self,
        company: &str,
        wanted: &Wanted,
        mut task: Task,
        directory: &Directory,
    ) -> Result<(), ConnectorError> {
        task.tell(self.report);
        if task.hidden {
            self.report.left_out += 1;
            return Ok(());
        }
        let original_ref = format!("paperclip-issue:{company}/{}", wanted.name);
        let (Ok(id), Ok(original_ref)) = (
            UnitId::new(wanted.name.as_str()),
            OriginalRef::new(original_ref),
        ) else {
            let place = self.server.request(&format!("/issues/{}", wanted.row.id));
            self.report
                .fail(&place, "its id is none that can be stored");
            return Ok(());
        };
        let mut remembered = Remembered::read(self.request.memory.get(&wanted.row.id));
        let before = std::mem::replace(&mut remembered.name, wanted.name.clone());
        let before = (before != wanted.name).then(|| UnitId::new(before).ok());
        let blocks = blocks::blocks(
            &wanted.row.id,
            &task,
            directory,
            &self.options,
            &mut remembered,
        );
        let start = UnitStart {
            id,
            formerly: before.flatten().into_iter().collect(),
            original_ref,
            account: None,
            extent: Extent::Whole,
            min_chars: self.options.min_chars,
        };
        let end = UnitEnd {
            title_hint: Some(format!("{} {}", wanted.name, task.title).trim().to_owned()),
            evidence: Evidence {
                named: blocks::project(&task, directory, &self.options),
                cwd: None,
            },
            trust: task.external.then_some(Trust::External),
            marks: vec![remembered.mark(&wanted.row)],
        };
        self.sink.send(Event::Start(start)).await?;
        for block in blocks {
            self.sink.send(Event::Blocks(vec![block])).await?;
        }
        self.sink.send(Event::End(end)).await?;
        self.report.delivered += 1;
        Ok(())
    }

    /// Reports what could not be read, unless nothing else can be read either.
    async fn fail(&mut self, (path, trouble): Failed) -> Result<(), ConnectorError> {
        match trouble {
            // Deleted since the list was read.
            Trouble::Gone => {
                self.report.left_out += 1;
                return Ok(());
            }
            Trouble::Fatal(error) => return Err(error),
            // Not wanted by whoever gave out the key, and no less so at the next run.
            Trouble::Forbidden => {
                self.report.left_out += 1;
                let place = self.server.request(&path);
                self.report.note(&place, None, Trouble::Forbidden.reason());
                return Ok(());
            }
            Trouble::Silent(_) => {
                // Is it this request alone, or is nobody there any more?
                if let Err(trouble) = self.server.get_openly(HEALTH).await {
                    return Err(company::ended(&self.server, HEALTH, trouble));
                }
            }
            _ => {}
        }
        self.report
            .fail(&self.server.request(&path), trouble.reason());
        Ok(())
    }
}
