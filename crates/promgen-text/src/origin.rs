//! The origin of a document, and what is not known of it.

use std::sync::Arc;

use crate::source::Span;
use crate::version::Version;

/// The origin of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DocumentOrigin {
    /// A file has it as it is.
    #[default]
    File,
    /// A kustomization builds it.
    Kustomization {
        /// A part of the kustomization that is not built may change it.
        is_open: bool,
    },
    /// A release of a chart makes it.
    Release(Arc<ReleasedDocument>),
}

/// A document that a release of a chart makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedDocument {
    /// The release.
    pub release: Arc<ReleaseOrigin>,
    /// The template that Helm makes it of, if Helm does.
    pub template: Option<Arc<str>>,
    /// None of its values comes from a Secret.
    pub is_clear: bool,
    /// A part of a kustomization that is not built may change it.
    pub is_open: bool,
}

/// A release of a chart, as far as its objects are concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseOrigin {
    /// The place of its chart or version, which values have that the chart thinks of.
    pub place: Span,
    /// What applies it.
    pub applier: Applier,
    /// Helm renders it: otherwise promgen makes the objects of the operator, and only these.
    pub is_rendered: bool,
    /// The unknown sources that may override its values, as sentences.
    pub unknown: Vec<String>,
    /// Whether values are not known that are none of the specs of its workloads.
    pub has_unknown_beside: bool,
    /// The places of values that something may override, each with a sentence that says what.
    pub overridden: Vec<(Span, String)>,
    /// The release of the operator that the chart installs.
    pub operator: Option<Version>,
    /// The flags of that operator which values set, each with the place of its value.
    pub flags: Vec<(String, Span)>,
    /// The advice for a configuration that Alertmanager refuses, with the place of the configuration.
    pub advice: Option<(Span, String)>,
}

impl ReleaseOrigin {
    /// Returns whether any of its values is not known.
    #[must_use]
    pub const fn has_unknown(&self) -> bool {
        !self.unknown.is_empty() || self.has_unknown_beside
    }

    /// The place of the value that sets a flag of the operator: the first whose name begins so.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<Span> {
        let is_it = |flag: &str| flag.trim_start_matches('-').starts_with(name);
        let found = self.flags.iter().find(|(flag, _)| is_it(flag));
        found.map(|(_, place)| *place)
    }
}

/// What applies the objects of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applier {
    /// Helm itself, by hand or told by Flux or helmfile.
    #[default]
    Helm,
    /// Argo CD, which has Helm render them and applies what comes out.
    Argo,
    /// What applies the kustomization that they are a part of.
    Kustomize,
}

impl DocumentOrigin {
    /// The release of a chart that made it.
    #[must_use]
    pub fn released(&self) -> Option<&ReleasedDocument> {
        match self {
            Self::Release(released) => Some(released),
            _ => None,
        }
    }

    /// The release that made it.
    #[must_use]
    pub fn release(&self) -> Option<&ReleaseOrigin> {
        self.released().map(|released| &*released.release)
    }

    /// Returns whether a part of a kustomization that is not built may change the document.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Self::File => false,
            Self::Kustomization { is_open } => *is_open,
            Self::Release(released) => released.is_open,
        }
    }

    /// Returns whether a chart makes the document, and none of its values comes from a Secret.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.released().is_some_and(|released| released.is_clear)
    }

    /// Returns whether Helm renders the document: its text is in no file.
    #[must_use]
    pub fn is_rendered(&self) -> bool {
        self.release().is_some_and(|release| release.is_rendered)
    }

    /// Returns whether promgen makes the document of the values of a chart, so that the other objects of the chart are
    /// not there.
    #[must_use]
    pub fn is_unrendered(&self) -> bool {
        self.release().is_some_and(|release| !release.is_rendered)
    }

    /// Returns whether values are not known that the document may be made of.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.release().is_some_and(ReleaseOrigin::has_unknown)
    }
}
