//! Replacement templates: `$1`, `${name}`, `$$`, by the rules of Go's `Regexp.Expand`.

use std::sync::LazyLock;

/// A parsed replacement template. Every text is a valid one: text that is no reference is literal.
///
/// ```
/// use promgen_text::go::regex::{GoRegex, Template};
///
/// let regex = GoRegex::anchored("(.+):(.+)").expect("a valid pattern");
/// let captures = regex.captures("host:80").expect("a match");
/// assert_eq!(captures.expand(&Template::parse("${2}-$1 $$ $-")), "80-host $ $-");
/// assert_eq!(captures.expand(&Template::parse("$1x")), "", "the name is `1x`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Group(usize),
    Name(String),
}

impl Template {
    /// Reads a template. There is no malformed one: a `$` that begins no reference stays as it is.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut template = Self { parts: Vec::new() };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            template.push_text(before);
            rest = if let Some(after) = after.strip_prefix('$') {
                template.push_text("$");
                after
            } else if let Some((part, after)) = reference(after) {
                template.parts.push(part);
                after
            } else {
                template.push_text("$");
                after
            };
        }
        template.push_text(rest);
        template
    }

    /// The text, if the template refers to no group.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [TemplatePart::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The number of a group, if the template consists of one reference to it.
    pub const fn as_group(&self) -> Option<usize> {
        match self.parts.as_slice() {
            [TemplatePart::Group(number)] => Some(*number),
            _ => None,
        }
    }

    /// Expands references to numbered groups. `None` if the result exceeds `max` bytes.
    pub fn expand_numbered<'t>(
        &self,
        max: usize,
        group: impl Fn(usize) -> Option<&'t str>,
    ) -> Option<String> {
        self.expand(max, group, |_| None)
    }

    /// Expands references. `None` if the result exceeds `max` bytes.
    pub(super) fn expand<'t>(
        &self,
        max: usize,
        group: impl Fn(usize) -> Option<&'t str>,
        name: impl Fn(&str) -> Option<&'t str>,
    ) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            let text = match part {
                TemplatePart::Text(text) => text,
                TemplatePart::Group(number) => group(*number).unwrap_or_default(),
                TemplatePart::Name(wanted) => name(wanted).unwrap_or_default(),
            };
            // `out` never exceeds `max`, so the subtraction cannot overflow.
            if text.len() > max - out.len() {
                return None;
            }
            out.push_str(text);
        }
        Some(out)
    }

    fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(TemplatePart::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(TemplatePart::Text(text.to_owned())),
        }
    }
}

/// The reference after a `$`, and the rest of the text.
fn reference(text: &str) -> Option<(TemplatePart, &str)> {
    let (name, rest) = match text.strip_prefix('{') {
        Some(text) => {
            let (name, rest) = split_name(text);
            // Without the closing brace, Go takes the `$` as text.
            (name, rest.strip_prefix('}')?)
        }
        None => split_name(text),
    };
    if name.is_empty() {
        return None;
    }
    Some((
        group_number(name).map_or_else(|| TemplatePart::Name(name.to_owned()), TemplatePart::Group),
        rest,
    ))
}

/// A group number: digits without a leading zero. Go reads more than nine digits as a name.
fn group_number(name: &str) -> Option<usize> {
    let plain = name.len() <= 9 && name.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = name.len() > 1 && name.starts_with('0');
    if plain && !leading_zero {
        name.parse().ok()
    } else {
        None
    }
}

/// The longest prefix of letters, digits and `_`, as Unicode defines them (categories L and Nd).
fn split_name(text: &str) -> (&str, &str) {
    let ascii = text
        .bytes()
        .take_while(|&b| b == b'_' || b.is_ascii_alphanumeric())
        .count();
    let end = match text.as_bytes().get(ascii) {
        // Names beyond ASCII are rare; only they need the tables of Unicode.
        Some(b) if !b.is_ascii() => NAME.find(text).map_or(0, |m| m.end()),
        _ => ascii,
    };
    text.split_at(end)
}

static NAME: LazyLock<regex::Regex> = LazyLock::new(|| {
    let age = super::unicode::AGE;
    regex::Regex::new(&format!(r"\A[[\p{{L}}\p{{Nd}}&&{age}]_]+")).expect("a constant pattern")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_take_the_longest_name() {
        let parts = |text| Template::parse(text).parts;
        assert_eq!(parts("$1"), [TemplatePart::Group(1)]);
        assert_eq!(parts("$1x"), [TemplatePart::Name("1x".to_owned())]);
        assert_eq!(
            parts("${1}x"),
            [TemplatePart::Group(1), TemplatePart::Text("x".to_owned())]
        );
        assert_eq!(parts("$01"), [TemplatePart::Name("01".to_owned())]);
        assert_eq!(parts("$0"), [TemplatePart::Group(0)]);
        assert_eq!(
            parts("$é٣_a-"),
            [
                TemplatePart::Name("é٣_a".to_owned()),
                TemplatePart::Text("-".to_owned())
            ]
        );
        assert_eq!(parts("$999999999"), [TemplatePart::Group(999_999_999)]);
        assert_eq!(
            parts("$1234567890"),
            [TemplatePart::Name("1234567890".to_owned())]
        );
    }

    #[test]
    fn malformed_references_stand_for_themselves() {
        for text in ["$", "a$", "$-", "${}", "${a b}", "${a", "$ 1", "${é!}"] {
            assert_eq!(Template::parse(text).as_text(), Some(text));
        }
        assert_eq!(Template::parse("$$1$$").as_text(), Some("$1$"));
        assert_eq!(Template::parse("").as_text(), Some(""));
    }
}
