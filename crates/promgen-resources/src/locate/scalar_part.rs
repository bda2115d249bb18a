//! Parts of a text of a document: where they stand in the file, whose text has quotes, escapes and indentation.

use std::ops::Range;

/// The bytes of `raw`, the text of a YAML scalar, that hold these bytes of its value. `None` where the two do not go together.
pub(super) fn part(raw: &str, value: &str, part: &Range<usize>) -> Option<Range<usize>> {
    let mut walk = ScalarWalk::new(raw);
    let (mut start, mut end) = (None, walk.at);
    let mut at = 0;
    for c in value.chars() {
        if at >= part.end && start.is_some() {
            break;
        }
        let found = walk.next(c)?;
        if at >= part.start && start.is_none() {
            start = Some(found.start);
        }
        end = found.end;
        at += c.len_utf8();
    }
    // An empty part at the end of a text is marked at its last character.
    let start = start.unwrap_or_else(|| end.saturating_sub(1));
    (raw.is_char_boundary(start) && start <= end).then_some(start..end)
}

/// The style of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceScalarStyle {
    Plain,
    Single,
    Double,
    /// `|` and `>`.
    Block,
}

/// Goes over the text of a scalar, character by character of its value.
struct ScalarWalk<'r> {
    raw: &'r str,
    at: usize,
    style: SourceScalarStyle,
}

impl<'r> ScalarWalk<'r> {
    fn new(raw: &'r str) -> Self {
        let (style, at) = match raw.bytes().next() {
            Some(b'"') => (SourceScalarStyle::Double, 1),
            Some(b'\'') => (SourceScalarStyle::Single, 1),
            Some(b'|' | b'>') => (
                SourceScalarStyle::Block,
                raw.find('\n').unwrap_or(raw.len()),
            ),
            _ => (SourceScalarStyle::Plain, 0),
        };
        Self { raw, at, style }
    }

    fn rest(&self) -> &'r str {
        &self.raw[self.at..]
    }

    /// The place of the next character of the value.
    fn next(&mut self, c: char) -> Option<Range<usize>> {
        loop {
            let found = self.rest().chars().next()?;
            let start = self.at;
            match (self.style, found) {
                (SourceScalarStyle::Double, '\\') => match escape(self.rest()) {
                    // A line break that is escaped is none.
                    None => self.at += 2,
                    Some(length) => {
                        self.at += length;
                        return self.raw.is_char_boundary(self.at).then_some(start..self.at);
                    }
                },
                (SourceScalarStyle::Single, '\'') => {
                    self.at += 2;
                    return (c == '\'' && self.raw.is_char_boundary(self.at))
                        .then_some(start..self.at);
                }
                // A line break becomes a blank where lines are folded.
                (_, '\n') if c == ' ' || c == '\n' => {
                    self.at += 1;
                    return Some(start..self.at);
                }
                _ if found == c => {
                    self.at += c.len_utf8();
                    return Some(start..self.at);
                }
                (_, ' ' | '\t' | '\n' | '\r') => self.at += 1,
                _ => return None,
            }
        }
    }
}

/// The bytes of an escape. `None` for one that stands for nothing.
fn escape(text: &str) -> Option<usize> {
    match text.as_bytes().get(1) {
        Some(b'x') => Some(4),
        Some(b'u') => Some(6),
        Some(b'U') => Some(10),
        Some(b'\n' | b'\r') => None,
        _ => Some(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_every_style() {
        let value = "sum(\n  raet(x))";
        let at = value.find("raet").unwrap();
        for raw in [
            "|\n      sum(\n        raet(x))\n",
            "\"sum(\\n  raet(x))\"",
            "|-\n  # no comment\n",
            "'sum(\n\n    raet(x))'",
        ] {
            let found = part(raw, value, &(at..at + 4)).map(|part| &raw[part]);
            assert_eq!(found, raw.contains("sum").then_some("raet"), "{raw}");
        }
        assert_eq!(part("'it''s x'", "it's x", &(5..6)), Some(7..8));
        assert_eq!(part(r#""a\u00e9b""#, "aéb", &(3..4)), Some(8..9));
        assert_eq!(part(">\n  a\n  b\n", "a b\n", &(2..3)), Some(8..9));
        assert_eq!(part("a +", "a +", &(3..3)), Some(2..3));
    }

    #[test]
    fn what_does_not_go_together_has_no_part() {
        assert_eq!(part("<redacted>", "secret", &(1..2)), None);
        assert_eq!(part("", "a", &(0..1)), None);
        assert_eq!(part("\"\\u00", "é", &(0..2)), None);
        assert_eq!(part("'", "'", &(0..1)), None);
    }
}
