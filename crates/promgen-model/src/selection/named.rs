//! Objects that monitors select, as findings and answers name them.

use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::PodSource;
use promgen_text::diag::Place;
use promgen_text::route::At;

/// An object that findings can refer to.
pub trait Named {
    /// Kind, namespace and name.
    fn what(&self) -> String;
    /// Its place. `None` if promgen generates it.
    fn place(&self) -> Option<Place>;
}

impl Named for ResolvedService {
    fn what(&self) -> String {
        format!("Service {}/{}", self.namespace(), self.name())
    }

    fn place(&self) -> Option<Place> {
        self.doc.map(|doc| At::name(doc).into())
    }
}

impl Named for PodSource {
    fn what(&self) -> String {
        self.what()
    }

    fn place(&self) -> Option<Place> {
        self.span.map(Place::Span)
    }
}
