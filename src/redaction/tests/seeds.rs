//! The seeds of the fuzz target.

use crate::redaction::soundness;

#[test]
fn every_seed_of_the_fuzz_target_holds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/redaction");
    let mut seeds = 0;
    for entry in std::fs::read_dir(folder).expect("the seeds") {
        let path = entry.expect("a seed").path();
        soundness::text(&std::fs::read(path).expect("a seed"));
        seeds += 1;
    }
    assert!(seeds > 4, "{seeds}");
}
