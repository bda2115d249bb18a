//! Why a value does not fit its type.
//!
//! Errors on their way up from the value, and the [`Mismatch`] with the whole way. Knows nothing of places in the text; the
//! route leads to them.

use std::fmt;

use crate::diag::{Diagnostic, LintRule};
use crate::route::{Segment, ValueRoute};
use crate::source::Span;
use crate::yaml::{Data, Node};

/// Why a node did not fit a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The value that did not fit.
    pub route: ValueRoute,
    /// The message, in lower case, without a full stop.
    pub message: String,
}

impl Mismatch {
    /// A finding at the value. Of a list or a map only the key is marked, or the first character.
    pub fn diagnostic(self, rule: &'static LintRule, root: &Node) -> Diagnostic {
        let found = root.locate(&self.route);
        let span = if found.collection {
            found.key.unwrap_or(start_of(found.value))
        } else {
            found.value
        };
        let is_unquoted = self.message.starts_with("expected a string") && !found.collection;
        let diagnostic = Diagnostic::new(rule, span, self.message);
        if is_unquoted {
            diagnostic.help("put it in quotes to make it a text")
        } else {
            diagnostic
        }
    }
}

/// The first character of a block.
pub const fn start_of(span: Span) -> Span {
    Span::new(
        span.file,
        span.start,
        if span.end > span.start {
            span.start + 1
        } else {
            span.end
        },
    )
}

/// An error on its way up: steps are added innermost first. Boxed, because it is carried through every call.
#[derive(Debug)]
pub struct Error(Box<ErrorBody>);

#[derive(Debug)]
struct ErrorBody {
    steps: Vec<Segment>,
    message: String,
}

impl Error {
    fn new(message: String) -> Self {
        Self(Box::new(ErrorBody {
            steps: Vec::new(),
            message,
        }))
    }

    /// Another kind of value than expected.
    pub fn expected(what: &str, found: &Node) -> Self {
        Self::new(format!(
            "expected {what}, found {}",
            NodeSummary(&found.data)
        ))
    }

    /// A required field that is absent.
    pub(super) fn missing(field: &str) -> Self {
        Self::new(format!("missing field `{field}`"))
    }

    /// A text that is none of those expected.
    pub(super) fn unknown(text: &str, expected: &[&str]) -> Self {
        Self::new(format!("invalid value `{text}`: use {}", any_of(expected)))
    }

    /// The error of the map that has the value under a key.
    pub(super) fn below_key(mut self, key: &str) -> Self {
        self.0.steps.push(Segment::Key(key.to_owned().into()));
        self
    }

    /// The error of the list that has the value at an index.
    pub(super) fn below_index(mut self, index: usize) -> Self {
        self.0.steps.push(Segment::Index(index));
        self
    }

    /// The error with its way from the root.
    pub(super) fn into_mismatch(self) -> Mismatch {
        let ErrorBody { mut steps, message } = *self.0;
        // Collected from the innermost step outwards.
        steps.reverse();
        Mismatch {
            route: ValueRoute(steps),
            message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

fn listed(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The names as a choice: "`a`, `b` or `c`".
fn any_of(names: &[&str]) -> String {
    match names {
        [] | [_] => listed(names),
        [first @ .., last] => format!("{} or `{last}`", listed(first)),
    }
}

/// A node's kind and, where it is short, its value.
struct NodeSummary<'n>(&'n Data);

impl fmt::Display for NodeSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Data::Null => f.write_str("null"),
            Data::Bool(bool) => write!(f, "boolean {bool}"),
            Data::Int(int) => write!(f, "number {int}"),
            Data::Uint(uint) => write!(f, "number {uint}"),
            Data::Float(float) => write!(f, "number {float}"),
            Data::String(text) => write!(f, "string {}", quoted(text)),
            Data::Seq(_) => f.write_str("a list"),
            Data::Map(_) => f.write_str("a map"),
        }
    }
}

/// A text in quotes, cut to the length of a message.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Characters of a text that a message repeats.
pub(super) const LONGEST: usize = 40;
