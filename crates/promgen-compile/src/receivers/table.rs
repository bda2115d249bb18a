//! What a kind of receiver states about itself.

pub(crate) mod admission;
pub(crate) mod conversion;
pub(crate) mod demand;
pub(crate) mod shape;

use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use promgen_resources::gates::Gate;

/// A kind of receiver.
pub(crate) struct ReceiverKind {
    /// The key of its list in a configuration.
    pub(crate) list: &'static str,
    /// The version that it needs. `None` if all versions have it.
    pub(crate) since: Option<KindSince>,
    /// Its list in AlertmanagerConfigs. `None` if they have no such receivers.
    pub(crate) resource: Option<ReceiverList>,
    /// The operator's requirements of an item of a configuration, in its order.
    pub(crate) demands: &'static [ReceiverDemand],
    /// The requirements of Alertmanager on an item or the global settings, in its order.
    pub(crate) global_needs: &'static [GlobalNeed],
}

/// The version that a kind of receiver needs, and the operator's messages about an older one.
pub(crate) struct KindSince {
    /// The gate of the kind.
    pub(crate) gate: &'static Gate,
    /// The words of the message about a configuration, up to the version.
    pub(crate) in_configuration: &'static str,
    /// The message about an AlertmanagerConfig. `None` if these have no such receivers.
    pub(crate) in_resource: Option<KindGate>,
}

/// The operator's message about a version that lacks a kind of receiver.
#[derive(Clone, Copy)]
pub(crate) enum KindGate {
    /// The field is available since.
    Field(&'static str),
    /// The integration is only available since.
    Integration(&'static str),
}

/// The list of a kind of receiver in AlertmanagerConfigs.
pub(crate) struct ReceiverList {
    /// Its field.
    pub(crate) field: &'static str,
    /// The checks of an item that need neither a Secret nor the version, in order.
    pub(crate) valid: &'static [ReceiverRule],
    /// The checks of the version and the Secrets of an item, in order.
    pub(crate) reads: &'static [ReceiverRead],
}
