//! The times of the phases of a run, which `--verbose` prints.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the only user of the clock"
)]

use std::time::Instant;

use crate::cli::{Io, Verbosity, progress, report};

/// Does the work of a phase. A verbose run prints how long it takes; `phase` is what it does, such as `compiling`.
pub(super) fn timed<T>(
    phase: &'static str,
    io: &mut Io<'_>,
    work: impl FnOnce(&mut Io<'_>) -> T,
) -> T {
    let before = progress::phase(phase);
    let (result, milliseconds) = measured(|| work(io));
    progress::phase(before);
    if io.terminal.verbosity < Verbosity::Verbose {
        return result;
    }
    report::note(&format!("{phase} took {milliseconds:.1} ms"), io);
    result
}

/// Does work. Returns how many milliseconds it took, too.
pub(super) fn measured<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1000.0)
}
