//! Lists and maps in one line, as Go writes them.
//!
//! In: values. Out: `[a, 'b:c']` and `{a: b}`, broken after column 80 as in Go. Go's types request flow style for some
//! lists of time intervals, and for the location of an interval, which is text: there the request stays pending until
//! the next item of the surrounding list consumes it.

use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// The column after which a line is broken before the next item.
const WIDTH: usize = 80;

/// A text in which lines are at the end of being written.
pub(super) struct Flow<'o> {
    out: &'o mut String,
}

impl<'o> Flow<'o> {
    /// Goes on with the last line of a text.
    pub(super) const fn new(out: &'o mut String) -> Self {
        Self { out }
    }

    /// Appends a value. `indent` is the indentation of its parent.
    pub(super) fn value(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Seq(items) => self.list(items, indent + 2),
            Value::Map(map) => self.map(map, indent + 2),
            _ => {
                self.out.push_str(&scalar(value));
            }
        }
    }

    fn list(&mut self, items: &[Value], indent: usize) {
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            self.separate(index, indent);
            self.value(item, indent);
        }
        self.out.push(']');
    }

    fn map(&mut self, map: &Map, indent: usize) {
        self.out.push('{');
        for (index, (key, value)) in map.iter().enumerate() {
            self.separate(index, indent);
            self.out.push_str(&scalar(&Value::from(key.to_string())));
            self.out.push_str(": ");
            self.value(value, indent);
        }
        self.out.push('}');
    }

    fn separate(&mut self, index: usize, indent: usize) {
        if index > 0 {
            self.out.push(',');
        }
        let line = self.out.rfind('\n').map_or(0, |end| end + 1);
        // go-yaml counts the column in characters, and looks at it before an item, never within one.
        if self.out[line..].chars().count() > WIDTH {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', indent));
        } else if index > 0 {
            self.out.push(' ');
        }
    }
}

/// A scalar inside a line, where more characters need quotes.
fn scalar(value: &Value) -> String {
    let plain = emit::to_string(value, Dialect::YamlV2)
        .trim_end()
        .to_owned();
    // Characters that are plain in a block end a scalar in a line.
    if !plain.starts_with(['"', '\'']) && plain.contains([',', '?', '[', ']', '{', '}', ':']) {
        format!("'{}'", plain.replace('\'', "''"))
    } else {
        plain
    }
}
