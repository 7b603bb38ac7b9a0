//! The index on another shelf than SQLite's: maps in memory.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::super::ask::{Asked, Wanted};
use super::super::builder::Facts;
use super::super::cache::Cache;
use super::super::merge::{self, Merge};
use super::super::seen::Seen;
use super::super::segment::damaged;
use super::super::shelf::{Counters, Grave, Kind, Part, SegmentRow, Shelf, Stage};
use super::super::texts::Texts;
use super::super::write;
use super::*;
use crate::store::search::document::Document;

#[derive(Default)]
pub(super) struct Maps {
    counters: Cell<Counters>,
    segments: RefCell<BTreeMap<i64, SegmentRow>>,
    parts: RefCell<BTreeMap<Part, Vec<u8>>>,
    slots: RefCell<BTreeMap<i64, i64>>,
    graves: RefCell<Vec<Grave>>,
    texts: RefCell<BTreeMap<i64, String>>,
}

impl Shelf for Maps {
    fn counters(&self) -> Result<Counters> {
        Ok(self.counters.get())
    }

    fn set_counters(&self, counters: Counters) -> Result<()> {
        self.counters.set(counters);
        Ok(())
    }

    fn segments(&self, _: Book) -> Result<Vec<SegmentRow>> {
        let mut rows: Vec<SegmentRow> = self.segments.borrow().values().copied().collect();
        rows.sort_by_key(|row| row.first_slot);
        Ok(rows)
    }

    fn put_segment(&self, row: &SegmentRow) -> Result<()> {
        self.segments.borrow_mut().insert(row.id, *row);
        Ok(())
    }

    fn remove_segment(&self, id: i64) -> Result<()> {
        self.segments.borrow_mut().remove(&id);
        Ok(())
    }

    fn read(&self, part: Part, into: &mut Vec<u8>) -> Result<()> {
        let parts = self.parts.borrow();
        into.extend_from_slice(parts.get(&part).ok_or_else(|| damaged(part.segment))?);
        Ok(())
    }

    fn read_parts(
        &self,
        segment: i64,
        kind: Kind,
        numbers: &[u32],
        mut each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let parts = self.parts.borrow();
        for number in numbers.iter().copied() {
            let part = Part {
                segment,
                kind,
                number,
            };
            each(number, parts.get(&part).ok_or_else(|| damaged(segment))?)?;
        }
        Ok(())
    }

    fn write(&self, part: Part, bytes: &[u8]) -> Result<()> {
        assert!(
            self.parts
                .borrow_mut()
                .insert(part, bytes.to_vec())
                .is_none()
        );
        Ok(())
    }

    fn remove_parts(&self, segment: i64, _: usize) -> Result<usize> {
        self.parts
            .borrow_mut()
            .retain(|part, _| part.segment != segment);
        Ok(0)
    }

    fn slot(&self, _: Book, item: i64) -> Result<Option<i64>> {
        Ok(self.slots.borrow().get(&item).copied())
    }

    fn set_slot(&self, _: Book, item: i64, slot: Option<i64>) -> Result<()> {
        let mut slots = self.slots.borrow_mut();
        match slot {
            Some(slot) => drop(slots.insert(item, slot)),
            None => drop(slots.remove(&item)),
        }
        Ok(())
    }

    fn bury(&self, grave: Grave) -> Result<()> {
        self.graves.borrow_mut().push(grave);
        Ok(())
    }

    fn unbury(&self, grave: Grave) -> Result<()> {
        self.graves.borrow_mut().retain(|other| *other != grave);
        Ok(())
    }

    fn buried_since(&self, generation: i64) -> Result<Vec<Grave>> {
        let graves = self.graves.borrow();
        Ok(graves
            .iter()
            .filter(|grave| grave.generation >= generation)
            .copied()
            .collect())
    }
}

impl Texts for Maps {
    fn read(&self, item: i64, into: &mut Document) -> Result<Option<Facts>> {
        let texts = self.texts.borrow();
        let Some(text) = texts.get(&item) else {
            return Ok(None);
        };
        into.read_original(text);
        Ok(Some(Facts {
            source: 1,
            project: None,
            occurred_at: item,
            marks: 0,
        }))
    }
}

impl Maps {
    pub(super) fn put(&self, item: i64, text: &str) {
        self.texts.borrow_mut().insert(item, text.to_owned());
        write::index(self, self, Book::Summaries, &[item], usize::MAX).unwrap();
    }

    /// Puts items in one segment.
    pub(super) fn put_all(&self, texts: impl IntoIterator<Item = (i64, String)>) {
        self.texts.borrow_mut().extend(texts);
        let items: Vec<i64> = self.texts.borrow().keys().copied().collect();
        write::index(self, self, Book::Summaries, &items, usize::MAX).unwrap();
    }

    fn merge_all(&self) {
        loop {
            let mut rows = self.segments(Book::Summaries).unwrap();
            rows.retain(|row| row.stage == Stage::Live);
            let Some(range) = merge::choose(&rows) else {
                return;
            };
            let mut merge = Merge::begin(self, Book::Summaries, &rows[range]).unwrap();
            while merge.advance(self, 10).unwrap().is_some() {}
            for grave in merge.finish(self, Book::Summaries).unwrap() {
                self.unbury(grave).unwrap();
            }
        }
    }

    fn found(&self, query: &str) -> Vec<i64> {
        self.found_of(query, &Wanted::default())
    }

    /// The best hundred that are wanted.
    pub(super) fn found_of(&self, query: &str, wanted: &Wanted<'_>) -> Vec<i64> {
        let cache = Cache::default();
        let seen = Seen::refreshed(None, self, Book::Summaries, &cache).unwrap();
        let asked = Asked {
            shelf: self,
            texts: self,
            cache: &cache,
            seen: &seen,
        };
        let terms = Terms::read(query, Rules::default()).used;
        let question = Question {
            scope: &Scope::All,
            filter: &Filter::default(),
            terms: &terms,
            texts: TextScope::Summary,
            pool: 100,
        };
        let matches = asked.matches(&question, wanted).unwrap();
        matches.ranked.iter().map(|ranked| ranked.id.0).collect()
    }
}

#[test]
fn another_shelf_holds_the_index_as_well() {
    let maps = Maps::default();
    for item in 0..100 {
        maps.put(
            item,
            &format!(
                "item number-{item} of many {}",
                "again ".repeat(item as usize % 7)
            ),
        );
        if item % 10 == 9 {
            maps.merge_all();
        }
    }
    for item in 0..50 {
        maps.put(item * 2, "changed");
    }
    maps.merge_all();
    assert_eq!(maps.found("number-17"), [17]);
    assert_eq!(maps.found("number-18"), Vec::<i64>::new());
    // Equal ones: the newer first, which are those of greater number.
    let changed: Vec<i64> = (0..50).rev().map(|item| item * 2).collect();
    assert_eq!(maps.found("chang"), changed);
    assert_eq!(maps.found("\"of many\"").len(), 50);
    assert!(
        maps.graves.borrow().is_empty() || maps.segments.borrow().values().any(|row| row.dead > 0)
    );
}
