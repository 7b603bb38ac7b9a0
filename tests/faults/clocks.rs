//! The computer's clock is wrong, or jumps between two runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jezero::pipeline::RunReport;
use jezero::redaction::Engine;
use jezero::store::{Filter, Scope, Store, StoreError, View, Wanted};
use jezero::summarizer::extractive::Extractive;
use jezero_connectors::connector::Surroundings;

use super::ground::{Ground, Servers};
use crate::support::reading;

const RIGHT: &str = "2026-11-30T00:00:00Z";

/// Reads the folders of a place into a library at a time.
fn read(ground: &Ground, library: &Path, now: &str) -> Vec<RunReport> {
    let engine = Engine::embedded();
    let mut store = Store::open(library).unwrap();
    let mut reports = Vec::new();
    for (kind, option, folder) in [
        ("claude_code", "projects_dir", "sessions"),
        ("email", "maildir", "mail-maildir"),
        ("email", "mbox", "mail-mbox"),
        ("email", "eml_dir", "mail-eml"),
    ] {
        let path = ground.place.path(folder);
        let options = format!("{option} = {path:?}\nsettle_minutes = 30\nmin_chars = 0\n");
        let options = options.parse().unwrap();
        let kind = jezero_connectors::kind(kind).unwrap();
        let connector = kind.build(&options, &Surroundings::default());
        let source = (folder, connector.unwrap());
        let report = reading::read(&mut store, &engine, Arc::new(Extractive), now, source);
        reports.push(report.unwrap());
    }
    store.finish().unwrap();
    reports
}

/// When each item happened, by its id.
fn dates(library: &Path) -> BTreeMap<String, String> {
    let mut dates = BTreeMap::new();
    let take = |item: jezero::item::Item| {
        let id = format!("{} {}", item.source, item.external_id);
        dates.insert(id, item.occurred_at.to_string());
        Ok::<_, StoreError>(Wanted::More)
    };
    let view = View::open(library).unwrap();
    view.by_number(&Scope::All, &Filter::default(), take)
        .unwrap();
    assert_eq!(view.check_index().unwrap().faults, 0);
    dates
}

#[test]
fn items_have_the_same_dates_whatever_the_clock_says() {
    let servers = Servers::start();
    let ground = Ground::new(&servers, "");
    ground.grow(Ground::STEPS);
    let right = ground.place.path("right.db");
    read(&ground, &right, RIGHT);
    let expected = dates(&right);
    assert!(expected.len() > 40, "{expected:?}");
    for now in [
        "1970-01-01T00:00:09Z",
        "2011-05-05T05:05:05Z",
        "2099-01-01T00:00:00Z",
    ] {
        let library = ground.place.path(&format!("{}.db", now.replace(':', "")));
        read(&ground, &library, now);
        let mut told = dates(&library);
        told.retain(|id, date| expected.get(id) != Some(date));
        assert_eq!(told, BTreeMap::new(), "{now}");
        let mut missing = expected.clone();
        let there = dates(&library);
        missing.retain(|id, _| !there.contains_key(id));
        assert_eq!(missing, BTreeMap::new(), "{now}");
    }
}

#[test]
fn a_clock_that_jumps_between_runs_has_nothing_read_twice_and_nothing_passed_over() {
    let servers = Servers::start();
    let ground = Ground::new(&servers, "");
    let library = ground.place.path("jumping.db");
    for (step, now) in (0..).zip([
        RIGHT,
        "2099-01-01T00:00:00Z",
        "1970-01-01T00:00:09Z",
        RIGHT,
        "2099-01-01T00:00:00Z",
    ]) {
        ground.grow(step);
        let reports = read(&ground, &library, now);
        if step > 0 {
            let stored: u64 = reports.iter().map(|report| report.stored).sum();
            // Only the session that grew.
            assert!((1..=2).contains(&stored), "{now}: {reports:?}");
        }
    }
    let clean = ground.place.path("clean.db");
    read(&ground, &clean, RIGHT);
    assert_eq!(dates(&library), dates(&clean));
}
