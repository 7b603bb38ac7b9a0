//! Making a segment from documents, in memory.

use std::collections::{BTreeSet, HashMap};

use super::pack::Postings;
use super::segment::{Document, Writer};
use super::shelf::{Book, SegmentRow, Shelf, Stage};
use super::words::cut;
use crate::store::Result;
use crate::store::search::document::Document as Text;

/// What the index keeps of an item besides its words; nothing of an original, whose item has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Facts {
    /// The source's number.
    pub(super) source: u32,
    /// The project, if it has one.
    pub(super) project: Option<String>,
    /// When it happened, in seconds.
    pub(super) occurred_at: i64,
    /// Trust and kinds of atoms.
    pub(super) marks: u8,
}

/// Collects documents.
#[derive(Debug, Default)]
pub(super) struct Builder {
    entries: HashMap<Box<[u8]>, Entry>,
    documents: Vec<(Document, Option<String>)>,
    characters: usize,
}

/// The postings of a word so far.
#[derive(Debug, Default)]
struct Entry {
    postings: Postings,
    /// The document that is being added, and the weight so far; 0 for none.
    document: u32,
    weight: u32,
}

impl Entry {
    fn settle(&mut self) {
        if self.weight > 0 {
            self.postings.add(self.document, self.weight);
            self.weight = 0;
        }
    }
}

/// A field's weight in halves: what a posting counts in.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "weights are small multiples of one half"
)]
pub(super) fn halves(weight: f64) -> u32 {
    (weight * 2.0) as u32
}

impl Builder {
    /// How many documents it holds.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// How many characters their texts have.
    pub(super) fn characters(&self) -> usize {
        self.characters
    }

    /// Adds a document; slots rise.
    pub(super) fn add(&mut self, slot: i64, item: i64, facts: Facts, text: &Text) {
        let number = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        for (field, weight) in text.fields() {
            let weight = halves(weight);
            let field = std::str::from_utf8(field).unwrap_or_default();
            cut(field, |word| self.count(word, number, weight));
        }
        let document = Document {
            slot,
            item,
            length: u32::try_from(text.length).unwrap_or(u32::MAX),
            source: facts.source,
            project: 0,
            occurred_at: facts.occurred_at,
            marks: facts.marks,
        };
        self.characters += text.length;
        self.documents.push((document, facts.project));
    }

    fn count(&mut self, word: &[u8], document: u32, weight: u32) {
        if let Some(entry) = self.entries.get_mut(word) {
            if entry.document != document {
                entry.settle();
                entry.document = document;
            }
            entry.weight = entry.weight.saturating_add(weight);
        } else {
            let entry = Entry {
                document,
                weight,
                ..Entry::default()
            };
            self.entries.insert(word.into(), entry);
        }
    }

    /// Writes the documents as a segment.
    ///
    /// `generation` is the one that this begins.
    pub(super) fn write(
        self,
        shelf: &impl Shelf,
        id: i64,
        book: Book,
        generation: i64,
    ) -> Result<SegmentRow> {
        let names: BTreeSet<&str> = self
            .documents
            .iter()
            .filter_map(|(_, project)| project.as_deref())
            .collect();
        let names: Vec<String> = names.into_iter().map(ToOwned::to_owned).collect();
        let mut writer = Writer::begin(shelf, id, book, generation, &names)?;
        for (document, project) in &self.documents {
            let project = place(&names, project.as_deref());
            writer.document(
                shelf,
                &Document {
                    project,
                    ..*document
                },
            )?;
        }
        let mut entries: Vec<(Box<[u8]>, Entry)> = self.entries.into_iter().collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (word, mut entry) in entries {
            entry.settle();
            writer.word(shelf, &word, &entry.postings.bytes)?;
        }
        writer.finish(shelf, Stage::Live)
    }
}

/// What a document says of its project: one more than its place among the names, 0 for none.
pub(super) fn place(names: &[String], project: Option<&str>) -> u32 {
    let place = project.and_then(|project| {
        names
            .binary_search_by(|name| name.as_str().cmp(project))
            .ok()
    });
    place
        .and_then(|place| u32::try_from(place + 1).ok())
        .unwrap_or(0)
}
