//! The faults of a text in the words of Go's YAML library, by a table of situations.
//!
//! In: a fault as we word it, with its place. Out: go-yaml's text and line, for the situations of the table.

use crate::diag::{Diagnostic, Place};

/// Which line go-yaml names.
#[derive(Clone, Copy)]
enum GoLine {
    /// The line of the place, from the second line on.
    Own,
    /// The line before the place: the parser counts from zero.
    Before,
    /// The one after the place.
    After,
    /// The last one.
    End,
    None,
}

/// A part of our message, go-yaml's text, and the line that it names.
static SITUATIONS: &[(&str, &str, GoLine)] = &[
    (
        "unexpected `:`",
        "mapping values are not allowed in this context",
        GoLine::Own,
    ),
    (
        "a key starts on an earlier line",
        "mapping values are not allowed in this context",
        GoLine::Own,
    ),
    (
        "unexpected key in a value of several lines",
        "mapping values are not allowed in this context",
        GoLine::Own,
    ),
    (
        "this quote is never closed",
        "found unexpected end of stream",
        GoLine::End,
    ),
    (
        "tab in indentation",
        "found character that cannot start any token",
        GoLine::Own,
    ),
    (
        "no value starts with",
        "found character that cannot start any token",
        GoLine::Own,
    ),
    (
        "unknown escape",
        "found unknown escape character",
        GoLine::Own,
    ),
    (
        "is not a character",
        "found invalid Unicode character escape code",
        GoLine::Own,
    ),
    (
        "hexadecimal digits",
        "did not find expected hexdecimal number",
        GoLine::Own,
    ),
    (
        "control character",
        "control characters are not allowed",
        GoLine::None,
    ),
    (
        "a list cannot start here",
        "block sequence entries are not allowed in this context",
        GoLine::Own,
    ),
    (
        "a key cannot start here",
        "mapping keys are not allowed in this context",
        GoLine::Own,
    ),
    (
        "this line is not a `key: value`",
        "could not find expected ':'",
        GoLine::After,
    ),
    (
        "the indentation of this line matches no previous line",
        "did not find expected key",
        GoLine::Before,
    ),
    ("text follows", "did not find expected key", GoLine::Before),
    (
        "unexpected list entry among the keys",
        "did not find expected key",
        GoLine::Before,
    ),
    (
        "expected a key",
        "did not find expected key",
        GoLine::Before,
    ),
    (
        "expected `- `",
        "did not find expected '-' indicator",
        GoLine::Before,
    ),
    (
        "`[` is never closed",
        "did not find expected ',' or ']'",
        GoLine::Before,
    ),
    (
        "`{` is never closed",
        "did not find expected ',' or '}'",
        GoLine::Before,
    ),
    (
        "`,` or `]` is missing here",
        "did not find expected ',' or ']'",
        GoLine::Before,
    ),
    (
        "`,` or `}` is missing here",
        "did not find expected ',' or '}'",
        GoLine::Before,
    ),
    (
        "no value may follow",
        "did not find expected node content",
        GoLine::Before,
    ),
    (
        "a value is missing before this `,`",
        "did not find expected node content",
        GoLine::Before,
    ),
    (
        "closing bracket without",
        "did not find expected node content",
        GoLine::Before,
    ),
];

/// A fault as go-yaml words it, without its `yaml: `. `None` for a situation that the table does not have.
#[must_use]
pub fn words(fault: &Diagnostic, text: &str) -> Option<String> {
    let (_, words, line) = SITUATIONS
        .iter()
        .find(|(part, ..)| fault.message.contains(part))?;
    let Some(Place::Span(span)) = &fault.place else {
        return None;
    };
    // From zero.
    let lines = |end: usize| {
        memchr::memchr_iter(b'\n', text.as_bytes().get(..end).unwrap_or_default()).count()
    };
    let own = lines(span.start as usize);
    let named = match line {
        GoLine::Own if own > 0 => Some(own + 1),
        GoLine::Before if own > 0 => Some(own),
        GoLine::After => Some(own + 2),
        GoLine::End => Some(lines(text.len()))
            .filter(|last| *last > 0)
            .map(|last| last + 1),
        _ => None,
    };
    // The scanner names where it began, if that is not the first line, and it ends on the first.
    Some(named.map_or_else(
        || (*words).to_owned(),
        |line| format!("line {line}: {words}"),
    ))
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
