//! Objects that monitors select, as findings and answers name them.

use promgen_resources::api::Kind;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::{IngressSource, PodSource};
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_text::diag::Place;
use promgen_text::route::At;

/// What a monitor of that kind selects.
#[must_use]
pub const fn selected_noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Probe => "Ingress",
        Kind::PodMonitor => "pod",
        _ => "Service",
    }
}

/// An object that findings can refer to.
pub trait Named {
    /// Kind, namespace and name.
    fn what(&self) -> String;
    /// Its place. `None` if promgen generates it.
    fn place(&self) -> Option<Place>;
    /// Returns whether it has the port of an endpoint, as far as it says.
    fn has_port(&self, port: &MonitorPort) -> bool;
}

impl Named for ResolvedService {
    fn what(&self) -> String {
        format!("Service {}/{}", self.namespace(), self.name())
    }

    fn place(&self) -> Option<Place> {
        self.doc.map(|doc| At::name(doc).into())
    }

    fn has_port(&self, port: &MonitorPort) -> bool {
        port.of == PortOwner::Pod || !port.in_service(self).is_empty()
    }
}

impl Named for IngressSource {
    fn what(&self) -> String {
        format!("Ingress {}/{}", self.namespace(), self.name())
    }

    fn place(&self) -> Option<Place> {
        Some(Place::Span(self.span))
    }

    fn has_port(&self, _: &MonitorPort) -> bool {
        true
    }
}

impl Named for PodSource {
    fn what(&self) -> String {
        self.what()
    }

    fn place(&self) -> Option<Place> {
        self.span.map(Place::Span)
    }

    fn has_port(&self, port: &MonitorPort) -> bool {
        port.is_in_pods(self)
    }
}
