//! Text in double quotes, as Go's `strconv.Quote` and the verb `%q` write it.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// The characters that Go prints unescaped: letters, marks, numbers, punctuation and symbols of Unicode 15.0, and the
/// space.
static PRINTABLE: LazyLock<regex::Regex> = LazyLock::new(|| {
    let class = format!(
        r"\A[\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}&&{}]\z",
        super::regex::AGE
    );
    regex::Regex::new(&class).expect("a constant pattern")
});

/// The text in double quotes, with what is not printable escaped.
///
/// ```
/// assert_eq!(promgen_text::go::quote::quote("a\"b\n\u{200b}é"), r#""a\"b\n\u200bé""#);
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// Quotes bytes that need not be UTF-8, such as half a character where Go cuts one in two.
#[must_use]
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk
            .valid()
            .chars()
            .for_each(|c| push_escaped(&mut out, c));
        // Go escapes bytes that are no character one by one.
        for byte in chunk.invalid() {
            write!(out, r"\x{byte:02x}").expect("writing to a string does not fail");
        }
    }
    out.push('"');
    out
}

/// The text with every double-quoted part, as [`quote`] writes it, replaced. An unclosed quote extends to the end of
/// the text.
///
/// ```
/// assert_eq!(promgen_text::go::quote::without_quoted(r#"port ":\"b" after "c"#, "x"), "port x after x");
/// ```
#[must_use]
pub fn without_quoted(text: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '"' {
            out.push(c);
            continue;
        }
        while let Some(quoted) = chars.next().filter(|c| *c != '"') {
            // An escaped quote does not close the text.
            if quoted == '\\' {
                chars.next();
            }
        }
        out.push_str(replacement);
    }
    out
}

fn push_escaped(out: &mut String, c: char) {
    let short = match c {
        '"' | '\\' => c,
        '\x07' => 'a',
        '\x08' => 'b',
        '\x0C' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\x0B' => 'v',
        c if is_printable(c) => return out.push(c),
        c => return push_number(out, u32::from(c)),
    };
    out.push('\\');
    out.push(short);
}

fn push_number(out: &mut String, code: u32) {
    let written = match code {
        0..=0x7F => write!(out, r"\x{code:02x}"),
        0x80..=0xFFFF => write!(out, r"\u{code:04x}"),
        _ => write!(out, r"\U{code:08x}"),
    };
    written.expect("writing to a string does not fail");
}

fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    PRINTABLE.is_match(c.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_strconv() {
        assert_eq!(quote("a b"), r#""a b""#);
        assert_eq!(
            quote("\x07\x08\x0C\n\r\t\x0B\\\""),
            r#""\a\b\f\n\r\t\v\\\"""#
        );
        assert_eq!(quote("\0\x1B\x7F"), r#""\x00\x1b\x7f""#);
        assert_eq!(
            quote("\u{85}\u{A0}\u{FEFF}\u{E000}"),
            r#""\u0085\u00a0\ufeff\ue000""#
        );
        assert_eq!(quote("é中🎉\u{301}\u{FFFD}"), "\"é中🎉\u{301}\u{FFFD}\"");
        assert_eq!(quote_bytes(b"a\xE4\xB8"), r#""a\xe4\xb8""#);
        assert_eq!(quote("\u{E0001}\u{10FFFF}"), r#""\U000e0001\U0010ffff""#);
    }
}
