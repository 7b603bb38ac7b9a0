//! Making one segment of several, bit by bit.

use std::ops::Range;

use super::pack::{Postings, each_posting};
use super::segment::{self, Document, POSTINGS_LIMIT, Words, Writer, damaged};
use super::shelf::{Book, Grave, SegmentRow, Shelf, Stage};
use crate::store::Result;

/// How many segments of a size make one of the next.
pub(super) const FAN: usize = 8;
/// Bytes up to which segments count as of the smallest size.
const SMALLEST: u64 = 512;
/// A segment is written anew when more than one document of this many is dead.
const DEAD: u32 = 4;

/// Says which neighbours of a list of live segments are to become one.
pub(super) fn choose(rows: &[SegmentRow]) -> Option<Range<usize>> {
    let decayed = rows.iter().position(|row| row.dead > row.documents / DEAD);
    if let Some(at) = decayed {
        return Some(at..at + 1);
    }
    let sizes: Vec<u32> = rows.iter().map(size).collect();
    let mut chosen = None;
    let mut start = 0;
    while let Some(greatest) = sizes.get(start..).and_then(|rest| rest.iter().max()) {
        // Smaller ones between two of a size go with them: only neighbours can become one.
        let last = sizes
            .iter()
            .rposition(|size| size == greatest)
            .unwrap_or(start);
        let postings = |rows: &[SegmentRow]| rows.iter().map(|row| row.postings).sum::<u64>();
        let first = rows.get(start..start + FAN).unwrap_or_default();
        if last - start + 1 >= FAN && postings(first) < POSTINGS_LIMIT {
            // Of several, the last has the smallest segments.
            chosen = Some(start..start + FAN);
        }
        start = last + 1;
    }
    chosen
}

/// The size of a segment, in powers of [`FAN`].
fn size(row: &SegmentRow) -> u32 {
    let bytes = row.postings + 16 * u64::from(row.documents);
    (bytes.max(SMALLEST) / SMALLEST).ilog2() / FAN.ilog2()
}

/// A merge on its way: first all documents are written, then all words.
#[derive(Debug)]
pub(super) struct Merge {
    inputs: Vec<Input>,
    writer: Writer,
    /// Slots that were dead when the merge began, by slot: they are in no segment when it has ended.
    dropped: Vec<Grave>,
    /// The generation in which the merge began.
    begun: i64,
    read: Vec<u8>,
    merged: Postings,
}

/// A segment that is read.
#[derive(Debug)]
struct Input {
    row: SegmentRow,
    /// How many parts of its documents have been read.
    parts_read: u32,
    /// The new number of each document, [`GONE`] for the dead.
    numbers: Vec<u32>,
    /// The new number of each project.
    projects: Vec<u32>,
    words: Words,
    /// Whether `words` stands at a word.
    more: bool,
}

const GONE: u32 = u32::MAX;
/// Bytes of a document in a segment, about.
const DOCUMENT_BYTES: usize = 10;

impl Merge {
    /// Begins: names the new segment and its projects.
    pub(super) fn begin(shelf: &impl Shelf, book: Book, rows: &[SegmentRow]) -> Result<Self> {
        let mut counters = shelf.counters()?;
        let id = counters.next_segment;
        counters.next_segment += 1;
        shelf.set_counters(counters)?;
        let since = rows.iter().map(|row| row.since).min().unwrap_or(0);
        let lies = |grave: &Grave| {
            let within = |row: &SegmentRow| (row.first_slot..=row.last_slot).contains(&grave.slot);
            rows.iter().any(within)
        };
        let mut dropped = shelf.buried_since(since)?;
        dropped.retain(lies);
        dropped.sort_unstable_by_key(|grave| grave.slot);
        let mut own_names = Vec::new();
        let mut names = Vec::new();
        for row in rows {
            let own = segment::names(shelf, row)?;
            names.extend(living_names(shelf, row, &own, &dropped)?);
            own_names.push(own);
        }
        names.sort_unstable();
        names.dedup();
        let writer = Writer::begin(shelf, id, book, since, &names)?;
        shelf.put_segment(writer.row())?;
        let mut inputs = Vec::new();
        for (row, own) in rows.iter().zip(&own_names) {
            let place = |name: &String| super::builder::place(&names, Some(name));
            let mut words = Words::new(*row);
            let more = words.advance(shelf)?;
            inputs.push(Input {
                row: *row,
                parts_read: 0,
                numbers: Vec::with_capacity(row.documents as usize),
                projects: own.iter().map(place).collect(),
                words,
                more,
            });
        }
        Ok(Self {
            inputs,
            writer,
            dropped,
            begun: counters.generation,
            read: Vec::new(),
            merged: Postings::default(),
        })
    }

    /// Goes on until about `budget` bytes have been read. Says how many were, or nothing once all
    /// is merged.
    pub(super) fn advance(&mut self, shelf: &impl Shelf, budget: usize) -> Result<Option<usize>> {
        let mut done = 0;
        while done < budget {
            let moved = match self.take_documents(shelf)? {
                0 => self.merge_word(shelf)?,
                moved => moved,
            };
            if moved == 0 {
                return Ok((done > 0).then_some(done));
            }
            done += moved;
        }
        Ok(Some(done))
    }

    /// Takes a part of the documents over. Gives the bytes read: 0 when all have been.
    fn take_documents(&mut self, shelf: &impl Shelf) -> Result<usize> {
        let unread = |input: &&mut Input| input.parts_read < input.row.document_parts;
        let Some(input) = self.inputs.iter_mut().find(unread) else {
            return Ok(0);
        };
        let mut documents = Vec::new();
        segment::documents_of(shelf, &input.row, input.parts_read, |document| {
            documents.push(document);
        })?;
        input.parts_read += 1;
        for document in &documents {
            let dead = self
                .dropped
                .binary_search_by_key(&document.slot, |grave| grave.slot);
            if dead.is_ok() {
                input.numbers.push(GONE);
                continue;
            }
            input.numbers.push(self.writer.row().documents);
            let project = (document.project as usize).checked_sub(1);
            let project = project.and_then(|at| input.projects.get(at)).copied();
            let document = Document {
                project: project.unwrap_or(0),
                ..*document
            };
            self.writer.document(shelf, &document)?;
        }
        Ok(documents.len() * DOCUMENT_BYTES)
    }

    /// Merges the postings of the next word. Gives the bytes read: 0 when there is none.
    fn merge_word(&mut self, shelf: &impl Shelf) -> Result<usize> {
        let least = self.inputs.iter().filter(|input| input.more);
        let Some(word) = least.map(|input| &input.words.word).min().cloned() else {
            return Ok(0);
        };
        let mut done = 0;
        self.merged.clear();
        for input in &mut self.inputs {
            if !input.more || input.words.word != word {
                continue;
            }
            self.read.clear();
            input.words.postings(shelf, &mut self.read)?;
            let (merged, numbers) = (&mut self.merged, &input.numbers);
            let read = each_posting(&self.read, |document, weight| {
                match numbers.get(document as usize) {
                    Some(&GONE) | None => {}
                    Some(number) => merged.add(*number, weight),
                }
            });
            read.ok_or_else(|| damaged(input.row.id))?;
            done += self.read.len() + word.len() + 1;
            input.more = input.words.advance(shelf)?;
        }
        if !self.merged.bytes.is_empty() {
            self.writer.word(shelf, &word, &self.merged.bytes)?;
        }
        Ok(done)
    }

    /// Puts the new segment in the place of those it was made of. Gives the slots that are dead no
    /// more: they are nowhere.
    pub(super) fn finish(self, shelf: &impl Shelf, book: Book) -> Result<Vec<Grave>> {
        let is_empty = self.writer.row().documents == 0;
        let stage = if is_empty {
            Stage::Leaving
        } else {
            Stage::Live
        };
        let mut row = self.writer.finish(shelf, stage)?;
        for before in shelf.segments(book)? {
            if self.inputs.iter().any(|input| input.row.id == before.id) {
                shelf.put_segment(&SegmentRow {
                    stage: Stage::Leaving,
                    ..before
                })?;
            }
        }
        // Who has died since is in the new segment.
        let graves = shelf.buried_since(self.begun + 1)?;
        let dead = graves
            .iter()
            .filter(|grave| (row.first_slot..=row.last_slot).contains(&grave.slot));
        row.dead = u32::try_from(dead.count())
            .unwrap_or(u32::MAX)
            .min(row.documents);
        shelf.put_segment(&row)?;
        let mut counters = shelf.counters()?;
        counters.generation += 1;
        shelf.set_counters(counters)?;
        Ok(self.dropped)
    }
}

/// The names of projects that a living document has: that of a dead one must not live on.
fn living_names(
    shelf: &impl Shelf,
    row: &SegmentRow,
    names: &[String],
    dropped: &[Grave],
) -> Result<Vec<String>> {
    let mut used = vec![dropped.is_empty(); names.len()];
    if !dropped.is_empty() {
        segment::documents(shelf, row, |document| {
            let dead = dropped.binary_search_by_key(&document.slot, |grave| grave.slot);
            let project = (document.project as usize).checked_sub(1);
            if dead.is_err()
                && let Some(used) = project.and_then(|at| used.get_mut(at))
            {
                *used = true;
            }
        })?;
    }
    let living = names.iter().zip(used).filter(|(_, used)| *used);
    Ok(living.map(|(name, _)| name.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sizes: &[(u64, u32)]) -> Vec<SegmentRow> {
        let row = |(postings, dead): &(u64, u32)| SegmentRow {
            id: 1,
            book: Book::Summaries,
            stage: Stage::Live,
            first_slot: 0,
            last_slot: 0,
            documents: 100,
            dead: *dead,
            since: 0,
            words: 0,
            letters: 0,
            name_parts: 0,
            document_parts: 0,
            dictionary_parts: 0,
            postings: *postings,
            stamp: 0,
        };
        sizes.iter().map(row).collect()
    }

    #[test]
    fn eight_of_a_size_become_one() {
        assert_eq!(choose(&rows(&[(100, 0); 7])), None);
        assert_eq!(choose(&rows(&[(100, 0); 9])), Some(0..8));
        let mut mixed = vec![(1 << 20, 0); 7];
        mixed.extend([(100, 0); 8]);
        assert_eq!(choose(&rows(&mixed)), Some(7..15));
    }

    #[test]
    fn small_ones_between_large_ones_go_with_them() {
        let sizes = [1 << 20, 1, 1 << 20, 1, 1 << 20, 1, 1, 1 << 20].map(|size| (size, 0));
        assert_eq!(choose(&rows(&sizes)), Some(0..8));
    }

    #[test]
    fn a_segment_with_more_than_a_quarter_dead_is_written_anew() {
        assert_eq!(choose(&rows(&[(100, 25), (100, 26)])), Some(1..2));
    }
}
