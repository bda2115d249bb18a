//! The keys of an Alertmanager configuration: of every part, in the operator's order, with the gates of keys that only
//! some versions support.
//!
//! Operator: the types of its package `alertmanager`; gates as its `sanitize` functions have them.

use crate::lower::alertmanager::shape::{KeyType, Shape, field, since, upstream};
use promgen_resources::gates;

/// A configuration. Templates are always there.
pub(in crate::lower::alertmanager) static ROOT: Shape = Shape::part(
    "config.plain",
    &[
        field("global", KeyType::One(&GLOBAL)),
        field("route", KeyType::One(&ROUTE)),
        field("inhibit_rules", KeyType::Many(&INHIBIT)),
        field("receivers", KeyType::Many(&RECEIVER)),
        since("mute_time_intervals", KeyType::Many(&MUTE_TIMES), &gates::AM_MUTE_TIME_INTERVALS),
        since("time_intervals", KeyType::Many(&TIMES), &gates::AM_TIME_INTERVALS),
        field("templates", KeyType::TextsAlways),
        upstream("tracing", "alertmanager.alertmanagerConfig"),
        upstream("event_recorder", "alertmanager.alertmanagerConfig"),
    ],
);

/// The defaults of receivers.
pub(in crate::lower::alertmanager) static GLOBAL: Shape = Shape::part(
    "config.plain",
    &[
        field("resolve_timeout", KeyType::Duration),
        field("http_config", KeyType::One(&HTTP)),
        field("smtp_from", KeyType::Text),
        field("smtp_hello", KeyType::Text),
        field("smtp_smarthost", KeyType::Text),
        field("smtp_auth_username", KeyType::Text),
        field("smtp_auth_password", KeyType::Text),
        since("smtp_auth_password_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("smtp_auth_secret", KeyType::Text),
        since("smtp_auth_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
        field("smtp_auth_identity", KeyType::Text),
        field("smtp_require_tls", KeyType::Set),
        since("smtp_tls_config", KeyType::One(&MAIL_TLS), &gates::AM_SMTP_TLS),
        since("smtp_force_implicit_tls", KeyType::Set, &gates::AM_SECRET_FILES),
        field("slack_api_url", KeyType::GlobalUrl),
        since("slack_api_url_file", KeyType::Text, &gates::AM_SLACK_URL_FILE),
        field("pagerduty_url", KeyType::GlobalUrl),
        field("opsgenie_api_url", KeyType::GlobalUrl),
        field("opsgenie_api_key", KeyType::Text),
        since("opsgenie_api_key_file", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
        field("wechat_api_url", KeyType::GlobalUrl),
        field("wechat_api_secret", KeyType::Text),
        since("wechat_api_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
        field("wechat_api_corp_id", KeyType::Text),
        field("victorops_api_url", KeyType::GlobalUrl),
        field("victorops_api_key", KeyType::Text),
        since("victorops_api_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("telegram_api_url", KeyType::GlobalUrl),
        since("telegram_bot_token", KeyType::Text, &gates::AM_SECRET_FILES),
        since("telegram_bot_token_file", KeyType::Text, &gates::AM_SECRET_FILES),
        field("webex_api_url", KeyType::GlobalUrl),
        field("jira_api_url", KeyType::GlobalUrl),
        field("rocketchat_api_url", KeyType::GlobalUrl),
        field("rocketchat_token", KeyType::Text),
        field("rocketchat_token_file", KeyType::Text),
        field("rocketchat_token_id", KeyType::Text),
        field("rocketchat_token_id_file", KeyType::Text),
        since("slack_app_token", KeyType::Text, &gates::AM_SLACK_APP),
        since("slack_app_token_file", KeyType::Text, &gates::AM_SLACK_APP),
        since("slack_app_url", KeyType::GlobalUrl, &gates::AM_SLACK_APP),
        since("mattermost_webhook_url", KeyType::GlobalUrl, &gates::AM_MATTERMOST_GLOBAL),
        since("mattermost_webhook_url_file", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
    ],
);

/// A route.
pub(in crate::lower::alertmanager) static ROUTE: Shape = Shape::item(
    "config.plain",
    "[]*config.Route",
    &[
        field("receiver", KeyType::Text),
        field("group_by", KeyType::Texts),
        field("match", KeyType::Pairs),
        field("match_re", KeyType::Pairs),
        field("matchers", KeyType::Texts),
        field("continue", KeyType::Flag),
        field("routes", KeyType::Many(&ROUTE)),
        field("group_wait", KeyType::Text),
        field("group_interval", KeyType::Text),
        field("repeat_interval", KeyType::Text),
        since("mute_time_intervals", KeyType::Texts, &gates::AM_MUTE_TIME_INTERVALS),
        since("active_time_intervals", KeyType::Texts, &gates::AM_TIME_INTERVALS),
    ],
);

/// Alerts that keep others quiet.
pub(in crate::lower::alertmanager) static INHIBIT: Shape = Shape::item(
    "common.plain",
    "[]common.InhibitRule",
    &[
        field("target_match", KeyType::Pairs),
        field("target_match_re", KeyType::Pairs),
        field("target_matchers", KeyType::Texts),
        field("source_match", KeyType::Pairs),
        field("source_match_re", KeyType::Pairs),
        field("source_matchers", KeyType::Texts),
        field("equal", KeyType::Texts),
        upstream("name", "alertmanager.inhibitRule"),
    ],
);

/// Times with a name, in the older list.
pub(in crate::lower::alertmanager) static MUTE_TIMES: Shape = Shape::item(
    "config.plain",
    "[]config.MuteTimeInterval",
    &[field("name", KeyType::TextAlways), field("time_intervals", KeyType::Times(&RANGE))],
);

/// Times with a name.
pub(in crate::lower::alertmanager) static TIMES: Shape = Shape::item(
    "config.plain",
    "[]config.TimeInterval",
    &[field("name", KeyType::TextAlways), field("time_intervals", KeyType::Times(&RANGE))],
);

/// The ranges of a time interval. `times` writes them.
pub(in crate::lower::alertmanager) static RANGE: Shape = Shape::item(
    "timeinterval.TimeInterval",
    "[]timeinterval.TimeInterval",
    &[
        field("times", KeyType::Many(&CLOCK)),
        field("weekdays", KeyType::Spans("[]timeinterval.WeekdayRange")),
        field("days_of_month", KeyType::Spans("[]timeinterval.DayOfMonthRange")),
        field("months", KeyType::Spans("[]timeinterval.MonthRange")),
        field("years", KeyType::Spans("[]timeinterval.YearRange")),
        field("location", KeyType::Text),
    ],
);

/// The times of a day.
pub(in crate::lower::alertmanager) static CLOCK: Shape = Shape::item(
    "timeinterval.yamlTimeRange",
    "[]timeinterval.TimeRange",
    &[field("start_time", KeyType::Text), field("end_time", KeyType::Text)],
);

/// A receiver.
pub(in crate::lower::alertmanager) static RECEIVER: Shape = Shape::item(
    "config.plain",
    "[]config.Receiver",
    &[
        field("name", KeyType::TextAlways),
        field("opsgenie_configs", KeyType::Many(&OPSGENIE)),
        field("pagerduty_configs", KeyType::Many(&PAGERDUTY)),
        field("slack_configs", KeyType::Many(&SLACK)),
        field("webhook_configs", KeyType::Many(&WEBHOOK)),
        field("wechat_configs", KeyType::Many(&WECHAT)),
        field("email_configs", KeyType::Many(&EMAIL)),
        field("pushover_configs", KeyType::Many(&PUSHOVER)),
        field("victorops_configs", KeyType::Many(&VICTOROPS)),
        field("sns_configs", KeyType::Many(&SNS)),
        field("telegram_configs", KeyType::Many(&TELEGRAM)),
        field("discord_configs", KeyType::Many(&DISCORD)),
        field("webex_configs", KeyType::Many(&WEBEX)),
        field("msteams_configs", KeyType::Many(&MSTEAMS)),
        field("msteamsv2_configs", KeyType::Many(&MSTEAMSV2)),
        field("jira_configs", KeyType::Many(&JIRA)),
        field("rocketchat_configs", KeyType::Many(&ROCKETCHAT)),
        field("mattermost_configs", KeyType::Many(&MATTERMOST)),
        field("incidentio_configs", KeyType::Many(&INCIDENTIO)),
        upstream("labels", "alertmanager.receiver"),
    ],
);

/// A webhook.
pub(in crate::lower::alertmanager) static WEBHOOK: Shape = Shape::item(
    "webhook.plain",
    "[]*webhook.WebhookConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("url", KeyType::Text),
        since("url_file", KeyType::Text, &gates::AM_WEBHOOK_URL_FILE),
        field("http_config", KeyType::One(&HTTP)),
        field("max_alerts", KeyType::Number),
        since("timeout", KeyType::Duration, &gates::AM_WEBHOOK_TIMEOUT),
        since("payload", KeyType::Sorted, &gates::AM_WEBHOOK_PAYLOAD),
    ],
);

/// PagerDuty.
pub(in crate::lower::alertmanager) static PAGERDUTY: Shape = Shape::item(
    "config.plain",
    "[]*config.PagerdutyConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("service_key", KeyType::Text),
        since("service_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("routing_key", KeyType::Text),
        since("routing_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("url", KeyType::Url),
        field("client", KeyType::Text),
        field("client_url", KeyType::Text),
        field("description", KeyType::Text),
        field("details", KeyType::Anything),
        field("images", KeyType::Many(&PAGERDUTY_IMAGE)),
        field("links", KeyType::Many(&PAGERDUTY_LINK)),
        field("severity", KeyType::Text),
        field("class", KeyType::Text),
        field("component", KeyType::Text),
        field("group", KeyType::Text),
        since("source", KeyType::Text, &gates::AM_PAGERDUTY_SOURCE),
        since("timeout", KeyType::Duration, &gates::AM_RECEIVER_TIMEOUT),
    ],
);

/// A picture of PagerDuty.
static PAGERDUTY_IMAGE: Shape = Shape::item(
    "config.PagerdutyImage",
    "[]config.PagerdutyImage",
    &[field("src", KeyType::Text), field("alt", KeyType::Text), field("href", KeyType::Text)],
);

/// A link of PagerDuty.
static PAGERDUTY_LINK: Shape = Shape::item(
    "config.PagerdutyLink",
    "[]config.PagerdutyLink",
    &[field("href", KeyType::Text), field("text", KeyType::Text)],
);

/// OpsGenie.
pub(in crate::lower::alertmanager) static OPSGENIE: Shape = Shape::item(
    "config.plain",
    "[]*config.OpsGenieConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_key", KeyType::Text),
        since("api_key_file", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
        field("api_url", KeyType::Url),
        field("message", KeyType::Text),
        field("description", KeyType::Text),
        field("source", KeyType::Text),
        field("details", KeyType::Pairs),
        field("responders", KeyType::Many(&OPSGENIE_RESPONDER)),
        field("tags", KeyType::Text),
        field("note", KeyType::Text),
        field("priority", KeyType::Text),
        since("update_alerts", KeyType::Set, &gates::AM_OPSGENIE_UPDATE),
        since("entity", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
        since("actions", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
    ],
);

/// The responders of OpsGenie.
static OPSGENIE_RESPONDER: Shape = Shape::item(
    "config.OpsGenieConfigResponder",
    "[]config.OpsGenieConfigResponder",
    &[
        field("id", KeyType::Text),
        field("name", KeyType::Text),
        field("username", KeyType::Text),
        field("type", KeyType::Text),
    ],
);

/// WeChat.
pub(in crate::lower::alertmanager) static WECHAT: Shape = Shape::item(
    "config.plain",
    "[]*config.WechatConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("api_secret", KeyType::Text),
        field("api_url", KeyType::Url),
        field("corp_id", KeyType::Text),
        field("agent_id", KeyType::Text),
        field("to_user", KeyType::Text),
        field("to_party", KeyType::Text),
        field("to_tag", KeyType::Text),
        field("message", KeyType::Text),
        field("message_type", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
        since("api_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
    ],
);

/// Slack.
pub(in crate::lower::alertmanager) static SLACK: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Url),
        since("api_url_file", KeyType::Text, &gates::AM_SLACK_URL_FILE),
        since("app_token", KeyType::Text, &gates::AM_SLACK_APP),
        since("app_token_file", KeyType::Text, &gates::AM_SLACK_APP),
        since("app_url", KeyType::Url, &gates::AM_SLACK_APP),
        field("channel", KeyType::Text),
        field("username", KeyType::Text),
        field("color", KeyType::Text),
        field("title", KeyType::Text),
        field("title_link", KeyType::Text),
        field("pretext", KeyType::Text),
        field("text", KeyType::Text),
        field("fields", KeyType::Many(&SLACK_FIELD)),
        field("short_fields", KeyType::Flag),
        field("footer", KeyType::Text),
        field("fallback", KeyType::Text),
        field("callback_id", KeyType::Text),
        field("icon_emoji", KeyType::Text),
        field("icon_url", KeyType::Text),
        field("image_url", KeyType::Text),
        field("thumb_url", KeyType::Text),
        field("link_names", KeyType::Flag),
        field("mrkdwn_in", KeyType::Texts),
        field("actions", KeyType::Many(&SLACK_ACTION)),
        since("timeout", KeyType::Duration, &gates::AM_RECEIVER_TIMEOUT),
        since("message_text", KeyType::Text, &gates::AM_MESSAGE_TEXT),
        since("update_message", KeyType::Set, &gates::AM_SLACK_UPDATES),
    ],
);

/// A field of Slack.
pub(in crate::lower::alertmanager) static SLACK_FIELD: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackField",
    &[field("title", KeyType::Text), field("value", KeyType::Text), field("short", KeyType::Flag)],
);

/// A button of Slack.
pub(in crate::lower::alertmanager) static SLACK_ACTION: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackAction",
    &[
        field("type", KeyType::Text),
        field("text", KeyType::Text),
        field("url", KeyType::Text),
        field("style", KeyType::Text),
        field("name", KeyType::Text),
        field("value", KeyType::Text),
        field("confirm", KeyType::One(&SLACK_CONFIRM)),
    ],
);

/// Slack's confirmation dialog of an action.
pub(in crate::lower::alertmanager) static SLACK_CONFIRM: Shape = Shape::part(
    "config.plain",
    &[
        field("text", KeyType::Text),
        field("title", KeyType::Text),
        field("ok_text", KeyType::Text),
        field("dismiss_text", KeyType::Text),
    ],
);

/// The HTTP client of receivers.
pub(in crate::lower::alertmanager) static HTTP: Shape = Shape::part(
    "config.plain",
    &[
        field("authorization", KeyType::One(&AUTHORIZATION)),
        field("basic_auth", KeyType::One(&BASIC_AUTH)),
        field("oauth2", KeyType::One(&OAUTH2)),
        field("bearer_token", KeyType::Text),
        field("bearer_token_file", KeyType::Text),
        field("tls_config", KeyType::One(&TLS)),
        since("follow_redirects", KeyType::Set, &gates::AM_HTTP_AUTHORIZATION),
        since("enable_http2", KeyType::Set, &gates::AM_HTTP_TLS_VERSIONS),
        since("http_headers", KeyType::Masked, &gates::AM_HTTP_HEADERS),
        field("proxy_url", KeyType::Text),
        since("no_proxy", KeyType::Text, &gates::AM_PROXY),
        since("proxy_from_environment", KeyType::Flag, &gates::AM_PROXY),
        since("proxy_connect_header", KeyType::ProxyHeader, &gates::AM_PROXY),
    ],
);

/// The TLS client that sends email. Operator: checks no version.
pub(in crate::lower::alertmanager) static MAIL_TLS: Shape = Shape::part(
    "config.plain",
    &[
        field("ca_file", KeyType::Text),
        field("cert_file", KeyType::Text),
        field("key_file", KeyType::Text),
        field("server_name", KeyType::Text),
        field("insecure_skip_verify", KeyType::FlagAlways),
        field("min_version", KeyType::Text),
        field("max_version", KeyType::Text),
        upstream("ca", "alertmanager.tlsConfig"),
        upstream("ca_ref", "alertmanager.tlsConfig"),
        upstream("cert", "alertmanager.tlsConfig"),
        upstream("cert_ref", "alertmanager.tlsConfig"),
        upstream("key", "alertmanager.tlsConfig"),
        upstream("key_ref", "alertmanager.tlsConfig"),
    ],
);

/// TLS of a client.
pub(in crate::lower::alertmanager) static TLS: Shape = Shape::part(
    "config.plain",
    &[
        field("ca_file", KeyType::Text),
        field("cert_file", KeyType::Text),
        field("key_file", KeyType::Text),
        field("server_name", KeyType::Text),
        field("insecure_skip_verify", KeyType::FlagAlways),
        since("min_version", KeyType::Text, &gates::AM_HTTP_TLS_VERSIONS),
        since("max_version", KeyType::Text, &gates::AM_HTTP_TLS_VERSIONS),
        upstream("ca", "alertmanager.tlsConfig"),
        upstream("ca_ref", "alertmanager.tlsConfig"),
        upstream("cert", "alertmanager.tlsConfig"),
        upstream("cert_ref", "alertmanager.tlsConfig"),
        upstream("key", "alertmanager.tlsConfig"),
        upstream("key_ref", "alertmanager.tlsConfig"),
    ],
);

/// An `Authorization` header.
pub(in crate::lower::alertmanager) static AUTHORIZATION: Shape = Shape::part(
    "config.Authorization",
    &[
        field("type", KeyType::Text),
        field("credentials", KeyType::Text),
        field("credentials_file", KeyType::Text),
        upstream("credentials_ref", "alertmanager.authorization"),
    ],
);

/// User name and password.
pub(in crate::lower::alertmanager) static BASIC_AUTH: Shape = Shape::part(
    "config.plain",
    &[
        field("username", KeyType::Text),
        field("password", KeyType::Text),
        field("password_file", KeyType::Text),
        upstream("username_file", "alertmanager.basicAuth"),
        upstream("username_ref", "alertmanager.basicAuth"),
        upstream("password_ref", "alertmanager.basicAuth"),
    ],
);

/// A token from an OAuth2 server.
pub(in crate::lower::alertmanager) static OAUTH2: Shape = Shape::part(
    "config.plain",
    &[
        field("client_id", KeyType::TextAlways),
        field("client_secret", KeyType::TextAlways),
        field("client_secret_file", KeyType::Text),
        field("scopes", KeyType::Texts),
        field("token_url", KeyType::TextAlways),
        field("endpoint_params", KeyType::Pairs),
        since("proxy_url", KeyType::Text, &gates::AM_OAUTH2_PROXY),
        since("no_proxy", KeyType::Text, &gates::AM_OAUTH2_PROXY),
        since("proxy_from_environment", KeyType::Flag, &gates::AM_OAUTH2_PROXY),
        since("proxy_connect_header", KeyType::ProxyHeader, &gates::AM_OAUTH2_PROXY),
        field("tls_config", KeyType::One(&TLS)),
        upstream("audience", "alertmanager.oauth2"),
        upstream("claims", "alertmanager.oauth2"),
        upstream("client_certificate_key", "alertmanager.oauth2"),
        upstream("client_certificate_key_file", "alertmanager.oauth2"),
        upstream("client_certificate_key_id", "alertmanager.oauth2"),
        upstream("client_certificate_key_ref", "alertmanager.oauth2"),
        upstream("client_secret_ref", "alertmanager.oauth2"),
        upstream("grant_type", "alertmanager.oauth2"),
        upstream("iss", "alertmanager.oauth2"),
        upstream("signature_algorithm", "alertmanager.oauth2"),
    ],
);

/// A mail.
pub(in crate::lower::alertmanager) static EMAIL: Shape = Shape::item(
    "config.plain",
    "[]*config.EmailConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("to", KeyType::Text),
        field("from", KeyType::Text),
        field("hello", KeyType::Text),
        field("smarthost", KeyType::Text),
        field("auth_username", KeyType::Text),
        field("auth_password", KeyType::Text),
        since("auth_password_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("auth_secret", KeyType::Text),
        since("auth_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
        field("auth_identity", KeyType::Text),
        field("headers", KeyType::Pairs),
        field("html", KeyType::TextSet),
        field("text", KeyType::TextSet),
        field("require_tls", KeyType::Set),
        field("tls_config", KeyType::One(&MAIL_TLS)),
        since("force_implicit_tls", KeyType::Set, &gates::AM_SECRET_FILES),
        since("threading", KeyType::Raw(&THREADING), &gates::AM_THREADING),
    ],
);

/// The grouping of mails. Operator: written as it is.
pub(in crate::lower::alertmanager) static THREADING: Shape =
    Shape::part("config.ThreadingConfig", &[field("enabled", KeyType::Set), field("thread_by_date", KeyType::Text)]);

/// Pushover.
pub(in crate::lower::alertmanager) static PUSHOVER: Shape = Shape::item(
    "config.plain",
    "[]*config.PushoverConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("user_key", KeyType::Text),
        since("user_key_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("token", KeyType::Text),
        since("token_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("title", KeyType::Text),
        field("message", KeyType::Text),
        field("url", KeyType::Text),
        field("url_title", KeyType::Text),
        since("ttl", KeyType::Text, &gates::AM_PUSHOVER_TTL),
        since("device", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("sound", KeyType::Text),
        field("priority", KeyType::Text),
        field("retry", KeyType::Duration),
        field("expire", KeyType::Duration),
        field("html", KeyType::Set),
        since("monospace", KeyType::Set, &gates::AM_PUSHOVER_MONOSPACE),
    ],
);

/// Amazon SNS.
pub(in crate::lower::alertmanager) static SNS: Shape = Shape::item(
    "config.plain",
    "[]*config.SNSConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Text),
        field("sigv4", KeyType::Filled(&SIGV4)),
        field("topic_arn", KeyType::Text),
        field("phone_number", KeyType::Text),
        field("target_arn", KeyType::Text),
        field("subject", KeyType::Text),
        field("message", KeyType::Text),
        field("attributes", KeyType::Pairs),
        since("use_aws_http_client", KeyType::Set, &gates::AM_SNS_AWS_CLIENT),
    ],
);

/// AWS Signature Version 4.
pub(in crate::lower::alertmanager) static SIGV4: Shape = Shape::part(
    "sigv4.plain",
    &[
        field("region", KeyType::Text),
        field("access_key", KeyType::Text),
        field("secret_key", KeyType::Text),
        field("profile", KeyType::Text),
        field("role_arn", KeyType::Text),
        since("external_id", KeyType::Text, &gates::AM_SNS_EXTERNAL_ID),
        upstream("service_name", "alertmanager.sigV4Config"),
        upstream("use_fips_sts_endpoint", "alertmanager.sigV4Config"),
    ],
);

/// Telegram.
pub(in crate::lower::alertmanager) static TELEGRAM: Shape = Shape::item(
    "config.plain",
    "[]*config.TelegramConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("api_url", KeyType::Url),
        field("bot_token", KeyType::Text),
        since("bot_token_file", KeyType::Text, &gates::AM_TELEGRAM_FILES),
        field("chat_id", KeyType::Number),
        since("chat_id_file", KeyType::Text, &gates::AM_SECRET_FILES),
        since("message_thread_id", KeyType::Number, &gates::AM_TELEGRAM_FILES),
        field("message", KeyType::Text),
        field("disable_notifications", KeyType::Flag),
        field("parse_mode", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// Discord.
pub(in crate::lower::alertmanager) static DISCORD: Shape = Shape::item(
    "discord.plain",
    "[]*discord.DiscordConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("webhook_url", KeyType::Url),
        upstream("webhook_url_file", "alertmanager.discordConfig"),
        field("title", KeyType::Text),
        field("message", KeyType::Text),
        since("content", KeyType::Text, &gates::AM_DISCORD_SENDER),
        since("username", KeyType::Text, &gates::AM_DISCORD_SENDER),
        since("avatar_url", KeyType::Text, &gates::AM_DISCORD_SENDER),
    ],
);

/// Webex.
pub(in crate::lower::alertmanager) static WEBEX: Shape = Shape::item(
    "config.plain",
    "[]*config.WebexConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Url),
        field("message", KeyType::Text),
        field("room_id", KeyType::TextAlways),
    ],
);

/// VictorOps.
pub(in crate::lower::alertmanager) static VICTOROPS: Shape = Shape::item(
    "config.plain",
    "[]*config.VictorOpsConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_key", KeyType::Text),
        since("api_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("api_url", KeyType::Url),
        field("routing_key", KeyType::Text),
        field("message_type", KeyType::Text),
        field("state_message", KeyType::Text),
        field("entity_display_name", KeyType::Text),
        field("monitoring_tool", KeyType::Text),
        field("custom_fields", KeyType::Pairs),
    ],
);

/// Microsoft Teams.
pub(in crate::lower::alertmanager) static MSTEAMS: Shape = Shape::item(
    "msteams.plain",
    "[]*msteams.MSTeamsConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("webhook_url", KeyType::Url),
        upstream("webhook_url_file", "alertmanager.msTeamsConfig"),
        field("title", KeyType::Text),
        since("summary", KeyType::Text, &gates::AM_MSTEAMS_SUMMARY),
        field("text", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// Microsoft Teams, by workflows.
pub(in crate::lower::alertmanager) static MSTEAMSV2: Shape = Shape::item(
    "config.plain",
    "[]*config.MSTeamsV2Config",
    &[
        field("send_resolved", KeyType::Set),
        field("webhook_url", KeyType::Url),
        field("webhook_url_file", KeyType::Text),
        field("title", KeyType::Text),
        field("text", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// Jira.
pub(in crate::lower::alertmanager) static JIRA: Shape = Shape::item(
    "jira.plain",
    "[]*jira.JiraConfig",
    &[
        field("http_config", KeyType::One(&HTTP)),
        field("send_resolved", KeyType::Set),
        field("api_url", KeyType::Url),
        field("project", KeyType::Text),
        field("summary", KeyType::AsText(&JIRA_TEXT)),
        field("description", KeyType::AsText(&JIRA_TEXT)),
        field("labels", KeyType::Texts),
        field("priority", KeyType::Text),
        field("issue_type", KeyType::Text),
        field("reopen_transition", KeyType::Text),
        field("resolve_transition", KeyType::Text),
        field("wont_fix_resolution", KeyType::Text),
        field("reopen_duration", KeyType::Duration),
        field("fields", KeyType::Anything),
        since("api_type", KeyType::Text, &gates::AM_JIRA_API_TYPE),
    ],
);

/// A text of Jira in its longer form.
static JIRA_TEXT: Shape =
    Shape::part("jira.plain", &[field("template", KeyType::Text), field("enable_update", KeyType::Set)]);

/// Rocket.Chat.
pub(in crate::lower::alertmanager) static ROCKETCHAT: Shape = Shape::item(
    "config.plain",
    "[]*config.RocketchatConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Url),
        field("token_id", KeyType::TextSet),
        field("token_id_file", KeyType::Text),
        field("token", KeyType::TextSet),
        field("token_file", KeyType::Text),
        field("channel", KeyType::Text),
        field("color", KeyType::Text),
        field("title", KeyType::Text),
        field("title_link", KeyType::Text),
        field("text", KeyType::Text),
        field("fields", KeyType::Many(&ROCKETCHAT_FIELD)),
        field("short_fields", KeyType::FlagAlways),
        field("emoji", KeyType::Text),
        field("icon_url", KeyType::Text),
        field("image_url", KeyType::Text),
        field("thumb_url", KeyType::Text),
        field("link_names", KeyType::FlagAlways),
        field("actions", KeyType::Many(&ROCKETCHAT_ACTION)),
    ],
);

/// A field of Rocket.Chat.
static ROCKETCHAT_FIELD: Shape = Shape::item(
    "config.RocketchatAttachmentField",
    "[]*config.RocketchatAttachmentField",
    &[field("short", KeyType::Nullable), field("title", KeyType::Text), field("value", KeyType::Text)],
);

/// A button of Rocket.Chat.
static ROCKETCHAT_ACTION: Shape = Shape::item(
    "config.RocketchatAttachmentAction",
    "[]*config.RocketchatAttachmentAction",
    &[
        field("type", KeyType::Text),
        field("text", KeyType::Text),
        field("url", KeyType::Text),
        field("is_webview", KeyType::OwnFalse),
        field("msg", KeyType::Text),
        field("msg_in_chat_window", KeyType::OwnFalse),
    ],
);

/// A field of Mattermost.
pub(in crate::lower::alertmanager) static MATTERMOST_FIELD: Shape = Shape::item(
    "mattermost.plain",
    "[]*mattermost.MattermostField",
    &[field("title", KeyType::Text), field("value", KeyType::Text), field("short", KeyType::Flag)],
);

/// Mattermost.
static MATTERMOST: Shape = Shape::item(
    "mattermost.plain",
    "[]*mattermost.MattermostConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("webhook_url", KeyType::Url),
        field("webhook_url_file", KeyType::Text),
        field("channel", KeyType::Text),
        field("username", KeyType::Text),
        field("text", KeyType::Text),
        field("icon_url", KeyType::Text),
        field("icon_emoji", KeyType::Text),
        field("attachments", KeyType::Many(&MATTERMOST_ATTACHMENT)),
        field("props", KeyType::Raw(&MATTERMOST_PROPS)),
        field("priority", KeyType::Raw(&MATTERMOST_PRIORITY)),
        field("http_config", KeyType::One(&HTTP)),
        since("fallback", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("color", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("pretext", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("author_name", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("author_link", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("author_icon", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("title", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("title_link", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("thumb_url", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("footer", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("footer_icon", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("image_url", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL),
        since("fields", KeyType::Many(&MATTERMOST_FIELD), &gates::AM_MATTERMOST_GLOBAL),
        upstream("type", "alertmanager.mattermostConfig"),
    ],
);

/// What Mattermost shows beside a message.
static MATTERMOST_PROPS: Shape = Shape::part("mattermost.MattermostProps", &[field("card", KeyType::Text)]);

/// The priority of a message of Mattermost.
static MATTERMOST_PRIORITY: Shape = Shape::part(
    "mattermost.MattermostPriority",
    &[
        field("priority", KeyType::Text),
        field("requested_ack", KeyType::Set),
        field("persistent_notifications", KeyType::Set),
    ],
);

/// An attachment of Mattermost.
static MATTERMOST_ATTACHMENT: Shape = Shape::item(
    "mattermost.MattermostAttachment",
    "[]*mattermost.MattermostAttachment",
    &[
        field("fallback", KeyType::Text),
        field("color", KeyType::Text),
        field("pretext", KeyType::Text),
        field("text", KeyType::Text),
        field("author_name", KeyType::Text),
        field("author_link", KeyType::Text),
        field("author_icon", KeyType::Text),
        field("title", KeyType::Text),
        field("title_link", KeyType::Text),
        field("fields", KeyType::Many(&MATTERMOST_FIELD)),
        field("thumb_url", KeyType::Text),
        field("footer", KeyType::Text),
        field("footer_icon", KeyType::Text),
        field("image_url", KeyType::Text),
    ],
);

/// incident.io.
pub(in crate::lower::alertmanager) static INCIDENTIO: Shape = Shape::item(
    "incidentio.plain",
    "[]*incidentio.IncidentioConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("url", KeyType::Url),
        field("url_file", KeyType::Text),
        field("alert_source_token", KeyType::Text),
        field("alert_source_token_file", KeyType::Text),
        field("max_alerts", KeyType::Set),
        field("timeout", KeyType::Duration),
    ],
);
