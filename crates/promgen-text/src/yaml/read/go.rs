//! The faults of a text in the words of Go's YAML library, by a table of situations.
//!
//! In: a fault as we word it, with its place. Out: go-yaml's text and line, for the situations of the table.

use crate::diag::{Diagnostic, Place};

/// The situations. It explains itself.
static SITUATIONS: &str = include_str!("go.txt");

/// A fault as go-yaml words it, without its `yaml: `. `None` for a situation that the table does not have.
#[must_use]
pub fn words(fault: &Diagnostic, text: &str) -> Option<String> {
    let row = |row: &'static str| {
        let mut cells = row.split(" | ");
        Some((cells.next()?, cells.next()?, cells.next()?))
    };
    let (line, _, words) = SITUATIONS
        .lines()
        .filter_map(row)
        .find(|(_, part, _)| fault.message.contains(part))?;
    let Some(Place::Span(span)) = &fault.place else {
        return None;
    };
    // From zero.
    let lines = |end: usize| {
        memchr::memchr_iter(b'\n', text.as_bytes().get(..end).unwrap_or_default()).count()
    };
    let own = lines(span.start as usize);
    let named = match line {
        "own" if own > 0 => Some(own + 1),
        "before" if own > 0 => Some(own),
        "after" => Some(own + 2),
        "end" => Some(lines(text.len()))
            .filter(|last| *last > 0)
            .map(|last| last + 1),
        _ => None,
    };
    // The scanner names where it began, if that is not the first line, and it ends on the first.
    Some(named.map_or_else(|| words.to_owned(), |line| format!("line {line}: {words}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read::read_slices;

    #[test]
    fn situations_are_told_in_gos_words() {
        for (text, expected) in [
            (
                "a: b: c\n",
                "mapping values are not allowed in this context",
            ),
            ("\"\n", "line 2: found unexpected end of stream"),
            ("\"", "found unexpected end of stream"),
            ("a: 'b\nc: d\n", "line 3: found unexpected end of stream"),
            (
                "a:\n\tb: 1\n",
                "line 2: found character that cannot start any token",
            ),
            ("a: @b\n", "found character that cannot start any token"),
            ("a: \"\\q\"\n", "found unknown escape character"),
            (
                "a: - b\n",
                "block sequence entries are not allowed in this context",
            ),
            ("a:\n  b: 1\n c: 2\n", "line 2: did not find expected key"),
            ("a: 'x' y\n", "did not find expected key"),
        ] {
            let fault = read_slices(text).unwrap_err();
            assert_eq!(
                words(&fault, text).as_deref(),
                Some(expected),
                "{text:?}: {}",
                fault.message
            );
        }
    }
}
