//! Escapes text of the input for output formats.
//!
//! In: names, messages, addresses: anything that a manifest or a file name may hold. Out: the same in a form in which it
//! cannot move a cursor, begin a line, end its cell, or speak to the program that reads the output. One function for each
//! medium, which all writers use; XML has [`xml`](crate::diag::format::xml), workflow commands and Markdown have theirs beside what
//! writes them, and JSON is escaped by what serializes it.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::go::quote::quote;

/// The prefix that the runner of GitHub Actions treats as a command anywhere in a line.
pub(crate) const RUNNER_MARK: &str = "##[";

/// The replacement for a character that controls a terminal or changes the order of text. `None` for all others.
#[must_use]
pub fn replacement(c: char) -> Option<char> {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(u32::from(c) + 0x2400),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    }
}

/// Text for a terminal or a log, on one line. Line breaks and tabs become blanks. A text that would begin a workflow command
/// is quoted.
#[must_use]
pub fn line(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            c => replacement(c).unwrap_or(c),
        })
        .collect();
    let shown = shown.replace(RUNNER_MARK, "## [");
    if shown.trim_start().starts_with("::") { quote(&shown) } else { shown }
}

/// Text for a terminal or a log that keeps its line breaks. None of its lines begins a workflow command.
#[must_use]
pub fn lines(text: &str) -> String {
    // The blanks in front are part of the layout.
    let indented = |text: &str| {
        let body = text.trim_start_matches(' ');
        [&text[..text.len() - body.len()], &line(body)].concat()
    };
    text.split('\n').map(indented).collect::<Vec<_>>().join("\n")
}

/// A cell of comma-separated values. What a spreadsheet would take for a formula becomes text.
#[must_use]
pub fn csv(cell: &str) -> String {
    let cell = line(cell);
    let is_formula = cell.trim_start().starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell };
    if cell.contains(['"', ',']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Text within the quotes of a Mermaid diagram. All that could be markup becomes an entity.
#[must_use]
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            c if c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | ':' | '-' | '_' | ',') => out.push(c),
            c => write!(out, "#{};", u32::from(c)).expect("a string takes every character"),
        }
    }
    out
}

/// Text of an HTML page, or within the quotes of an attribute.
#[must_use]
pub fn html(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'' | '/') && replacement(c).is_none();
    if text.chars().all(is_plain) && !text.contains(RUNNER_MARK) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '/' => out.push_str("&#x2f;"),
            '\n' | '\t' => out.push(' '),
            c => out.push(replacement(c).unwrap_or(c)),
        }
    }
    Cow::Owned(out.replace(RUNNER_MARK, "##&#91;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal_or_a_runner() {
        assert_eq!(line("a\nb\tc\r\u{1b}[2J\u{7f}\u{9b}\u{202e}é"), "a b c␍␛[2J␡\u{fffd}\u{fffd}é");
        assert_eq!(line(" \n::stop-commands::x"), "\"  ::stop-commands::x\"");
        assert_eq!(line("a ##[group]b"), "a ## [group]b");
        assert_eq!(lines("a\n  b\n  ::error::c"), "a\n  b\n  \"::error::c\"");
    }

    #[test]
    fn a_cell_is_text() {
        for (cell, expected) in [
            ("a b", "a b"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("=1+1", "'=1+1"),
            ("\t@a", "' @a"),
            ("-1.5", "-1.5"),
            ("a\nb", "a b"),
        ] {
            assert_eq!(csv(cell), expected, "{cell:?}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(mermaid("Prometheus/a/b-0.c"), "Prometheus/a/b-0.c");
        assert_eq!(mermaid("a\"]\n%% `b` <c> #d;"), "a#quot;#93; #37;#37; #96;b#96; #60;c#62; #35;d#59;");
        assert_eq!(html("</script>\u{1b}\n'"), "&lt;&#x2f;script&gt;␛ &#x27;");
        assert!(matches!(html("plain ä"), Cow::Borrowed(_)));
    }
}
