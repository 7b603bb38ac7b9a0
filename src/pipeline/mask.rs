//! Secrets found once in a unit, hidden in all of it.
//!
//! A value that a rule hides in one block may stand bare in an earlier one, where no rule knows it.
//! Later blocks are masked as they arrive; this is for what came before: segments sealed in this
//! reading, and items stored by earlier ones, which change in place without a new summary.

use super::PipelineError;
use super::assemble::{Assembly, Sealed};
use crate::item::content_hash;
use crate::redaction::{Redacted, Seen};
use crate::store::{Frame, RedactedAgain, Store, StoredSegment, compress};

/// Hides values in a sealed segment that were found after it was sealed.
pub(super) fn sealed(
    segment: &mut Sealed,
    seen: &Seen,
    store: &Store,
) -> Result<(), PipelineError> {
    if segment.values == seen.len() {
        return Ok(());
    }
    segment.values = seen.len();
    let Some(frame) = &segment.frame else {
        return Ok(());
    };
    let text = store.text_of(frame)?;
    if let Some(masked) = seen.mask(&text) {
        segment.hash = content_hash(&masked);
        let again = compress(&masked).map_err(PipelineError::Compress)?;
        segment.frame = Some(match frame {
            Frame::Held(_) => Frame::Held(again),
            Frame::Aside(_) => {
                store.forget_aside(frame)?;
                store.put_aside(&again)?
            }
        });
        segment.redactions.hit("seen");
    }
    Ok(())
}

/// A stored item with values hidden that this reading found; `None` when it holds none of them.
pub(super) fn stored(
    segment: &StoredSegment,
    unit: &Assembly,
    store: &Store,
) -> Result<Option<Box<RedactedAgain>>, PipelineError> {
    if !unit.found_new_values() {
        return Ok(None);
    }
    let item = segment.item;
    let original = store.original(item)?;
    let masked = original
        .as_ref()
        .and_then(|original| unit.values.mask(original));
    let draft = store.draft(item)?;
    let clean = draft
        .clone()
        .redacted_again(|text| mask(text, &unit.values));
    if masked.is_none() && clean == draft {
        return Ok(None);
    }
    let frame = |text| {
        Ok::<_, PipelineError>(Frame::Held(
            compress(text).map_err(PipelineError::Compress)?,
        ))
    };
    Ok(Some(Box::new(RedactedAgain {
        item,
        draft: clean,
        content_hash: match &masked {
            Some(masked) => content_hash(masked),
            None => segment.content_hash.clone(),
        },
        // An original that is not kept must not come back as an empty one.
        original: masked.as_ref().map(frame).transpose()?,
        rules_version: segment.rules_version,
    })))
}

/// A text with the values of its unit hidden.
pub(super) fn mask(text: &Redacted, seen: &Seen) -> Redacted {
    seen.mask(text).unwrap_or_else(|| text.clone())
}
