//! The global settings of an Alertmanager: what receivers fall back to.

use crate::receivers::prelude::*;
use promgen_resources::api::notifying::alertmanager_global::{
    AlertmanagerGlobalConfig, GlobalJiraConfig, GlobalMattermostConfig, GlobalRocketChatConfig,
    GlobalSmtpConfig, GlobalTelegramConfig, GlobalVictorOpsConfig, GlobalWeChatConfig,
    GlobalWebexConfig,
};
use promgen_text::describe::TypeFn;

/// The defaults of receivers.
pub(crate) static GLOBAL: Shape = Shape::part(
    "config.plain",
    &[
        duration("resolve_timeout").of(GoScalar::PromDuration),
        field("http_config", KeyType::One(&HTTP)),
        text("smtp_from"),
        text("smtp_hello"),
        text("smtp_smarthost").of(GoScalar::HostPort),
        text("smtp_auth_username"),
        secret("smtp_auth_password"),
        text("smtp_auth_password_file").since(&gates::AM_PASSWORD_FILES),
        secret("smtp_auth_secret"),
        text("smtp_auth_secret_file").since(&gates::AM_SECRET_FILES),
        text("smtp_auth_identity"),
        set("smtp_require_tls"),
        field("smtp_tls_config", KeyType::One(&MAIL_TLS)).since(&gates::AM_SMTP_TLS),
        set("smtp_force_implicit_tls").since(&gates::AM_SECRET_FILES),
        field("slack_api_url", KeyType::GlobalUrl),
        text("slack_api_url_file").since(&gates::AM_SLACK_URL_FILE),
        field("pagerduty_url", KeyType::GlobalUrl),
        field("opsgenie_api_url", KeyType::GlobalUrl),
        secret("opsgenie_api_key"),
        text("opsgenie_api_key_file").since(&gates::AM_OPSGENIE_KEY_FILE),
        field("wechat_api_url", KeyType::GlobalUrl),
        secret("wechat_api_secret"),
        text("wechat_api_corp_id"),
        field("victorops_api_url", KeyType::GlobalUrl),
        secret("victorops_api_key"),
        text("victorops_api_key_file").since(&gates::AM_PASSWORD_FILES),
        field("telegram_api_url", KeyType::GlobalUrl),
        secret("telegram_bot_token").since(&gates::AM_SECRET_FILES),
        text("telegram_bot_token_file").since(&gates::AM_SECRET_FILES),
        field("webex_api_url", KeyType::GlobalUrl),
        field("jira_api_url", KeyType::GlobalUrl),
        field("rocketchat_api_url", KeyType::GlobalUrl),
        secret("rocketchat_token"),
        text("rocketchat_token_file"),
        secret("rocketchat_token_id"),
        text("rocketchat_token_id_file"),
        secret("slack_app_token").since(&gates::AM_SLACK_APP),
        text("slack_app_token_file").since(&gates::AM_SLACK_APP),
        field("slack_app_url", KeyType::GlobalUrl).since(&gates::AM_SLACK_APP),
        text("wechat_api_secret_file").since(&gates::AM_SECRET_FILES),
        field("mattermost_webhook_url", KeyType::GlobalUrl)
            .since(&gates::AM_MATTERMOST_GLOBAL)
            .refused_before(),
        text("mattermost_webhook_url_file")
            .since(&gates::AM_MATTERMOST_GLOBAL)
            .refused_before(),
    ],
);

/// The defaults of receivers, those of most kinds in an object of their own.
pub(crate) static GLOBAL_FIELDS: Table = Table::new(
    AlertmanagerGlobalConfig::describe,
    &[
        HTTP_CONFIG,
        ("smtp", "", Flat(SMTP_FIELDS)),
        ("slackApiUrl", "slack_api_url", SecretUrl),
        ("opsGenieApiUrl", "opsgenie_api_url", SecretUrl),
        ("opsGenieApiKey", "opsgenie_api_key", Secret),
        ("wechat", "", flat(GlobalWeChatConfig::describe, "wechat_")),
        (
            "victorops",
            "",
            flat(GlobalVictorOpsConfig::describe, "victorops_"),
        ),
        (
            "telegram",
            "",
            flat(GlobalTelegramConfig::describe, "telegram_"),
        ),
        ("webex", "", flat(GlobalWebexConfig::describe, "webex_")),
        ("jira", "", flat(GlobalJiraConfig::describe, "jira_")),
        (
            "rocketChat",
            "",
            flat(GlobalRocketChatConfig::describe, "rocketchat_"),
        ),
        ("mattermost", "", Flat(MATTERMOST_FIELDS)),
    ],
);

const fn flat(of: TypeFn, prefix: &'static str) -> Conversion {
    Flat(Table::new(of, &[]).prefixed(prefix))
}

const SMTP_FIELDS: Table = Table::new(
    GlobalSmtpConfig::describe,
    &[("smartHost", "smtp_smarthost", HostPort)],
)
.prefixed("smtp_");

const MATTERMOST_FIELDS: Table = Table::new(
    GlobalMattermostConfig::describe,
    &[("webhookURL", "mattermost_webhook_url", SecretUrl)],
);
