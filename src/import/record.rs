//! One record: its fields checked against the data model and redacted.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ImportOptions;
use super::fields::{Fault, Fields, required};
use crate::item::{
    Atom, AtomKind, Draft, ExternalId, Instant, MAX_ATOMS, MAX_QUESTIONS, OriginalRef, ProjectName,
    SourceName, TITLE_CHARS, Trust, content_hash,
};
use crate::redaction::{Counts, Engine, Redacted};
use crate::store::ItemWrite;
use crate::store::{Frame, compress};

/// The keys that a record may have. Those after `content_hash` are what an export adds, so that
/// importing it gives the same items again.
pub const FIELDS: &[&str] = &[
    "external_id",
    "occurred_at",
    "title",
    "summary",
    "questions",
    "atoms",
    "project",
    "account",
    "original",
    "original_ref",
    "trust",
    "content_hash",
    "source",
    "ingested_at",
    "summary_by",
    "redactions",
];

const DATE: &str = "an ISO 8601 date and time with an offset (2026-01-31T09:00:00+02:00)";
const PROJECT: &str = "a lower-case name: a letter or digit, then letters, digits, _, . and -, \
                       64 characters at most";
const SOURCE: &str = "a name of 1 to 64 of a-z, 0-9, _ and -, a letter or digit first";
const ID: &str = "a string of 1 to 512 bytes without control characters";
/// Longest `summary_by`, in characters.
const WRITER_CHARS: usize = 200;

/// A record that is right.
pub(super) struct Record {
    pub(super) source: SourceName,
    pub(super) item: ItemWrite,
    /// When it was stored in the library that it was exported from.
    pub(super) ingested_at: Option<Instant>,
}

/// Reads a line.
pub(super) fn read(line: &[u8], engine: &Engine, options: &ImportOptions) -> Result<Record, Fault> {
    let mut fields = Fields::read(line, engine, FIELDS)?;
    let external_id = fields.id("external_id", ID, |id| ExternalId::new(id).ok())?;
    let external_id = required(external_id, "external_id")?;
    let occurred_at = fields.checked("occurred_at", DATE, Instant::parse_with_offset)?;
    let occurred_at = required(occurred_at, "occurred_at")?;
    let draft = draft(&mut fields, engine)?;
    let original_ref = fields.id("original_ref", ID, |id| OriginalRef::new(id).ok())?;
    let original = fields.text("original")?;
    let named = fields.id("source", SOURCE, |name| SourceName::new(name).ok())?;
    let source = options.source.clone().or(named);
    let text = original.as_ref().unwrap_or(&draft.summary);
    let hash = fields.checked("content_hash", "64 hex digits (a SHA-256)", hash)?;
    let item = ItemWrite {
        external_id,
        occurred_at,
        content_hash: hash.unwrap_or_else(|| content_hash(text)),
        project: draft.project.clone().or_else(|| options.project.clone()),
        account: fields.text("account")?,
        original_ref,
        trust: trust(&mut fields, options.trust)?,
        original: original
            .as_ref()
            .map(compressed)
            .transpose()?
            .map(Frame::Held),
        locator: jezero_connectors::Locator::default(),
        part: (1, 1),
        rules_version: engine.version(),
        summary_by: written_by(&mut fields)?,
        redactions: redactions(&mut fields)?,
        draft,
    };
    Ok(Record {
        source: required(source, "source")?,
        ingested_at: fields.checked("ingested_at", DATE, Instant::parse_with_offset)?,
        item,
    })
}

fn draft(fields: &mut Fields<'_>, engine: &Engine) -> Result<Draft, Fault> {
    let right = format!("a string of 1 to {TITLE_CHARS} characters");
    // The limit holds for what was written; a marker that makes it longer is cut.
    let title = fields.checked("title", &right, |text| {
        let chars = text.chars().count();
        (!text.trim().is_empty() && chars <= TITLE_CHARS).then(|| Value::from(text))
    })?;
    let title = fields.redacted(&required(title, "title")?, "title")?;
    let summary = required(fields.text("summary")?, "summary")?;
    let project = |name: &str| ProjectName::new(engine.redact(name));
    Ok(Draft {
        title: title.truncated(TITLE_CHARS),
        summary,
        questions: questions(fields)?,
        atoms: atoms(fields)?,
        project: fields.checked("project", PROJECT, project)?,
    })
}

fn questions(fields: &mut Fields<'_>) -> Result<Vec<Redacted>, Fault> {
    let list = fields.list("questions", MAX_QUESTIONS, "strings")?;
    let numbered = list.iter().enumerate();
    numbered
        .map(|(at, value)| fields.redacted(value, &format!("questions[{at}]")))
        .collect()
}

fn atoms(fields: &mut Fields<'_>) -> Result<Vec<Atom>, Fault> {
    let list = fields.list("atoms", MAX_ATOMS, "objects with kind and text")?;
    let numbered = list.iter().enumerate();
    numbered
        .map(|(at, value)| atom(fields, value, &format!("atoms[{at}]")))
        .collect()
}

fn atom(fields: &mut Fields<'_>, value: &Value, place: &str) -> Result<Atom, Fault> {
    let shape = || format!("{place} must be an object with kind and text and nothing else");
    let object = value.as_object().ok_or_else(shape)?;
    let (Some(kind), Some(text), 2) = (object.get("kind"), object.get("text"), object.len()) else {
        return Err(shape());
    };
    let kind = kind.as_str().and_then(|word| word.parse().ok());
    Ok(Atom {
        kind: kind.ok_or_else(|| {
            let kinds = AtomKind::ALL.map(AtomKind::as_str).join(", ");
            format!("{place}.kind must be one of {kinds}")
        })?,
        text: fields.redacted(text, &format!("{place}.text"))?,
    })
}

fn trust(fields: &mut Fields<'_>, ceiling: Trust) -> Result<Trust, Fault> {
    let own = fields.checked("trust", "\"own\" or \"external\"", |word| word.parse().ok())?;
    Ok(own.unwrap_or(ceiling).capped(ceiling))
}

fn hash(text: &str) -> Option<String> {
    let good = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    good.then(|| text.to_ascii_lowercase())
}

fn compressed(text: &Redacted) -> Result<Vec<u8>, Fault> {
    compress(text).map_err(|cause| format!("original cannot be compressed: {cause}"))
}

fn written_by(fields: &mut Fields<'_>) -> Result<String, Fault> {
    let name = fields.text("summary_by")?;
    Ok(name.map_or_else(
        || "import".to_owned(),
        |name| name.truncated(WRITER_CHARS).as_str().to_owned(),
    ))
}

/// What was hidden before the export, and what was hidden now.
fn redactions(fields: &mut Fields<'_>) -> Result<Counts, Fault> {
    let mut counts = match fields.value("redactions") {
        None => Counts::default(),
        Some(value) => before(value)?,
    };
    counts.add(&fields.counts);
    Ok(counts)
}

fn before(value: Value) -> Result<Counts, Fault> {
    let word = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    let good = |rule: &str| (1..=64).contains(&rule.len()) && rule.bytes().all(word);
    let counts: Option<BTreeMap<String, u32>> = serde_json::from_value(value).ok();
    match counts.filter(|counts| counts.keys().all(|rule| good(rule))) {
        Some(counts) => Ok(Counts(
            counts
                .into_iter()
                .map(|(rule, count)| (rule, u64::from(count)))
                .collect(),
        )),
        None => Err("redactions must be an object of rule ids and counts".to_owned()),
    }
}
