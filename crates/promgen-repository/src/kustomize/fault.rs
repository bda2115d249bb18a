//! The fault of a kustomization or one of its files, as a sentence with its place.

use std::fmt;

use promgen_text::limits::Excess;
use promgen_text::source::Span;

/// What a step of a build gives.
pub type BuildResult<T = ()> = Result<T, BuildFault>;

/// Fails with what Kustomize refuses.
///
/// # Errors
/// Always.
pub fn refuse<T>(span: Span, message: impl Into<String>) -> BuildResult<T> {
    Err(BuildFault::new(span, message))
}

/// Why a step of a build fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildFault {
    /// The text that is at fault.
    pub span: Span,
    /// The message. Names fields and objects, never the value of one.
    pub message: String,
    /// Kustomize may well build it, and only promgen does not.
    pub is_unsupported: bool,
    /// A local file or folder does not exist, or must not be read.
    pub is_missing: bool,
    /// It misses an object, which may be in a part that is left out.
    pub lacks_object: bool,
    /// The part that it has in common with faults at other places, in words. `None` if it stands for itself.
    pub cause: Option<&'static str>,
    /// The limit that it exceeds.
    pub excess: Option<Excess>,
}

impl BuildFault {
    /// What Kustomize refuses.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            ..Self::default()
        }
    }

    /// A file or folder that does not exist. `what` is its name as it is written, `near` that of a file beside it.
    #[must_use]
    pub fn missing(span: Span, what: &str, near: Option<&str>) -> Self {
        let meant = near
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        Self {
            is_missing: true,
            ..Self::new(span, format!("{what} does not exist{meant}"))
        }
    }

    /// The fault of a feature that promgen does not build.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self {
            is_unsupported: true,
            ..Self::new(span, message)
        }
    }

    /// An object that the kustomization names, and does not have.
    pub fn lacking(span: Span, message: impl Into<String>) -> Self {
        Self {
            lacks_object: true,
            ..Self::new(span, message)
        }
    }

    /// The fault of what another host has.
    #[must_use]
    pub fn remote(span: Span, what: &str) -> Self {
        let message = format!("{what} is remote: promgen uses no network");
        Self {
            cause: Some("what is remote is not read"),
            ..Self::unsupported(span, message)
        }
    }

    /// The fault of a file that is encrypted.
    #[must_use]
    pub fn encrypted(span: Span, path: &str) -> Self {
        let message = format!("`{path}` is encrypted");
        Self {
            cause: Some("what is encrypted is not read"),
            ..Self::unsupported(span, message)
        }
    }

    /// A file that Kustomize does not read, because it is not in or below the folder of the kustomization.
    #[must_use]
    pub fn outside(span: Span, what: &str) -> Self {
        let message = format!(
            "{what} is not in or below the folder of the kustomization: Kustomize refuses it"
        );
        Self {
            is_missing: true,
            ..Self::new(span, message)
        }
    }

    /// A file that is not in what Flux applies. `by`: what leaves it out.
    #[must_use]
    pub(crate) fn left_out(span: Span, what: &str, by: &str) -> Self {
        Self {
            is_missing: true,
            ..Self::new(
                span,
                format!("`{what}` is not in what Flux applies: {by} leaves it out"),
            )
        }
    }

    /// Returns whether Kustomize surely refuses it.
    pub(crate) const fn is_refused(&self) -> bool {
        !self.is_unsupported && !self.is_missing && self.excess.is_none()
    }

    /// The fault of a kustomization that nobody wrote.
    #[must_use]
    pub(crate) fn of_generated(self) -> Self {
        let message = format!(
            "{}; Flux generates this kustomization of all manifests below the path",
            self.message
        );
        Self { message, ..self }
    }

    /// The fault of an input that exceeds a limit.
    #[must_use]
    pub fn excess(span: Span, excess: Excess, what: &str) -> Self {
        Self {
            excess: Some(excess),
            ..Self::unsupported(span, excess.message(what))
        }
    }
}

impl fmt::Display for BuildFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildFault {}
