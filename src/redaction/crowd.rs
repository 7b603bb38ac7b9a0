//! Keywords that stand back to back, each of which would make a rule read the same bytes again.
//!
//! A rule that has failed at many keywords in a row, each near the one before, waits: only the last
//! keyword of the crowd is looked at. A token that began at a keyword before the last would hold the
//! next keyword in its first bytes, and one that ends at its keyword stands alone before it.
//!
//! Farther keywords crowd, too, if something that is in no token stands between them and the first has
//! less room than the rule's shortest token needs. Such a one waits until a keyword in its own run
//! follows: a JSON Web Token has its keyword again in its second part.

/// Keywords in a row that are looked at before a rule begins to wait.
const PATIENCE: u32 = 16;
/// Keywords that begin less than so many bytes behind each other crowd, whatever stands between.
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
    /// Failures in a row, each near the one before.
    failures: u32,
    /// Failures in a row, each near the one before or apart from it.
    in_all: u32,
    last: Word,
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

    /// Takes a keyword of a rule. `apart` says whether no token can reach from the first keyword to the
    /// second.
    pub(super) fn arrive(
        &mut self,
        rule: usize,
        word: Word,
        apart: impl FnOnce(Word, Word) -> bool,
    ) -> Arrival {
        let Some(crowd) = self.crowd(rule) else {
            return Arrival::Look { before: None };
        };
        let last = std::mem::replace(&mut crowd.last, word);
        let near = word.0 < last.0 + NEAR;
        let apart = !near && apart(last, word);
        if !near {
            crowd.failures = 0;
        }
        if !near && !apart {
            crowd.in_all = 0;
        }
        if near && crowd.failures >= PATIENCE || apart && crowd.in_all >= PATIENCE {
            crowd.waiting = Some(word);
            return Arrival::Waits;
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
            let after = |failures: u32| if found { 0 } else { failures + 1 };
            (crowd.failures, crowd.in_all) = (after(crowd.failures), after(crowd.in_all));
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
            if let Arrival::Look { before } = crowds.arrive(0, (at, at + 4), |_, _| false) {
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
    fn keywords_that_stand_apart_crowd_and_the_first_of_a_run_is_looked_at() {
        let looked = |apart: bool, places: &[usize]| {
            let mut crowds = Crowds::new(1);
            let mut looked = Vec::new();
            for at in places {
                let word = (*at, at + 4);
                if let Arrival::Look { before } = crowds.arrive(0, word, |_, _| apart) {
                    looked.extend(before.into_iter().chain([word]).map(|word| word.0));
                    crowds.tell(0, false);
                }
            }
            looked
        };
        let far: Vec<usize> = (0..100).map(|at| at * 20).collect();
        assert_eq!(looked(false, &far), far);
        assert_eq!(looked(true, &far), far[..16]);
        let run: Vec<usize> = far.iter().copied().chain([1984, 1988]).collect();
        assert_eq!(looked(true, &run)[16..], [1980, 1984, 1988]);
    }

    #[test]
    fn a_token_that_holds_its_keyword_again_is_hidden_behind_a_crowd() {
        let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let jwt = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{signature}");
        for crowd in ["eyJhbGciOiJIUzI1NiJ9 ", "eyJhbGciOiJIUzI1NiJ9\n"] {
            let text = format!("{}{jwt}", crowd.repeat(40));
            let hidden = Engine::embedded().redact(&text);
            assert!(!hidden.as_str().contains(signature), "{hidden}");
        }
        let body = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1aY3uI7oE";
        let ids = "MTIzNDU2Nzg5MDEyMzQ1Njc4 some-user-name-here\n".repeat(8);
        let hidden = Engine::embedded().redact(&format!("{ids}{body}"));
        assert!(!hidden.as_str().contains("q7Wn3xP0"), "{hidden}");
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
