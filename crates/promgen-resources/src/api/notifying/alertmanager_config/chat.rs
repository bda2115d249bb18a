//! Receivers that are chats, but for Slack.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::{rules, string_enum};

/// A Discord integration.
#[api(of = "monitoring/v1alpha1.DiscordConfig")]
pub struct DiscordConfig {
    /// The URL of the service.
    pub api_url: SecretKeySelector,
    /// The picture of the sender.
    pub avatar_url: Option<String>,
    /// The title of the message.
    pub content: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The title.
    pub title: Option<String>,
    /// The name of the sender.
    pub username: Option<String>,
}

/// A Microsoft Teams integration.
#[api(of = "monitoring/v1alpha1.MSTeamsConfig")]
pub struct MsTeamsConfig {
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// Whether it notifies about resolved alerts.
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

/// A Microsoft Teams workflow integration.
#[api(of = "monitoring/v1alpha1.MSTeamsV2Config")]
pub struct MsTeamsV2Config {
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The text.
    pub text: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The URL of the incoming webhook.
    pub webhook_url: Option<SecretKeySelector>,
}

/// A button.
#[api(of = "monitoring/v1alpha1.RocketChatActionConfig")]
pub struct RocketChatActionConfig {
    /// The message.
    pub msg: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The URL.
    pub url: Option<String>,
}

/// A field of a message.
#[api(of = "monitoring/v1alpha1.RocketChatFieldConfig")]
pub struct RocketChatFieldConfig {
    /// Whether it is short.
    pub short: Option<bool>,
    /// The title.
    pub title: Option<String>,
    /// The value.
    pub value: Option<String>,
}

/// A Rocket.Chat integration.
#[api(of = "monitoring/v1alpha1.RocketChatConfig")]
pub struct RocketChatConfig {
    /// The actions of the message.
    pub actions: Option<Vec<RocketChatActionConfig>>,
    /// The URL of the service.
    pub api_url: Option<String>,
    /// The channel or user.
    pub channel: Option<String>,
    /// The color of the bar.
    pub color: Option<String>,
    /// The emoji of the sender.
    pub emoji: Option<String>,
    /// Fields of the message.
    pub fields: Option<Vec<RocketChatFieldConfig>>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The picture of the sender.
    pub icon_url: Option<String>,
    /// A picture.
    pub image_url: Option<String>,
    /// Whether names become links.
    pub link_names: Option<bool>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// Whether fields are short by default.
    pub short_fields: Option<bool>,
    /// The text.
    pub text: Option<String>,
    /// A small picture.
    pub thumb_url: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The URL of the title.
    pub title_link: Option<String>,
    /// The token of the sender.
    pub token: SecretKeySelector,
    /// The id of the token.
    pub token_id: SecretKeySelector,
}

/// A Telegram integration.
#[api(of = "monitoring/v1alpha1.TelegramConfig")]
pub struct TelegramConfig {
    /// The URL of the service.
    pub api_url: Option<String>,
    /// The token of the bot.
    pub bot_token: Option<SecretKeySelector>,
    /// The file of the bot token.
    pub bot_token_file: Option<String>,
    /// The chat.
    pub chat_id: i64,
    /// Whether the notification is silent.
    pub disable_notifications: Option<bool>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The thread in the chat.
    pub message_thread_id: Option<i64>,
    /// The markup of the text.
    pub parse_mode: Option<ParseMode>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
}

/// A Webex integration.
#[api(validations = rules::WEBEX)]
#[api(of = "monitoring/v1alpha1.WebexConfig")]
pub struct WebexConfig {
    /// The URL of the service.
    pub api_url: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The room.
    pub room_id: String,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
}

/// A WeChat integration.
#[api(of = "monitoring/v1alpha1.WeChatConfig")]
pub struct WeChatConfig {
    /// The agent.
    pub agent_id: Option<String>,
    /// The secret.
    pub api_secret: Option<SecretKeySelector>,
    /// The URL of the service.
    pub api_url: Option<String>,
    /// The id of the corporation.
    pub corp_id: Option<String>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The type of the message.
    pub message_type: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The parties.
    pub to_party: Option<String>,
    /// The tags.
    pub to_tag: Option<String>,
    /// The users.
    pub to_user: Option<String>,
}

string_enum! {
    /// The markup of a Telegram message.
    pub enum ParseMode {
        /// Markdown.
        MarkdownV2 = "MarkdownV2",
        /// Markdown of the old kind.
        Markdown = "Markdown",
        /// HTML.
        Html = "HTML",
    }
}
