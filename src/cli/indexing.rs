//! Telling how far the index over words is, when a command has to make it first: the first writing
//! after a newer version came, or after the configuration asked for more to be indexed.

use indicatif::ProgressBar;

use super::output::Output;
use crate::store::Indexing;

/// Fewer texts than these are indexed before a person has read that they are.
const WORTH_TELLING: u64 = 500;

/// What is told with `told`: a bar on a terminal, a remark elsewhere.
pub(super) struct Telling<'a> {
    output: &'a mut Output,
    bar: Option<ProgressBar>,
    said: bool,
}

impl<'a> Telling<'a> {
    pub(super) fn new(output: &'a mut Output) -> Self {
        Self {
            output,
            bar: None,
            said: false,
        }
    }

    /// Shows how far it is.
    pub(super) fn told(&mut self, indexing: Indexing) {
        if indexing.of < WORTH_TELLING {
            return;
        }
        if !self.said {
            self.said = true;
            self.output.note(format!(
                "indexing {} texts for searches; if this is stopped, the next command that writes goes \
                 on from there",
                indexing.of
            ));
        }
        if self.output.shows_progress {
            let output = &*self.output;
            let template = "{bar:30} {pos} of {len} texts [{elapsed}, {eta} to go]";
            let bar =
                (self.bar).get_or_insert_with(|| output.progress(template, Some(indexing.of)));
            bar.set_position(indexing.done);
        }
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
