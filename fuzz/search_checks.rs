//! What must hold for searching, whatever is asked and whatever is stored: the index answers what the
//! plain scan answers. Used by the fuzz targets and by ordinary tests over the seeds.

use std::sync::{LazyLock, Mutex};

use jezero::item::{Draft, Instant, Trust};
use jezero::redaction::{Counts, Engine};
use jezero::store::search::{Matches, Question, Rules, Scan, Terms, TextIndex, TextScope};
use jezero::store::{Filter, Frame, Index, ItemWrite, Scope, Store, StoreError, View, compress};
use jezero_connectors::{ExternalId, Locator, SourceName};

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::embedded);

/// Texts with something of everything.
const TEXTS: [&str; 12] = [
    "The invoice export writes CSV as UTF-8 with BOM; see src/export/csv.rs:42",
    "facturación, décision, Übertragung, ſtraße, İstanbul and Łódź",
    "発行済み請求書の設定。東京都の検索 rustの言語",
    "한국어 검색 결과 수정 and 国 alone",
    "panicked at 'called `Option::unwrap()` on a `None` value'",
    "cargo test --workspace -- --nocapture && echo \"done\" || exit 1",
    "std::collections::HashMap<String, Vec<u8>> -> Result<(), Error>",
    "a_long_identifier_with_many_parts and camelCaseIdentifier2",
    "=== !== ... --> 🎉🎉🎉 👩‍👩‍👧 — – “quoted”",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa test testtest bytestestable",
    "नमस्ते दुनिया ภาษาไทยไม่มีช่องว่าง שָׁלוֹם",
    "NEAR(one, two) OR three* title:four ^five \"six\" -seven",
];

fn put(store: &mut Store, texts: &[String]) {
    let put = |batch: &jezero::store::Batch<'_>| -> Result<(), StoreError> {
        for (at, text) in texts.iter().enumerate() {
            let redacted = ENGINE.redact(text);
            let item = ItemWrite {
                external_id: ExternalId::new(format!("item-{at}")).unwrap(),
                occurred_at: Instant::from_unix(1_700_000_000 + at as i64 % 3).unwrap(),
                draft: Draft {
                    title: ENGINE.redact(&text.chars().take(20).collect::<String>()),
                    summary: redacted.clone(),
                    questions: Vec::new(),
                    atoms: Vec::new(),
                    project: None,
                },
                project: None,
                account: None,
                original_ref: None,
                trust: Trust::Own,
                content_hash: format!("{text:?}"),
                original: (at % 4 != 3).then(|| {
                    let original = &texts[texts.len() - 1 - at];
                    Frame::Held(compress(&ENGINE.redact(&format!("{original} {text}"))).unwrap())
                }),
                locator: Locator::default(),
                part: (1, 1),
                rules_version: 1,
                summary_by: "none".to_owned(),
                redactions: Counts::default(),
            };
            let source = SourceName::new(["agent-a", "mail"][at % 2]).unwrap();
            batch.put(&source, &item, Instant::default())?;
        }
        Ok(())
    };
    store.batch(put).unwrap();
}

/// A library with some texts, open for questions.
pub(super) struct Shelved {
    _folder: tempfile::TempDir,
    view: View,
}

impl Shelved {
    /// Stores texts, in transactions of seven, and some of them again.
    pub(super) fn new(texts: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.db");
        let mut store = Store::open(&path).unwrap();
        // The first ones are stored with other words first.
        let before: Vec<String> = texts
            .iter()
            .take(3)
            .map(|text| format!("{text} before"))
            .collect();
        put(&mut store, &before);
        for at in 0..texts.len().div_ceil(7) {
            put(&mut store, &texts[..texts.len().min(7 * (at + 1))]);
        }
        let view = View::open(&path).unwrap();
        Self {
            _folder: folder,
            view,
        }
    }

    /// Asks index and scan, and compares all that they say.
    pub(super) fn compare(&self, query: &str, rules: Rules) -> Matches {
        let terms = Terms::read(query, rules).used;
        let filter = Filter::default();
        let scopes = [Scope::All, Scope::Only(vec![1])];
        let mut last = Matches::default();
        let asked = scopes.iter().flat_map(|scope| {
            let texts = [TextScope::Original, TextScope::All, TextScope::Summary];
            texts.map(|texts| (scope, texts))
        });
        for (scope, texts) in asked {
            let question = Question {
                scope,
                filter: &filter,
                terms: &terms,
                texts,
                pool: 20,
            };
            let plain = Scan::new(&self.view).matches(&question).unwrap();
            let found = Index::new(&self.view).matches(&question).unwrap();
            assert_eq!(found.searched, plain.searched);
            assert_eq!(found.frequencies, plain.frequencies, "{query:?} {terms:?}");
            assert_eq!(
                found.ranked.len(),
                plain.ranked.len(),
                "{query:?} {terms:?}"
            );
            for (found, plain) in found.ranked.iter().zip(&plain.ranked) {
                assert_eq!(found.id, plain.id, "{query:?} {terms:?}");
                assert!((found.relevance - plain.relevance).abs() < 1e-6);
            }
            let again = Index::new(&self.view).matches(&question).unwrap();
            assert_eq!(again, found);
            last = found;
        }
        last
    }
}

static FIXED: LazyLock<Mutex<Shelved>> = LazyLock::new(|| {
    let texts: Vec<String> = TEXTS.iter().map(ToString::to_string).collect();
    Mutex::new(Shelved::new(&texts))
});

fn rules(byte: u8) -> Rules {
    Rules {
        whole_words: byte & 1 != 0,
        short_terms: byte & 2 != 0,
    }
}

/// Asks a fixed library for any bytes; the first says how terms match.
pub(super) fn search_query(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    let library = FIXED.lock().unwrap();
    let _found = library.compare(&String::from_utf8_lossy(bytes), rules(*first));
}

/// Stores any bytes as texts, parted by 0xFF, and asks for parts of them.
pub(super) fn search_text(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    let texts: Vec<String> = bytes
        .split(|byte| *byte == 0xFF)
        .take(20)
        .map(|text| format!("{} .", String::from_utf8_lossy(text)))
        .collect();
    let shelved = Shelved::new(&texts);
    for (at, text) in texts.iter().enumerate() {
        let characters: Vec<char> = text.chars().filter(|c| *c != '"').collect();
        for step in 1..4_usize {
            let from = (at * 7 + step * usize::from(*first)) % characters.len();
            let to = characters.len().min(from + step * 3);
            let part: String = characters[from..to].iter().collect();
            let _found = shelved.compare(&format!("\"{part}\" {part}"), rules(first >> step));
        }
    }
}
