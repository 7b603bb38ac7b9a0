//! Newer redaction rules on all that is stored, without a summary call.
//!
//! Items that the rules of today have seen are passed over, so that a run that was stopped is gone
//! on with by the next one. A value found in one place of a unit is hidden in all of it: a unit is
//! therefore read first and written then. The order of writing makes that hold after a kill, too:
//! first the digests of the values, then items that these rules had seen before the value was known,
//! then the others, whose version says what has been done.
//!
//! One item is held in memory at a time, and of a unit what [`HELD`] allows.

mod texts;

use serde::Serialize;

use crate::item::ItemId;
use crate::redaction::{Counts, Engine, Redacted, Seen};
use crate::store::{ItemAgain, ItemTexts, RunText, Store, StoreError, UnitTexts};
use texts::{bytes, each, hidden_id, without_secret_names};

/// Bytes of text that are held between reading a unit and writing it.
const HELD: usize = 16 * 1024 * 1024;
/// Bytes of text that are written in one transaction, about.
const WRITTEN: usize = 4 * 1024 * 1024;
/// Most items that are written in one transaction.
const ITEMS: usize = 200;
/// Problems that are named; the rest is in the count.
const PROBLEMS: usize = 20;

/// What was done, or with `dry_run` what would be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Items of the library.
    pub items: u64,
    /// Items that these rules had not seen.
    pub items_read: u64,
    /// Of these, items without an original: it was never stored, or is kept no longer.
    pub without_original: u64,
    /// Items in which something was hidden.
    pub items_redacted: u64,
    /// Secrets hidden in these.
    pub secrets: u64,
    /// Secrets hidden elsewhere: in what is kept of sessions beside their items, and in reports.
    pub secrets_elsewhere: u64,
    /// All of them by rule.
    pub rules: Counts,
    /// Items and units that could not be read.
    pub failed: u64,
    /// The first of these, with their place.
    pub problems: Vec<String>,
    /// Whether the old text is out of the file and of its write-ahead log; not told by a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erased: Option<bool>,
}

/// How far the work has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Items read.
    pub done: u64,
    /// Items to read.
    pub of: u64,
}

/// Goes through the library. The caller holds its lock, unless nothing is to be written.
///
/// # Errors
/// What SQLite says. What was written until then stays; the next call goes on from there.
pub fn redact_stored(
    store: &mut Store,
    engine: &Engine,
    dry_run: bool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, StoreError> {
    let (items, of) = store.count_items(engine.version())?;
    let mut work = Work {
        store,
        engine,
        progress,
        of,
        waiting: Vec::new(),
        waiting_bytes: 0,
        report: Report {
            dry_run,
            items,
            ..Report::default()
        },
    };
    work.units()?;
    work.loose_items()?;
    work.runs()?;
    let mut report = work.report;
    if !dry_run {
        store.finish()?;
        report.erased = Some(store.erase()?);
    }
    Ok(report)
}

struct Work<'a> {
    store: &'a mut Store,
    engine: &'a Engine,
    progress: &'a mut dyn FnMut(Progress),
    of: u64,
    /// Items on their way into the library.
    waiting: Vec<ItemAgain>,
    waiting_bytes: usize,
    report: Report,
}

/// An item of a unit between the two readings.
struct Read {
    item: ItemId,
    /// Whether the rules of today find something in it.
    found: bool,
    /// What they leave of it, and what they hid, while memory has room.
    held: Option<(ItemTexts, Counts)>,
}

impl Work<'_> {
    fn units(&mut self) -> Result<(), StoreError> {
        let mut row = None;
        while let Some(unit) = self.store.unit_after(row)? {
            row = Some(unit.row);
            self.unit(&unit)?;
        }
        Ok(())
    }

    fn unit(&mut self, stored: &UnitTexts) -> Result<(), StoreError> {
        let current = self.engine.version();
        let (known, older): (Vec<_>, Vec<_>) = self
            .store
            .items_of(stored.row)?
            .into_iter()
            .partition(|(_, version)| *version == current);
        let mut seen = stored.seen.clone().unwrap_or_default();
        let mut counts = Counts::default();
        let mut unit = self.unit_texts(stored, &mut seen, &mut counts)?;
        let read = self.read(older.into_iter().map(|(item, _)| item), true, &mut seen)?;
        let new_values = seen.len() > stored.seen.as_ref().map_or(0, Seen::len);
        unit_fields(&mut unit, |text| {
            let (masked, hits) = seen.mask_counting(text);
            counts.add(&hits);
            masked
        });
        unit.seen = new_values.then(|| seen.clone()).or(unit.seen);
        self.report.secrets_elsewhere += counts.total();
        self.report.rules.add(&counts);
        if unit != *stored && !self.report.dry_run {
            self.store.rewrite_unit(&unit)?;
        }
        if new_values || !read.is_empty() {
            for (item, version) in known {
                self.mask(item, version, &seen)?;
            }
            self.flush()?;
        }
        for item in read {
            self.write(item, &seen)?;
        }
        self.flush()
    }

    /// The texts of a unit as the rules leave them.
    fn unit_texts(
        &self,
        stored: &UnitTexts,
        seen: &mut Seen,
        counts: &mut Counts,
    ) -> Result<UnitTexts, StoreError> {
        let mut unit = stored.clone();
        unit_fields(&mut unit, |text| {
            self.engine.redact_seen(text.as_str(), seen, counts)
        });
        if self.finds(&stored.id) {
            let _hidden = self.engine.redact_counting(&stored.id, counts);
            let name = hidden_id("unit", &stored.id);
            let mut number = 1;
            unit.id.clone_from(&name);
            while self.store.has_sibling(stored.row, &unit.id)? {
                number += 1;
                unit.id = format!("{name}-{number}");
            }
            let kind = stored
                .original_ref
                .as_deref()
                .and_then(|name| name.split(':').next());
            unit.original_ref = kind.map(|kind| format!("{kind}:{}", unit.id));
        }
        Ok(unit)
    }

    /// Reads items and gathers the values that are hidden in them.
    fn read(
        &mut self,
        items: impl Iterator<Item = ItemId>,
        in_unit: bool,
        seen: &mut Seen,
    ) -> Result<Vec<Read>, StoreError> {
        let mut read = Vec::new();
        let mut room = HELD;
        for item in items {
            let Some(texts) = self.texts(item)? else {
                continue;
            };
            let mut counts = Counts::default();
            let clean = each(texts.clone(), |text| {
                self.engine.redact_seen(text.as_str(), seen, &mut counts)
            });
            let clean = match in_unit {
                true => clean,
                false => without_secret_names(clean, |name| self.finds(name)),
            };
            let found = clean != texts;
            let size = bytes(&clean);
            let held = (size <= room).then_some((clean, counts));
            if held.is_some() {
                room -= size;
            }
            read.push(Read { item, found, held });
        }
        Ok(read)
    }

    fn finds(&self, name: &str) -> bool {
        self.engine.redact(name).as_str() != name
    }

    /// Hides values in an item that the rules of today have seen.
    fn mask(&mut self, item: ItemId, version: u32, seen: &Seen) -> Result<(), StoreError> {
        let Some(texts) = self.texts_again(item)? else {
            return Ok(());
        };
        let mut hidden = Counts::default();
        let masked = masked(texts.clone(), seen, &mut hidden);
        if masked == texts {
            return Ok(());
        }
        self.put(item, Some(masked), hidden, version)
    }

    /// Writes an item that was read.
    fn write(&mut self, read: Read, seen: &Seen) -> Result<(), StoreError> {
        let (texts, mut hidden, mut found) = match read.held {
            Some((texts, hidden)) => (texts, hidden, read.found),
            None => {
                let Some(texts) = self.texts_again(read.item)? else {
                    return Ok(());
                };
                let mut hidden = Counts::default();
                let engine = self.engine;
                let clean = match read.found {
                    true => each(texts, |text| {
                        engine.redact_counting(text.as_str(), &mut hidden)
                    }),
                    false => texts,
                };
                (clean, hidden, read.found)
            }
        };
        let masked = masked(texts.clone(), seen, &mut hidden);
        found |= masked != texts;
        let texts = found.then_some(masked);
        self.put(read.item, texts, hidden, self.engine.version())
    }

    fn loose_items(&mut self) -> Result<(), StoreError> {
        let mut last = ItemId(i64::MIN);
        let version = self.engine.version();
        while let Some(item) = self.store.loose_item_after(last, version)? {
            last = item;
            let mut seen = Seen::new();
            let mut read = self.read([item].into_iter(), false, &mut seen)?;
            if let Some(read) = read.pop() {
                self.write(read, &seen)?;
            }
        }
        self.flush()
    }

    fn runs(&mut self) -> Result<(), StoreError> {
        for place in self.store.run_texts()? {
            self.run_text(&place)?;
        }
        Ok(())
    }

    fn run_text(&mut self, place: &RunText) -> Result<(), StoreError> {
        let mut counts = Counts::default();
        let stored = self.store.run_text(place)?;
        let clean: Vec<Option<Redacted>> = stored
            .iter()
            .map(|text| {
                let text = text.as_ref()?;
                Some(self.engine.redact_counting(text.as_str(), &mut counts))
            })
            .collect();
        if clean == stored {
            return Ok(());
        }
        self.report.secrets_elsewhere += counts.total();
        self.report.rules.add(&counts);
        if self.report.dry_run {
            return Ok(());
        }
        self.store.rewrite_run_text(place, &clean)
    }

    /// The texts of an item, read for the first time; `None` if they cannot be read.
    fn texts(&mut self, item: ItemId) -> Result<Option<ItemTexts>, StoreError> {
        self.report.items_read += 1;
        (self.progress)(Progress {
            done: self.report.items_read,
            of: self.of,
        });
        match self.store.item_texts(item) {
            Err(error @ StoreError::Damaged { .. }) => {
                self.report.failed += 1;
                if self.report.problems.len() < PROBLEMS {
                    self.report.problems.push(error.to_string());
                }
                Ok(None)
            }
            texts => {
                let texts = texts?;
                self.report.without_original += u64::from(texts.original.is_none());
                Ok(Some(texts))
            }
        }
    }

    /// The texts of an item that is not counted again.
    fn texts_again(&self, item: ItemId) -> Result<Option<ItemTexts>, StoreError> {
        match self.store.item_texts(item) {
            Err(StoreError::Damaged { .. }) => Ok(None),
            texts => texts.map(Some),
        }
    }

    fn put(
        &mut self,
        item: ItemId,
        texts: Option<ItemTexts>,
        hidden: Counts,
        rules_version: u32,
    ) -> Result<(), StoreError> {
        if texts.is_some() {
            self.report.items_redacted += 1;
            self.report.secrets += hidden.total();
            self.report.rules.add(&hidden);
        }
        if self.report.dry_run {
            return Ok(());
        }
        self.waiting_bytes += texts.as_ref().map_or(0, bytes);
        self.waiting.push(ItemAgain {
            item,
            texts,
            hidden,
            rules_version,
        });
        if self.waiting.len() >= ITEMS || self.waiting_bytes >= WRITTEN {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        match waiting.is_empty() {
            true => Ok(()),
            false => self.store.rewrite_items(&waiting),
        }
    }
}

fn unit_fields(unit: &mut UnitTexts, mut change: impl FnMut(&Redacted) -> Redacted) {
    let fields = [
        &mut unit.account,
        &mut unit.title_hint,
        &mut unit.named,
        &mut unit.cwd,
    ];
    for text in fields.into_iter().flatten() {
        *text = change(text);
    }
}

fn masked(texts: ItemTexts, seen: &Seen, hidden: &mut Counts) -> ItemTexts {
    each(texts, |text| {
        let (masked, hits) = seen.mask_counting(text);
        hidden.add(&hits);
        masked
    })
}
