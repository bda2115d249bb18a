//! Receivers that call people.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::api::scalar::Duration;
use crate::api::string_enum;

/// The responders.
#[api(of = "monitoring/v1alpha1.OpsGenieConfigResponder")]
pub struct OpsGenieConfigResponder {
    /// The id.
    pub id: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// Its type.
    pub r#type: ResponderType,
    /// The name of the user.
    pub username: Option<String>,
}

/// An OpsGenie integration.
#[api(of = "monitoring/v1alpha1.OpsGenieConfig")]
pub struct OpsGenieConfig {
    /// The actions of the message.
    pub actions: Option<String>,
    /// The key.
    pub api_key: Option<SecretKeySelector>,
    /// The URL of the service.
    pub api_url: Option<String>,
    /// The subject.
    pub description: Option<String>,
    /// Further pairs of names and values.
    pub details: Option<Vec<KeyValue>>,
    /// The entity, for routing within the service.
    pub entity: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// A further note.
    pub note: Option<String>,
    /// The priority.
    pub priority: Option<String>,
    /// The responders.
    pub responders: Option<Vec<OpsGenieConfigResponder>>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The source.
    pub source: Option<String>,
    /// Tags, with commas.
    pub tags: Option<String>,
    /// Whether message and description are updated with the alert.
    pub update_alerts: Option<bool>,
}

/// A picture.
#[api(of = "monitoring/v1alpha1.PagerDutyImageConfig")]
pub struct PagerDutyImageConfig {
    /// The text.
    pub alt: Option<String>,
    /// The URL.
    pub href: Option<String>,
    /// Where it is.
    pub src: Option<String>,
}

/// A link.
#[api(of = "monitoring/v1alpha1.PagerDutyLinkConfig")]
pub struct PagerDutyLinkConfig {
    /// The text.
    pub alt: Option<String>,
    /// The URL.
    pub href: Option<String>,
}

/// A PagerDuty integration.
#[api(of = "monitoring/v1alpha1.PagerDutyConfig")]
pub struct PagerDutyConfig {
    /// The class of the event.
    pub class: Option<String>,
    /// The name of the sender.
    pub client: Option<String>,
    /// The URL of the sender.
    pub client_url: Option<String>,
    /// The part of the machine that is hurt.
    pub component: Option<String>,
    /// The subject.
    pub description: Option<String>,
    /// Further pairs of names and values.
    pub details: Option<Vec<KeyValue>>,
    /// A group of parts.
    pub group: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// Pictures.
    pub pager_duty_image_configs: Option<Vec<PagerDutyImageConfig>>,
    /// Links.
    pub pager_duty_link_configs: Option<Vec<PagerDutyLinkConfig>>,
    /// The key of the integration.
    pub routing_key: Option<SecretKeySelector>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The key of an integration of the old kind.
    pub service_key: Option<SecretKeySelector>,
    /// The severity.
    pub severity: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// The time-out of a request.
    pub timeout: Option<Duration>,
    /// The URL.
    pub url: Option<String>,
}

/// A VictorOps integration.
#[api(of = "monitoring/v1alpha1.VictorOpsConfig")]
pub struct VictorOpsConfig {
    /// The key.
    pub api_key: Option<SecretKeySelector>,
    /// The URL of the service.
    pub api_url: Option<String>,
    /// Further pairs of names and values.
    pub custom_fields: Option<Vec<KeyValue>>,
    /// The summary.
    pub entity_display_name: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The type of the message.
    pub message_type: Option<String>,
    /// The tool that found it.
    pub monitoring_tool: Option<String>,
    /// The key of the integration.
    pub routing_key: String,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The full message.
    pub state_message: Option<String>,
}

string_enum! {
    /// Kinds of responders.
    pub enum ResponderType {
        /// A team.
        Team = "team",
        /// Several teams.
        Teams = "teams",
        /// A user.
        User = "user",
        /// An escalation.
        Escalation = "escalation",
        /// A schedule.
        Schedule = "schedule",
    }
}
