//! Changes of the text that fix a finding.
//!
//! A rule describes a change by places in the document: another value for `spec.shards`. The bytes are found at
//! the end of the run, with the places of findings; a change that cannot be made is dropped then.

use std::borrow::Cow;

use crate::route::{At, DocId, ValueRoute};
use crate::source::Span;

/// A change that fixes a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// The effect, in the imperative: "rename to `interval`".
    pub title: String,
    /// It is certainly intended.
    pub is_safe: bool,
    /// The changes.
    pub changes: Vec<EditAction>,
    /// The changes in bytes, filled in at the end of the run; in order, and none within another.
    pub edits: Vec<Edit>,
    /// The changes from the roots of their documents, filled in with the edits.
    pub rooted: Vec<RootedEdit>,
}

/// Most entries of a map in which fixes are made: each fix searches its entry again, and checks that it is unique.
pub const MAX_ENTRIES: usize = 4096;

/// A change by its place in the document, which may be a list of resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootedEdit {
    /// The change. Its own place is that in a resource.
    pub change: EditAction,
    /// The way from the root of the document.
    pub route: ValueRoute,
    /// The first byte of the document in its file.
    pub start: usize,
}

/// A change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditAction {
    /// Another scalar, in the quotes of the old one.
    Value(At, String),
    /// A plain scalar, in double quotes.
    Quote(At),
    /// A scalar, without its quotes.
    Unquote(At),
    /// Another key for a value.
    Rename(At, String),
    /// A list of plain scalars, as the only entry of a map, below that key.
    Below(At, &'static str),
    /// A value, as YAML in a line, below a key of its own, before that entry of a map.
    Before(At, Cow<'static, str>, Cow<'static, str>),
    /// No such item of a list, or entry of a map.
    Remove(At),
    /// More items at the end of the list that stands there, each as YAML in a line. It may be in any object.
    Append(Span, Vec<String>),
}

impl EditAction {
    /// Moves the change to another document of the same text.
    pub(crate) fn move_to(&mut self, doc: DocId) {
        match self {
            Self::Value(at, _)
            | Self::Quote(at)
            | Self::Unquote(at)
            | Self::Rename(at, _)
            | Self::Below(at, _)
            | Self::Before(at, ..)
            | Self::Remove(at) => at.doc = doc,
            Self::Append(..) => {}
        }
    }

    /// The place in a document that it is about. `None`: it is about a place in a text.
    #[must_use]
    pub const fn at(&self) -> Option<&At> {
        match self {
            Self::Value(at, _)
            | Self::Quote(at)
            | Self::Unquote(at)
            | Self::Rename(at, _)
            | Self::Below(at, _)
            | Self::Before(at, ..)
            | Self::Remove(at) => Some(at),
            Self::Append(..) => None,
        }
    }
}

/// Bytes to be replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Which.
    pub span: Span,
    /// By what.
    pub text: String,
}

impl Fix {
    /// A change that is certainly intended, and that `lint --fix` applies.
    pub fn safe(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            is_safe: true,
            ..Self::default()
        }
    }

    /// A change that is most likely intended, and that `lint --fix --unsafe-fixes` applies.
    pub fn risky(title: impl Into<String>) -> Self {
        Self {
            is_safe: false,
            ..Self::safe(title)
        }
    }

    /// Another value for the scalar at a place, most likely the intended one.
    #[must_use]
    pub fn value(at: At, meant: &str) -> Self {
        Self::risky(format!("write \"{meant}\"")).change(EditAction::Value(at, meant.to_owned()))
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: EditAction) -> Self {
        self.changes.push(change);
        self
    }
}
