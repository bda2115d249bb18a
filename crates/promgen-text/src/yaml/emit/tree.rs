//! Layout: where keys, dashes and values go. Two columns a level; a list that is the value of a simple key is no deeper
//! than the key.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::yaml::emit::scalar::{self, ScalarPosition};
use crate::yaml::emit::{Dialect, number, order, sigs};
use crate::yaml::{Map, MapEntry, Value};

/// Columns a level.
pub(super) const STEP: usize = 2;

const BLANKS: &str = "                                                                ";

/// Appends blanks.
pub(super) fn pad(out: &mut String, mut columns: usize) {
    while columns > BLANKS.len() {
        out.push_str(BLANKS);
        columns -= BLANKS.len();
    }
    out.push_str(&BLANKS[..columns]);
}

/// A writer of values. Its methods end each line that they begin.
pub(super) struct TreeWriter<'o> {
    pub(super) out: &'o mut String,
    pub(super) dialect: Dialect,
    /// Where the texts of maps stand that others may share, by the place of their entries in memory and their column. None: whoever
    /// asks for the text does not keep the maps as long as the writer lives.
    pub(super) copies: Option<BTreeMap<(usize, usize), Range<usize>>>,
}

impl<'o> TreeWriter<'o> {
    /// A writer that appends to a text.
    pub(super) const fn new(out: &'o mut String, dialect: Dialect) -> Self {
        Self {
            out,
            dialect,
            copies: None,
        }
    }

    /// A value on lines of its own.
    pub(super) fn block(&mut self, value: &Value, indent: usize) {
        pad(self.out, indent);
        match value {
            Value::Map(map) if !map.is_empty() => self.entries(map, indent),
            Value::Seq(items) if !items.is_empty() => self.items(items, indent),
            _ => self.line(value, self.out.len() - indent, indent),
        }
    }

    /// An entry on lines of its own.
    pub(super) fn lone_entry(&mut self, key: &str, value: &Value, indent: usize) {
        pad(self.out, indent);
        self.entry(key, value, indent);
    }

    /// An entry with text on lines of its own.
    pub(super) fn lone_text(&mut self, key: &str, text: &str, indent: usize) {
        pad(self.out, indent);
        let line = self.out.len() - indent;
        if self.key(key, indent) {
            self.out.push(' ');
            self.text(text, line, indent);
        } else {
            self.out.push(' ');
            self.text(text, self.out.len() - indent - STEP, indent);
        }
    }

    /// An item on lines of its own.
    pub(super) fn lone_item(&mut self, item: &Value, indent: usize) {
        pad(self.out, indent);
        self.item(item, indent);
    }

    /// An item that is a map, on lines of its own.
    pub(super) fn lone_map_item(&mut self, item: &Map, indent: usize) {
        pad(self.out, indent);
        self.out.push_str("- ");
        if item.is_empty() {
            self.out.push_str("{}\n");
        } else {
            self.entries(item, indent + STEP);
        }
    }

    /// The entries of a map that is not empty. The caller has moved to column `indent`.
    fn entries(&mut self, map: &Map, indent: usize) {
        let (Some(copies), Some(shared)) = (&mut self.copies, map.shared_at()) else {
            return self.own_entries(map, indent);
        };
        let at = (shared, indent);
        if let Some(text) = copies.get(&at).cloned() {
            return self.out.extend_from_within(text);
        }
        let start = self.out.len();
        self.own_entries(map, indent);
        let text = start..self.out.len();
        self.copies.get_or_insert_default().insert(at, text);
    }

    fn own_entries(&mut self, map: &Map, indent: usize) {
        match self.dialect {
            Dialect::YamlV2 => self.each_entry(map.iter(), indent),
            Dialect::Sigs | Dialect::Manifest => {
                self.each_entry(order::sorted(map).into_iter(), indent)
            }
        }
    }

    fn each_entry<'m>(&mut self, entries: impl Iterator<Item = &'m MapEntry>, indent: usize) {
        for (index, (key, value)) in entries.enumerate() {
            if index > 0 {
                pad(self.out, indent);
            }
            self.entry(key, value, indent);
        }
    }

    fn entry(&mut self, key: &str, value: &Value, indent: usize) {
        let line = self.out.len() - indent;
        if !self.key(key, indent) {
            return self.inline(value, indent);
        }
        match value {
            Value::Map(map) if !map.is_empty() => {
                self.out.push('\n');
                pad(self.out, indent + STEP);
                self.entries(map, indent + STEP);
            }
            Value::Seq(items) if !items.is_empty() => {
                self.out.push('\n');
                pad(self.out, indent);
                self.items(items, indent);
            }
            _ => {
                self.out.push(' ');
                self.line(value, line, indent);
            }
        }
    }

    /// A key and its colon. `false` if the key took lines of its own, `? key`, so that the value is to follow the colon
    /// in any case.
    fn key(&mut self, key: &str, indent: usize) -> bool {
        let replaced = self.replaced(key);
        let key = replaced.as_deref().unwrap_or(key);
        let line = self.out.len() - indent;
        let simple = scalar::key(self.out, key);
        if simple {
            self.out.push(':');
        } else {
            self.out.push_str("? ");
            scalar::value(
                self.out,
                key,
                ScalarPosition {
                    line,
                    indent: indent + STEP,
                },
            );
            pad(self.out, indent);
            self.out.push(':');
        }
        simple
    }

    /// The items of a list that is not empty. The caller has moved to column `indent`.
    fn items(&mut self, items: &[Value], indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                pad(self.out, indent);
            }
            self.item(item, indent);
        }
    }

    fn item(&mut self, item: &Value, indent: usize) {
        self.out.push('-');
        self.inline(item, indent);
    }

    /// A value on the line of the dash or colon that stands at column `indent` and has just been written.
    fn inline(&mut self, value: &Value, indent: usize) {
        self.out.push(' ');
        match value {
            Value::Map(map) if !map.is_empty() => self.entries(map, indent + STEP),
            Value::Seq(items) if !items.is_empty() => self.items(items, indent + STEP),
            // The line of a scalar begins where its parent stands, less the dash and the blank that are written.
            _ => self.line(value, self.out.len() - indent - STEP, indent),
        }
    }

    /// The rest of a line that began at byte `line`, and what a scalar needs more. `indent` is that of its parent.
    fn line(&mut self, value: &Value, line: usize, indent: usize) {
        match value {
            Value::Null => self.out.push_str("null\n"),
            Value::Bool(true) => self.out.push_str("true\n"),
            Value::Bool(false) => self.out.push_str("false\n"),
            Value::Int(int) => number::line(self.out, *int),
            Value::Uint(int) => number::line(self.out, *int),
            Value::Float(float) => match self.dialect {
                Dialect::YamlV2 | Dialect::Manifest => {
                    number::line(self.out, number::GoFloat(*float))
                }
                Dialect::Sigs => number::line(self.out, number::ThroughJson(*float)),
            },
            Value::Str(text) | Value::StandIn(text) => self.text(text, line, indent),
            Value::Binary(base64) => self.binary(base64, line, indent),
            Value::Seq(_) => self.out.push_str("[]\n"),
            Value::Map(_) => self.out.push_str("{}\n"),
        }
    }

    fn text(&mut self, text: &str, line: usize, indent: usize) {
        let replaced = self.replaced(text);
        scalar::value(
            self.out,
            replaced.as_deref().unwrap_or(text),
            ScalarPosition {
                line,
                indent: indent + STEP,
            },
        );
    }

    /// Bytes that are no text. Through JSON they become text, with a mark for each byte that is none.
    fn binary(&mut self, base64: &str, line: usize, indent: usize) {
        use base64::Engine as _;
        const LINE: usize = 70;
        if self.dialect != Dialect::YamlV2 {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(base64)
                .unwrap_or_default();
            return self.text(&String::from_utf8_lossy(&bytes), line, indent);
        }
        self.out.push_str("!!binary ");
        if base64.len() < LINE {
            self.out.push_str(base64);
            self.out.push('\n');
            return;
        }
        self.out.push_str("|\n");
        let (mut start, step) = (0, indent + STEP);
        while start < base64.len() {
            let end = base64.len().min(start + LINE);
            pad(self.out, step);
            self.out
                .push_str(base64.get(start..end).unwrap_or_default());
            self.out.push('\n');
            start = end;
        }
    }

    /// The text that Go writes instead, if it is something else.
    fn replaced(&self, text: &str) -> Option<String> {
        match self.dialect {
            Dialect::YamlV2 => None,
            Dialect::Sigs | Dialect::Manifest => sigs::replaced(text),
        }
    }
}
