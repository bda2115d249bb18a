//! An Alertmanager: the context of all phases, and its configuration.
//!
//! [`config`] generates the configuration; `workload` generates the objects.

pub mod config;
mod flow;
mod lines;
pub mod merge;
pub(crate) mod notification;
mod sanitize;
mod shape;
pub(crate) mod times;
mod upstream;
mod write;

pub(crate) use shape::strict::field_help;

use crate::cluster::assets::AssetStore;
use crate::lower::workload::object::Parent;
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::gates::{Gate, Versions};
use promgen_text::route::DocId;

/// An Alertmanager, and the run that it is compiled in.
#[derive(Debug)]
pub struct AlertmanagerContext<'a> {
    /// Its document.
    pub doc: DocId,
    /// The custom resource, and how its objects are made.
    pub parent: Parent<'a>,
    /// Its spec.
    pub spec: &'a AlertmanagerSpec,
    /// The versions that it is compiled for.
    pub versions: &'a Versions,
    /// Its version as it is written, which is also the tag of the image.
    pub tag: &'a str,
    /// Secrets and ConfigMaps, as far as it reads them.
    pub assets: &'a AssetStore<'a>,
}

/// The prefix of the names of the objects of an Alertmanager.
fn prefixed(name: &str) -> String {
    format!("alertmanager-{name}")
}

impl<'a> AlertmanagerContext<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        &self.parent.metadata.name
    }

    /// Its namespace.
    pub const fn namespace(&self) -> &'a str {
        self.parent.namespace
    }

    /// `alertmanager-<name>`: what the names of its objects begin with. Operator: `prefixedName`.
    pub(crate) fn prefixed(&self) -> String {
        prefixed(self.name())
    }

    /// The number of pods. Operator: one by default; a negative number counts as 0.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1).max(0)
    }

    /// Returns whether the target supports the feature of the gate.
    pub fn has(&self, gate: &Gate) -> bool {
        self.versions.has(gate)
    }
}
