//! Text in XML: what has a meaning there is escaped, what XML 1.0 does not allow is replaced.
//!
//! For every format of ours that is XML. Knows no element.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::diag::escape::{BROKEN_MARKUP, has_mark, replacement, steers, without_marks};

/// Text between tags.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t' | '"' | '\''))
}

/// The value of an attribute, without its quotes. Line breaks and tabs are kept as references: as they are, a parser
/// would make blanks of them.
#[must_use]
pub fn attribute(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A text in which nothing has a meaning but the characters that may stay as they are.
fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_plain = |c: char| stays(c) || !(steers(c) || matches!(c, '&' | '<' | '>' | '"' | '\''));
    if text.chars().all(is_plain) && !has_mark(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if is_plain(c) => out.push(c),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                write!(out, "&#{};", u32::from(c)).expect("a string takes every character");
            }
            _ => out.push(replacement(c).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    without_marks(out.into(), BROKEN_MARKUP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_is_escaped() {
        assert_eq!(
            text("a <b> & \"c\" ]]>\n"),
            "a &lt;b&gt; &amp; \"c\" ]]&gt;\n"
        );
        assert_eq!(
            attribute("a\n\t\"b\" 'c' ä"),
            "a&#10;&#9;&quot;b&quot; &apos;c&apos; ä"
        );
        assert!(matches!(text("plain ä"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_xml_does_not_allow_is_replaced() {
        assert_eq!(
            text("\u{0}\u{1b}[31m\u{ffff}\r\u{85}"),
            "␀␛[31m\u{fffd}&#13;\u{fffd}"
        );
        assert_eq!(attribute("\u{8}x"), "␈x");
    }
}
