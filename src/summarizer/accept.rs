//! The one way from a [`Reply`] to a [`Draft`]: redacted again, within the limits, nothing invented.
//!
//! A limit exceeded costs the field that exceeds it, never the reply: what is dropped is counted,
//! so that the run report can show it. Only an empty title or summary refuses the whole.

use memchr::memmem;

use super::{Reply, SummarizerError, Task};
use crate::item::{Atom, AtomKind, Draft, MAX_ATOMS, MAX_QUESTIONS, ProjectName, TITLE_CHARS};
use crate::redaction::{Engine, Redacted};

/// What [`accept`] took out of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Dropped {
    /// Titles cut at [`TITLE_CHARS`].
    pub titles_cut: u64,
    /// Questions that were empty, said twice, or over [`MAX_QUESTIONS`].
    pub questions: u64,
    /// Atoms that were empty, said twice, or over [`MAX_ATOMS`].
    pub atoms: u64,
    /// Atoms of a kind that the data model does not know.
    pub unknown_kinds: u64,
    /// Atoms of kind error or command that do not stand in the text.
    pub not_in_text: u64,
    /// Project guesses that are no project name.
    pub projects: u64,
}

impl Dropped {
    /// Atoms that were dropped, for whatever reason.
    #[must_use]
    pub fn all_atoms(&self) -> u64 {
        self.atoms + self.unknown_kinds + self.not_in_text
    }
}

/// Checks a reply and makes a draft of it.
///
/// Every field is redacted again. The title becomes one line of up to [`TITLE_CHARS`] characters.
/// Empty and repeated questions and atoms are dropped, as are those over the limits and atoms of
/// unknown kind. An atom of kind error or command is kept only if the segment's text holds it,
/// either as it is or as it stands inside of a JSON string (the arguments of tool calls). The
/// project is lower-cased and must be a [`ProjectName`].
///
/// # Errors
/// [`SummarizerError::Refused`] when title or summary is empty.
pub fn accept(
    reply: Reply,
    task: &Task<'_>,
    engine: &Engine,
) -> Result<(Draft, Dropped), SummarizerError> {
    let Reply {
        title,
        summary,
        questions,
        atoms,
        project,
    } = reply;
    let mut dropped = Dropped::default();
    let title = redacted(engine, &one_line(&title))
        .ok_or(SummarizerError::Refused("the title is empty"))?;
    let summary =
        redacted(engine, &summary).ok_or(SummarizerError::Refused("the summary is empty"))?;
    dropped.titles_cut = u64::from(title.chars() > TITLE_CHARS);
    let draft = Draft {
        title: title.truncated(TITLE_CHARS),
        summary,
        questions: accepted_questions(questions, engine, &mut dropped),
        atoms: accepted_atoms(atoms, task, engine, &mut dropped),
        project: project.and_then(|guess| accepted_project(&guess, engine, &mut dropped)),
    };
    Ok((draft, dropped))
}

fn redacted(engine: &Engine, raw: &str) -> Option<Redacted> {
    Some(engine.redact(raw.trim())).filter(|text| is_visible(text.as_str()))
}

/// Whether there is anything to see in a text: blanks, controls and signs without width are not.
pub(super) fn is_visible(text: &str) -> bool {
    text.chars().any(|c| {
        let widthless = matches!(
            u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
                | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
                | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xE0000..=0xE0FFF
        );
        !widthless && !c.is_whitespace() && !c.is_control()
    })
}

fn one_line(raw: &str) -> String {
    raw.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn accepted_questions(raw: Vec<String>, engine: &Engine, dropped: &mut Dropped) -> Vec<Redacted> {
    let mut kept: Vec<Redacted> = Vec::new();
    for raw in raw {
        match redacted(engine, &raw) {
            Some(text) if kept.len() < MAX_QUESTIONS && !kept.contains(&text) => kept.push(text),
            _ => dropped.questions += 1,
        }
    }
    kept
}

fn accepted_atoms(
    raw: Vec<(String, String)>,
    task: &Task<'_>,
    engine: &Engine,
    dropped: &mut Dropped,
) -> Vec<Atom> {
    let mut kept: Vec<Atom> = Vec::new();
    for (kind, raw) in raw {
        let Ok(kind) = kind.trim().to_ascii_lowercase().parse::<AtomKind>() else {
            dropped.unknown_kinds += 1;
            continue;
        };
        let Some(text) = redacted(engine, &raw) else {
            dropped.atoms += 1;
            continue;
        };
        let exact = matches!(kind, AtomKind::Error | AtomKind::Command);
        if exact && !stands_in(task.text.as_str(), raw.trim()) {
            dropped.not_in_text += 1;
            continue;
        }
        let atom = Atom { kind, text };
        if kept.len() < MAX_ATOMS && !kept.contains(&atom) {
            kept.push(atom);
        } else {
            dropped.atoms += 1;
        }
    }
    kept
}

/// Whether a text holds a piece, as it is or escaped as in a JSON string.
fn stands_in(text: &str, piece: &str) -> bool {
    if memmem::find(text.as_bytes(), piece.as_bytes()).is_some() {
        return true;
    }
    let Ok(quoted) = serde_json::to_string(piece) else {
        return false;
    };
    let escaped = quoted.trim_start_matches('"');
    let escaped = escaped.strip_suffix('"').unwrap_or(escaped);
    escaped != piece && memmem::find(text.as_bytes(), escaped.as_bytes()).is_some()
}

fn accepted_project(raw: &str, engine: &Engine, dropped: &mut Dropped) -> Option<ProjectName> {
    let guess = redacted(engine, &raw.to_lowercase())?;
    let name = ProjectName::new(guess);
    dropped.projects += u64::from(name.is_none());
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Instant, SourceName};

    fn reply() -> Reply {
        Reply {
            title: "Invoice import fails".to_owned(),
            summary: "The BOM was removed.".to_owned(),
            ..Reply::default()
        }
    }

    fn accepted(reply: Reply, text: &'static str) -> Result<(Draft, Dropped), SummarizerError> {
        let text = Redacted::literal(text);
        let task = Task {
            text: &text,
            title_hint: None,
            part: (1, 1),
            source: &SourceName::new("notes").unwrap(),
            project: None,
            occurred_at: Instant::parse("2026-10-19T21:05:00Z").unwrap(),
        };
        accept(reply, &task, &Engine::embedded())
    }

    fn atom(kind: &str, text: &str) -> (String, String) {
        (kind.to_owned(), text.to_owned())
    }

    #[test]
    fn a_reply_without_title_or_summary_is_refused() {
        let refused = |reply| accepted(reply, "").unwrap_err().to_string();
        let title = " \n ".to_owned();
        assert_eq!(
            refused(Reply { title, ..reply() }),
            "the reply was refused: the title is empty"
        );
        let summary = String::new();
        assert_eq!(
            refused(Reply { summary, ..reply() }),
            "the reply was refused: the summary is empty"
        );
    }

    #[test]
    fn a_long_title_is_cut_at_its_limit_and_put_on_one_line() {
        let title = format!("one\n two {}", "字".repeat(300));
        let (draft, dropped) = accepted(Reply { title, ..reply() }, "").unwrap();
        assert_eq!(
            draft.title.as_str(),
            format!("one two {}", "字".repeat(192))
        );
        let only_the_title = Dropped {
            titles_cut: 1,
            ..Dropped::default()
        };
        assert_eq!(dropped, only_the_title);
    }

    #[test]
    fn errors_and_commands_that_the_text_does_not_hold_are_dropped() {
        let atoms = vec![
            atom("error", "fatal: not a git repository"),
            atom("error", "fatal: bad object"),
            atom("command", "echo \"a\" && make"),
            atom("command", "make clean"),
            atom("fact", "not in the text, and allowed"),
        ];
        let text = "[2026-10-19 21:05] tool error: fatal: not a git repository\n\
            [2026-10-19 21:06] tool call: Bash {\"command\": \"echo \\\"a\\\" && make\"}";
        let (draft, dropped) = accepted(Reply { atoms, ..reply() }, text).unwrap();
        let kept: Vec<_> = draft.atoms.iter().map(|atom| atom.text.as_str()).collect();
        assert_eq!(
            kept,
            [
                "fatal: not a git repository",
                "echo \"a\" && make",
                "not in the text, and allowed"
            ]
        );
        assert_eq!(dropped.not_in_text, 2);
    }

    #[test]
    fn unknown_kinds_empty_repeated_and_surplus_atoms_are_dropped_and_counted() {
        let mut atoms = vec![
            atom("Fact ", "f0"),
            atom("fact", "f0"),
            atom("fact", " "),
            atom("idea", "x"),
        ];
        atoms.extend((1..14).map(|n| atom("fact", &format!("f{n}"))));
        let (draft, dropped) = accepted(Reply { atoms, ..reply() }, "").unwrap();
        let kept: Vec<_> = draft.atoms.iter().map(|atom| atom.text.as_str()).collect();
        assert_eq!(
            kept,
            [
                "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11"
            ]
        );
        assert_eq!((dropped.atoms, dropped.unknown_kinds), (4, 1));
    }

    #[test]
    fn seven_questions_become_six() {
        let questions = (0..7).map(|n| format!("q{n}?")).collect();
        let (draft, dropped) = accepted(
            Reply {
                questions,
                ..reply()
            },
            "",
        )
        .unwrap();
        assert_eq!(draft.questions.len(), 6);
        assert_eq!(dropped.questions, 1);
    }

    #[test]
    fn a_project_guess_is_lower_cased_and_must_be_a_name() {
        let guess = |project: &str| {
            let project = Some(project.to_owned());
            let (draft, dropped) = accepted(Reply { project, ..reply() }, "").unwrap();
            (
                draft.project.map(|name| name.as_str().to_owned()),
                dropped.projects,
            )
        };
        assert_eq!(guess(" Billing"), (Some("billing".to_owned()), 0));
        assert_eq!(guess("the billing project"), (None, 1));
        assert_eq!(guess(" "), (None, 0));
    }

    #[test]
    fn secrets_in_any_field_are_hidden() {
        let key = format!("sk-ant-{}", "vQ7mZx2Lk9Rt4Bw8Nc3Hy6Jd");
        let said = format!("uses {key}");
        let reply = Reply {
            title: said.clone(),
            summary: said.clone(),
            questions: vec![said.clone()],
            atoms: vec![("fact".to_owned(), said)],
            project: None,
        };
        let (draft, _) = accepted(reply, "").unwrap();
        let hidden = "uses [REDACTED:anthropic-key-untyped]";
        assert_eq!(draft.title.as_str(), hidden);
        assert_eq!(draft.summary.as_str(), hidden);
        assert_eq!(draft.questions.first().unwrap().as_str(), hidden);
        assert_eq!(draft.atoms.first().unwrap().text.as_str(), hidden);
    }
}
