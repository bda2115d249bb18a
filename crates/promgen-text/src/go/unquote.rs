//! Quoted texts, as Go's `strconv.Unquote` and Prometheus' `strutil.Unquote` read them.

/// The bytes of a quoted text. `None` if the text is not quoted correctly. Single quotes may contain any number of
/// characters, as in PromQL.
///
/// ```
/// use promgen_text::go::unquote::unquote;
///
/// assert_eq!(unquote(r#""a\"\u00e9""#).as_deref(), Some("a\"é".as_bytes()));
/// assert_eq!(unquote(r"`a\n`").as_deref(), Some(br"a\n".as_slice()));
/// assert_eq!(unquote(r#""open"#), None);
/// ```
#[must_use]
pub fn unquote(text: &str) -> Option<Vec<u8>> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    if quote == '`' {
        return (!inner.contains('`')).then(|| inner.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => return None,
            '\\' => rest = escape(rest, quote, &mut out)?,
            c if c == quote => return None,
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Some(out)
}

/// Reads an escape after its backslash, and returns the rest of the text.
fn escape<'t>(text: &'t str, quote: char, out: &mut Vec<u8>) -> Option<&'t str> {
    let c = text.chars().next()?;
    let rest = &text[c.len_utf8()..];
    let byte = match c {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        c if c == quote => u8::try_from(c).ok()?,
        'x' => u8::try_from(code(rest, 2, 16)?).ok()?,
        '0'..='7' => u8::try_from(code(text, 3, 8)?).ok()?,
        'u' | 'U' => {
            let n = if c == 'u' { 4 } else { 8 };
            let c = char::from_u32(code(rest, n, 16)?)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return rest.get(n..);
        }
        _ => return None,
    };
    out.push(byte);
    match c {
        'x' => rest.get(2..),
        '0'..='7' => text.get(3..),
        _ => Some(rest),
    }
}

fn code(text: &str, n: usize, radix: u32) -> Option<u32> {
    let digits = text
        .get(..n)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_alphanumeric()))?;
    u32::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_are_taken_off() {
        let text =
            |text: &str| unquote(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(text(r#""a\"\n\x41\101é☺""#).as_deref(), Some("a\"\nAAé☺"));
        assert_eq!(text(r"`a\n`").as_deref(), Some(r"a\n"));
        assert_eq!(text(r"'\''").as_deref(), Some("'"));
        assert_eq!(unquote(r#""\xff""#), Some(vec![0xff]));
        for bad in [
            "",
            "\"",
            "\"a",
            "a",
            "\"\\\"",
            r"'\q'",
            r"'\x4'",
            r"'\ud800'",
            "`a``",
            "\"a\nb\"",
            "'a'b'",
        ] {
            assert_eq!(unquote(bad), None, "{bad}");
        }
    }
}
