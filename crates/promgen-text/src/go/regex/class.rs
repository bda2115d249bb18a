//! Sets of characters: `[a-z]`, `\d`, `\p{Greek}`, `[[:alpha:]]`, and the escapes of single characters.

use crate::go::regex::ast::{CharClass, ClassItem};
use crate::go::regex::error::{ErrorKind, RegexResult};
use crate::go::regex::parse::PatternParser;
use crate::go::regex::unicode::Property;

/// The ranges of an ASCII group.
type Ranges = &'static [(u8, u8)];

const DIGIT: Ranges = &[(b'0', b'9')];
const WORD: Ranges = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];
/// `\s`, which lacks the vertical tab that `[:space:]` has.
const PERL_SPACE: Ranges = &[(b'\t', b'\n'), (b'\x0C', b'\r'), (b' ', b' ')];

/// The groups that have a name in brackets.
const POSIX: &[(&str, Ranges)] = &[
    ("alnum", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
    ("alpha", &[(b'A', b'Z'), (b'a', b'z')]),
    ("ascii", &[(0, 0x7F)]),
    ("blank", &[(b'\t', b'\t'), (b' ', b' ')]),
    ("cntrl", &[(0, 0x1F), (0x7F, 0x7F)]),
    ("digit", DIGIT),
    ("graph", &[(b'!', b'~')]),
    ("lower", &[(b'a', b'z')]),
    ("print", &[(b' ', b'~')]),
    (
        "punct",
        &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
    ),
    ("space", &[(b'\t', b'\r'), (b' ', b' ')]),
    ("upper", &[(b'A', b'Z')]),
    ("word", WORD),
    ("xdigit", &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
];

impl PatternParser<'_> {
    /// A class in brackets; the cursor is at the `[`.
    pub(super) fn bracket_class(&mut self) -> RegexResult<CharClass> {
        let start = self.pos;
        self.pos += 1;
        let negated = self.eat('^');
        let mut items = Vec::new();
        let mut first = true;
        // A `]` in the first place is a member.
        while first || self.peek() != Some(']') {
            first = false;
            let item = match self.class_group()? {
                Some(item) => item,
                None => self.class_range(start)?,
            };
            items.push(item);
        }
        self.pos += 1;
        Ok(CharClass {
            items,
            negated,
            fold: self.flags.fold,
        })
    }

    /// A named group within a class: `[:alpha:]`, `\p{Greek}`, `\d`.
    fn class_group(&mut self) -> RegexResult<Option<ClassItem>> {
        if let Some(item) = self.posix_group()? {
            return Ok(Some(item));
        }
        self.escaped_group()
    }

    /// `\p{Greek}` or `\d`, in a class or alone.
    pub(super) fn escaped_group(&mut self) -> RegexResult<Option<ClassItem>> {
        let mut chars = self.rest().chars();
        if chars.next() != Some('\\') {
            return Ok(None);
        }
        let (ranges, negated) = match chars.next() {
            Some('d') => (DIGIT, false),
            Some('D') => (DIGIT, true),
            Some('s') => (PERL_SPACE, false),
            Some('S') => (PERL_SPACE, true),
            Some('w') => (WORD, false),
            Some('W') => (WORD, true),
            // The cursor moves there: the name has any length.
            Some('p' | 'P') => return self.unicode_group().map(Some),
            _ => return Ok(None),
        };
        self.pos += 2;
        Ok(Some(ClassItem::Ascii { ranges, negated }))
    }

    /// `\pL`, `\p{Greek}`, `\P{^Greek}`; the cursor is at the backslash.
    fn unicode_group(&mut self) -> RegexResult<ClassItem> {
        let start = self.pos;
        let mut negated = self.rest().starts_with(r"\P");
        self.pos += 2;
        let (name, end) = match self.peek() {
            Some('{') => match self.rest().find('}') {
                Some(len) => (&self.text[self.pos + 1..self.pos + len], self.pos + len + 1),
                None => return Err(self.error(ErrorKind::InvalidCharRange, start..self.text.len())),
            },
            Some(c) => (
                &self.text[self.pos..self.pos + c.len_utf8()],
                self.pos + c.len_utf8(),
            ),
            None => ("", self.pos),
        };
        self.pos = end;
        let name = match name.strip_prefix('^') {
            Some(name) => {
                negated = !negated;
                name
            }
            None => name,
        };
        let property = Property::named(name)
            .ok_or_else(|| self.error_since(ErrorKind::InvalidCharRange, start))?;
        Ok(ClassItem::Unicode { property, negated })
    }

    /// `[:alpha:]`; anything without a `:]` further on is no group.
    fn posix_group(&mut self) -> RegexResult<Option<ClassItem>> {
        if self.no_posix_end || !self.rest().starts_with("[:") {
            return Ok(None);
        }
        let Some(len) = self.rest()[2..].find(":]") else {
            // Once for all, or a row of `[:` would take quadratic time.
            self.no_posix_end = true;
            return Ok(None);
        };
        let start = self.pos;
        let name = &self.text[start + 2..start + 2 + len];
        self.pos = start + len + 4;
        let (name, negated) = name
            .strip_prefix('^')
            .map_or((name, false), |name| (name, true));
        match POSIX.iter().find(|(known, _)| *known == name) {
            Some((_, ranges)) => Ok(Some(ClassItem::Ascii { ranges, negated })),
            None => Err(self.error_since(ErrorKind::InvalidCharRange, start)),
        }
    }

    /// One character or a range; `class` is where the class begins.
    fn class_range(&mut self, class: usize) -> RegexResult<ClassItem> {
        let start = self.pos;
        let low = self.class_char(class)?;
        let mut high = low;
        // A `-` in the last place is a member.
        let mut next = self.rest().chars();
        if next.next() == Some('-') && next.next().is_some_and(|c| c != ']') {
            self.pos += 1;
            high = self.class_char(class)?;
            if high < low {
                return Err(self.error_since(ErrorKind::InvalidCharRange, start));
            }
        }
        Ok(ClassItem::Range(low, high))
    }

    fn class_char(&mut self, class: usize) -> RegexResult<u32> {
        match self.peek() {
            None => Err(self.error(ErrorKind::MissingBracket, class..self.text.len())),
            Some('\\') => self.escape(),
            Some(c) => {
                self.pos += c.len_utf8();
                Ok(u32::from(c))
            }
        }
    }

    /// The escape of one code point; the cursor is at the backslash.
    pub(super) fn escape(&mut self) -> RegexResult<u32> {
        let start = self.pos;
        self.pos += 1;
        let Some(c) = self.bump() else {
            return Err(self.error(ErrorKind::TrailingBackslash, self.pos..self.pos));
        };
        let code = match c {
            'a' => Some(0x07),
            'f' => Some(0x0C),
            'n' => Some(0x0A),
            'r' => Some(0x0D),
            't' => Some(0x09),
            'v' => Some(0x0B),
            'x' => self.hex_escape(),
            '0' => Some(self.octal_escape(0)),
            // One digit alone would be a back-reference.
            '1'..='7' if self.peek().is_some_and(|next| next.is_digit(8)) => {
                Some(self.octal_escape(c as u32 - 0x30))
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        code.ok_or_else(|| self.error_since(ErrorKind::InvalidEscape, start))
    }

    /// Up to two more octal digits.
    fn octal_escape(&mut self, first: u32) -> u32 {
        let mut code = first;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else {
                break;
            };
            self.pos += 1;
            code = code * 8 + digit;
        }
        code
    }

    /// `41` or `{1F600}`, the `x` being read. On a fault the cursor stays behind the character that is wrong.
    fn hex_escape(&mut self) -> Option<u32> {
        let first = self.bump()?;
        if first != '{' {
            // The second character counts as read even if the first is wrong already.
            let second = self.bump();
            return Some(first.to_digit(16)? * 16 + second?.to_digit(16)?);
        }
        let mut code = 0;
        let mut n_digits = 0;
        loop {
            let c = self.bump()?;
            if c == '}' {
                return (n_digits > 0).then_some(code);
            }
            code = code * 16 + c.to_digit(16)?;
            if code > u32::from(char::MAX) {
                return None;
            }
            n_digits += 1;
        }
    }
}
