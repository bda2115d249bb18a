//! Benchmarks: `cargo bench`, or `cargo bench emit` for a part.

mod compile;
mod emit;
mod lint;
mod relabel;

fn main() {
    divan::main();
}
