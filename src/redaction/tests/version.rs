//! The number of the rules in force, and ids that are switched off.

use std::fs;

use crate::redaction::{Engine, RuleError, Settings};

const RULE: &str =
    "[[rule]]\nid = \"mine\"\ndescription = \"x\"\nregex = 'ab[0-9]{9}'\nkeywords = ['ab']\n";

fn version(settings: &Settings) -> u32 {
    Engine::with(settings).expect("right settings").version()
}

#[test]
fn the_version_changes_with_all_that_changes_what_is_hidden() {
    let plain = Settings::default();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine.toml"), RULE).expect("a file");
    let own = Settings {
        rules_dir: Some(folder.path().to_owned()),
        ..plain.clone()
    };
    let first = version(&own);
    fs::write(folder.path().join("mine.toml"), RULE.replace("{9}", "{8}")).expect("a file");
    let mut versions = vec![
        version(&plain),
        first,
        version(&own),
        version(&Settings {
            personal: true,
            ..plain.clone()
        }),
        version(&Settings {
            enabled: false,
            ..plain.clone()
        }),
        version(&Settings {
            extra_patterns: vec!["EMP-[0-9]{6}".to_owned()],
            ..plain.clone()
        }),
        version(&Settings {
            disabled_rules: vec!["password".to_owned()],
            ..plain.clone()
        }),
    ];
    assert!(!versions.contains(&0));
    let count = versions.len();
    versions.sort_unstable();
    versions.dedup();
    assert_eq!(versions.len(), count);
}

#[test]
fn the_version_is_the_same_for_the_same_rules() {
    let off = |ids: &[&str]| Settings {
        disabled_rules: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Settings::default()
    };
    assert_eq!(Engine::embedded().version(), version(&off(&[])));
    assert_eq!(
        version(&off(&["password", "cookie"])),
        version(&off(&["cookie", "password", "cookie"]))
    );
}

#[test]
fn an_unknown_id_that_is_switched_off_is_refused_with_the_nearest() {
    for (id, nearest) in [
        ("pasword", "password"),
        ("cookies", "cookie"),
        ("private_key", "private-key"),
        ("email-adress", "email-address"),
        ("anthropic-apikey", "anthropic-api-key"),
    ] {
        let settings = Settings {
            disabled_rules: vec![id.to_owned()],
            ..Settings::default()
        };
        let error = Engine::with(&settings).expect_err("an unknown id");
        assert!(matches!(error, RuleError::Unknown { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!("disabled_rules: nothing has the id {id}; the nearest is {nearest}")
        );
    }
}
