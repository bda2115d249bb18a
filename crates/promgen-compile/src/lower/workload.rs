//! The Kubernetes objects of a workload.
//!
//! In: the custom resource, and what its configuration is. Out: the objects in the order in which they are printed, and
//! the error with which the operator stops before it has written all of them.
//! What all kinds of workload share stands here and in the files of `pod`, `volumes`, `web_config` and so on: as
//! functions over plain structs, which the modules of the kinds fill in. Knows nothing of what a configuration says.

pub mod alertmanager;
pub mod image;
pub mod names;
pub mod object;
mod pod;
pub mod prometheus;
mod rule_files;
mod service;
pub mod thanos_ruler;
mod tls_assets;
mod web_config;

use crate::output::OutputObject;
use crate::select::admit::Refusal;

/// What the operator would write.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// The objects, in the order in which they are printed.
    pub objects: Vec<OutputObject>,
    /// The configuration of the web server, a file of its own in the output tree. `None` if it is not written.
    pub web_config: Option<String>,
    /// The error with which the operator stops, in its words.
    pub error: Option<Refusal>,
}

impl Objects {
    /// Nothing but an error.
    pub fn stopped(error: Refusal) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// What is written until there is nothing left, or an error. Written in the operator's order, so that what comes
    /// before an error is known; printed by kind.
    pub fn write(write: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Self {
        let mut out = Self::default();
        out.error = write(&mut out).err();
        out.objects.sort_by_key(|object| {
            let kinds = ["secret", "configmap", "service"];
            kinds.iter().position(|kind| object.file.starts_with(kind)).unwrap_or(kinds.len())
        });
        out
    }
}
