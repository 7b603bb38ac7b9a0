//! A marker secret in every position that anything comes in by, and a look for it in everything that
//! goes out: the library's files, its originals, reports, errors, and what the program prints.

mod imports;
mod refusals;
mod replies;
pub(crate) mod served;
mod sources;
mod tree;

use std::path::Path;

use jezero::store::{Filter, Scope, View, Wanted};

/// A token of a form that a rule knows wherever it stands; another one for each number.
pub(crate) fn marker(number: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1);
    let signs = b"ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789";
    let body: String = (0..36)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(signs[(state % signs.len() as u64) as usize])
        })
        .collect();
    format!("{}_{body}", "ghp")
}

/// Whether a text holds a third of a marker, in any case of its letters.
pub(crate) fn shows(text: &[u8], marker: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let body = marker.as_bytes()[4..].to_ascii_lowercase();
    body.chunks(12)
        .any(|third| memchr::memmem::find(&text, third).is_some())
}

/// Everything that a library says: the bytes of its files, and its originals, which are compressed.
pub(crate) fn all_that_is_stored(database: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let view = View::open(database).unwrap();
    let mut ids = Vec::new();
    let take = |item: jezero::item::Item| {
        ids.push(item.id);
        Ok::<_, jezero::store::StoreError>(Wanted::More)
    };
    view.by_number(&Scope::All, &Filter::default(), take)
        .unwrap();
    for id in ids {
        let original = view.original(id).unwrap();
        all.extend(original.iter().flat_map(|text| text.as_str().bytes()));
        all.push(b'\n');
    }
    drop(view);
    for entry in std::fs::read_dir(database.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            all.extend(std::fs::read(path).unwrap());
            all.push(b'\n');
        }
    }
    all
}
