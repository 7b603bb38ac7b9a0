//! What a sealed segment means beside what is stored: nothing new, newer rules, or a new summary.

use jezero_connectors::ExternalId;

use super::assemble::{Assembly, Sealed};
use super::{PipelineError, mask};
use crate::item::ItemId;
use crate::item::content_hash;
use crate::redaction::{Engine, Seen};
use crate::store::{Frame, Store, StoredSegment};

/// What is to be done with a segment.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Its text is what is stored.
    Same(StoredSegment),
    /// Newer redaction rules explain the difference; no summary is needed.
    Redacted(ItemId, Frame),
    /// It is new or has changed: summarise it.
    Summarise,
}

/// Compares one segment.
pub(super) fn compare(
    assembly: &Assembly,
    sealed: &Sealed,
    store: &Store,
    engine: &Engine,
) -> Result<Verdict, PipelineError> {
    let Some(stored) = assembly.replaced_at(sealed.locator) else {
        return adopt(assembly, sealed, store);
    };
    if stored.content_hash == sealed.hash {
        return Ok(Verdict::Same(stored.clone()));
    }
    let Some(frame) = &sealed.frame else {
        return Ok(Verdict::Summarise);
    };
    let may_differ = stored.rules_version != engine.version() || assembly.found_new_values();
    if may_differ && newer_rules_explain(stored, sealed, store, engine, &assembly.values)? {
        return Ok(Verdict::Redacted(stored.item, frame.clone()));
    }
    Ok(Verdict::Summarise)
}

/// An item that no unit has (an import) and that holds just this text is taken over as it is.
fn adopt(assembly: &Assembly, sealed: &Sealed, store: &Store) -> Result<Verdict, PipelineError> {
    let (Some(source), Some(id)) = (assembly.source, external_id(assembly, sealed)) else {
        return Ok(Verdict::Summarise);
    };
    let loose = store.loose_segment(source, &id)?;
    Ok(
        match loose.filter(|loose| loose.content_hash == sealed.hash) {
            Some(loose) => Verdict::Same(loose),
            None => Verdict::Summarise,
        },
    )
}

/// Whether the stored original, redacted by the rules of today, is the new text.
fn newer_rules_explain(
    stored: &StoredSegment,
    sealed: &Sealed,
    store: &Store,
    engine: &Engine,
    values: &Seen,
) -> Result<bool, PipelineError> {
    let Some(original) = store.original(stored.item)? else {
        return Ok(false);
    };
    let again = engine.redact(original.as_str());
    Ok(content_hash(&mask::mask(&again, values)) == sealed.hash)
}

/// Items whose segments this delivery no longer produces. A delivery without any text prunes
/// nothing: a source that was emptied by accident must not empty the library.
pub(super) fn no_longer_produced(assembly: &Assembly) -> Vec<ItemId> {
    if assembly.sealed.is_empty() {
        return Vec::new();
    }
    let gone = assembly
        .replaced()
        .iter()
        .filter(|stored| !assembly.produces(stored.locator));
    gone.map(|stored| stored.item).collect()
}

/// `<unit id>#<locator>`; a unit id too long to leave room for it is refused before.
pub(super) fn external_id(assembly: &Assembly, sealed: &Sealed) -> Option<ExternalId> {
    ExternalId::new(format!("{}#{}", assembly.start.id, sealed.locator)).ok()
}
