//! Every rule's samples in a long ordinary text, by the way that a unit takes.

use super::every_family;
use crate::redaction::{Counts, Seen};

/// Two lines of what transcripts hold, without a secret.
fn ordinary(line: usize) -> String {
    format!(
        "{line}: the agent read src/part_{line}.rs, ran the tests (128 passed) and wrote:\n\
         {{\"type\":\"text\",\"text\":\"let token: Token = next(key, {line});\\nOk(())\"}}\n"
    )
}

#[test]
fn every_sample_in_a_long_text_is_gone_and_the_text_around_it_stays() {
    let engine = every_family();
    let rules = engine.ready().unwrap().scanner.rules();
    let most = rules.iter().map(|rule| rule.raw.matches.len()).max();
    for turn in 0..most.unwrap_or(0) {
        let (mut planted, mut expected) = (String::new(), String::new());
        for (at, rule) in rules.iter().enumerate() {
            let around: String = (0..4).map(|line| ordinary(at * 4 + line)).collect();
            planted.push_str(&around);
            expected.push_str(&around);
            if let Some(sample) = rule.raw.matches.get(turn) {
                let sample = format!("{}\n", sample.text());
                let mut counts = Counts::default();
                expected.push_str(engine.redact_counting(&sample, &mut counts).as_str());
                assert!(counts.0.contains_key(&rule.raw.id), "{sample}");
                planted.push_str(&sample);
            }
        }
        assert!(planted.len() > 100_000);
        let hidden = engine.redact_seen(&planted, &mut Seen::new(), &mut Counts::default());
        let wrong: Vec<String> = hidden
            .as_str()
            .lines()
            .zip(expected.lines())
            .filter(|(line, expected)| line != expected)
            .map(|(line, expected)| format!("{expected}\n  became {line}"))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(hidden.as_str().len(), expected.len());
    }
}
