//! Every rule and name against its own examples.

use super::every_family;
use crate::redaction::{Counts, embedded};

#[test]
fn every_expression_compiles() {
    for rule in every_family().ready().unwrap().scanner.rules() {
        assert!(
            rule.compiled().is_ok(),
            "{}: {:?}",
            rule.raw.id,
            rule.compiled()
        );
    }
}

#[test]
fn every_example_of_a_rule_is_hidden_or_left_as_it_says() {
    let engine = every_family();
    let mut wrong = Vec::new();
    for rule in engine.ready().unwrap().scanner.rules() {
        let id = rule.raw.id.as_str();
        assert!(
            rule.raw.matches.len() >= 2,
            "{id} has fewer than two samples"
        );
        assert!(
            rule.raw.no_match.len() >= 2,
            "{id} has fewer than two counter-samples"
        );
        for sample in &rule.raw.matches {
            let mut counts = Counts::default();
            let hidden = engine.redact_counting(&sample.text(), &mut counts);
            if !counts.0.contains_key(id) {
                wrong.push(format!("{id}: {} became {hidden}", sample.text()));
            }
        }
        for sample in &rule.raw.no_match {
            let mut counts = Counts::default();
            let hidden = engine.redact_counting(&sample.text(), &mut counts);
            if counts.0.contains_key(id) {
                wrong.push(format!("{id}: {} became {hidden}", sample.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_example_of_a_name_is_hidden_or_left_as_it_says() {
    let engine = every_family();
    let mut wrong = Vec::new();
    for group in engine.ready().unwrap().scanner.names().groups() {
        for sample in &group.matches {
            let hidden = engine.redact(&sample.text());
            if !hidden.as_str().contains("[REDACTED:") {
                wrong.push(format!("{}: {hidden} stayed", group.id));
            }
        }
        for sample in &group.no_match {
            let hidden = engine.redact(&sample.text());
            if hidden.as_str() != sample.text() {
                wrong.push(format!("{}: {} became {hidden}", group.id, sample.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_file_of_the_folder_is_compiled_in() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/redaction-rules");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of rules")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    found.sort();
    let listed: Vec<&str> = embedded::FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, listed);
}

#[test]
fn ids_are_used_once() {
    let engine = every_family();
    let mut ids: Vec<&str> = engine.rules().iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
