//! Receivers that are chats, but for Slack.

use promgen_derive::{Decode, Encode};

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::string_enum;

/// How Discord is told.
///
/// Operator: monitoring/v1alpha1.DiscordConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct DiscordConfig {
    /// The URL of the service.
    #[api(name = "apiURL")]
    pub api_url: SecretKeySelector,
    /// The picture of the sender.
    #[api(name = "avatarURL", pattern = r"^https?://.+$")]
    pub avatar_url: Option<String>,
    /// What stands above the message.
    #[api(min_length = 1)]
    pub content: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// The title.
    pub title: Option<String>,
    /// The name of the sender.
    #[api(min_length = 1)]
    pub username: Option<String>,
}

/// How Microsoft Teams is told.
///
/// Operator: monitoring/v1alpha1.MSTeamsConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct MsTeamsConfig {
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// A short text for notifications.
    pub summary: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The URL of the incoming webhook.
    pub webhook_url: SecretKeySelector,
}

/// How Microsoft Teams, by workflows is told.
///
/// Operator: monitoring/v1alpha1.MSTeamsV2Config.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct MsTeamsV2Config {
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// The text.
    #[api(min_length = 1)]
    pub text: Option<String>,
    /// The title.
    #[api(min_length = 1)]
    pub title: Option<String>,
    /// The URL of the incoming webhook.
    #[api(name = "webhookURL")]
    pub webhook_url: Option<SecretKeySelector>,
}

/// A button.
///
/// Operator: monitoring/v1alpha1.RocketChatActionConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RocketChatActionConfig {
    /// What is sent.
    #[api(min_length = 1)]
    pub msg: Option<String>,
    /// The text.
    #[api(min_length = 1)]
    pub text: Option<String>,
    /// The URL.
    pub url: Option<String>,
}

/// A field of a message.
///
/// Operator: monitoring/v1alpha1.RocketChatFieldConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RocketChatFieldConfig {
    /// Whether it is short.
    pub short: Option<bool>,
    /// The title.
    #[api(min_length = 1)]
    pub title: Option<String>,
    /// The value.
    #[api(min_length = 1)]
    pub value: Option<String>,
}

/// How Rocket.Chat is told.
///
/// Operator: monitoring/v1alpha1.RocketChatConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RocketChatConfig {
    /// What the reader can do.
    #[api(min_length = 1)]
    pub actions: Option<Vec<RocketChatActionConfig>>,
    /// The URL of the service.
    #[api(name = "apiURL", pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// The channel or user.
    #[api(min_length = 1)]
    pub channel: Option<String>,
    /// The color of the bar.
    #[api(min_length = 1)]
    pub color: Option<String>,
    /// The emoji of the sender.
    #[api(min_length = 1)]
    pub emoji: Option<String>,
    /// Fields beside each other.
    #[api(min_length = 1)]
    pub fields: Option<Vec<RocketChatFieldConfig>>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The picture of the sender.
    #[api(name = "iconURL")]
    pub icon_url: Option<String>,
    /// A picture.
    #[api(name = "imageURL")]
    pub image_url: Option<String>,
    /// Whether names become links.
    pub link_names: Option<bool>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// Whether fields are short unless they say.
    pub short_fields: Option<bool>,
    /// The text.
    #[api(min_length = 1)]
    pub text: Option<String>,
    /// A small picture.
    #[api(name = "thumbURL")]
    pub thumb_url: Option<String>,
    /// The title.
    #[api(min_length = 1)]
    pub title: Option<String>,
    /// Where the title leads.
    #[api(min_length = 1)]
    pub title_link: Option<String>,
    /// The token of the sender.
    pub token: SecretKeySelector,
    /// The id of the token.
    #[api(name = "tokenID")]
    pub token_id: SecretKeySelector,
}

/// How Telegram is told.
///
/// Operator: monitoring/v1alpha1.TelegramConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct TelegramConfig {
    /// The URL of the service.
    #[api(name = "apiURL", pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// The token of the bot.
    pub bot_token: Option<SecretKeySelector>,
    /// The same, as a file.
    pub bot_token_file: Option<String>,
    /// The chat.
    #[api(name = "chatID")]
    pub chat_id: i64,
    /// Whether it comes in silence.
    pub disable_notifications: Option<bool>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The thread in the chat.
    #[api(name = "messageThreadID")]
    pub message_thread_id: Option<i64>,
    /// How the text is read.
    pub parse_mode: Option<ParseMode>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
}

/// How Webex is told.
///
/// Operator: monitoring/v1alpha1.WebexConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct WebexConfig {
    /// The URL of the service.
    #[api(name = "apiURL", pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The room.
    #[api(name = "roomID", min_length = 1)]
    pub room_id: String,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
}

/// How WeChat is told.
///
/// Operator: monitoring/v1alpha1.WeChatConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct WeChatConfig {
    /// The agent.
    #[api(name = "agentID", min_length = 1)]
    pub agent_id: Option<String>,
    /// The secret.
    pub api_secret: Option<SecretKeySelector>,
    /// The URL of the service.
    #[api(name = "apiURL", pattern = r"^https?://.+$")]
    pub api_url: Option<String>,
    /// The id of the corporation.
    #[api(name = "corpID", min_length = 1)]
    pub corp_id: Option<String>,
    /// How it talks HTTP.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    #[api(min_length = 1)]
    pub message: Option<String>,
    /// What kind of message it is.
    #[api(min_length = 1)]
    pub message_type: Option<String>,
    /// Whether it tells when an alert is over.
    pub send_resolved: Option<bool>,
    /// The parties.
    #[api(min_length = 1)]
    pub to_party: Option<String>,
    /// The tags.
    #[api(min_length = 1)]
    pub to_tag: Option<String>,
    /// The users.
    #[api(min_length = 1)]
    pub to_user: Option<String>,
}

string_enum! {
    /// How Telegram reads a text.
    pub enum ParseMode {
        /// Markdown.
        MarkdownV2 = "MarkdownV2",
        /// Markdown of the old kind.
        Markdown = "Markdown",
        /// HTML.
        Html = "HTML",
    }
}
