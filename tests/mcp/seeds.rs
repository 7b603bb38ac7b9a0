//! What the fuzz targets check, over their seeds.

use std::path::Path;

#[path = "../../fuzz/served.rs"]
mod served;

fn each(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut seeds = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds > 4, "{seeds}");
}

#[test]
fn every_seed_of_a_body_is_answered() {
    each("mcp_body", served::body);
}

#[test]
fn every_seed_of_arguments_is_answered() {
    each("mcp_arguments", served::arguments);
}
