//! Benchmarks: `cargo bench`, or `cargo bench emit` for a part.

mod compile;
mod emit;

fn main() {
    divan::main();
}
