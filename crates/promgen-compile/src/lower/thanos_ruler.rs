//! A Thanos Ruler: the context of its phases.

pub mod remote_write;

use crate::cluster::assets::AssetStore;
use crate::lower::workload::object::Parent;
use promgen_resources::api::ThanosRulerSpec;
use promgen_resources::gates::{self, Gate, Target, Versions};
use promgen_text::diag::Sink;
use promgen_text::route::{At, DocId, ValueRoute};

/// A Thanos Ruler, and the run that it is compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Ruler<'a> {
    /// Its document.
    pub doc: DocId,
    /// The custom resource, and how its objects are laid out.
    pub parent: Parent<'a>,
    /// Its spec.
    pub spec: &'a ThanosRulerSpec,
    /// The versions that it is compiled for.
    pub versions: &'a Versions,
    /// Its version as somebody wrote it, which is the tag of the image.
    pub tag: &'a str,
    /// Operator feature gates.
    pub target: &'a Target,
    /// Secrets and ConfigMaps, as far as it reads them.
    pub assets: &'a AssetStore<'a>,
}

impl Ruler<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.parent.metadata.name
    }

    /// Returns whether the target supports the feature of the gate.
    pub fn has(&self, gate: &Gate) -> bool {
        self.versions.has(gate)
    }

    /// The value, if the target supports the field. A field without effect is reported at its place.
    pub(crate) fn gated<T>(
        &self,
        gate: &Gate,
        value: Option<T>,
        route: ValueRoute,
        sink: &mut Sink,
    ) -> Option<T> {
        if value.is_some() && !self.has(gate) {
            sink.report(gates::ignored(
                gate,
                self.versions,
                At {
                    doc: self.doc,
                    route,
                },
            ));
        }
        value.filter(|_| self.has(gate))
    }
}
