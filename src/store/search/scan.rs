//! The plain scan: reads every item in scope, folds its five fields or its original, counts.
//!
//! Simple rather than clever, so that what it answers can be believed: other implementations are
//! compared with it.

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Rows, params_from_iter};

use super::document::{Document, Needle, text};
use super::rank;
use super::{Matches, Question, Ranked, TextIndex, TextScope};
use crate::item::{Instant, ItemId};
use crate::store::index::readable;
use crate::store::{Result, StoreError, View};

/// Answers by reading all items.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a> {
    view: &'a View,
}

impl<'a> Scan<'a> {
    /// Makes a scan of a library.
    #[must_use]
    pub fn new(view: &'a View) -> Self {
        Self { view }
    }
}

/// Terms counted in one text.
struct Counted {
    length: f64,
    frequencies: Vec<f64>,
}

/// An item that holds a term, before the statistics are known.
struct Hit {
    id: ItemId,
    occurred_at: Instant,
    /// In its five fields, and in its original.
    texts: [Option<Counted>; 2],
}

/// What relevance in the five fields counts, and in the original.
const WEIGHTS: [f64; 2] = [1.0, rank::ORIGINAL];

/// Statistics of the texts of one kind.
#[derive(Clone, Default)]
struct Tally {
    texts: u64,
    characters: u64,
    /// For each term, how many of them hold it.
    with: Vec<u64>,
}

impl Tally {
    fn add(&mut self, text: &Counted, length: usize) {
        self.texts += 1;
        self.characters += length as u64;
        for (with, frequency) in self.with.iter_mut().zip(&text.frequencies) {
            *with += u64::from(*frequency > 0.0);
        }
    }

    /// A text's relevance.
    fn relevance(&self, text: &Counted) -> f64 {
        let mean = rank::count(self.characters) / rank::count(self.texts.max(1));
        let shares = self.with.iter().zip(&text.frequencies);
        shares
            .map(|(with, frequency)| {
                let idf = rank::idf(self.texts, *with);
                rank::share(idf, *frequency, text.length, mean)
            })
            .sum()
    }
}

impl TextIndex for Scan<'_> {
    fn matches(&self, question: &Question<'_>) -> Result<Matches> {
        let needles: Vec<Needle<'_>> = question.terms.iter().map(Needle::new).collect();
        let mut found = Matches {
            frequencies: vec![0; needles.len()],
            ..Matches::default()
        };
        let none = Tally {
            with: vec![0; needles.len()],
            ..Tally::default()
        };
        let mut tallies = [none.clone(), none];
        let mut hits = Vec::new();
        self.each_document(question, |id, occurred_at, wanted, texts| {
            let mut counted = [None, None];
            for ((text, counted), tally) in texts.into_iter().zip(&mut counted).zip(&mut tallies) {
                let Some(text) = text else { continue };
                let frequencies = needles.iter().map(|needle| text.frequency(needle));
                let own = Counted {
                    length: rank::count(text.length as u64),
                    frequencies: frequencies.collect(),
                };
                tally.add(&own, text.length);
                *counted = Some(own);
            }
            let mut any = false;
            for (at, with) in found.frequencies.iter_mut().enumerate() {
                let mut texts = counted.iter().flatten();
                let holds = texts.any(|text| text.frequencies.get(at).is_some_and(|f| *f > 0.0));
                *with += u64::from(holds);
                any |= holds;
            }
            if wanted && any {
                hits.push(Hit {
                    id,
                    occurred_at,
                    texts: counted,
                });
            }
        })?;
        let [summaries, originals] = &tallies;
        found.searched = match question.texts {
            TextScope::Original => originals.texts,
            _ => summaries.texts,
        };
        found.ranked = hits.iter().map(|hit| hit.ranked(&tallies)).collect();
        found.ranked.sort_unstable_by(rank::order);
        found.ranked.truncate(question.pool);
        Ok(found)
    }
}

impl Hit {
    fn ranked(&self, tallies: &[Tally; 2]) -> Ranked {
        let texts = self.texts.iter().zip(tallies).zip(WEIGHTS);
        let relevance = texts
            .filter_map(|((text, tally), weight)| Some(weight * tally.relevance(text.as_ref()?)));
        Ranked {
            id: self.id,
            occurred_at: self.occurred_at,
            relevance: relevance.sum(),
        }
    }
}

impl Scan<'_> {
    /// Calls `each` with every item in scope, whether it passes the filter, and its texts as far as
    /// they are searched.
    fn each_document(
        &self,
        question: &Question<'_>,
        mut each: impl FnMut(ItemId, Instant, bool, [Option<&Document>; 2]),
    ) -> Result<()> {
        let connection = &self.view.connection;
        let (condition, values) = question.filter.condition();
        // Items and atoms are read side by side in the order of item numbers, which is that of the
        // tables: through an index, SQLite would have to sort whole items.
        let sql = format!(
            "SELECT items.id, items.occurred_at, items.title, items.summary, items.questions,
                    items.project, ({condition})
             FROM items NOT INDEXED WHERE {} ORDER BY items.id",
            question.scope.condition()
        );
        let mut items = connection.prepare_cached(&sql)?;
        let mut items = items.query(params_from_iter(values))?;
        let mut atoms =
            connection.prepare_cached("SELECT item, text FROM atoms ORDER BY item, ordinal")?;
        let mut atoms = Atoms::new(atoms.query([])?)?;
        let (mut summary, mut original) = (Document::default(), Document::default());
        while let Some(row) = items.next()? {
            let id: i64 = row.get(0)?;
            if question.texts.has_summaries() {
                summary.read(id, row, |each| atoms.of(id, each))?;
            }
            let text = match question.texts.has_originals() {
                true => readable(connection, id)?,
                false => None,
            };
            if let Some(text) = &text {
                original.read_original(text.as_str());
            }
            let occurred_at = Instant::from_unix(row.get(1)?).ok_or(StoreError::Damaged {
                what: "date",
                row: id,
            })?;
            // A comparison with a missing project is neither true nor false: not wanted.
            let wanted = row.get::<_, Option<bool>>(6)?.unwrap_or(false);
            let texts = [
                question.texts.has_summaries().then_some(&summary),
                text.is_some().then_some(&original),
            ];
            each(ItemId(id), occurred_at, wanted, texts);
        }
        Ok(())
    }
}

/// The atoms of all items, read along with them.
struct Atoms<'a> {
    rows: Rows<'a>,
    /// The item of the row that the cursor is at.
    item: Option<i64>,
}

impl<'a> Atoms<'a> {
    fn new(rows: Rows<'a>) -> Result<Self> {
        let mut atoms = Self { rows, item: None };
        atoms.advance()?;
        Ok(atoms)
    }

    fn advance(&mut self) -> Result<()> {
        self.item = match self.rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        };
        Ok(())
    }

    /// Calls `each` with the texts of an item's atoms; items come in rising order.
    fn of(&mut self, id: i64, each: &mut dyn FnMut(&str)) -> Result<()> {
        while let Some(item) = self.item.filter(|item| *item <= id) {
            if item == id
                && let Some(row) = self.rows.get()
            {
                each(text(row.get_ref(1)?, id)?);
            }
            self.advance()?;
        }
        Ok(())
    }
}
