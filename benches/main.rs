//! Benchmarks: `cargo bench -p promgen-benches`, or `cargo bench -p promgen-benches -- emit` for a part.

mod compile;
mod emit;
mod lint;
mod relabel;
mod yaml;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}
