//! What is wrong with a kustomization or one of its files, as a sentence with its place.

use std::fmt;

use promgen_text::limits::Excess;
use promgen_text::source::Span;

/// Why a step of a build fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildFault {
    /// The text that is at fault.
    pub span: Span,
    /// The message. Names fields and objects, never the value of one.
    pub message: String,
    /// Whether Kustomize may well build it, and only promgen does not.
    pub is_unsupported: bool,
    /// Whether a local file or folder does not exist.
    pub is_missing: bool,
    /// The limit that it exceeds.
    pub excess: Option<Excess>,
}

impl BuildFault {
    /// What Kustomize refuses.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), is_unsupported: false, is_missing: false, excess: None }
    }

    /// A file or folder that does not exist. `what` is its name as it is written.
    #[must_use]
    pub fn missing(span: Span, what: &str) -> Self {
        Self { is_missing: true, ..Self::new(span, format!("{what} does not exist")) }
    }

    /// The fault of a feature that promgen does not build.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), is_unsupported: true, is_missing: false, excess: None }
    }

    /// The fault of an input that exceeds a limit.
    #[must_use]
    pub fn excess(span: Span, excess: Excess, what: &str) -> Self {
        Self { span, message: excess.message(what), is_unsupported: true, is_missing: false, excess: Some(excess) }
    }
}

impl fmt::Display for BuildFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildFault {}
