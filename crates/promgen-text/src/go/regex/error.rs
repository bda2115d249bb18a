//! Go's errors about invalid patterns.

use std::fmt;
use std::ops::Range;

/// The reason for an error; the codes of Go's package `regexp/syntax`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A class range runs backwards, or a class name is unknown.
    InvalidCharRange,
    /// An unknown escape.
    InvalidEscape,
    /// A group name is empty, unfinished, or has characters beyond ASCII letters, digits and `_`.
    InvalidNamedCapture,
    /// An unknown operator after `(?`.
    InvalidPerlOp,
    /// A repetition directly follows a repetition.
    InvalidRepeatOp,
    /// A repeat count is above 1000, alone or multiplied with those inside, or runs backwards.
    InvalidRepeatSize,
    /// A class is not closed.
    MissingBracket,
    /// A group is not closed.
    MissingParen,
    /// A repetition without an operand.
    MissingRepeatArgument,
    /// The pattern ends in a backslash.
    TrailingBackslash,
    /// A group is closed that was not opened.
    UnexpectedParen,
    /// The expression is a tree of more than 1000 levels.
    NestsTooDeeply,
    /// The expression takes too much memory in Go.
    TooLarge,
    /// Go takes the expression, but it is too large to be run here.
    BeyondLimit,
}

impl ErrorKind {
    /// Go's message.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::InvalidCharRange => "invalid character class range",
            Self::InvalidEscape => "invalid escape sequence",
            Self::InvalidNamedCapture => "invalid named capture",
            Self::InvalidPerlOp => "invalid or unsupported Perl syntax",
            Self::InvalidRepeatOp => "invalid nested repetition operator",
            Self::InvalidRepeatSize => "invalid repeat count",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestsTooDeeply => "expression nests too deeply",
            Self::TooLarge => "expression too large",
            Self::BeyondLimit => "expression takes more than the 2 MiB that promgen runs",
        }
    }
}

/// What reading an expression gives.
pub type RegexResult<T = ()> = Result<T, RegexError>;

/// A pattern that Go refuses. Displays as Go's error text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    /// The reason.
    pub kind: ErrorKind,
    /// The part of the compiled text that Go shows.
    pub fragment: String,
    /// The place of that part in the pattern, in bytes. What Prometheus adds around the pattern is clipped off.
    pub span: Range<usize>,
}

impl RegexError {
    /// An error about a range of `text`.
    pub(super) fn new(kind: ErrorKind, text: &str, span: Range<usize>) -> Self {
        Self {
            kind,
            fragment: text.get(span.clone()).unwrap_or_default().to_owned(),
            span,
        }
    }
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "error parsing regexp: {}: `{}`",
            self.kind.text(),
            self.fragment
        )
    }
}

impl std::error::Error for RegexError {}
