//! Every rule and name against its own examples.

use crate::redaction::{Counts, Engine};

fn engine() -> Engine {
    Engine::embedded().expect("the rules that are compiled in")
}

#[test]
fn every_expression_compiles() {
    for rule in engine().scanner.rules() {
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
    let engine = engine();
    let mut wrong = Vec::new();
    for rule in engine.scanner.rules() {
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
            if counts.0.get(id).is_none() {
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
    let engine = engine();
    let mut wrong = Vec::new();
    for group in engine.scanner.names().groups() {
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
