//! Every connector, from its fixtures.

use std::any::Any;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jezero::redaction::Engine;
use jezero::store::Store;
use jezero::summarizer::extractive::Extractive;
use jezero_connectors::connector::Surroundings;
use serde_json::Value;

use super::served::{self, Served};
use super::tree::{Position, plant, positions, size};
use super::{all_that_is_stored, marker, shows};
use crate::support::reading;

/// How a connector is pointed at a tree of files.
struct Prepared {
    options: toml::Table,
    surroundings: Surroundings,
    /// What must live while it reads, such as a server over the files.
    _alive: Option<Box<dyn Any>>,
}

/// A kind of connector and how to feed it: one line for each of `ALL`.
struct Fed {
    kind: &'static str,
    prepare: fn(&Path) -> Prepared,
}

const FED: &[Fed] = &[
    Fed {
        kind: "claude_code",
        prepare: |tree| folder("projects_dir", tree),
    },
    Fed {
        kind: "email",
        prepare: mail,
    },
    Fed {
        kind: "paperclip",
        prepare: server,
    },
];

/// Bytes of a tree that is large: what it has that others have is planted there.
const LARGE: u64 = 100_000;
/// Trees of a kind whose names are planted in.
const NAMED: usize = 5;

/// A connector that reads a folder, told by one option.
fn folder(option: &str, tree: &Path) -> Prepared {
    let path = tree.to_str().unwrap();
    let options = format!("{option} = {path:?}\nsettle_minutes = 0\nmin_chars = 0\n");
    Prepared {
        options: options.parse().unwrap(),
        surroundings: Surroundings::default(),
        _alive: None,
    }
}

/// Mail, in the store that a tree looks like, with or without a marker in its names.
fn mail(tree: &Path) -> Prepared {
    let names = fs::read_dir(tree).unwrap();
    let names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let mut prepared = folder(
        match () {
            () if names.iter().any(|name| name.starts_with("cur")) => "maildir",
            () if names.iter().any(|name| name.ends_with(".eml")) => "eml_dir",
            () => "mbox",
        },
        tree,
    );
    let own = toml::Value::from(vec!["ana@example.org"]);
    prepared.options.insert("own_addresses".into(), own);
    prepared
}

/// A task server with the answers of a tree. One that does not list companies is told them.
fn server(tree: &Path) -> Prepared {
    let answers = served::answers(tree);
    let listed = answers.get("/api/companies").is_some_and(Value::is_array);
    let companies: BTreeSet<&str> = answers
        .keys()
        .filter_map(|path| path.strip_prefix("/api/companies/")?.split('/').next())
        .filter(|_| !listed)
        .collect();
    let mut options: toml::Table = "settle_minutes = 0\nmin_chars = 0".parse().unwrap();
    let companies: Vec<&str> = companies.into_iter().collect();
    options.insert("company_ids".into(), companies.into());
    let server = Served::new(answers);
    options.insert(
        "api_url".into(),
        format!("http://{}/api", server.address).into(),
    );
    Prepared {
        options,
        surroundings: Surroundings::default(),
        _alive: Some(Box::new(server)),
    }
}

#[test]
fn every_kind_of_connector_takes_part() {
    let fed: Vec<&str> = FED.iter().map(|fed| fed.kind).collect();
    let all = jezero_connectors::ALL.iter().map(|kind| kind.name());
    assert_eq!(
        fed,
        all.collect::<Vec<_>>(),
        "a new connector needs a line in FED"
    );
}

/// The trees of a connector's fixtures, large ones last.
fn trees(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(kind);
    let mut trees: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|case| case.unwrap().path())
        .map(|case| match case.join("projects") {
            tree if tree.is_dir() => tree,
            _ => case,
        })
        .collect();
    trees.sort_by_cached_key(|tree| (size(tree) > LARGE, tree.clone()));
    trees
}

/// Reads a tree into the library as a source; gives what the run says of itself, or why it ended,
/// and how many units came in.
fn read(
    store: &mut Store,
    engine: &Engine,
    fed: &Fed,
    tree: &Path,
    source: usize,
) -> (String, u64) {
    let prepared = (fed.prepare)(tree);
    let kind = jezero_connectors::kind(fed.kind).unwrap();
    let connector = kind
        .build(&prepared.options, &prepared.surroundings)
        .unwrap();
    let name = format!("s{source}");
    let summarizer = Arc::new(Extractive);
    let now = "2030-01-01T00:00:00Z";
    match reading::read(store, engine, summarizer, now, (&name, connector)) {
        Ok(report) => (serde_json::to_string(&report).unwrap(), report.units),
        Err(error) => (format!("{error} {error:?}"), 0),
    }
}

#[test]
fn a_secret_in_any_position_of_a_source_goes_out_nowhere() {
    let engine = Engine::embedded();
    let place = tempfile::tempdir().unwrap();
    let database = place.path().join("data/jezero.db");
    let mut store = Store::open(&database).unwrap();
    let mut planted: Vec<(String, String)> = Vec::new();
    let mut leaks = Vec::new();
    for fed in FED {
        let mut known: BTreeSet<Position> = BTreeSet::new();
        let (first, mut read_well) = (planted.len(), 0);
        for (number, tree) in trees(fed.kind).into_iter().enumerate() {
            let at_hand = positions(&tree);
            // What a position in a text means is the same in all trees, a name's place is not.
            let names = |position: &&Position| !position.is_in_text() && number < NAMED;
            let new: Vec<Position> = at_hand
                .iter()
                .filter(|position| known.insert(position.meaning()) || names(position))
                .cloned()
                .collect();
            for position in new {
                let secret = marker(planted.len());
                let copy = place.path().join("copy");
                plant(&tree, &copy, &position, &secret);
                let (report, units) = read(&mut store, &engine, fed, &copy, planted.len());
                read_well += usize::from(units > 0);
                let what = format!("{} {position:?} of {}", fed.kind, tree.display());
                if shows(report.as_bytes(), &secret) {
                    leaks.push(format!("{what}: in the report {report}"));
                }
                planted.push((what, secret));
                fs::remove_dir_all(copy).unwrap();
            }
        }
        assert!(known.len() > 10, "{}: {} positions", fed.kind, known.len());
        // A marker may spoil a date, a version or the name of a folder, but not much more.
        let all = planted.len() - first;
        assert!(
            read_well > all * 4 / 5,
            "{}: {read_well} of {all}",
            fed.kind
        );
    }
    store.finish().unwrap();
    let stored = all_that_is_stored(&database);
    for (what, secret) in &planted {
        if shows(&stored, secret) {
            leaks.push(format!("{what}: in the library"));
        }
    }
    assert!(leaks.is_empty(), "{}\n{}", leaks.len(), leaks.join("\n"));
    // The test must not pass because nothing came in.
    let hidden = memchr::memmem::find_iter(&stored, b"[REDACTED:github").count();
    assert!(hidden > planted.len() / 3, "{hidden} of {}", planted.len());
}

#[test]
fn the_program_says_nothing_of_a_secret_in_a_name_or_a_text() {
    for fed in FED {
        let tree = trees(fed.kind).remove(0);
        let mut known = BTreeSet::new();
        let texts = positions(&tree).into_iter();
        let texts = texts
            .filter(|at| !matches!(at, Position::Json(path) if path.ends_with('+')))
            .filter(|at| known.insert(at.meaning()));
        for (number, position) in texts.enumerate().filter(|(number, _)| number % 8 == 0) {
            let place = crate::cli::place::Place::new();
            let secret = marker(30_000 + number);
            plant(&tree, &place.path("copy"), &position, &secret);
            let prepared = (fed.prepare)(&place.path("copy"));
            let options = &prepared.options;
            let kind = fed.kind;
            place.write(
                "jezero.toml",
                format!(
                    "[[connectors]]\nname = \"it\"\ntype = \"{kind}\"\n[connectors.options]\n{options}"
                ),
            );
            for arguments in [
                &["run"][..],
                &["run", "--dry-run", "--sample", "3", "--json"],
                &["timeline", "--json"],
                &["search", "the", "--json"],
                &["sources"],
                &["stats"],
                &["export-jsonl", "-"],
                &["redact-stored", "--json"],
            ] {
                let mut command = place.command(arguments);
                let ran = command.env("RUST_LOG", "trace").output().unwrap();
                for said in [&ran.stdout, &ran.stderr] {
                    let text = String::from_utf8_lossy(said);
                    assert!(!shows(said, &secret), "{position:?} {arguments:?}: {text}");
                }
            }
        }
    }
}
