//! Receivers, and what several kinds of them have in common.

use promgen_derive::api;

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::chat::{
    DiscordConfig, MsTeamsConfig, MsTeamsV2Config, RocketChatConfig, TelegramConfig, WeChatConfig,
    WebexConfig,
};
use crate::api::notifying::alertmanager_config::incident::{
    OpsGenieConfig, PagerDutyConfig, VictorOpsConfig,
};
use crate::api::notifying::alertmanager_config::message::{
    EmailConfig, PushoverConfig, SnsConfig, WebhookConfig,
};
use crate::api::notifying::alertmanager_config::slack::SlackConfig;

/// A receiver of alerts, with its integrations.
#[api(of = "monitoring/v1alpha1.Receiver")]
pub struct Receiver {
    /// Discord.
    pub discord_configs: Option<Vec<DiscordConfig>>,
    /// Mail.
    pub email_configs: Option<Vec<EmailConfig>>,
    /// Microsoft Teams.
    pub msteams_configs: Option<Vec<MsTeamsConfig>>,
    /// Microsoft Teams, by workflows.
    pub msteamsv2_configs: Option<Vec<MsTeamsV2Config>>,
    /// Its name, by which routes refer to it.
    pub name: String,
    /// OpsGenie.
    pub opsgenie_configs: Option<Vec<OpsGenieConfig>>,
    /// PagerDuty.
    pub pagerduty_configs: Option<Vec<PagerDutyConfig>>,
    /// Pushover.
    pub pushover_configs: Option<Vec<PushoverConfig>>,
    /// Rocket.Chat.
    pub rocketchat_configs: Option<Vec<RocketChatConfig>>,
    /// Slack.
    pub slack_configs: Option<Vec<SlackConfig>>,
    /// Amazon SNS.
    pub sns_configs: Option<Vec<SnsConfig>>,
    /// Telegram.
    pub telegram_configs: Option<Vec<TelegramConfig>>,
    /// VictorOps.
    pub victorops_configs: Option<Vec<VictorOpsConfig>>,
    /// Webex.
    pub webex_configs: Option<Vec<WebexConfig>>,
    /// Webhooks.
    pub webhook_configs: Option<Vec<WebhookConfig>>,
    /// WeChat.
    pub wechat_configs: Option<Vec<WeChatConfig>>,
}

/// The HTTP client of a receiver.
#[api(name = "ReceiverHttpConfig")]
#[api(of = "monitoring/v1alpha1.HTTPConfig")]
pub struct HttpConfig {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// An `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
    /// A token; rather use `authorization`.
    pub bearer_token_secret: Option<SecretKeySelector>,
    /// Whether HTTP/2 is enabled.
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed.
    pub follow_redirects: Option<bool>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// The proxy; rather use `proxyUrl`, which wins.
    #[api(name = "proxyURL")]
    pub proxy_url_original: Option<String>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
}

/// A name with a value.
#[api(of = "monitoring/v1alpha1.KeyValue")]
pub struct KeyValue {
    /// The name.
    pub key: String,
    /// The value.
    pub value: String,
}
