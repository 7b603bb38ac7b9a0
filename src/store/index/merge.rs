//! Making one segment of several, bit by bit.

use std::ops::Range;

use super::pack::{Postings, each_posting};
use super::segment::{self, Document, POSTINGS_LIMIT, Words, Writer, damaged};
use super::shelf::{Book, Grave, SegmentRow, Shelf, Stage};
use crate::store::Result;

/// How many segments of a size make one of the next.
pub(super) const FAN: usize = 8;
/// Bytes up to which segments count as of the smallest size.
const SMALLEST: u64 = 4096;
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

/// A merge on its way.
#[derive(Debug)]
pub(super) struct Merge {
    inputs: Vec<Input>,
    /// The new segment; taken when it is done.
    writer: Option<Writer>,
    /// The new segment's number.
    pub(super) id: i64,
    /// Slots that were dead when the merge began: they are in no segment when it has ended.
    dropped: Vec<Grave>,
    /// How many documents that are.
    dropped_documents: u32,
    read: Vec<u8>,
    merged: Postings,
}

/// A segment that is read.
#[derive(Debug)]
struct Input {
    id: i64,
    words: Words,
    /// Whether `words` stands at a word.
    more: bool,
    /// The new number of each document, [`GONE`] for the dead.
    numbers: Vec<u32>,
}

const GONE: u32 = u32::MAX;

impl Merge {
    /// Begins: names the new segment and writes its documents.
    pub(super) fn begin(shelf: &impl Shelf, book: Book, rows: &[SegmentRow]) -> Result<Self> {
        let mut counters = shelf.counters()?;
        let id = counters.next_segment;
        counters.next_segment += 1;
        shelf.set_counters(counters)?;
        let mut all_names = Vec::new();
        for row in rows {
            all_names.push(segment::names(shelf, row)?);
        }
        let mut names: Vec<String> = all_names.concat();
        names.sort_unstable();
        names.dedup();
        let mut merge = Self {
            inputs: Vec::new(),
            writer: None,
            id,
            dropped: Vec::new(),
            dropped_documents: 0,
            read: Vec::new(),
            merged: Postings::default(),
        };
        let since = rows.iter().map(|row| row.since).min().unwrap_or(0);
        let mut writer = Writer::begin(shelf, id, book, since, &names)?;
        let graves = shelf.buried_since(since)?;
        shelf.put_segment(writer.row())?;
        for (row, own_names) in rows.iter().zip(&all_names) {
            let lies = |grave: &&Grave| (row.first_slot..=row.last_slot).contains(&grave.slot);
            let mut dead: Vec<Grave> = graves.iter().filter(lies).copied().collect();
            dead.sort_unstable_by_key(|grave| grave.slot);
            let projects: Vec<u32> = own_names
                .iter()
                .map(|name| super::builder::place(&names, Some(name)))
                .collect();
            merge.take(shelf, &mut writer, row, &projects, dead)?;
        }
        merge.writer = Some(writer);
        Ok(merge)
    }

    /// Takes the documents of a segment over. `projects` has the new number of each project,
    /// `dead` who of them is dead, by slot.
    fn take(
        &mut self,
        shelf: &impl Shelf,
        writer: &mut Writer,
        row: &SegmentRow,
        projects: &[u32],
        dead: Vec<Grave>,
    ) -> Result<()> {
        let project = |number: u32| {
            let at = (number as usize).checked_sub(1);
            at.and_then(|at| projects.get(at)).copied().unwrap_or(0)
        };
        let mut documents = Vec::with_capacity(row.documents as usize);
        segment::documents(shelf, row, |document| documents.push(document))?;
        let mut numbers = Vec::with_capacity(documents.len());
        for document in documents {
            if dead
                .binary_search_by_key(&document.slot, |grave| grave.slot)
                .is_ok()
            {
                numbers.push(GONE);
                self.dropped_documents += 1;
            } else {
                numbers.push(writer.row().documents);
                writer.document(
                    shelf,
                    &Document {
                        project: project(document.project),
                        ..document
                    },
                )?;
            }
        }
        self.dropped.extend(dead);
        let mut words = Words::new(*row);
        let more = words.advance(shelf)?;
        self.inputs.push(Input {
            id: row.id,
            words,
            more,
            numbers,
        });
        Ok(())
    }

    /// Merges words until about `budget` bytes of postings and words have been read. Says how many
    /// bytes were, or nothing once all are merged.
    pub(super) fn advance(&mut self, shelf: &impl Shelf, budget: usize) -> Result<Option<usize>> {
        let Some(writer) = &mut self.writer else {
            return Ok(None);
        };
        let mut done = 0;
        while done < budget {
            let least = self.inputs.iter().filter(|input| input.more);
            let Some(word) = least.map(|input| &input.words.word).min().cloned() else {
                return Ok(None);
            };
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
                read.ok_or_else(|| damaged(input.id))?;
                done += self.read.len() + word.len();
                input.more = input.words.advance(shelf)?;
            }
            if !self.merged.bytes.is_empty() {
                writer.word(shelf, &word, &self.merged.bytes)?;
            }
        }
        Ok(Some(done))
    }

    /// Puts the new segment in the place of those it was made of. Gives the slots that are dead no
    /// more: they are nowhere.
    pub(super) fn finish(mut self, shelf: &impl Shelf, book: Book) -> Result<Vec<Grave>> {
        let Some(writer) = self.writer.take() else {
            return Ok(Vec::new());
        };
        let is_empty = writer.row().documents == 0;
        let stage = if is_empty {
            Stage::Leaving
        } else {
            Stage::Live
        };
        let mut row = writer.finish(shelf, stage)?;
        let mut dead = 0_u32;
        for before in shelf.segments(book)? {
            if self.inputs.iter().any(|input| input.id == before.id) {
                dead = dead.saturating_add(before.dead);
                shelf.put_segment(&SegmentRow {
                    stage: Stage::Leaving,
                    ..before
                })?;
            }
        }
        row.dead = dead
            .saturating_sub(self.dropped_documents)
            .min(row.documents);
        shelf.put_segment(&row)?;
        let mut counters = shelf.counters()?;
        counters.generation += 1;
        shelf.set_counters(counters)?;
        Ok(self.dropped)
    }
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
