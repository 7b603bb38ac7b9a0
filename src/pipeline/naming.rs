//! Names under which units may be stored.

use jezero_connectors::{OriginalRef, RecordKey, UnitId, UnitStart};

use crate::redaction::Engine;

/// A unit under a name that may be stored: a file can be called anything, also by a secret.
pub(super) fn presentable(start: UnitStart, engine: &Engine) -> Option<UnitStart> {
    let formerly = start.formerly.iter().map(|id| match hidden(id, engine) {
        Some(hidden) => UnitId::new(hidden).ok(),
        None => Some(id.clone()),
    });
    let start = UnitStart {
        formerly: formerly.collect::<Option<_>>()?,
        ..start
    };
    let Some(hidden) = hidden(&start.id, engine) else {
        return Some(start);
    };
    let kind = start.original_ref.as_str().split(':').next()?;
    Some(UnitStart {
        original_ref: OriginalRef::new(format!("{kind}:{hidden}")).ok()?,
        id: UnitId::new(hidden).ok()?,
        ..start
    })
}

/// The name that a unit is stored under when its own is, or holds, a secret.
fn hidden(id: &UnitId, engine: &Engine) -> Option<String> {
    let id = id.as_str();
    let is_secret = engine.redact(id).as_str() != id;
    is_secret.then(|| format!("unit-{:016x}", RecordKey::of(id.as_bytes()).0))
}
