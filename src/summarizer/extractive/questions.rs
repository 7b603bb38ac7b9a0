//! Makes the questions: what a person would type to find the text again.

use super::asks::Ask;
use super::atoms::alike;
use super::errors::Failure;
use super::plain::{begins, begins_any, capitalised, cut, words};

/// Most questions, of which up to [`ERRORS`] are made of errors.
const MOST: usize = 5;
const ERRORS: usize = 2;
/// Longest question, in characters.
const QUESTION_CHARS: usize = 160;

/// English verbs that open a request: "How to" goes before them.
const VERBS: &[&str] = &[
    "fix",
    "add",
    "implement",
    "create",
    "write",
    "make",
    "update",
    "change",
    "remove",
    "replace",
    "refactor",
    "build",
    "deploy",
    "migrate",
    "investigate",
    "debug",
    "test",
    "rename",
    "move",
    "use",
    "set up",
    "configure",
    "convert",
    "improve",
    "optimize",
    "optimise",
    "document",
    "design",
    "install",
    "upgrade",
    "delete",
    "merge",
    "port",
    "support",
    "enable",
    "disable",
    "export",
    "import",
    "run",
    "split",
    "cache",
    "reduce",
    "increase",
    "allow",
    "prevent",
    "handle",
    "show",
    "generate",
    "parse",
    "validate",
    "publish",
    "name",
    "store",
    "detect",
    "restore",
    "revert",
    "plan",
];
/// Openings of questions about the moment, which mean nothing later.
const OF_THE_MOMENT: &[&str] = &[
    "are they",
    "is it",
    "is that",
    "is this",
    "was it",
    "did you",
    "do you",
    "have you",
    "are you",
    "were you",
    "what's next",
    "what about",
    "anything else",
    "why won't you",
    "why did you",
    "why are you",
    "what are you",
    "how about",
    "so ",
    "should i",
    "should we",
    "shall we",
    "what do you think",
    "what happened",
    "does it",
    "does that",
    "will it",
    "what now",
    "ok",
    "really",
];
/// Words that point at something that stood on the screen.
const POINTING: &[&str] = &[
    "this", "that", "it", "they", "them", "these", "those", "here", "you", "there",
];

/// Makes one to [`MOST`] questions.
pub(super) fn of(title: &str, asks: &[Ask], failures: &[Failure<'_>]) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    for ask in asks.iter().filter_map(asked) {
        if questions.len() + ERRORS.min(failures.len()) >= MOST {
            break;
        }
        add(&mut questions, ask);
    }
    for failure in failures
        .iter()
        .filter(|failure| failure.score >= 5)
        .take(ERRORS)
    {
        add(&mut questions, caused(failure.line));
    }
    if questions.is_empty() {
        questions.push(format!(
            "What was done about “{}”?",
            cut(title, QUESTION_CHARS - 25)
        ));
    }
    questions
}

fn add(questions: &mut Vec<String>, question: String) {
    if !questions.iter().any(|known| alike(known, &question)) {
        questions.push(question);
    }
}

/// The question that an ask is, or becomes with "How to" before it.
fn asked(ask: &Ask) -> Option<String> {
    let text = ask.text.replace('`', "");
    let text = text.trim_end_matches(['.', '!', ':', ' ', '。']);
    let length = text.chars().count();
    let count = words(text);
    if !(3..=30).contains(&count) || length > QUESTION_CHARS {
        return None;
    }
    if begins_any(text, VERBS) && telling_words(text) >= 2 {
        let request = text
            .trim_end_matches('?')
            .trim_end_matches(", please")
            .trim_end_matches(" please");
        let mut chars = request.chars();
        let first = chars.next()?.to_lowercase();
        return Some(format!(
            "How to {}{}?",
            first.collect::<String>(),
            chars.as_str()
        ));
    }
    let question = ask.question && text.ends_with(['?', '？', '؟']);
    let passing = begins_any(text, OF_THE_MOMENT) || telling_words(text) < 2;
    (question && !passing).then(|| capitalised(text))
}

/// Words that mean something away from the conversation.
fn telling_words(text: &str) -> usize {
    if !text.is_ascii() && !text.contains(' ') {
        return words(text);
    }
    text.split(|c: char| c.is_whitespace() || ",.?!".contains(c))
        .filter(|word| word.chars().count() > 3 || word.chars().any(char::is_uppercase))
        .filter(|word| !POINTING.iter().any(|pointing| begins(word, pointing)))
        .count()
}

fn caused(error: &str) -> String {
    let bare = ["error: ", "Error: ", "ERROR: "]
        .iter()
        .find_map(|mark| error.strip_prefix(mark))
        .unwrap_or(error);
    let bare = bare.trim_end_matches(['.', ':', ' ', '?']);
    format!("What causes “{}”?", cut(bare, 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Ask {
        Ask {
            text: text.to_owned(),
            score: 10,
            question: text.ends_with('?'),
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
            of("x", &asks, &[]),
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
            of("x", &[], &[failure]),
            ["What causes “no such column: a”?"]
        );
    }

    #[test]
    fn without_either_the_title_is_asked_for() {
        assert_eq!(
            of("Quiet mode", &[ask("continue")], &[]),
            ["What was done about “Quiet mode”?"]
        );
    }
}
