//! One pass over a text: candidate places by keyword, then the rules concerned.

use std::borrow::Cow;

use super::RuleInfo;
use super::capitals::Capitals;
use super::crowd::{Arrival, Crowds};
use super::files::Examples;
use super::name::Names;
use super::private_key::{self, Frame, PRIVATE_KEY};
use super::rule::{Class, Rule, RuleError};
use super::span::{Rank, Span, markers, settle};
use super::structure::{self, Finder, Shape};
use super::text::part;
use super::walk::Walk;

/// What a keyword calls.
#[derive(Debug, Clone)]
enum Call {
    /// A rule, if the keyword stands with these capitals.
    Rule(usize, Option<Capitals>),
    /// A rule that looks at the tokens behind the word.
    Context(usize),
    Shape(Shape),
    Frame(Frame),
}

/// The rules and the automaton over their keywords.
#[derive(Debug)]
pub(super) struct Scanner {
    rules: Vec<Rule>,
    names: Names,
    walk: Walk,
    calls: Vec<Vec<Call>>,
    disabled: Vec<String>,
}

impl Scanner {
    /// Builds the automaton.
    pub(super) fn new(
        rules: Vec<Rule>,
        names: Names,
        disabled: Vec<String>,
    ) -> Result<Self, RuleError> {
        let mut words: Vec<Vec<u8>> = Vec::new();
        let mut calls: Vec<Vec<Call>> = Vec::new();
        let mut add = |word: &str, call: Call| {
            let key = word.to_ascii_lowercase().into_bytes();
            match words.iter().position(|known| *known == key) {
                Some(at) => {
                    if let Some(list) = calls.get_mut(at) {
                        list.push(call);
                    }
                }
                None => {
                    words.push(key);
                    calls.push(vec![call]);
                }
            }
        };
        for (index, rule) in rules.iter().enumerate() {
            for keyword in &rule.raw.keywords {
                let exact = (!rule.raw.ignore_case).then(|| Capitals::new(keyword.as_bytes()));
                add(keyword, Call::Rule(index, exact));
            }
            if rule.raw.keywords.is_empty() {
                let words = rule.raw.near.iter().flat_map(|near| &near.words);
                words.for_each(|word| add(word, Call::Context(index)));
            }
        }
        for tail in names.tails() {
            add(&tail, Call::Shape(Shape::Name));
        }
        for (word, shape) in structure::words() {
            add(&word, Call::Shape(shape));
        }
        for (word, frame) in private_key::FRAMES {
            add(word, Call::Frame(*frame));
        }
        let walk = Walk::new(&words).map_err(|message| RuleError::Form {
            file: "keywords".to_owned(),
            message,
        })?;
        Ok(Self {
            rules,
            names,
            walk,
            calls,
            disabled,
        })
    }

    /// Ids and descriptions of all that can hide something.
    pub(super) fn describe(&self) -> Vec<RuleInfo<'_>> {
        let rules = self
            .rules
            .iter()
            .map(|rule| (rule.raw.id.as_str(), rule.raw.description.as_str()));
        let groups = self.names.groups().iter().filter(|group| group.hides());
        let groups = groups.map(|group| (group.id.as_str(), group.description.as_str()));
        let key = (PRIVATE_KEY, private_key::DESCRIPTION);
        let fixed = structure::KINDS.iter().copied().chain([key]);
        rules
            .chain(groups)
            .chain(fixed)
            .filter(|(id, _)| !self.disabled.iter().any(|off| off == id))
            .map(|(id, description)| RuleInfo { id, description })
            .collect()
    }

    /// Examples that are not hidden or left as they say: the list, the place in it, what is right.
    ///
    /// Names may hide under the id of a header or a cookie, so there any marker counts.
    pub(super) fn wrong_examples(&self, of: &Examples) -> Vec<(&'static str, usize, &'static str)> {
        let hides = |text: &str| {
            let spans = self.spans(text);
            spans.iter().any(|span| of.names || span.id == of.id)
        };
        let mut wrong = Vec::new();
        for (at, sample) in of.matches.iter().enumerate() {
            if !hides(&sample.text()) {
                wrong.push(("match", at + 1, "a text that the rule hides"));
            }
        }
        for (at, sample) in of.no_match.iter().enumerate() {
            if hides(&sample.text()) {
                wrong.push(("no_match", at + 1, "a text that the rule leaves"));
            }
        }
        wrong
    }

    /// Refuses a rule whose examples are wrong.
    pub(super) fn check_examples(&self, of: &Examples) -> Result<(), RuleError> {
        match self.wrong_examples(of).first() {
            None => Ok(()),
            Some((field, example, expected)) => Err(RuleError::Field {
                file: of.file.clone(),
                rule: of.id.clone(),
                field,
                expected: format!("{expected} (example {example})"),
            }),
        }
    }

    /// The rules.
    #[cfg(test)]
    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What the rules alone find by the automaton, by place and id.
    #[cfg(any(test, fuzzing))]
    pub(super) fn rule_places(&self, text: &str) -> Vec<(usize, usize, String)> {
        let mut found = Vec::new();
        self.each_keyword(text.as_bytes(), &[], |start, end, calls| {
            for call in calls {
                let (index, place) = match call {
                    Call::Rule(index, exact) => {
                        let stands = |exact: &Capitals| exact.stand(text.as_bytes(), start);
                        if !exact.as_ref().is_none_or(stands) {
                            continue;
                        }
                        let rule = self.rules.get(*index);
                        (
                            *index,
                            rule.and_then(|rule| rule.at_keyword(text.as_bytes(), start, end)),
                        )
                    }
                    Call::Context(index) => {
                        let rule = self.rules.get(*index);
                        (
                            *index,
                            rule.and_then(|rule| rule.after_word(text.as_bytes(), end)),
                        )
                    }
                    _ => continue,
                };
                let id = self
                    .rules
                    .get(index)
                    .map(|rule| rule.raw.id.clone())
                    .unwrap_or_default();
                found.extend(place.map(|(start, end)| (start, end, id)));
            }
        });
        found.sort();
        found.dedup();
        found
    }

    /// The same without automaton and window: every rule at every place of the text.
    #[cfg(any(test, fuzzing))]
    pub(super) fn rule_places_plainly(&self, text: &str) -> Vec<(usize, usize, String)> {
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        for rule in &self.rules {
            let raw = &rule.raw;
            let context = raw
                .near
                .iter()
                .flat_map(|near| &near.words)
                .filter(|_| raw.keywords.is_empty());
            for word in raw.keywords.iter().chain(context) {
                for (start, window) in bytes.windows(word.len()).enumerate() {
                    let exact = !raw.ignore_case && !raw.keywords.is_empty();
                    let stands = if exact {
                        window == word.as_bytes()
                    } else {
                        window.eq_ignore_ascii_case(word.as_bytes())
                    };
                    let place = match raw.keywords.is_empty() {
                        _ if !stands => None,
                        true => rule.without_window().after_word(bytes, start + word.len()),
                        false => rule
                            .without_window()
                            .at_keyword(bytes, start, start + word.len()),
                    };
                    found.extend(place.map(|(from, to)| (from, to, raw.id.clone())));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The names.
    #[cfg(test)]
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Finds the places to hide, in order and apart from each other.
    pub(super) fn spans(&self, text: &str) -> Vec<Span<'_>> {
        let (clean, removed) = without_invisible(text);
        let markers = markers(&clean);
        let mut spans = self.raw_spans(clean.as_bytes(), &markers);
        spans.retain(|span| !self.disabled.iter().any(|id| id == span.id));
        let mut spans = settle(spans, &markers);
        for span in &mut spans {
            span.start = original_place(&removed, span.start, true);
            span.end = original_place(&removed, span.end, false);
        }
        spans
    }

    fn raw_spans(&self, text: &[u8], markers: &[(usize, usize)]) -> Vec<Span<'_>> {
        let mut spans = Vec::new();
        let mut later = Vec::new();
        let mut keys_end = 0;
        let mut crowds = Crowds::new(self.rules.len());
        self.each_keyword(text, markers, |start, end, calls| {
            for call in calls {
                match call {
                    Call::Rule(index, exact) => {
                        if exact.as_ref().is_none_or(|exact| exact.stand(text, start)) {
                            self.rule(text, *index, (start, end), &mut crowds, &mut spans);
                        }
                    }
                    Call::Context(index) => {
                        self.rule(text, *index, (start, end), &mut crowds, &mut spans);
                    }
                    Call::Shape(Shape::Name)
                        if joins_name(text, &mut later, &spans, start, end) => {}
                    Call::Shape(shape) => in_order(&mut later, (start, end, *shape)),
                    Call::Frame(frame) if start >= keys_end => {
                        private_key::look(text, *frame, start, end, keys_end, &mut spans);
                        let key = spans.iter().rev().find(|span| span.id == PRIVATE_KEY);
                        keys_end = key.map_or(end, |span| span.end.max(end));
                    }
                    Call::Frame(_) => {}
                }
            }
        });
        for (index, word) in crowds.waiting() {
            self.look(text, index, word, &mut spans);
        }
        self.shapes(text, later, &mut spans);
        spans
    }

    /// Tells every keyword between the markers of a text with what it calls, in the order of their
    /// ends.
    fn each_keyword(
        &self,
        text: &[u8],
        markers: &[(usize, usize)],
        mut tell: impl FnMut(usize, usize, &[Call]),
    ) {
        let mut from = 0;
        for (start, end) in markers.iter().copied().chain([(text.len(), text.len())]) {
            self.walk.each(text, (from, start), |keyword, start, end| {
                if let Some(calls) = self.calls.get(keyword) {
                    tell(start, end, calls);
                }
            });
            from = end;
        }
    }

    /// Runs a rule at a keyword, or puts it off if its keywords crowd there.
    fn rule<'e>(
        &'e self,
        text: &[u8],
        index: usize,
        word: (usize, usize),
        crowds: &mut Crowds,
        spans: &mut Vec<Span<'e>>,
    ) {
        let rule = self.rules.get(index);
        let apart = |last, word| rule.is_some_and(|rule| rule.apart(text, last, word));
        let Arrival::Look { before } = crowds.arrive(index, word, apart) else {
            return;
        };
        if let Some(put_off) = before {
            self.look(text, index, put_off, spans);
        }
        let found = self.look(text, index, word, spans);
        crowds.tell(index, found);
    }

    /// Runs a rule at a keyword; says whether it found something.
    fn look<'e>(
        &'e self,
        text: &[u8],
        index: usize,
        word: (usize, usize),
        spans: &mut Vec<Span<'e>>,
    ) -> bool {
        let (hit, hit_end) = word;
        let Some(rule) = self.rules.get(index) else {
            return false;
        };
        let context = rule.raw.keywords.is_empty();
        let inside = |span: &Span<'_>| span.start < hit && hit < span.end;
        if !context && spans.iter().rev().take(4).any(inside) {
            return true;
        }
        let place = if context {
            rule.after_word(text, hit_end)
        } else {
            rule.at_keyword(text, hit, hit_end)
        };
        let keyword = if context { 0 } else { hit_end - hit };
        spans.extend(place.map(|(start, end)| span_of(rule, start, end, keyword)));
        place.is_some()
    }

    /// Looks at the shapes outside of what rules have found.
    fn shapes<'e>(
        &'e self,
        text: &[u8],
        words: Vec<(usize, usize, Shape)>,
        spans: &mut Vec<Span<'e>>,
    ) {
        let mut taken: Vec<(usize, usize)> =
            spans.iter().map(|span| (span.start, span.end)).collect();
        taken.sort_unstable();
        let mut taken = taken.into_iter().peekable();
        let mut reach = 0;
        let mut finder = Finder::new(&self.names, text);
        for (start, end, shape) in words {
            while let Some((_, end)) = taken.next_if(|(from, _)| *from <= start) {
                reach = reach.max(end);
            }
            if start >= reach {
                finder.look(shape, start, end);
            }
        }
        spans.extend(finder.into_spans());
    }
}

/// Whether a name lies with the one before in one word (`pass`, `password`, `assword`): both belong to
/// the same key, and the one before becomes the longer one.
fn joins_name(
    text: &[u8],
    words: &mut [(usize, usize, Shape)],
    spans: &[Span<'_>],
    start: usize,
    end: usize,
) -> bool {
    let Some((first, last, Shape::Name)) = words.last_mut() else {
        return false;
    };
    let within = *first <= start && *last == end || *first == start && *last < end;
    // What a rule has found may end within the word: then what is behind it is a name of its own.
    let cut = |span: &Span<'_>| span.start <= *first && *first < span.end;
    let joins = within
        && !spans.iter().rev().take(4).any(cut)
        && part(text, *first, end)
            .iter()
            .all(u8::is_ascii_alphanumeric);
    if joins {
        *last = end;
    }
    joins
}

/// Adds a word in the order of starts, the longer one first; words come in the order of their ends,
/// so that the place is near the end of the list.
fn in_order(words: &mut Vec<(usize, usize, Shape)>, word: (usize, usize, Shape)) {
    let later = |(start, end, _): &&(usize, usize, Shape)| {
        (*start, std::cmp::Reverse(*end)) > (word.0, std::cmp::Reverse(word.1))
    };
    let behind = words.iter().rev().take_while(later).count();
    words.insert(words.len() - behind, word);
}

fn span_of(rule: &Rule, start: usize, end: usize, keyword: usize) -> Span<'_> {
    Span {
        start,
        end,
        id: &rule.raw.id,
        rank: Rank::Rule(keyword),
        secret: rule.raw.class == Class::Secret,
        bare: false,
    }
}

/// Characters that take no room and may stand inside a token.
const INVISIBLE: &[char] = &[
    '\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}',
];

/// The text without invisible characters, and how many bytes are missing up to which place.
fn without_invisible(text: &str) -> (Cow<'_, str>, Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let suspicious = memchr::memchr3_iter(0xE2, 0xC2, 0xEF, bytes).any(|at| {
        matches!(
            part(bytes, at, at + 3),
            [0xC2, 0xAD, ..] | [0xE2, 0x80, 0x8B..=0x8D] | [0xE2, 0x81, 0xA0] | [0xEF, 0xBB, 0xBF]
        )
    });
    if !suspicious {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut clean = String::with_capacity(text.len());
    let mut removed = Vec::new();
    let mut total = 0;
    for sign in text.chars() {
        if INVISIBLE.contains(&sign) {
            total += sign.len_utf8();
            removed.push((clean.len(), total));
        } else {
            clean.push(sign);
        }
    }
    (Cow::Owned(clean), removed)
}

/// Where a place of the clean text stands in the original; a start lies behind what was removed
/// there, an end before it.
fn original_place(removed: &[(usize, usize)], at: usize, start: bool) -> usize {
    let passed =
        removed.partition_point(|(place, _)| if start { *place <= at } else { *place < at });
    let missing = passed
        .checked_sub(1)
        .and_then(|last| removed.get(last))
        .map_or(0, |(_, total)| *total);
    at + missing
}
