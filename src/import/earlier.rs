//! Takes over a library of the Python package: items under their numbers, and the state of its
//! connectors as far as it means something here.
//!
//! Every text is redacted on the way in. All that can be read is stored in one transaction, or nothing
//! is; a row that cannot be read is counted and passed over. Items of a session become a unit, so that a later
//! run finds its segments and takes those away that it cuts otherwise.

use jezero_connectors::{ExternalId, Instant, Locator, OriginalRef, SourceName, Trust, UnitId};
use serde::Serialize;
use serde_json::Value;

use crate::config;
use crate::item::{
    Atom, AtomKind, Draft, ItemId, MAX_ATOMS, MAX_QUESTIONS, ProjectName, TITLE_CHARS, content_hash,
};
use crate::redaction::{Counts, Engine, Redacted, Seen};
use crate::store::{
    Batch, Earlier, EarlierItem, EarlierState, Frame, ItemWrite, Numbered, StateOf, Store,
    StoreError, UnitOf, compress, place_in_unit,
};

/// Rows that are named when they could not be read.
const LISTED: usize = 100;
/// What stands for the writer of the summaries, who is not known.
const WRITER: &str = "import-db";

/// What was taken over, in the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TakenOver {
    /// Items that are stored now.
    pub inserted: u64,
    /// Items that were here already, under the same number.
    pub unchanged: u64,
    /// Items left out because they were forgotten here.
    pub forgotten: u64,
    /// Items of which something was mended or left out: a field of another shape than it should be.
    pub mended: u64,
    /// Rows that could not be read as items.
    pub passed_over: u64,
    /// Connectors whose state was taken over.
    pub connectors: u64,
    /// Secrets that were hidden in what had been stored in clear.
    pub redactions: u64,
    /// The first rows that were passed over.
    pub problems: Vec<RowProblem>,
}

/// A row that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowProblem {
    /// Number of the item.
    pub item: i64,
    /// Why.
    pub reason: Redacted,
}

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
pub enum TakeOverError {
    /// The numbers of the items are in use.
    #[error(
        "item {id} of {place} cannot keep its number or its id: this library has, or had, another \
         item with it; nothing was imported"
    )]
    Taken {
        /// The first such number.
        id: i64,
        /// The library that was to be imported.
        place: String,
    },
    /// The library cannot be written, or the other one cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Takes a library over. `told` gets the number of rows done and of all, now and then.
///
/// # Errors
/// [`TakeOverError`]; then nothing was stored.
pub fn import_db(
    store: &mut Store,
    engine: &Engine,
    earlier: &Earlier,
    now: Instant,
    told: &mut dyn FnMut(u64, u64),
) -> Result<TakenOver, TakeOverError> {
    let ids = earlier.ids()?;
    let all = ids.len() as u64;
    let mut done = TakenOver::default();
    store.batch(|batch| {
        for (number, id) in (1..).zip(&ids) {
            one(batch, engine, earlier, *id, now, &mut done)?;
            if number % 100 == 0 || number == all {
                told(number, all);
            }
        }
        batch.count_parts()?;
        for state in earlier.states() {
            if let Some(state) = state_of(state, engine) {
                done.connectors += u64::from(batch.put_state(&state)?);
            }
        }
        Ok::<_, TakeOverError>(())
    })?;
    store.finish()?;
    Ok(done)
}

fn one(
    batch: &Batch<'_>,
    engine: &Engine,
    earlier: &Earlier,
    id: i64,
    now: Instant,
    done: &mut TakenOver,
) -> Result<(), TakeOverError> {
    let read = earlier
        .item(id)
        .and_then(|row| Reading::of(row, engine, now));
    let reading = match read {
        Ok(reading) if id > 0 => reading,
        Ok(_) => return pass_over(done, engine, id, "numbers of items begin at 1"),
        Err(reason) => return pass_over(done, engine, id, &reason),
    };
    let hidden = reading.item.redactions.total();
    let unit = reading.unit.as_ref().and_then(|unit| {
        let original_ref = reading.item.original_ref.as_ref()?;
        let trust = reading.item.trust;
        Some(UnitOf {
            id: unit,
            original_ref,
            trust,
        })
    });
    let (source, item) = (&reading.source, &reading.item);
    match batch.put_numbered(ItemId(id), source, unit, item, reading.ingested_at)? {
        Numbered::Inserted => {
            done.inserted += 1;
            done.redactions += hidden;
            done.mended += u64::from(reading.mended);
        }
        Numbered::Known => done.unchanged += 1,
        Numbered::Forgotten => done.forgotten += 1,
        Numbered::Taken => {
            return Err(TakeOverError::Taken {
                id,
                place: earlier.path().display().to_string(),
            });
        }
    }
    Ok(())
}

fn pass_over(
    done: &mut TakenOver,
    engine: &Engine,
    item: i64,
    reason: &str,
) -> Result<(), TakeOverError> {
    done.passed_over += 1;
    if done.problems.len() < LISTED {
        let reason = engine.redact(reason);
        done.problems.push(RowProblem { item, reason });
    }
    Ok(())
}

/// A row that is right, or could be made so.
struct Reading {
    source: SourceName,
    unit: Option<UnitId>,
    item: ItemWrite,
    ingested_at: Instant,
    mended: bool,
}

/// Redacts the texts of one item: what is found in one is hidden in the others.
struct Hiding<'a> {
    engine: &'a Engine,
    seen: Seen,
    counts: Counts,
    mended: bool,
}

impl Hiding<'_> {
    fn text(&mut self, text: &str) -> Redacted {
        self.engine
            .redact_seen(text, &mut self.seen, &mut self.counts)
    }

    /// A value of a checked type; what is there and is not right is left out and noted.
    fn checked<T>(&mut self, value: Option<String>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = value.filter(|value| !value.trim().is_empty())?;
        let read = read(&value);
        self.mended |= read.is_none();
        read
    }
}

impl Reading {
    fn of(row: EarlierItem, engine: &Engine, now: Instant) -> Result<Self, String> {
        let source = SourceName::new(row.source.as_str())
            .map_err(|_| "its source is no name that a source can have")?;
        let external_id = ExternalId::new(row.external_id.as_str())
            .map_err(|_| "its external_id is empty, too long or holds control characters")?;
        if engine.redact(external_id.as_str()).as_str() != external_id.as_str() {
            return Err("its external_id holds what looks like a secret".to_owned());
        }
        let occurred_at = Instant::parse(&row.occurred_at).ok_or("its occurred_at is no date")?;
        if row.title.trim().is_empty() || row.summary.trim().is_empty() {
            return Err("it has no title or no summary".to_owned());
        }
        let mut hiding = Hiding {
            engine,
            seen: Seen::default(),
            counts: Counts::default(),
            mended: false,
        };
        // The original first: it says most, also of what stands in the other texts.
        let original = row.original.filter(|text| !text.trim().is_empty());
        let original = original.map(|text| hiding.text(&text));
        let draft = draft(
            &mut hiding,
            &row.title,
            &row.summary,
            &row.questions,
            &row.atoms,
        );
        let original_ref = hiding.checked(row.original_ref, |name| {
            let clean = engine.redact(name).as_str() == name;
            clean.then(|| OriginalRef::new(name).ok()).flatten()
        });
        let project = hiding.checked(row.project, |name| {
            ProjectName::new(engine.redact(&config::clean(name)?))
        });
        let trust = hiding.checked(Some(row.trust), |word| word.parse().ok());
        let ingested_at = hiding.checked(Some(row.ingested_at), Instant::parse);
        let (unit, locator) = unit(&external_id, original_ref.as_ref());
        let frame = match &original {
            Some(text) => Some(Frame::Held(
                compress(text).map_err(|cause| format!("its original: {cause}"))?,
            )),
            None => None,
        };
        let account = row.account.filter(|text| !text.trim().is_empty());
        let item = ItemWrite {
            external_id,
            occurred_at,
            content_hash: content_hash(original.as_ref().unwrap_or(&draft.summary)),
            draft,
            project,
            account: account.map(|account| hiding.text(&account)),
            original_ref,
            // Whoever wrote it, nothing is trusted that does not say so.
            trust: trust.unwrap_or(Trust::External),
            original: frame,
            locator,
            part: (1, 1),
            rules_version: engine.version(),
            summary_by: WRITER.to_owned(),
            redactions: hiding.counts,
        };
        Ok(Self {
            source,
            unit,
            item,
            ingested_at: ingested_at.unwrap_or(now),
            mended: hiding.mended,
        })
    }
}

/// The unit that an item is a segment of: its id begins with it and the name of its original ends with it.
fn unit(external_id: &ExternalId, original_ref: Option<&OriginalRef>) -> (Option<UnitId>, Locator) {
    match (place_in_unit(external_id.as_str()), original_ref) {
        (Some((unit, locator)), Some(name)) if name.as_str().ends_with(unit.as_str()) => {
            (Some(unit), locator)
        }
        _ => (None, Locator::default()),
    }
}

fn draft(
    hiding: &mut Hiding<'_>,
    title: &str,
    summary: &str,
    questions: &str,
    atoms: &str,
) -> Draft {
    let title = hiding.text(title.trim());
    hiding.mended |= title.chars() > TITLE_CHARS;
    let list = |hiding: &mut Hiding<'_>, text: &str, most: usize| match serde_json::from_str(text) {
        Ok(Value::Array(mut list)) => {
            hiding.mended |= list.len() > most;
            list.truncate(most);
            list
        }
        _ => {
            hiding.mended |= !text.trim().is_empty();
            Vec::new()
        }
    };
    let asked = list(hiding, questions, MAX_QUESTIONS);
    let mut questions = Vec::with_capacity(asked.len());
    for question in &asked {
        match question.as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => questions.push(hiding.text(text)),
            None => hiding.mended = true,
        }
    }
    let pieces = list(hiding, atoms, MAX_ATOMS);
    let mut atoms = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        match atom(hiding, piece) {
            Some(atom) => atoms.push(atom),
            None => hiding.mended = true,
        }
    }
    Draft {
        title: title.truncated(TITLE_CHARS),
        summary: hiding.text(summary),
        questions,
        atoms,
        project: None,
    }
}

fn atom(hiding: &mut Hiding<'_>, piece: &Value) -> Option<Atom> {
    let text = |key: &str| {
        piece
            .get(key)?
            .as_str()
            .filter(|text| !text.trim().is_empty())
    };
    let kind: AtomKind = text("kind")?.parse().ok()?;
    let text = hiding.text(text("text")?);
    Some(Atom { kind, text })
}

/// A connector's state, without what its cursor said: this program remembers each file instead.
fn state_of(state: EarlierState, engine: &Engine) -> Option<StateOf> {
    let date = |text: Option<String>| text.as_deref().and_then(Instant::parse);
    Some(StateOf {
        name: SourceName::new(state.name.as_str()).ok()?,
        last_run_at: date(state.last_run_at),
        last_success_at: date(state.last_success_at),
        last_item_at: date(state.last_item_at),
        last_error: state
            .last_error
            .filter(|error| !error.trim().is_empty())
            .map(|error| engine.redact(&error).truncated(1000)),
    })
}
