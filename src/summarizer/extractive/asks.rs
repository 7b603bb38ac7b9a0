//! Finds what the person asked for: of every prompt the sentence that says it best.

use super::errors;
use super::plain::{cut, head, plain, without_beginnings, words, words_to};
use super::sentences::{self, Form, Sentence};
use super::vocabulary::{
    GOALS, IF, MIDWAY, NUDGES, OF_THE_MOMENT, PLEASANTRIES, POINTERS, REFERRING, REQUESTS, TAILS,
    TROUBLES,
};

/// What one prompt asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ask {
    /// The sentence that says it, plain, without pleasantries.
    pub(super) text: String,
    /// How well it tells what the work is about; [`TELLING`] and more is a title.
    pub(super) score: i32,
    /// Whether it is a question.
    pub(super) question: bool,
    /// Whether it wants, asks or complains, and does not only remark.
    pub(super) solid: bool,
    /// Whether it was put as a request: "can you …".
    pub(super) requested: bool,
}

impl Ask {
    /// The same as a question that stands beside what the text is about.
    pub(super) fn beside(self) -> Self {
        Self { score: 1, ..self }
    }
}

/// The ask that says what the work is about, else the best there is.
pub(super) fn main(asks: &[Ask]) -> Option<&Ask> {
    let telling = |ask: &&Ask| ask.score >= TELLING;
    asks.iter()
        .find(|ask| ask.solid && telling(ask))
        .or_else(|| asks.iter().find(telling))
}

/// From this score an ask says what the work is about.
pub(super) const TELLING: i32 = 8;
/// Score of a task's title.
const TASK: i32 = 30;
/// Sentences looked at from the beginning and the end of a prompt: what lies between is detail.
const FIRST: usize = 8;
const LAST: usize = 3;

/// What the arguments of a slash command ask; its name alone asks nothing.
pub(super) fn of_command(line: &str) -> Option<Ask> {
    let (_, arguments) = line.split_once(char::is_whitespace)?;
    of_prompt(&sentences::of(arguments)).filter(|ask| words(&ask.text) >= 3)
}

/// What a task asks: its title.
pub(super) fn of_task(head_of_task: &str) -> Option<Ask> {
    let title = plain(head_of_task.lines().next()?);
    (!title.is_empty()).then(|| Ask {
        question: title.ends_with(['?', '？']),
        text: title,
        score: TASK,
        solid: true,
        requested: false,
    })
}

/// The status that the head of a task names.
pub(super) fn status(head_of_task: &str) -> Option<&str> {
    let mut lines = head_of_task.lines().skip(1);
    lines
        .find_map(|line| line.strip_prefix("status: "))
        .map(str::trim)
}

/// What a prompt asks, given its sentences: the one that says it best.
pub(super) fn of_prompt(sentences: &[Sentence<'_>]) -> Option<Ask> {
    let late = sentences.len().saturating_sub(LAST).max(FIRST);
    let mut best: Option<Ask> = None;
    let mut announced = false;
    for (at, sentence) in sentences.iter().enumerate() {
        if at >= FIRST && at < late {
            continue;
        }
        let ask = judge(sentence, at, announced);
        announced = sentence.introduces();
        if let Some(ask) = ask
            && best.as_ref().is_none_or(|best| ask.score > best.score)
        {
            best = Some(ask);
        }
    }
    best
}

/// Judges one sentence of a prompt; `announced` says that the one before led up to it.
fn judge(sentence: &Sentence<'_>, at: usize, announced: bool) -> Option<Ask> {
    let said = plain(head(sentence.text, 600));
    let polite = without_beginnings(said.trim_start_matches(['¿', '¡']), &PLEASANTRIES);
    let bare = without_beginnings(polite, &REQUESTS);
    let passing = OF_THE_MOMENT.open(bare);
    let midway = match bare.len() < polite.len() || passing || GOALS.open(bare) {
        true => None,
        false => MIDWAY.after(bare).filter(|rest| words_to(rest, 4) == 4),
    };
    let requested = midway.is_some() || bare.len() < polite.len();
    let bare = midway.unwrap_or(bare);
    let bare = without_beginnings(bare, &PLEASANTRIES);
    let bare = match bare.is_empty() {
        true => said.as_str(),
        false if requested => bare,
        false => with_opening_mark(&said, bare),
    };
    let count = words(bare);
    if count == 0 || is_reference(bare) {
        return None;
    }
    let troubled = TROUBLES.are_in(head(bare, 300));
    let wanted = requested || (GOALS.open(bare) && !passing);
    let question = sentence.asks() && !passing;
    let condition = IF.open(bare);
    let nudge = NUDGES.open(bare) && count < 7;
    let mut score = i32::try_from(count.min(8)).unwrap_or(8);
    let mut weigh = |holds: bool, points: i32| score += if holds { points } else { 0 };
    weigh(count < 3, -8);
    weigh(count > 40, -4);
    weigh(wanted, 6);
    weigh(troubled, 4);
    weigh(condition, -4);
    weigh(passing, -6);
    weigh(question && !requested, 3);
    weigh(errors::is_pasted(sentence.text), -8);
    weigh(POINTERS.open(bare), -6);
    weigh(nudge, -10);
    weigh(sentence.form == Form::Heading && count < 3, -8);
    if count <= 10 && wanted {
        // Few words that point at others: "fix them all".
        let pointers = bare.split(' ').filter(|word| REFERRING.open(word)).count();
        weigh(pointers > 0, -6);
        weigh(pointers > 1, -5);
    }
    weigh(sentence.introduces(), if count < 7 { -9 } else { -3 });
    weigh(at == 0, 4);
    weigh(at == 1 && sentence.form == Form::Prose, 2);
    weigh(sentence.form == Form::Item, -4);
    // What a lead names is the thing itself: "Implement the following plan:", then its heading.
    weigh(announced && sentence.form == Form::Heading, 9);
    weigh(announced && sentence.form == Form::Prose, 3);
    let text = shorten_paths(without_tails(bare));
    Some(Ask {
        // A request put as a question is no question: "Can you fix it?"
        text: match requested {
            true => text.trim_end_matches(['?', '？', ' ']).to_owned(),
            false => text.replace(" ?", "?"),
        },
        score,
        question: question && !requested,
        solid: !nudge && !condition && (wanted || troubled || question),
        requested,
    })
}

/// Takes forms of asking off the end of a sentence.
fn without_tails(text: &str) -> &str {
    let ends = text.trim_end_matches(['.', '?', '!', ' ', '？', '。']);
    let shorter = TAILS.iter().find_map(|tail| ends.strip_suffix(tail));
    shorter
        .filter(|rest| words_to(rest, 2) == 2)
        .unwrap_or(text)
}

/// The end of a text, with the inverted mark that opens it in Spanish.
fn with_opening_mark<'a>(said: &'a str, bare: &'a str) -> &'a str {
    let before = said.strip_suffix(bare).unwrap_or_default();
    let mark = before
        .chars()
        .next_back()
        .filter(|mark| matches!(mark, '¿' | '¡'));
    mark.and_then(|mark| said.get(before.len() - mark.len_utf8()..))
        .unwrap_or(bare)
}

/// Whether a text is a path, an address or an id alone.
fn is_reference(text: &str) -> bool {
    let mut parts = text.split_whitespace();
    let (Some(only), None) = (parts.next(), parts.next()) else {
        return false;
    };
    only.contains("://") || only.matches('/').count() >= 2 || is_id(only)
}

/// Whether a word is a random name: eight or more hexadecimal digits, some of them decimal.
pub(super) fn is_id(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.len() >= 8
        && word
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Keeps of long paths their last part, and of addresses host and last part.
pub(super) fn shorten_paths(text: &str) -> String {
    if !text.contains('/') {
        return text.to_owned();
    }
    let short = |word: &str| -> String {
        let path = word.trim_matches(|c: char| "`'\"(),.;:".contains(c));
        if path.starts_with("//") {
            return word.to_owned();
        }
        let absolute = path.starts_with('/') || path.starts_with("~/") || path.contains("://");
        if !(absolute && path.matches('/').count() >= 2 || path.matches('/').count() >= 4) {
            return word.to_owned();
        }
        let last = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(path);
        let kept = match path.split_once("://") {
            Some((_, rest)) => match rest.split_once('/') {
                Some((host, _)) if host != last => format!("{host}/…/{last}"),
                _ => rest.to_owned(),
            },
            None => last.to_owned(),
        };
        word.replace(path, &cut(&kept, 60))
    };
    let words: Vec<String> = text.split(' ').map(short).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(body: &str) -> Option<Ask> {
        of_prompt(&sentences::of(body))
    }

    fn asked(body: &str) -> String {
        prompt(body).map(|ask| ask.text).unwrap_or_default()
    }

    #[test]
    fn pleasantries_and_forms_of_asking_are_left_out() {
        assert_eq!(
            asked("Hi Claude! Can you please fix the export of invoices?"),
            "fix the export of invoices"
        );
        assert_eq!(
            asked("thanks, now let's add a retry to the uploader"),
            "add a retry to the uploader"
        );
        assert_eq!(
            asked("With the new tests in place can you review the retry queue again?"),
            "review the retry queue again"
        );
        assert_eq!(
            asked("Hola, ¿puedes ver por qué falla la importación?"),
            "ver por qué falla la importación"
        );
    }

    #[test]
    fn the_goal_is_found_behind_pointers_and_pasted_logs() {
        assert_eq!(
            asked(
                "read plan.md and notes.md. We are going to plan the retry queue of the uploader."
            ),
            "plan the retry queue of the uploader."
        );
        assert_eq!(
            asked(
                "```\nerror: x\n```\n2026-10-19T21:05:00Z boom\nthe nightly build is broken since monday"
            ),
            "the nightly build is broken since monday"
        );
        assert_eq!(
            asked(
                "Implement the following plan:\n\n# Quiet mode for the importer\n\n## Steps\n- one thing"
            ),
            "Quiet mode for the importer"
        );
    }

    #[test]
    fn nudges_ids_and_paths_tell_nothing() {
        assert!(prompt("continue").is_none_or(|ask| ask.score < TELLING));
        assert!(prompt("yes, go ahead").is_none_or(|ask| ask.score < TELLING));
        assert_eq!(prompt("4b1c2d9e-0000-4000-8000-000000000001"), None);
        assert_eq!(prompt("/srv/app/src/main.rs"), None);
    }

    #[test]
    fn long_paths_keep_their_last_part() {
        assert_eq!(
            asked("fix the test in /srv/app/tests/test_export.py, please"),
            "fix the test in test_export.py"
        );
        assert_eq!(
            asked("review https://code.example/shop/pull/12 for me"),
            "review code.example/…/12 for me"
        );
    }

    #[test]
    fn a_slash_command_asks_by_its_arguments_alone() {
        assert_eq!(of_command("/plan"), None);
        assert_eq!(
            of_command("/plan add a retry queue").map(|ask| ask.text),
            Some("add a retry queue".to_owned())
        );
    }
}
