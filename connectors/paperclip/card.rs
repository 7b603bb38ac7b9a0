//! Interactions: cards on which agents ask and people decide. A card becomes a question where it
//! was asked and an outcome where it was answered, with the words that stood on it.

use std::collections::HashMap;

use super::record::{Record, spaced};

/// A card in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) question: String,
    /// `None` while nobody has answered.
    pub(super) outcome: Option<String>,
    /// Whether the kind of card is none that is known here.
    pub(super) unknown: bool,
}

const KINDS: [(&str, &str); 6] = [
    ("suggest_tasks", "suggested tasks"),
    ("ask_user_questions", "questions"),
    ("request_confirmation", "confirmation"),
    ("request_checkbox_confirmation", "choices"),
    ("request_item_verdicts", "verdicts"),
    ("connection_intent", "connection"),
];

/// Reads an interaction.
pub(super) fn read(record: &mut Record<'_>) -> Card {
    let kind = record.word("kind").unwrap_or_default();
    let status = record.word("status").unwrap_or_default();
    let title = record.word("title").unwrap_or_default();
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    let words = known.map_or_else(|| spaced(&kind), |(_, words)| (*words).to_owned());
    let mut names = Names::default();
    let mut asked = Lines::new(&format!("(asks for {words}) {title}"));
    asked.paragraph(record.text("summary"));
    if let Some(mut payload) = record.object("payload") {
        question(&mut payload, &mut asked, &mut names);
    }
    let outcome = (!matches!(status.as_str(), "" | "pending")).then(|| {
        let mut told = Lines::new(&format!("({words} {status}) {title}"));
        if let Some(mut result) = record.object("result") {
            answer(&mut result, &mut told, &names);
        }
        told.text
    });
    Card {
        question: asked.text,
        outcome,
        unknown: known.is_none(),
    }
}

/// What the ids on a card stand for.
type Names = HashMap<String, String>;

/// Lines, the first of which names the card.
struct Lines {
    text: String,
}

impl Lines {
    fn new(first: &str) -> Self {
        Self {
            text: first.trim_end().to_owned(),
        }
    }

    fn paragraph(&mut self, text: Option<String>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.text.push('\n');
            self.text.push_str(text.trim());
        }
    }

    fn point(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.text.push('\n');
            self.text.push_str(&"  ".repeat(depth));
            self.text.push_str("- ");
            self.text.push_str(text);
        }
    }
}

fn question(payload: &mut Record<'_>, lines: &mut Lines, names: &mut Names) {
    for field in ["prompt", "detailsMarkdown", "serviceName"] {
        lines.paragraph(payload.text(field));
    }
    for mut question in payload.objects("questions") {
        let prompt = question.word("prompt").unwrap_or_default();
        lines.point(0, &prompt);
        remember(names, question.word("id"), &prompt);
        choices(&mut question, "options", "id", "label", 1, lines, names);
    }
    choices(payload, "options", "id", "label", 0, lines, names);
    choices(payload, "items", "id", "label", 0, lines, names);
    choices(payload, "tasks", "clientKey", "title", 0, lines, names);
}

/// A list of things to choose from, each with a name and perhaps a description.
fn choices(
    holder: &mut Record<'_>,
    list: &'static str,
    id: &'static str,
    name: &'static str,
    depth: usize,
    lines: &mut Lines,
    names: &mut Names,
) {
    for mut choice in holder.objects(list) {
        let label = choice.word(name).unwrap_or_default();
        remember(names, choice.word(id), &label);
        match choice.word("description") {
            Some(description) => lines.point(depth, &format!("{label}: {description}")),
            None => lines.point(depth, &label),
        }
        lines.paragraph(choice.text("previewMarkdown"));
    }
}

fn remember(names: &mut Names, id: Option<String>, name: &str) {
    if let Some(id) = id {
        names.insert(id, name.to_owned());
    }
}

fn answer(result: &mut Record<'_>, lines: &mut Lines, names: &Names) {
    let name = |id: &String| names.get(id).cloned().unwrap_or_else(|| id.clone());
    for field in [
        "reason",
        "rejectionReason",
        "cancellationReason",
        "summaryMarkdown",
    ] {
        lines.paragraph(result.text(field));
    }
    for mut answer in result.objects("answers") {
        let question = answer.word("questionId").map(|id| name(&id));
        let mut chosen: Vec<String> = answer.texts("optionIds").iter().map(name).collect();
        chosen.extend(answer.word("otherText"));
        lines.point(
            0,
            &format!("{} {}", question.unwrap_or_default(), chosen.join("; ")),
        );
    }
    for option in result.texts("selectedOptionIds") {
        lines.point(0, &name(&option));
    }
    for mut item in result.objects("items") {
        let label = item.word("id").map(|id| name(&id)).unwrap_or_default();
        let verdict = item.word("verdict").unwrap_or_default();
        match item.word("reason") {
            Some(reason) => lines.point(0, &format!("{label}: {verdict}, {reason}")),
            None => lines.point(0, &format!("{label}: {verdict}")),
        }
    }
    for mut task in result.objects("createdTasks") {
        let title = task
            .word("title")
            .or_else(|| task.word("clientKey").map(|key| name(&key)));
        lines.point(0, &format!("created: {}", title.unwrap_or_default()));
    }
    for key in result.texts("skippedClientKeys") {
        lines.point(0, &format!("left out: {}", name(&key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(json: &str) -> Card {
        read(&mut Record::parse(json).unwrap())
    }

    #[test]
    fn an_answer_is_told_in_the_words_of_its_question() {
        let card = card(
            r#"{"kind":"ask_user_questions","status":"answered","title":"Export",
            "payload":{"version":1,"questions":[{"id":"q1","prompt":"Which format?",
              "options":[{"id":"a","label":"CSV"},{"id":"b","label":"XLSX","description":"with formulas"}]}]},
            "result":{"answers":[{"questionId":"q1","optionIds":["b"],"otherText":"both later"}],
              "summaryMarkdown":null}}"#,
        );
        assert_eq!(
            card.question,
            "(asks for questions) Export\n- Which format?\n  - CSV\n  - XLSX: with formulas"
        );
        assert_eq!(
            card.outcome.as_deref(),
            Some("(questions answered) Export\n- Which format? XLSX; both later")
        );
        assert!(!card.unknown);
    }

    #[test]
    fn what_waits_for_an_answer_has_no_outcome() {
        let card = card(
            r#"{"kind":"request_confirmation","status":"pending","title":"Plan","summary":"two steps",
            "payload":{"prompt":"Accept?"},"result":null}"#,
        );
        assert_eq!(
            card.question,
            "(asks for confirmation) Plan\ntwo steps\nAccept?"
        );
        assert_eq!(card.outcome, None);
    }

    #[test]
    fn verdicts_choices_and_tasks_name_what_was_decided() {
        let verdicts = card(
            r#"{"kind":"request_item_verdicts","status":"answered","payload":{"items":[{"id":"i","label":"Logo"}]},
            "result":{"outcome":"resolved","items":[{"id":"i","verdict":"reject","reason":"too dark"}]}}"#,
        );
        assert_eq!(
            verdicts.outcome.as_deref(),
            Some("(verdicts answered)\n- Logo: reject, too dark")
        );
        let choices = card(
            r#"{"kind":"request_checkbox_confirmation","status":"accepted",
            "payload":{"prompt":"Which?","options":[{"id":"1","label":"Docs"},{"id":"2","label":"Tests"}]},
            "result":{"outcome":"accepted","selectedOptionIds":["2"]}}"#,
        );
        assert_eq!(
            choices.outcome.as_deref(),
            Some("(choices accepted)\n- Tests")
        );
        let tasks = card(
            r#"{"kind":"suggest_tasks","status":"accepted","title":"Split",
            "payload":{"tasks":[{"clientKey":"a","title":"Write it"},{"clientKey":"b","title":"Print it"}]},
            "result":{"createdTasks":[{"clientKey":"a"}],"skippedClientKeys":["b"]}}"#,
        );
        assert_eq!(
            tasks.outcome.as_deref(),
            Some("(suggested tasks accepted) Split\n- created: Write it\n- left out: Print it")
        );
    }

    #[test]
    fn a_kind_of_tomorrow_is_told_as_far_as_it_is_understood() {
        let card = card(
            r#"{"kind":"request_signature","status":"rejected","title":"T","payload":7,"result":{"reason":"no"}}"#,
        );
        assert_eq!(card.question, "(asks for request signature) T");
        assert_eq!(
            card.outcome.as_deref(),
            Some("(request signature rejected) T\nno")
        );
        assert!(card.unknown);
    }
}
