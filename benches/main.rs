//! Benchmarks: `cargo bench`, or `cargo bench emit` for a part.

mod compile;
mod emit;
mod lint;
mod relabel;
mod yaml;

fn main() {
    divan::main();
}
