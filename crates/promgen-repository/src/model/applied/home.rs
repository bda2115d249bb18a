//! Where an applier is from.

use promgen_text::source::Sources;
use promgen_text::yaml::read::ParsedDocument;

use crate::model::Build;
use crate::path::{self, join};

/// Where an applier is from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::model) struct ApplierHome {
    /// Its file; one of the build that has it, if its own is that of a base, which other builds have, too.
    pub(in crate::model) file: String,
    /// The number of the way in which that build is applied.
    pub(in crate::model) way: usize,
}

impl ApplierHome {
    pub(super) fn of(document: &ParsedDocument, build: Option<&Build>, sources: &Sources) -> Self {
        let file = join(".", &sources.file(document.span.file).name);
        match build {
            Some(build) if !path::is_within(&build.folder, &file) => Self {
                file: path::child(&build.folder, "kustomization.yaml"),
                way: build.way,
            },
            build => Self {
                file,
                way: build.map_or(0, |build| build.way),
            },
        }
    }
}
