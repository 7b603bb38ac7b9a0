//! Keywords that stand back to back, each of which would make a rule read the same bytes again.
//!
//! A rule that has failed at many keywords in a row, each near the one before, waits: only the last
//! keyword of the crowd is looked at. No token is lost by that: one that began at a keyword before
//! the last would hold the next keyword in its first bytes, and one that ends at its keyword stands
//! alone before it.

/// Keywords in a row that are looked at before a rule begins to wait.
const PATIENCE: u32 = 16;
/// Keywords that begin less than so many bytes behind each other crowd.
const NEAR: usize = 16;

/// A place of a keyword.
type Word = (usize, usize);

/// What the rules wait for in one text, by the number of the rule.
#[derive(Debug)]
pub(super) struct Crowds(Vec<Crowd>);

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
        Self(vec![Crowd::default(); rules])
    }

    /// Takes a keyword; gives back the one that was put off, if it was the last of its crowd.
    pub(super) fn arrive(&mut self, rule: usize, word: Word) -> Option<Word> {
        let crowd = self.0.get_mut(rule)?;
        let near = word.0 < crowd.last + NEAR;
        crowd.last = word.0;
        if near && crowd.failures >= PATIENCE {
            crowd.waiting = Some(word);
            return None;
        }
        if !near {
            crowd.failures = 0;
        }
        crowd.waiting.take()
    }

    /// Whether the keyword that has arrived is put off.
    pub(super) fn puts_off(&self, rule: usize) -> bool {
        self.0
            .get(rule)
            .is_some_and(|crowd| crowd.waiting.is_some())
    }

    /// Takes what the rule found at the keyword that has arrived.
    pub(super) fn tell(&mut self, rule: usize, found: bool) {
        if let Some(crowd) = self.0.get_mut(rule) {
            crowd.failures = if found { 0 } else { crowd.failures + 1 };
        }
    }

    /// The keywords that were put off when the text ends.
    pub(super) fn waiting(self) -> impl Iterator<Item = (usize, Word)> {
        let crowds = self.0.into_iter().enumerate();
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
            looked.extend(crowds.arrive(0, (at, at + 4)));
            if !crowds.puts_off(0) {
                looked.push((at, at + 4));
                crowds.tell(0, false);
            }
        }
        let first: Vec<Word> = (0..16).map(|at| (at * 4, at * 4 + 4)).collect();
        assert_eq!(looked, [first, vec![(396, 400), (800, 804)]].concat());
        assert_eq!(crowds.waiting().count(), 0);
    }

    #[test]
    fn a_token_at_the_end_of_a_crowd_is_hidden() {
        let body = "q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE5wQ8rT2yU4iO6pA0sD1fG3hJ5kL7zX9cV2bN4mQ6wE8rT0yU1";
        let token = format!("sk-ant-api03-{body}AA");
        for behind in ["", " ", "\n"] {
            let text = format!("{}{token}{behind}", "sk-ant- ".repeat(40));
            let hidden = Engine::embedded().redact(&text);
            assert!(!hidden.as_str().contains(body), "{hidden}");
        }
    }
}
