//! The global settings of an Alertmanager's receivers, in its own resource.

use promgen_derive::api;

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::rules;
use crate::api::scalar::Duration;

/// Settings that receivers fall back to.
#[api(of = "monitoring/v1.AlertmanagerGlobalConfig")]
pub struct AlertmanagerGlobalConfig {
    /// The HTTP client of receivers.
    pub http_config: Option<HttpConfigWithProxyAndTls>,
    /// Jira.
    pub jira: Option<GlobalJiraConfig>,
    /// Mattermost.
    pub mattermost: Option<GlobalMattermostConfig>,
    /// The key of OpsGenie.
    pub ops_genie_api_key: Option<SecretKeySelector>,
    /// The URL of OpsGenie.
    pub ops_genie_api_url: Option<SecretKeySelector>,
    /// The URL of PagerDuty.
    pub pagerduty_url: Option<String>,
    /// The time after which an alert without updates counts as resolved.
    pub resolve_timeout: Option<Duration>,
    /// Rocket.Chat.
    pub rocket_chat: Option<GlobalRocketChatConfig>,
    /// The URL of Slack.
    pub slack_api_url: Option<SecretKeySelector>,
    /// Mail.
    pub smtp: Option<GlobalSmtpConfig>,
    /// Telegram.
    pub telegram: Option<GlobalTelegramConfig>,
    /// VictorOps.
    pub victorops: Option<GlobalVictorOpsConfig>,
    /// Webex.
    pub webex: Option<GlobalWebexConfig>,
    /// WeChat.
    pub wechat: Option<GlobalWeChatConfig>,
}

/// The HTTP client of receivers.
///
/// Operator: monitoring/v1.HTTPConfigWithProxyAndTLSFiles, without files.
#[api]
pub struct HttpConfigWithProxyAndTls {
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
    #[api(name = "enableHttp2")]
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed.
    pub follow_redirects: Option<bool>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
}

/// Operator: monitoring/v1.GlobalJiraConfig.
#[api]
pub struct GlobalJiraConfig {
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
}

/// Operator: monitoring/v1.GlobalMattermostConfig.
#[api]
pub struct GlobalMattermostConfig {
    /// The URL of the incoming webhook.
    #[api(name = "webhookURL")]
    pub webhook_url: Option<SecretKeySelector>,
}

/// Operator: monitoring/v1.GlobalRocketChatConfig.
#[api]
pub struct GlobalRocketChatConfig {
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
    /// The token of the sender.
    pub token: Option<SecretKeySelector>,
    /// The id of that token.
    #[api(name = "tokenID")]
    pub token_id: Option<SecretKeySelector>,
}

/// Operator: monitoring/v1.GlobalSMTPConfig.
#[api]
pub struct GlobalSmtpConfig {
    /// The identity for PLAIN.
    pub auth_identity: Option<String>,
    /// The password for LOGIN and PLAIN.
    pub auth_password: Option<SecretKeySelector>,
    /// The secret for CRAM-MD5.
    pub auth_secret: Option<SecretKeySelector>,
    /// The user name.
    pub auth_username: Option<String>,
    /// Whether TLS starts with the connection, on any port.
    #[api(name = "forceImplicitTLS")]
    pub force_implicit_tls: Option<bool>,
    /// The sender.
    pub from: Option<String>,
    /// The host name in the SMTP greeting.
    pub hello: Option<String>,
    /// Whether STARTTLS is required.
    #[api(name = "requireTLS")]
    pub require_tls: Option<bool>,
    /// The server.
    pub smart_host: Option<HostPort>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
}

/// An address.
#[api(of = "monitoring/v1.HostPort")]
pub struct HostPort {
    /// Name or address.
    pub host: String,
    /// Number or name.
    pub port: String,
}

/// Operator: monitoring/v1.GlobalTelegramConfig.
#[api(validations = rules::GLOBAL_TELEGRAM)]
pub struct GlobalTelegramConfig {
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
    /// The token of the bot.
    pub bot_token: Option<SecretKeySelector>,
    /// The file of that token in the container.
    #[api(min_length = 1)]
    pub bot_token_file: Option<String>,
}

/// Operator: monitoring/v1.GlobalVictorOpsConfig.
#[api]
pub struct GlobalVictorOpsConfig {
    /// The key.
    pub api_key: Option<SecretKeySelector>,
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
}

/// Operator: monitoring/v1.GlobalWebexConfig.
#[api]
pub struct GlobalWebexConfig {
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
}

/// Operator: monitoring/v1.GlobalWeChatConfig.
#[api]
pub struct GlobalWeChatConfig {
    /// The id of the corporation.
    #[api(name = "apiCorpID", min_length = 1)]
    pub api_corp_id: Option<String>,
    /// The secret.
    pub api_secret: Option<SecretKeySelector>,
    /// The URL.
    #[api(name = "apiURL", pattern = r"^(http|https)://.+$")]
    pub api_url: Option<String>,
}
