//! Writes the library as JSON Lines, in a form that [`import`](crate::import) takes back.
//!
//! One object a line with every field, originals too, by item number. Numbers are not written:
//! a library gives its own.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::access::Reader;
use crate::item::{Atom, Item};
use crate::redaction::{Counts, Redacted};
use crate::store::{Filter, StoreError, Stored, View, Wanted};

/// Why an export ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The library cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output takes no more.
    #[error("the export cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// One line, in the order of its keys.
#[derive(Serialize)]
struct Line<'a> {
    source: &'a str,
    external_id: &'a str,
    occurred_at: String,
    title: &'a Redacted,
    summary: &'a Redacted,
    questions: &'a [Redacted],
    atoms: &'a [Atom],
    project: Option<&'a str>,
    account: Option<&'a Redacted>,
    original: Option<&'a Redacted>,
    original_ref: Option<&'a str>,
    trust: &'a str,
    content_hash: &'a str,
    ingested_at: String,
    summary_by: &'a str,
    redactions: &'a Counts,
}

/// Writes every item that a reader may see, as the library stands at the start.
///
/// Returns how many there were.
///
/// # Errors
/// [`ExportError`]; what was written until then stays written.
pub fn export_jsonl(view: &View, reader: &Reader, out: &mut dyn Write) -> Result<u64, ExportError> {
    let mut out = BufWriter::new(out);
    let mut count = 0;
    let _snapshot = view.snapshot()?;
    let scope = view.scope(reader)?;
    view.by_number(&scope, &Filter::default(), |item| {
        let mut stored = view.stored(item.id)?;
        stored.original = stored.original.filter(|_| reader.may_see_originals());
        serde_json::to_writer(&mut out, &line(&item, &stored)).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        count += 1;
        Ok::<_, ExportError>(Wanted::More)
    })?;
    out.flush()?;
    Ok(count)
}

fn line<'a>(item: &'a Item, stored: &'a Stored) -> Line<'a> {
    Line {
        source: item.source.as_str(),
        external_id: item.external_id.as_str(),
        occurred_at: item.occurred_at.to_string(),
        title: &item.title,
        summary: &item.summary,
        questions: &item.questions,
        atoms: &item.atoms,
        project: item.project.as_ref().map(|project| project.as_str()),
        account: item.account.as_ref(),
        original: stored.original.as_ref(),
        original_ref: item.original_ref.as_ref().map(|original| original.as_str()),
        trust: item.trust.as_str(),
        content_hash: &stored.content_hash,
        ingested_at: stored.ingested_at.to_string(),
        summary_by: &stored.summary_by,
        redactions: &stored.redactions,
    }
}
