//! Slack.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::scalar::Duration;

/// The confirmation of an action.
#[api(of = "monitoring/v1alpha1.SlackConfirmationField")]
pub struct SlackConfirmationField {
    /// The text of no.
    pub dismiss_text: Option<String>,
    /// The text of yes.
    pub ok_text: Option<String>,
    /// The text.
    pub text: String,
    /// The title.
    pub title: Option<String>,
}

/// A button.
#[api(of = "monitoring/v1alpha1.SlackAction")]
pub struct SlackAction {
    /// The confirmation of the action.
    pub confirm: Option<SlackConfirmationField>,
    /// Its name in answers.
    pub name: Option<String>,
    /// Its style.
    pub style: Option<String>,
    /// The text of the button.
    pub text: String,
    /// Its type.
    pub r#type: String,
    /// The URL.
    pub url: Option<String>,
    /// The value in the response.
    pub value: Option<String>,
}

/// A field of a message.
#[api(of = "monitoring/v1alpha1.SlackField")]
pub struct SlackField {
    /// Whether it is short.
    pub short: Option<bool>,
    /// The title.
    pub title: String,
    /// The text.
    pub value: String,
}

/// A Slack integration.
#[api(of = "monitoring/v1alpha1.SlackConfig")]
pub struct SlackConfig {
    /// The actions of the message.
    pub actions: Option<Vec<SlackAction>>,
    /// The URL of the service.
    pub api_url: Option<SecretKeySelector>,
    /// The id of responses.
    pub callback_id: Option<String>,
    /// The channel or user.
    pub channel: Option<String>,
    /// The color of the bar.
    pub color: Option<String>,
    /// The text for clients that cannot show the message.
    pub fallback: Option<String>,
    /// Fields of the message.
    pub fields: Option<Vec<SlackField>>,
    /// The footer.
    pub footer: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The emoji of the sender.
    pub icon_emoji: Option<String>,
    /// The picture of the sender.
    pub icon_url: Option<String>,
    /// A picture.
    pub image_url: Option<String>,
    /// Whether names become links.
    pub link_names: Option<bool>,
    /// The text above the attachment.
    pub message_text: Option<String>,
    /// Where Markdown is read.
    pub mrkdwn_in: Option<Vec<String>>,
    /// The text before the message.
    pub pretext: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// Whether fields are short by default.
    pub short_fields: Option<bool>,
    /// The text.
    pub text: Option<String>,
    /// A small picture.
    pub thumb_url: Option<String>,
    /// The time-out of a request.
    pub timeout: Option<Duration>,
    /// The title.
    pub title: Option<String>,
    /// The URL of the title.
    pub title_link: Option<String>,
    /// Whether a message is updated instead of followed by another.
    pub update_message: Option<bool>,
    /// The name of the sender.
    pub username: Option<String>,
}
