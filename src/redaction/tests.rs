//! Tests of the whole engine.

mod harmless;
mod places;
mod planted;
mod properties;
mod rules;
mod seeds;
mod settings;
mod structure;
mod version;

use super::{Engine, Settings};

/// An engine with the families that are off by default, too.
fn every_family() -> Engine {
    let settings = Settings {
        personal: true,
        ..Settings::default()
    };
    Engine::with(&settings).expect("the rules that are compiled in")
}
