//! PromQL as tokens with places.
//!
//! In: a text. Out: its tokens, without blanks and comments. The parser, the printer and the check of literals
//! start here. Says nothing of whether the text is an expression.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The name of a metric, a label, a function, or a keyword.
    Word,
    /// `1`, `0x1F`, `2.5e3`, `Inf`.
    Number,
    /// `1h30m`.
    Duration,
    /// A text in quotes.
    Text,
    /// An operator or a bracket.
    Sign,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// Its kind.
    pub(super) kind: TokenKind,
    /// The piece.
    pub(super) text: &'t str,
    /// Its place, in bytes.
    pub(super) span: Range<usize>,
}

impl Token<'_> {
    /// Returns whether it is that operator or bracket.
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }

    /// Returns whether it is that keyword, in whatever case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// Operators of two characters.
const LONG_SIGNS: [&str; 8] = ["==", "!=", "<=", ">=", "=~", "!~", "</", ">/"];

/// All tokens. A quote that is not closed runs to the end of the text; that it is not closed shows in its text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = ExprLexer {
        text,
        at: 0,
        brackets: 0,
    };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token() {
        tokens.push(token);
    }
    tokens
}

struct ExprLexer<'t> {
    text: &'t str,
    at: usize,
    /// The number of square brackets that are open: there, a colon parts a range from a step.
    brackets: usize,
}

impl<'t> ExprLexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn token(&mut self) -> Option<Token<'t>> {
        self.skip();
        let first = self.rest().chars().next()?;
        let second = self.rest().as_bytes().get(1).copied().unwrap_or_default();
        let (kind, len) = match first {
            '"' | '\'' | '`' => (TokenKind::Text, quoted(self.rest(), first)),
            '0'..='9' => number(self.rest()),
            '.' if second.is_ascii_digit() => number(self.rest()),
            ':' if self.brackets > 0 => (TokenKind::Sign, if second == b':' { 2 } else { 1 }),
            c if is_word(c) => self.word(),
            _ => (TokenKind::Sign, self.sign(first)),
        };
        let span = self.at..self.at + len;
        self.at = span.end;
        Some(Token {
            kind,
            text: &self.text[span.clone()],
            span,
        })
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\n', '\r']);
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn word(&self) -> (TokenKind, usize) {
        let in_word =
            |c: char| is_word(c) && (c != ':' || self.brackets == 0) || c.is_ascii_digit();
        let len = self
            .rest()
            .find(|c| !in_word(c))
            .unwrap_or(self.rest().len());
        let word = &self.rest()[..len];
        let is_number = ["inf", "nan"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name));
        (
            if is_number {
                TokenKind::Number
            } else {
                TokenKind::Word
            },
            len,
        )
    }

    fn sign(&mut self, first: char) -> usize {
        match first {
            '[' => self.brackets += 1,
            ']' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        LONG_SIGNS
            .iter()
            .find(|sign| self.rest().starts_with(**sign))
            .map_or(first.len_utf8(), |sign| sign.len())
    }
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | ':')
}

/// The bytes of a text in quotes, the quotes among them.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return at + 1;
        }
        if c == '\\' && quote != '`' {
            chars.next();
        }
    }
    text.len()
}

/// A number or a duration: whatever stands together.
fn number(text: &str) -> (TokenKind, usize) {
    let is_hex =
        text.len() > 1 && text.as_bytes()[1].eq_ignore_ascii_case(&b'x') && text.starts_with('0');
    let mut len = 0;
    while let Some(&byte) = text.as_bytes().get(len) {
        let follows_exponent =
            !is_hex && len > 0 && text.as_bytes()[len - 1].eq_ignore_ascii_case(&b'e');
        if !(byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.')
            || follows_exponent && matches!(byte, b'+' | b'-'))
        {
            break;
        }
        len += 1;
    }
    let is_duration = !is_hex && text[..len].ends_with(['s', 'm', 'h', 'd', 'w', 'y']);
    (
        if is_duration {
            TokenKind::Duration
        } else {
            TokenKind::Number
        },
        len,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn an_expression_falls_into_its_words() {
        let text = "sum by(a) (rate(job:x{b=~\"\\\"}\",'c'!='d'}[5m:30s] offset -1h)) >= bool 1e-3 # a note";
        let expected = [
            "sum",
            "by",
            "(",
            "a",
            ")",
            "(",
            "rate",
            "(",
            "job:x",
            "{",
            "b",
            "=~",
            "\"\\\"}\"",
            ",",
            "'c'",
            "!=",
            "'d'",
            "}",
            "[",
            "5m",
            ":",
            "30s",
            "]",
            "offset",
            "-",
            "1h",
            ")",
            ")",
            ">=",
            "bool",
            "1e-3",
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn literals_have_their_kinds() {
        let kinds = |text: &str| {
            tokens(text)
                .into_iter()
                .map(|token| token.kind)
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds("1 .5 0x1d inf NaN 1_000"), [TokenKind::Number; 6]);
        assert_eq!(kinds("1d 1h30m 5ms"), [TokenKind::Duration; 3]);
        assert_eq!(kinds("a :b _ info"), [TokenKind::Word; 4]);
        assert_eq!(kinds("'a' \"b\" `c\\`"), [TokenKind::Text; 3]);
    }

    #[test]
    fn whatever_is_no_token_is_a_sign_and_nothing_is_lost() {
        assert_eq!(texts("é ? \"open"), ["é", "?", "\"open"]);
        assert_eq!(texts(""), Vec::<&str>::new());
        assert_eq!(texts("'a\\"), ["'a\\"]);
    }
}
