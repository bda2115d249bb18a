//! Cuts the facts of releases out of the table: the types below them, which are most of it, are for tests and for `cargo xtask facts`.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "reads a file of the crate where it is compiled"
)]

use std::path::Path;

const TABLE: &str = "facts/operator.txt";

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    let table = std::fs::read_to_string(TABLE).unwrap();
    let (releases, _) = table.split_once("\nkind ").unwrap();
    let folder = std::env::var_os("OUT_DIR").unwrap();
    std::fs::write(Path::new(&folder).join("releases.txt"), releases).unwrap();
}
