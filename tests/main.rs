//! The one integration binary: a module a subject.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    reason = "tests stop at the first thing that is not as expected"
)]

mod architecture;
mod pipeline;
