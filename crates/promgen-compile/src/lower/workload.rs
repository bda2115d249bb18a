//! The Kubernetes objects of a workload.
//!
//! In: the custom resource, and its configuration. Out: the objects in the order in which they are printed, and the
//! error with which the operator stops before it has written all of them. The parts that all kinds of workload share
//! are here and in the files of `pod`, `volumes`, `web_config` and so on: functions over plain structs, which the
//! modules of the kinds fill in. The content of a configuration plays no role.

pub mod alertmanager;
pub(crate) mod ignored;
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

/// The objects that the operator writes.
#[derive(Clone, Debug, Default)]
pub struct WorkloadObjects {
    /// The objects, in the order in which they are printed.
    pub objects: Vec<OutputObject>,
    /// The configuration of the web server, a file of its own in the output tree. `None` if it is not written.
    pub web_config: Option<String>,
    /// The operator's error.
    pub error: Option<Refusal>,
}

impl WorkloadObjects {
    /// Nothing but an error.
    pub fn stopped(error: Refusal) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }

    /// Writes objects until the end or an error. The operator's order decides which objects precede an error; the
    /// output is sorted by kind.
    pub fn write(write: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Self {
        let mut out = Self::default();
        out.error = write(&mut out).err();
        // A stable sort: objects of one kind stay in the order in which they were written.
        out.objects.sort_by_key(|object| {
            let kinds = ["secret", "configmap", "service"];
            kinds
                .iter()
                .position(|kind| object.file.starts_with(kind))
                .unwrap_or(kinds.len())
        });
        out
    }
}
