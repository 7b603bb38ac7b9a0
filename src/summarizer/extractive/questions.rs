//! Makes the questions: what a person would type to find the text again.

use super::asks::Ask;
use super::atoms::alike;
use super::errors::Failure;
use super::language::Language;
use super::plain::{capitalised, cut, words};
use super::vocabulary::{OF_THE_MOMENT, POINTING, VERBS};

/// Most questions, of which up to [`ERRORS`] are made of errors.
const MOST: usize = 5;
const ERRORS: usize = 2;
/// Longest question, in characters.
const QUESTION_CHARS: usize = 160;

/// What begins the reason of a request, which its question does without.
const REASONS: &[&str] = &[
    ", because ",
    " because ",
    ", since ",
    ", so that ",
    " so that ",
    ", otherwise ",
];

/// Makes one to [`MOST`] questions.
pub(super) fn of(
    title: &str,
    asks: &[Ask],
    failures: &[Failure<'_>],
    language: Language,
) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    for ask in asks.iter().filter_map(|ask| asked(ask, language)) {
        if questions.len() + ERRORS.min(failures.len()) >= MOST {
            break;
        }
        add(&mut questions, ask);
    }
    if questions.is_empty() {
        questions.push(language.done_about(&cut(title, QUESTION_CHARS - 40)));
    }
    for failure in failures
        .iter()
        .filter(|failure| failure.score >= 5)
        .take(ERRORS)
    {
        add(&mut questions, caused(failure.line, language));
    }
    questions
}

fn add(questions: &mut Vec<String>, question: String) {
    if !questions.iter().any(|known| alike(known, &question)) {
        questions.push(question);
    }
}

/// The question that an ask is, or becomes with "How to" before it.
fn asked(ask: &Ask, language: Language) -> Option<String> {
    let text = ask.text.replace('`', "");
    let text = text.trim_end_matches(['.', '!', ':', ' ', '。']);
    let length = text.chars().count();
    let count = words(text);
    if !(3..=30).contains(&count) || length > QUESTION_CHARS {
        return None;
    }
    if ask.requested || language == Language::Chinese {
        let pointed = count <= 6 && text.split(' ').any(|word| POINTING.open(word));
        if let Some(question) = language.how_to(text).filter(|_| !pointed) {
            return Some(question);
        }
    }
    let how_to = text
        .get(..7)
        .filter(|start| start.eq_ignore_ascii_case("how to "))
        .and_then(|start| text.get(start.len()..));
    let request = how_to.unwrap_or(text);
    if how_to.is_some() || VERBS.open(text) && telling_words(text) >= 2 {
        let pointed = request
            .split(' ')
            .skip(1)
            .take(2)
            .any(|word| POINTING.open(word));
        if pointed {
            return None;
        }
        let request = request
            .trim_end_matches('?')
            .trim_end_matches(", please")
            .trim_end_matches(" please");
        let request = REASONS
            .iter()
            .find_map(|reason| request.split_once(reason))
            .map_or(request, |(thing, _)| thing);
        let mut chars = request.chars();
        let first = chars.next()?.to_lowercase();
        return Some(format!(
            "How to {}{}?",
            first.collect::<String>(),
            chars.as_str()
        ));
    }
    let question = ask.question && text.ends_with(['?', '？', '؟']);
    let pointed = count <= 8 && text.split(' ').any(|word| POINTING.open(word));
    let passing = pointed || OF_THE_MOMENT.open(text) || telling_words(text) < 2;
    (question && !passing).then(|| capitalised(text))
}

/// Words that mean something away from the conversation.
fn telling_words(text: &str) -> usize {
    if !text.is_ascii() && !text.contains(' ') {
        return words(text);
    }
    text.split(|c: char| c.is_whitespace() || ",.?!".contains(c))
        .filter(|word| word.chars().count() > 3 || word.chars().any(char::is_uppercase))
        .filter(|word| !POINTING.open(word))
        .count()
}

fn caused(error: &str, language: Language) -> String {
    let bare = ["error: ", "Error: ", "ERROR: "]
        .iter()
        .find_map(|mark| error.strip_prefix(mark))
        .unwrap_or(error);
    let bare = bare.trim_end_matches(['.', ':', ' ', '?']);
    language.cause_of(&cut(bare, 110))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Ask {
        Ask {
            text: text.to_owned(),
            score: 10,
            question: text.ends_with('?'),
            solid: true,
            requested: false,
        }
    }

    #[test]
    fn requests_become_how_to_and_questions_stay() {
        let asks = [
            ask("Fix the export of invoices."),
            ask("why does the import reject the CSV?"),
            ask("are they still being written?"),
            ask("fix the invoices export"),
        ];
        assert_eq!(
            of("x", &asks, &[], Language::English),
            [
                "How to fix the export of invoices?",
                "Why does the import reject the CSV?"
            ]
        );
    }

    #[test]
    fn an_error_is_asked_for_by_its_words() {
        let failure = Failure {
            line: "error: no such column: a",
            score: 9,
        };
        assert_eq!(
            of("x", &[], &[failure], Language::English),
            [
                "What was done about “x”?",
                "What causes “no such column: a”?"
            ]
        );
    }

    #[test]
    fn without_either_the_title_is_asked_for() {
        assert_eq!(
            of("Quiet mode", &[ask("continue")], &[], Language::English),
            ["What was done about “Quiet mode”?"]
        );
    }
}
