//! Slack.

use promgen_derive::Decode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::scalar::Duration;

/// What is asked before an action is done.
///
/// Operator: monitoring/v1alpha1.SlackConfirmationField.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlackConfirmationField {
    /// The text of no.
    #[schemars(length(min = 1))]
    pub dismiss_text: Option<String>,
    /// The text of yes.
    #[schemars(length(min = 1))]
    pub ok_text: Option<String>,
    /// The text.
    #[schemars(length(min = 1))]
    pub text: String,
    /// The title.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
}

/// A button.
///
/// Operator: monitoring/v1alpha1.SlackAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlackAction {
    /// What is asked before it is done.
    pub confirm: Option<SlackConfirmationField>,
    /// Its name in answers.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// How it looks.
    #[schemars(length(min = 1))]
    pub style: Option<String>,
    /// The text of the button.
    #[schemars(length(min = 1))]
    pub text: String,
    /// What kind it is.
    #[schemars(length(min = 1))]
    pub r#type: String,
    /// The URL.
    pub url: Option<String>,
    /// What the answer holds.
    #[schemars(length(min = 1))]
    pub value: Option<String>,
}

/// A field of a message.
///
/// Operator: monitoring/v1alpha1.SlackField.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlackField {
    /// Whether it is short.
    pub short: Option<bool>,
    /// The title.
    #[schemars(length(min = 1))]
    pub title: String,
    /// The text.
    #[schemars(length(min = 1))]
    pub value: String,
}

/// How Slack is told.
///
/// Operator: monitoring/v1alpha1.SlackConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlackConfig {
    /// What the reader can do.
    #[schemars(length(min = 1))]
    pub actions: Option<Vec<SlackAction>>,
    /// The URL of the service.
    #[serde(rename = "apiURL")]
    pub api_url: Option<SecretKeySelector>,
    /// The id by which answers are told apart.
    #[schemars(length(min = 1))]
    pub callback_id: Option<String>,
    /// The channel or user.
    #[schemars(length(min = 1))]
    pub channel: Option<String>,
    /// The color of the bar.
    #[schemars(length(min = 1))]
    pub color: Option<String>,
    /// The text for clients that show nothing else.
    #[schemars(length(min = 1))]
    pub fallback: Option<String>,
    /// Fields beside each other.
    #[schemars(length(min = 1))]
    pub fields: Option<Vec<SlackField>>,
    /// What stands below.
    #[schemars(length(min = 1))]
    pub footer: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The emoji of the sender.
    #[schemars(length(min = 1))]
    pub icon_emoji: Option<String>,
    /// The picture of the sender.
    #[serde(rename = "iconURL")]
    pub icon_url: Option<String>,
    /// A picture.
    #[serde(rename = "imageURL")]
    pub image_url: Option<String>,
    /// Whether names become links.
    pub link_names: Option<bool>,
    /// What stands above the attachment.
    #[schemars(length(min = 1))]
    pub message_text: Option<String>,
    /// Where Markdown is read.
    #[schemars(inner(length(min = 1)), length(min = 1))]
    pub mrkdwn_in: Option<Vec<String>>,
    /// What stands before.
    #[schemars(length(min = 1))]
    pub pretext: Option<String>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// Whether fields are short unless they say.
    pub short_fields: Option<bool>,
    /// The text.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// A small picture.
    #[serde(rename = "thumbURL")]
    pub thumb_url: Option<String>,
    /// How long a request may take.
    pub timeout: Option<Duration>,
    /// The title.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Where the title leads.
    pub title_link: Option<String>,
    /// Whether a message is changed rather than followed by another.
    pub update_message: Option<bool>,
    /// The name of the sender.
    #[schemars(length(min = 1))]
    pub username: Option<String>,
}
