//! Values to the bytes that Go's YAML libraries write.
//!
//! In: [`Value`] trees. Out: text, appended to a `String`. No library of Rust writes these bytes, so the rules are our
//! own: the layout of maps and lists is in `tree`, the choice of a scalar's style in `scalar`, the styles themselves in
//! `quote`, `fold` and `literal`, what a plain scalar would be read as in `resolve`. Nothing here fails or panics,
//! whatever the text; only [`to_sigs_string`] reports what Go would refuse.
//!
//! A document may be written in pieces: what [`write_entry`] and [`write_item`] append depends on nothing that is in the
//! buffer already, so that parts rendered apart can be joined.

mod fold;
mod json;
mod literal;
mod number;
mod order;
mod quote;
mod report;
mod resolve;
mod scalar;
mod sigs;
#[cfg(test)]
mod tests;
mod timestamp;
mod tree;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::yaml::{Map, Value};

pub use json::to_json;
pub use number::GoFloat;
pub use order::{natural_cmp, sort_natural};
pub use report::to_report;

/// Whose bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `gopkg.in/yaml.v2`: prometheus.yaml, alertmanager.yaml, the web configuration. Maps keep their order.
    YamlV2,
    /// `sigs.k8s.io/yaml`: rule files, statuses, Kubernetes objects. Maps are sorted, and what cannot pass through JSON
    /// is changed as Go does.
    Sigs,
    /// As [`Dialect::Sigs`], but a whole number that is a float is written as one: `1e+06`.
    Manifest,
}

/// Writes a document: block style, no `---`, one final newline.
///
/// What Go would refuse to write in [`Dialect::Sigs`] is written all the same, escaped; see [`to_sigs_string`].
#[must_use]
pub fn to_string(value: &Value, dialect: Dialect) -> String {
    let mut out = String::new();
    write(&mut out, value, dialect, 0);
    out
}

/// A text as one line of YAML, which any reader takes for that text, in a list in brackets, too.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut out = String::new();
    if text.contains([',', '[', ']', '{', '}']) || !scalar::key(&mut out, text) {
        out = to_json(&Value::from(text.to_owned()));
    }
    out
}

/// Writes a document as `sigs.k8s.io/yaml` does.
///
/// # Errors
/// What Go's `Marshal` returns for text that does not survive the way through JSON and back: control characters, and
/// keys that are no simple keys when quoted.
pub fn to_sigs_string(value: &Value) -> Result<String, String> {
    sigs::check(value)?;
    Ok(to_string(value, Dialect::Sigs))
}

/// Writes a map of one list as [`to_sigs_string`] does, and gives the byte at which each item begins.
///
/// # Errors
/// As [`to_sigs_string`].
pub fn to_sigs_list(key: &str, items: Value) -> Result<(String, Vec<usize>), String> {
    let document = Value::from(Map::new().with(key.to_owned(), items));
    let Some(items) = document
        .get(key)
        .and_then(Value::as_seq)
        .filter(|items| !items.is_empty())
    else {
        return to_sigs_string(&document).map(|text| (text, Vec::new()));
    };
    // As a whole, before anything is written: Go marshals to JSON first, so an error leaves no text.
    sigs::check(&document)?;
    let (mut out, mut starts) = (format!("{key}:\n"), Vec::with_capacity(items.len()));
    for item in items {
        starts.push(out.len());
        write_item(&mut out, item, Dialect::Sigs, 0);
    }
    Ok((out, starts))
}

/// Appends a value as it stands at `indent` columns inside a larger document, each line ended: the entries of a map, the
/// items of a list, or a line with a scalar. The buffer must be empty or end in a line break.
pub fn write(out: &mut String, value: &Value, dialect: Dialect, indent: usize) {
    tree::TreeWriter::new(out, dialect).block(value, indent);
}

/// Appends one entry of a map whose keys stand at `indent` columns. The buffer must be empty or end in a line break.
pub fn write_entry(out: &mut String, key: &str, value: &Value, dialect: Dialect, indent: usize) {
    tree::TreeWriter::new(out, dialect).lone_entry(key, value, indent);
}

/// Appends one entry whose value is text that need not be owned: a whole file, written as a literal block where Go does.
pub fn write_text_entry(out: &mut String, key: &str, text: &str, dialect: Dialect, indent: usize) {
    tree::TreeWriter::new(out, dialect).lone_text(key, text, indent);
}

/// Appends one entry whose value is a text in pieces of whole lines, as [`write_text_entry`] does. False, and nothing
/// appended, if that may not be a literal block.
pub fn write_lines_entry<'t>(
    out: &mut String,
    key: &str,
    pieces: impl IntoIterator<Item = Cow<'t, str>>,
    indent: usize,
) -> bool {
    let start = out.len();
    tree::pad(out, indent);
    let mut is_literal = scalar::key(out, key);
    out.push_str(": |\n");
    let head = out.len();
    let mut pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
    let mut is_at_start = true;
    while let Some(piece) = pieces.next().filter(|_| is_literal) {
        let starts_well = !(is_at_start && piece.starts_with([' ', '\n']));
        is_literal = starts_well && piece.ends_with('\n') && literal::is_simple(piece.as_bytes());
        literal::lines(out, &piece, indent + tree::STEP);
        is_at_start = false;
    }
    // Another mark stands before a text that ends otherwise.
    is_literal &= out.len() > head && !out.ends_with("\n\n");
    if !is_literal {
        out.truncate(start);
    }
    is_literal
}

/// Appends one item of a list whose dashes stand at `indent` columns: those of a list below a key of a map are as far in
/// as that key. The buffer must be empty or end in a line break.
pub fn write_item(out: &mut String, item: &Value, dialect: Dialect, indent: usize) {
    tree::TreeWriter::new(out, dialect).lone_item(item, indent);
}

/// Appends items that are maps, as [`write_item`] does, in the order of their keys, and gives the byte at which each begins. A map that
/// several of them share is written once, and copied.
pub fn write_map_items<'m>(
    out: &mut String,
    items: impl IntoIterator<Item = &'m Map>,
    indent: usize,
) -> Vec<usize> {
    let mut writer = tree::TreeWriter::new(out, Dialect::YamlV2);
    writer.copies = Some(BTreeMap::new());
    let item = |item: &Map| {
        let start = writer.out.len();
        writer.lone_map_item(item, indent);
        start
    };
    items.into_iter().map(item).collect()
}
