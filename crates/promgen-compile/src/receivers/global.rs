//! The global settings of an Alertmanager: what receivers fall back to.

use crate::receivers::client::{HTTP, HTTP_CONFIG, MAIL_TLS};
use crate::receivers::table::conversion::Conversion::{
    Flat, HostPort, Plain, Secret, SecretUrl, Tls,
};
use crate::receivers::table::conversion::Table;
use crate::receivers::table::shape::{GoScalar, KeyType, Shape, field, since};
use promgen_resources::gates;

/// The defaults of receivers.
pub(crate) static GLOBAL: Shape = Shape::part(
    "config.plain",
    &[
        field("resolve_timeout", KeyType::Duration).of(GoScalar::PromDuration),
        field("http_config", KeyType::One(&HTTP)),
        field("smtp_from", KeyType::Text),
        field("smtp_hello", KeyType::Text),
        field("smtp_smarthost", KeyType::Text).of(GoScalar::HostPort),
        field("smtp_auth_username", KeyType::Text),
        field("smtp_auth_password", KeyType::Text).of(GoScalar::Secret),
        since(
            "smtp_auth_password_file",
            KeyType::Text,
            &gates::AM_PASSWORD_FILES,
        ),
        field("smtp_auth_secret", KeyType::Text).of(GoScalar::Secret),
        since(
            "smtp_auth_secret_file",
            KeyType::Text,
            &gates::AM_SECRET_FILES,
        ),
        field("smtp_auth_identity", KeyType::Text),
        field("smtp_require_tls", KeyType::Set),
        since(
            "smtp_tls_config",
            KeyType::One(&MAIL_TLS),
            &gates::AM_SMTP_TLS,
        ),
        since(
            "smtp_force_implicit_tls",
            KeyType::Set,
            &gates::AM_SECRET_FILES,
        ),
        field("slack_api_url", KeyType::GlobalUrl),
        since(
            "slack_api_url_file",
            KeyType::Text,
            &gates::AM_SLACK_URL_FILE,
        ),
        field("pagerduty_url", KeyType::GlobalUrl),
        field("opsgenie_api_url", KeyType::GlobalUrl),
        field("opsgenie_api_key", KeyType::Text).of(GoScalar::Secret),
        since(
            "opsgenie_api_key_file",
            KeyType::Text,
            &gates::AM_OPSGENIE_KEY_FILE,
        ),
        field("wechat_api_url", KeyType::GlobalUrl),
        field("wechat_api_secret", KeyType::Text).of(GoScalar::Secret),
        field("wechat_api_corp_id", KeyType::Text),
        field("victorops_api_url", KeyType::GlobalUrl),
        field("victorops_api_key", KeyType::Text).of(GoScalar::Secret),
        since(
            "victorops_api_key_file",
            KeyType::Text,
            &gates::AM_PASSWORD_FILES,
        ),
        field("telegram_api_url", KeyType::GlobalUrl),
        since("telegram_bot_token", KeyType::Text, &gates::AM_SECRET_FILES).of(GoScalar::Secret),
        since(
            "telegram_bot_token_file",
            KeyType::Text,
            &gates::AM_SECRET_FILES,
        ),
        field("webex_api_url", KeyType::GlobalUrl),
        field("jira_api_url", KeyType::GlobalUrl),
        field("rocketchat_api_url", KeyType::GlobalUrl),
        field("rocketchat_token", KeyType::Text).of(GoScalar::Secret),
        field("rocketchat_token_file", KeyType::Text),
        field("rocketchat_token_id", KeyType::Text).of(GoScalar::Secret),
        field("rocketchat_token_id_file", KeyType::Text),
        since("slack_app_token", KeyType::Text, &gates::AM_SLACK_APP).of(GoScalar::Secret),
        since("slack_app_token_file", KeyType::Text, &gates::AM_SLACK_APP),
        since("slack_app_url", KeyType::GlobalUrl, &gates::AM_SLACK_APP),
        since(
            "wechat_api_secret_file",
            KeyType::Text,
            &gates::AM_SECRET_FILES,
        ),
        since(
            "mattermost_webhook_url",
            KeyType::GlobalUrl,
            &gates::AM_MATTERMOST_GLOBAL,
        )
        .refused_before(),
        since(
            "mattermost_webhook_url_file",
            KeyType::Text,
            &gates::AM_MATTERMOST_GLOBAL,
        )
        .refused_before(),
    ],
);

/// The defaults of receivers.
pub(crate) static GLOBAL_FIELDS: Table = &[
    ("resolveTimeout", "resolve_timeout", Plain),
    HTTP_CONFIG,
    ("smtp", "", Flat(SMTP_FIELDS)),
    ("slackApiUrl", "slack_api_url", SecretUrl),
    ("pagerdutyUrl", "pagerduty_url", Plain),
    ("opsGenieApiUrl", "opsgenie_api_url", SecretUrl),
    ("opsGenieApiKey", "opsgenie_api_key", Secret),
    (
        "wechat",
        "",
        Flat(&[
            ("apiURL", "wechat_api_url", Plain),
            ("apiSecret", "wechat_api_secret", Secret),
            ("apiCorpID", "wechat_api_corp_id", Plain),
        ]),
    ),
    (
        "victorops",
        "",
        Flat(&[
            ("apiURL", "victorops_api_url", Plain),
            ("apiKey", "victorops_api_key", Secret),
        ]),
    ),
    (
        "telegram",
        "",
        Flat(&[
            ("apiURL", "telegram_api_url", Plain),
            ("botToken", "telegram_bot_token", Secret),
            ("botTokenFile", "telegram_bot_token_file", Plain),
        ]),
    ),
    ("webex", "", Flat(&[("apiURL", "webex_api_url", Plain)])),
    ("jira", "", Flat(&[("apiURL", "jira_api_url", Plain)])),
    (
        "rocketChat",
        "",
        Flat(&[
            ("apiURL", "rocketchat_api_url", Plain),
            ("token", "rocketchat_token", Secret),
            ("tokenID", "rocketchat_token_id", Secret),
        ]),
    ),
    (
        "mattermost",
        "",
        Flat(&[("webhookURL", "mattermost_webhook_url", SecretUrl)]),
    ),
];

static SMTP_FIELDS: Table = &[
    ("from", "smtp_from", Plain),
    ("hello", "smtp_hello", Plain),
    ("smartHost", "smtp_smarthost", HostPort),
    ("authUsername", "smtp_auth_username", Plain),
    ("authPassword", "smtp_auth_password", Secret),
    ("authSecret", "smtp_auth_secret", Secret),
    ("authIdentity", "smtp_auth_identity", Plain),
    ("requireTLS", "smtp_require_tls", Plain),
    ("tlsConfig", "smtp_tls_config", Tls),
    ("forceImplicitTLS", "smtp_force_implicit_tls", Plain),
];
