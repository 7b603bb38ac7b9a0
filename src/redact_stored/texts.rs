//! The texts of an item, each put through the same change.

use jezero_connectors::{ExternalId, RecordKey};

use crate::item::{TITLE_CHARS, content_hash};
use crate::redaction::Redacted;
use crate::store::ItemTexts;

/// A name for what is called by a secret. The same name gives the same one, here and in a run.
pub(super) fn hidden_id(kind: &str, id: &str) -> String {
    format!("{kind}-{:016x}", RecordKey::of(id.as_bytes()).0)
}

/// Changes every text of an item, and its hash with the text that it was made of.
///
/// A project whose name is changed is none any more. Ids stay, but that of an imported item by
/// which a secret would be told; see [`without_secret_names`].
pub(super) fn each(texts: ItemTexts, mut change: impl FnMut(&Redacted) -> Redacted) -> ItemTexts {
    let hashed = texts.original.as_ref().unwrap_or(&texts.draft.summary);
    let follows = content_hash(hashed) == texts.content_hash;
    let project = texts.draft.project.clone();
    let project = project.filter(|name| change(name.text()) == *name.text());
    let mut draft = texts.draft.redacted_again(&mut change);
    draft.title = draft.title.truncated(TITLE_CHARS);
    draft.project = project;
    let original = texts.original.as_ref().map(&mut change);
    let hash = match (follows, &original) {
        (false, _) => texts.content_hash,
        (true, Some(original)) => content_hash(original),
        (true, None) => content_hash(&draft.summary),
    };
    ItemTexts {
        account: texts.account.as_ref().map(&mut change),
        draft,
        content_hash: hash,
        original,
        ..texts
    }
}

/// An item of no unit, called otherwise where the rules find something in its names.
pub(super) fn without_secret_names(texts: ItemTexts, finds: impl Fn(&str) -> bool) -> ItemTexts {
    let id = texts.external_id.as_str();
    let external_id = match finds(id) {
        true => ExternalId::new(hidden_id("item", id)).unwrap_or(texts.external_id),
        false => texts.external_id,
    };
    ItemTexts {
        external_id,
        original_ref: texts.original_ref.filter(|name| !finds(name.as_str())),
        ..texts
    }
}

/// Bytes of the texts of an item, about.
pub(super) fn bytes(texts: &ItemTexts) -> usize {
    let draft = &texts.draft;
    let questions = draft.questions.iter().map(|text| text.as_str().len());
    let atoms = draft.atoms.iter().map(|atom| atom.text.as_str().len());
    let original = texts
        .original
        .as_ref()
        .map_or(0, |text| text.as_str().len());
    original + draft.summary.as_str().len() + questions.chain(atoms).sum::<usize>()
}
