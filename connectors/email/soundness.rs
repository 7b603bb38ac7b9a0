//! What must hold for any bytes, over the seeds of the fuzz target and over random damage to them.

use std::fs;

use proptest::prelude::*;

use crate::fixtures;

#[path = "../../fuzz/mail_checks.rs"]
mod checks;

fn seeds() -> Vec<Vec<u8>> {
    let folder = fixtures::folder().join("../fuzz/seeds/email");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn every_seed_of_the_fuzz_target_holds() {
    let seeds = seeds();
    assert!(seeds.len() > 20);
    seeds.iter().for_each(|seed| checks::raw_mail(seed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_mail_is_read_without_failing(
        seed in 0_usize..20,
        damage in prop::collection::vec((any::<u16>(), any::<u8>()), 0..12),
        cut in any::<u16>(),
        twice in any::<bool>(),
    ) {
        let seeds = seeds();
        let mut bytes = seeds[seed % seeds.len()].clone();
        let length = bytes.len();
        for (at, byte) in damage {
            bytes[usize::from(at) % length] = byte;
        }
        if twice {
            let start = usize::from(cut) % length;
            let again = bytes[start..].to_vec();
            bytes.extend(again);
        } else {
            bytes.truncate(usize::from(cut) % length);
        }
        checks::raw_mail(&bytes);
    }
}
