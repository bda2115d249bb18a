//! Slack.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::scalar::Duration;

/// The confirmation of an action.
#[api(of = "monitoring/v1alpha1.SlackConfirmationField")]
pub struct SlackConfirmationField {
    /// The text of no.
    #[api(min_length = 1)]
    pub dismiss_text: Option<String>,
    /// The text of yes.
    #[api(min_length = 1)]
    pub ok_text: Option<String>,
    /// The text.
    #[api(min_length = 1)]
    pub text: String,
    /// The title.
    #[api(min_length = 1)]
    pub title: Option<String>,
}

/// A button.
#[api(of = "monitoring/v1alpha1.SlackAction")]
pub struct SlackAction {
    /// The confirmation of the action.
    pub confirm: Option<SlackConfirmationField>,
    /// Its name in answers.
    #[api(min_length = 1)]
    pub name: Option<String>,
    /// Its style.
    #[api(min_length = 1)]
    pub style: Option<String>,
    /// The text of the button.
    #[api(min_length = 1)]
    pub text: String,
    /// Its type.
    #[api(min_length = 1)]
    pub r#type: String,
    /// The URL.
    pub url: Option<String>,
    /// The value in the response.
    #[api(min_length = 1)]
    pub value: Option<String>,
}

/// A field of a message.
#[api(of = "monitoring/v1alpha1.SlackField")]
pub struct SlackField {
    /// Whether it is short.
    pub short: Option<bool>,
    /// The title.
    #[api(min_length = 1)]
    pub title: String,
    /// The text.
    #[api(min_length = 1)]
    pub value: String,
}

/// A Slack integration.
#[api(of = "monitoring/v1alpha1.SlackConfig")]
pub struct SlackConfig {
    /// The actions of the message.
    #[api(min_length = 1)]
    pub actions: Option<Vec<SlackAction>>,
    /// The URL of the service.
    #[api(name = "apiURL")]
    pub api_url: Option<SecretKeySelector>,
    /// The id of responses.
    #[api(min_length = 1)]
    pub callback_id: Option<String>,
    /// The channel or user.
    #[api(min_length = 1)]
    pub channel: Option<String>,
    /// The color of the bar.
    #[api(min_length = 1)]
    pub color: Option<String>,
    /// The text for clients that cannot show the message.
    #[api(min_length = 1)]
    pub fallback: Option<String>,
    /// Fields of the message.
    #[api(min_length = 1)]
    pub fields: Option<Vec<SlackField>>,
    /// The footer.
    #[api(min_length = 1)]
    pub footer: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The emoji of the sender.
    #[api(min_length = 1)]
    pub icon_emoji: Option<String>,
    /// The picture of the sender.
    #[api(name = "iconURL")]
    pub icon_url: Option<String>,
    /// A picture.
    #[api(name = "imageURL")]
    pub image_url: Option<String>,
    /// Whether names become links.
    pub link_names: Option<bool>,
    /// The text above the attachment.
    #[api(min_length = 1)]
    pub message_text: Option<String>,
    /// Where Markdown is read.
    #[api(min_length = 1, items(min_length = 1))]
    pub mrkdwn_in: Option<Vec<String>>,
    /// The text before the message.
    #[api(min_length = 1)]
    pub pretext: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// Whether fields are short by default.
    pub short_fields: Option<bool>,
    /// The text.
    #[api(min_length = 1)]
    pub text: Option<String>,
    /// A small picture.
    #[api(name = "thumbURL")]
    pub thumb_url: Option<String>,
    /// The time-out of a request.
    pub timeout: Option<Duration>,
    /// The title.
    #[api(min_length = 1)]
    pub title: Option<String>,
    /// The URL of the title.
    pub title_link: Option<String>,
    /// Whether a message is updated instead of followed by another.
    pub update_message: Option<bool>,
    /// The name of the sender.
    #[api(min_length = 1)]
    pub username: Option<String>,
}
