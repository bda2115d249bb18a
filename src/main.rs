//! The `promgen` binary.
fn main() {}
