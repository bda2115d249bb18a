//! `AlertmanagerConfig`: a part of the configuration of Alertmanagers, of one namespace.

pub mod chat;
pub mod incident;
pub mod message;
pub mod receiver;
pub mod route;
pub mod slack;
pub mod time;

use promgen_derive::api;

use crate::api::meta::ObjectMeta;
use crate::api::resource;
use crate::api::status::ConfigResourceStatus;

use receiver::Receiver;
use route::{InhibitRule, Route};
use time::MuteTimeInterval;

resource! {
    /// Routes, receivers and inhibit rules for the alerts of a namespace.
    ///
    /// Operator: monitoring/v1alpha1.AlertmanagerConfig.
    pub struct AlertmanagerConfig { spec: AlertmanagerConfigSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1alpha1", "alertmanagerconfigs"
}

/// The spec of an AlertmanagerConfig.
#[api(of = "monitoring/v1alpha1.AlertmanagerConfigSpec")]
pub struct AlertmanagerConfigSpec {
    /// Alerts that keep others quiet.
    pub inhibit_rules: Option<Vec<InhibitRule>>,
    /// Times with a name.
    pub mute_time_intervals: Option<Vec<MuteTimeInterval>>,
    /// The receivers. Each name once.
    pub receivers: Option<Vec<Receiver>>,
    /// The route of alerts to receivers. Without it, only the inhibit rules apply.
    pub route: Option<Route>,
}
