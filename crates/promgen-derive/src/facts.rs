//! The table of facts of the crate that is compiled: what it says of a field of the operator's types.

use std::path::Path;
use std::sync::OnceLock;

use promgen_facts::FactTable;
use promgen_facts::types::FactField;

/// A field of a type, or of one whose fields that has.
#[expect(
    clippy::disallowed_methods,
    reason = "the compiler reads it, not the program"
)]
pub(crate) fn field(of: &str, name: &str) -> Option<&'static FactField<'static>> {
    static TABLE: OnceLock<FactTable<'static>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let text = std::fs::read_to_string(Path::new(&folder).join("facts/operator.txt"));
        let text = text.expect("a crate with types of the operator's has their table");
        FactTable::read(text.leak()).expect("the table is one")
    });
    table.types.field(of, name)
}
