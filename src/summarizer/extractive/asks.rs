//! Finds what the person asked for: of every prompt the sentence that says it best.

use super::plain::{begins_any, cut, head, plain, without_beginnings, words};
use super::sentences::{self, Form, Sentence};
use super::turns::{Speaker, Turn};

/// What one prompt asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ask {
    /// The sentence that says it, plain, without pleasantries.
    pub(super) text: String,
    /// How well it tells what the work is about; [`TELLING`] and more is a title.
    pub(super) score: i32,
    /// Whether it is a question.
    pub(super) question: bool,
}

/// From this score an ask says what the work is about.
pub(super) const TELLING: i32 = 8;
/// Sentences looked at from the beginning and the end of a prompt: what lies between is detail.
const FIRST: usize = 8;
const LAST: usize = 3;

/// Courtesies before a request.
const PLEASANTRIES: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "hello claude",
    "hey claude",
    "hi claude",
    "claude",
    "good morning",
    "thanks",
    "thank you",
    "thx",
    "great",
    "perfect",
    "awesome",
    "nice",
    "cool",
    "ok",
    "okay",
    "yes",
    "no",
    "sure",
    "now",
    "so",
    "and",
    "but",
    "well",
    "also",
    "then",
    "alright",
    "please",
    "pls",
    "hmm",
    "sorry",
    "hola",
    "buenas",
    "buenos días",
    "gracias",
    "por favor",
    "hallo",
    "guten tag",
    "guten morgen",
    "danke",
    "bitte",
    "bonjour",
    "salut",
    "merci",
    "s'il te plaît",
    "s'il vous plaît",
    "olá",
    "oi",
    "obrigado",
    "obrigada",
    "dear all",
    "hi all",
    "hello all",
    "你好",
    "请",
    "こんにちは",
];

/// Forms of asking, after which the thing asked for stands.
const REQUESTS: &[&str] = &[
    "can you please",
    "can you help me to",
    "can you help me",
    "can you also",
    "can you",
    "could you please",
    "could you also",
    "could you",
    "would you please",
    "would you",
    "will you",
    "i want you to",
    "i would like you to",
    "i'd like you to",
    "i would like to",
    "i'd like to",
    "i want to",
    "i need you to",
    "i need to",
    "we need to",
    "we want to",
    "we should",
    "we are going to",
    "we're going to",
    "i think we should",
    "you should",
    "let's try to",
    "let's",
    "lets",
    "let us",
    "help me to",
    "help me",
    "go ahead and",
    "your task is to",
    "your job is to",
    "the task is to",
    "the goal is to",
    "task:",
    "goal:",
    "puedes",
    "podrías",
    "quiero que",
    "necesito que",
    "quiero",
    "necesito",
    "kannst du bitte",
    "kannst du",
    "könntest du",
    "können sie",
    "ich möchte",
    "ich will",
    "wir müssen",
    "peux-tu",
    "pouvez-vous",
    "pourrais-tu",
    "je veux",
    "je voudrais",
    "il faut",
    "você pode",
    "pode",
    "quero",
    "preciso",
    "帮我",
    "请帮我",
    "我想",
    "我要",
];

/// What introduces a thing to look at, before or after the request proper.
const POINTERS: &[&str] = &[
    "read ",
    "look at",
    "take a look",
    "see ",
    "check out",
    "here is",
    "here's",
    "here are",
    "attached",
    "this is",
    "i got this",
    "for context",
    "context:",
    "lee ",
    "mira ",
    "lies ",
    "schau",
    "lis ",
    "regarde",
    "leia ",
    "你看",
];

/// Prompts that only move the agent on.
const NUDGES: &[&str] = &[
    "continue",
    "go on",
    "go ahead",
    "proceed",
    "keep going",
    "do it",
    "do that",
    "sounds good",
    "looks good",
    "lgtm",
    "that's fine",
    "try again",
    "again",
    "retry",
    "commit",
    "push",
    "ship it",
    "run it",
    "are you able to",
    "this is really helpful",
    "what do you think",
    "sigue",
    "continúa",
    "adelante",
    "weiter",
    "mach weiter",
    "continue",
    "vas-y",
    "continua",
    "pode continuar",
    "继续",
    "続けて",
];

/// Openings that say that something is wanted.
const GOALS: &[&str] = &[
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
    "review",
    "explain",
    "find",
    "why",
    "how",
    "what",
    "where",
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
    "plan",
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
    "spawn",
    "perform",
    "arregla",
    "añade",
    "crea",
    "cambia",
    "haz",
    "por qué",
    "cómo",
    "behebe",
    "füge",
    "erstelle",
    "ändere",
    "warum",
    "wie",
    "corrige",
    "ajoute",
    "crée",
    "pourquoi",
    "comment",
    "corrija",
    "adicione",
    "crie",
    "修复",
    "添加",
    "实现",
    "为什么",
    "なぜ",
];

/// Signs of a complaint: what does not work is what the work is about.
const TROUBLES: &[&str] = &[
    "fail",
    "error",
    "broken",
    "doesn't",
    "does not",
    "don't work",
    "not work",
    "bug",
    "crash",
    "wrong",
    "reject",
    "missing",
    "timeout",
    "slow",
    "can't",
    "cannot",
    "falla",
    "no funciona",
    "fehler",
    "funktioniert nicht",
    "erreur",
    "ne fonctionne pas",
    "ne marche pas",
    "não funciona",
    "erro",
    "报错",
    "失败",
    "错误",
    "エラー",
    "失敗",
];

/// Finds what every prompt asks, in order; prompts that ask nothing are passed over.
pub(super) fn of(turns: &[Turn<'_>]) -> Vec<Ask> {
    turns
        .iter()
        .filter_map(|turn| match turn.speaker {
            Speaker::Person => prompt(turn.body),
            Speaker::SlashCommand => arguments(turn.body),
            _ => None,
        })
        .collect()
}

/// What stands after the name of a slash command.
fn arguments(line: &str) -> Option<Ask> {
    let (_, arguments) = line.split_once(char::is_whitespace)?;
    prompt(arguments).filter(|ask| words(&ask.text) >= 3)
}

fn prompt(body: &str) -> Option<Ask> {
    let sentences = sentences::of(body);
    let late = sentences.len().saturating_sub(LAST).max(FIRST);
    let mut best: Option<Ask> = None;
    let mut announced = false;
    for (at, sentence) in sentences.iter().enumerate() {
        if at >= FIRST && at < late {
            continue;
        }
        let ask = judge(sentence, at, announced);
        announced = sentence.introduces() && ask.as_ref().is_none_or(|ask| ask.score < TELLING);
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
    let polite = without_beginnings(&said, PLEASANTRIES);
    let bare = without_beginnings(polite, REQUESTS);
    let requested = bare.len() < polite.len();
    let bare = without_beginnings(bare, PLEASANTRIES);
    let bare = if bare.is_empty() { said.as_str() } else { bare };
    let count = words(bare);
    if count == 0 || is_reference(bare) {
        return None;
    }
    let mut score = i32::try_from(count.min(8)).unwrap_or(8);
    if count < 3 {
        score -= 4;
    }
    if count > 40 {
        score -= 4;
    }
    if requested || begins_any(bare, GOALS) {
        score += 6;
    }
    let lower = head(bare, 300).to_lowercase();
    if TROUBLES.iter().any(|sign| lower.contains(sign)) {
        score += 4;
    }
    if begins_any(bare, POINTERS) {
        score -= 6;
    }
    if begins_any(bare, NUDGES) && count < 7 {
        score -= 10;
    }
    if sentence.introduces() {
        score -= if lower.contains("following") || lower.contains("this") || count < 5 {
            9
        } else {
            3
        };
    }
    score += match (at, sentence.form) {
        (0, _) => 4,
        _ if announced => 6,
        (1, Form::Prose) => 2,
        (_, Form::Item) => -4,
        _ => 0,
    };
    Some(Ask {
        text: shorten_paths(bare),
        score,
        question: sentence.asks(),
    })
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
fn shorten_paths(text: &str) -> String {
    if !text.contains('/') {
        return text.to_owned();
    }
    let short = |word: &str| -> String {
        let path = word.trim_matches(|c: char| "`'\"(),.;:".contains(c));
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

    fn asked(body: &str) -> String {
        prompt(body).map(|ask| ask.text).unwrap_or_default()
    }

    #[test]
    fn pleasantries_and_forms_of_asking_are_left_out() {
        assert_eq!(
            asked("Hi Claude! Can you please fix the export of invoices?"),
            "fix the export of invoices?"
        );
        assert_eq!(
            asked("thanks, now let's add a retry to the uploader"),
            "add a retry to the uploader"
        );
        assert_eq!(
            asked("Hola, ¿puedes ver por qué falla la importación?"),
            "¿puedes ver por qué falla la importación?"
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
            "fix the test in test_export.py, please"
        );
        assert_eq!(
            asked("review https://code.example/shop/pull/12 for me"),
            "review code.example/…/12 for me"
        );
    }

    #[test]
    fn a_slash_command_asks_by_its_arguments_alone() {
        assert_eq!(arguments("/plan"), None);
        assert_eq!(
            arguments("/plan add a retry queue").map(|ask| ask.text),
            Some("add a retry queue".to_owned())
        );
    }
}
