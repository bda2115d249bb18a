//! Benchmarks: `cargo bench -p promgen-benches`, or `cargo bench -p promgen-benches -- emit` for a part;
//! `cargo bench -p promgen-benches -- doubling` for how products grow.

mod cel;
mod compile;
mod emit;
mod lint;
mod products;
mod relabel;
mod yaml;

use std::process::ExitCode;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "doubling") {
        return products::doubling();
    }
    divan::main();
    ExitCode::SUCCESS
}
