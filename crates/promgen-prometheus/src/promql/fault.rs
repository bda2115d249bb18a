//! The fault of an expression, its place, and how to mend it.

use std::ops::Range;

/// An error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprFault {
    /// The fault.
    pub message: String,
    /// The place in the text, in bytes. Empty at the end of the text.
    pub span: Range<usize>,
    /// The remedy.
    pub help: Option<String>,
    /// It calls a function that is not known.
    pub is_unknown_function: bool,
}

impl ExprFault {
    pub(super) fn new(span: &Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            span: span.clone(),
            help: None,
            is_unknown_function: false,
        }
    }

    #[must_use]
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

impl std::fmt::Display for ExprFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
