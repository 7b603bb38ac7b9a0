//! Keywords that stand back to back, each of which would make a rule read the same bytes again.
//!
//! A rule that has failed at many keywords in a row, each near the one before, waits: only the last
//! keyword of the crowd is looked at. No token is lost by that: one that began at a keyword before
//! the last would hold the next keyword in the bytes that it has at least, and one that ends at its
//! keyword stands alone before it.

/// Keywords in a row that are looked at before a rule begins to wait.
const PATIENCE: u32 = 16;
/// Keywords that begin less than so many bytes behind each other crowd, whatever the rule.
const NEAR: usize = 16;

/// A place of a keyword.
type Word = (usize, usize);

/// What is done with a keyword.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It waits for the end of its crowd.
    Waits,
    /// It is looked at, behind the one that was put off, if that was the last of its crowd.
    Look { before: Option<Word> },
}

/// What the rules wait for in one text, by the number of the rule.
#[derive(Debug)]
pub(super) struct Crowds {
    rules: usize,
    /// Where the crowd of each rule is, from 1 on; empty before the first keyword.
    places: Vec<u32>,
    crowds: Vec<(usize, Crowd)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Crowd {
    /// Failures in a row.
    failures: u32,
    last: usize,
    waiting: Option<Word>,
}

impl Crowds {
    /// Begins a text for so many rules.
    pub(super) fn new(rules: usize) -> Self {
        Self {
            rules,
            places: Vec::new(),
            crowds: Vec::new(),
        }
    }

    /// Takes a keyword of a rule whose tokens have so many bytes behind a keyword at least.
    pub(super) fn arrive(&mut self, rule: usize, word: Word, least: usize) -> Arrival {
        let Some(crowd) = self.crowd(rule) else {
            return Arrival::Look { before: None };
        };
        let near = word.0 < crowd.last + NEAR.max(least);
        crowd.last = word.0;
        if near && crowd.failures >= PATIENCE {
            crowd.waiting = Some(word);
            return Arrival::Waits;
        }
        if !near {
            crowd.failures = 0;
        }
        Arrival::Look {
            before: crowd.waiting.take(),
        }
    }

    /// What a rule waits for; a text concerns few of them.
    fn crowd(&mut self, rule: usize) -> Option<&mut Crowd> {
        if self.places.is_empty() {
            self.places.resize(self.rules, 0);
        }
        let place = self.places.get_mut(rule)?;
        if *place == 0 {
            self.crowds.push((rule, Crowd::default()));
            *place = u32::try_from(self.crowds.len()).ok()?;
        }
        let (_, crowd) = self.crowds.get_mut(*place as usize - 1)?;
        Some(crowd)
    }

    /// Takes what the rule found at the keyword that has arrived.
    pub(super) fn tell(&mut self, rule: usize, found: bool) {
        if let Some(crowd) = self.crowd(rule) {
            crowd.failures = if found { 0 } else { crowd.failures + 1 };
        }
    }

    /// The keywords that were put off when the text ends.
    pub(super) fn waiting(self) -> impl Iterator<Item = (usize, Word)> {
        let crowds = self.crowds.into_iter();
        crowds.filter_map(|(rule, crowd)| Some((rule, crowd.waiting?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::Engine;

    #[test]
    fn of_a_crowd_the_first_keywords_and_the_last_are_looked_at() {
        let mut crowds = Crowds::new(1);
        let mut looked = Vec::new();
        for at in (0..100).map(|at| at * 4).chain([800]) {
            if let Arrival::Look { before } = crowds.arrive(0, (at, at + 4), 0) {
                looked.extend(before);
                looked.push((at, at + 4));
                crowds.tell(0, false);
            }
        }
        let first: Vec<Word> = (0..16).map(|at| (at * 4, at * 4 + 4)).collect();
        assert_eq!(looked, [first, vec![(396, 400), (800, 804)]].concat());
        assert_eq!(crowds.waiting().count(), 0);
    }

    #[test]
    fn keywords_crowd_as_far_as_a_token_reaches_at_least() {
        let looked = |least: usize| {
            let mut crowds = Crowds::new(1);
            let mut looked = 0;
            for at in (0..100).map(|at| at * 20) {
                if let Arrival::Look { .. } = crowds.arrive(0, (at, at + 4), least) {
                    looked += 1;
                    crowds.tell(0, false);
                }
            }
            looked
        };
        assert_eq!((looked(0), looked(20), looked(21)), (100, 100, 16));
    }

    #[test]
    fn a_token_at_the_end_of_a_crowd_is_hidden() {
        let body = "q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5wQ8rT2yU4iO6pA0sD1fG3hJ5kL7zX9cV2bN4mQ6wE8rT0yU1";
        let token = format!("sk-ant-api03-{body}AA");
        for crowd in [
            "sk-ant- ",
            "sk-ant-api03-abc ",
            "sk-ant-api03-abcdefghijklmnopqrst ",
        ] {
            for behind in ["", " ", "\n", " sk-ant-api03-abc", "\nsk-ant-"] {
                let text = format!("{}{token}{behind}", crowd.repeat(40));
                let hidden = Engine::embedded().redact(&text);
                assert!(!hidden.as_str().contains(body), "{hidden}");
            }
        }
    }
}
