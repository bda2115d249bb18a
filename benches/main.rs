//! Benchmarks: `cargo bench --bench main`, or `cargo bench --bench main -- emit` for a part.

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
