//! Newer redaction rules: what is stored follows, and nothing is paid for again.

use rusqlite::Connection;

use super::script::{Place, Script};

#[test]
fn newer_rules_change_stored_text_without_a_new_summary() {
    let place = Place::new(1000);
    let secret = format!("sk-ant-{}-{}AA", "api03", "Zx9".repeat(31));
    let text = format!("the key is {secret} today");
    let script = Script {
        title: Some("About the key"),
        ..Script::new("u", &[("1", &text), ("2", "more")])
    };
    place.run(std::slice::from_ref(&script));
    let hidden = place.items()[0].3.clone();
    assert!(!hidden.contains(&secret));

    // As an older version would have left it: the secret in clear, under older rules.
    #[expect(clippy::disallowed_methods, reason = "the test plays an older program")]
    let connection = Connection::open(&place.path).unwrap();
    let clear = format!("{text}\nmore");
    let frame = zstd::bulk::compress(clear.as_bytes(), 3).unwrap();
    connection
        .execute("UPDATE originals SET zstd = ?1", [frame])
        .unwrap();
    let older =
        "UPDATE items SET rules_version = 0, content_hash = 'older', summary = ?1, title = ?1";
    connection.execute(older, [&text]).unwrap();
    connection.execute("DELETE FROM marks", []).unwrap();

    let report = place.run(&[script]);
    assert_eq!(
        (report.redacted_again, report.stored, place.calls()),
        (1, 0, 1)
    );
    assert_eq!(place.items()[0].3, hidden);
    let summary: String = connection
        .query_row("SELECT summary FROM items", [], |row| row.get(0))
        .unwrap();
    assert!(summary.starts_with("the key is [REDACTED:"), "{summary}");
}
