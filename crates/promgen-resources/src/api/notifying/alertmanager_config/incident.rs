//! Receivers that call people.

use promgen_derive::{Decode, Encode};

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::api::scalar::Duration;
use crate::api::string_enum;

/// Who is called.
///
/// Operator: monitoring/v1alpha1.OpsGenieConfigResponder.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct OpsGenieConfigResponder {
    /// The id.
    #[api(min_length = 1)]
    pub id: Option<String>,
    /// The name.
    #[api(min_length = 1)]
    pub name: Option<String>,
    /// What kind it is.
    pub r#type: ResponderType,
    /// The name of the user.
    #[api(min_length = 1)]
    pub username: Option<String>,
}

/// How OpsGenie is told.
///
/// Operator: monitoring/v1alpha1.OpsGenieConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct OpsGenieConfig {
    /// What the reader can do.
    #[api(min_length = 1)]
    pub actions: Option<String>,
    /// The key.
    pub api_key: Option<SecretKeySelector>,
    /// The URL of the service.
    #[api(name = "apiURL", pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// What it is about.
    #[api(min_length = 1)]
    pub description: Option<String>,
    /// Further pairs of names and values.
    pub details: Option<Vec<KeyValue>>,
    /// What it is about, for the service.
    #[api(min_length = 1)]
    pub entity: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    #[api(min_length = 1)]
    pub message: Option<String>,
    /// A further note.
    #[api(min_length = 1)]
    pub note: Option<String>,
    /// How urgent it is.
    #[api(min_length = 1)]
    pub priority: Option<String>,
    /// Who is called.
    pub responders: Option<Vec<OpsGenieConfigResponder>>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// Where it comes from.
    #[api(min_length = 1)]
    pub source: Option<String>,
    /// Tags, with commas.
    #[api(min_length = 1)]
    pub tags: Option<String>,
    /// Whether message and description follow the alert.
    pub update_alerts: Option<bool>,
}

/// A picture.
///
/// Operator: monitoring/v1alpha1.PagerDutyImageConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PagerDutyImageConfig {
    /// The text beside it.
    #[api(min_length = 1)]
    pub alt: Option<String>,
    /// Where it leads.
    pub href: Option<String>,
    /// Where it is.
    #[api(min_length = 1)]
    pub src: Option<String>,
}

/// A link.
///
/// Operator: monitoring/v1alpha1.PagerDutyLinkConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PagerDutyLinkConfig {
    /// The text beside it.
    #[api(min_length = 1)]
    pub alt: Option<String>,
    /// Where it leads.
    pub href: Option<String>,
}

/// How PagerDuty is told.
///
/// Operator: monitoring/v1alpha1.PagerDutyConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PagerDutyConfig {
    /// The class of the event.
    #[api(min_length = 1)]
    pub class: Option<String>,
    /// The name of the sender.
    #[api(min_length = 1)]
    pub client: Option<String>,
    /// The URL of the sender.
    #[api(name = "clientURL")]
    pub client_url: Option<String>,
    /// The part of the machine that is hurt.
    #[api(min_length = 1)]
    pub component: Option<String>,
    /// What it is about.
    #[api(min_length = 1)]
    pub description: Option<String>,
    /// Further pairs of names and values.
    pub details: Option<Vec<KeyValue>>,
    /// A group of parts.
    #[api(min_length = 1)]
    pub group: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// Pictures.
    pub pager_duty_image_configs: Option<Vec<PagerDutyImageConfig>>,
    /// Links.
    pub pager_duty_link_configs: Option<Vec<PagerDutyLinkConfig>>,
    /// The key of the integration.
    pub routing_key: Option<SecretKeySelector>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// The key of an integration of the old kind.
    pub service_key: Option<SecretKeySelector>,
    /// How bad it is.
    #[api(min_length = 1)]
    pub severity: Option<String>,
    /// Where it comes from.
    #[api(min_length = 1)]
    pub source: Option<String>,
    /// How long a request may take.
    pub timeout: Option<Duration>,
    /// The URL.
    #[api(pattern = r"^https?://.+$")]
    pub url: Option<String>,
}

/// How VictorOps is told.
///
/// Operator: monitoring/v1alpha1.VictorOpsConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct VictorOpsConfig {
    /// The key.
    pub api_key: Option<SecretKeySelector>,
    /// The URL of the service.
    #[api(pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// Further pairs of names and values.
    pub custom_fields: Option<Vec<KeyValue>>,
    /// What it is about, in a line.
    #[api(min_length = 1)]
    pub entity_display_name: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// What kind of message it is.
    #[api(min_length = 1)]
    pub message_type: Option<String>,
    /// The tool that found it.
    #[api(min_length = 1)]
    pub monitoring_tool: Option<String>,
    /// The key of the integration.
    #[api(min_length = 1)]
    pub routing_key: String,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// What it is about, at length.
    #[api(min_length = 1)]
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
