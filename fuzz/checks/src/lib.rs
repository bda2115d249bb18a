//! What the fuzz targets run: one function for each, from bytes to a panic if something is wrong.
//!
//! Every function runs within the [budget](promgen_fuzz_budget) of its input. None reads a file, a clock or the environment, so
//! that an input that fails once fails always.

#![forbid(unsafe_code)]

pub mod agree;
pub mod files;
pub mod mutate;
pub mod relabel;
pub mod texts;
pub mod whole;
mod words;

/// Runs a check within the budget that so many bytes allow.
fn within<T>(input: usize, run: impl FnOnce() -> T) -> T {
    promgen_fuzz_budget::within(input, run).0
}
