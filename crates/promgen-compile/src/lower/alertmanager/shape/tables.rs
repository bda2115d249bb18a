//! What there is in a configuration of Alertmanager: the keys of every part, in the order in which the operator writes
//! them, and since which version they are known.
//!
//! Operator: the types of its package `alertmanager`; gates as its `sanitize` functions have them.

use crate::lower::alertmanager::shape::{Kind, Shape, field, since};
use promgen_resources::gates;

/// A configuration. Templates are always there.
pub(in crate::lower::alertmanager) static ROOT: Shape = Shape(&[
    field("global", Kind::One(&GLOBAL)),
    field("route", Kind::One(&ROUTE)),
    field("inhibit_rules", Kind::Many(&INHIBIT)),
    field("receivers", Kind::Many(&RECEIVER)),
    since("mute_time_intervals", Kind::Many(&TIMES), &gates::AM_MUTE_TIME_INTERVALS),
    since("time_intervals", Kind::Many(&TIMES), &gates::AM_TIME_INTERVALS),
    field("templates", Kind::TextsAlways),
]);

/// What receivers fall back to.
pub(in crate::lower::alertmanager) static GLOBAL: Shape = Shape(&[
    field("resolve_timeout", Kind::Duration),
    field("http_config", Kind::One(&HTTP)),
    field("smtp_from", Kind::Text),
    field("smtp_hello", Kind::Text),
    field("smtp_smarthost", Kind::Text),
    field("smtp_auth_username", Kind::Text),
    field("smtp_auth_password", Kind::Text),
    since("smtp_auth_password_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("smtp_auth_secret", Kind::Text),
    since("smtp_auth_secret_file", Kind::Text, &gates::AM_SECRET_FILES),
    field("smtp_auth_identity", Kind::Text),
    field("smtp_require_tls", Kind::Set),
    since("smtp_tls_config", Kind::One(&MAIL_TLS), &gates::AM_SMTP_TLS),
    since("smtp_force_implicit_tls", Kind::Set, &gates::AM_SECRET_FILES),
    field("slack_api_url", Kind::Url),
    since("slack_api_url_file", Kind::Text, &gates::AM_SLACK_URL_FILE),
    since("slack_app_token", Kind::Text, &gates::AM_SLACK_APP),
    since("slack_app_token_file", Kind::Text, &gates::AM_SLACK_APP),
    since("slack_app_url", Kind::Url, &gates::AM_SLACK_APP),
    field("pagerduty_url", Kind::Url),
    field("opsgenie_api_url", Kind::Url),
    field("opsgenie_api_key", Kind::Text),
    since("opsgenie_api_key_file", Kind::Text, &gates::AM_OPSGENIE_KEY_FILE),
    field("wechat_api_url", Kind::Url),
    field("wechat_api_secret", Kind::Text),
    since("wechat_api_secret_file", Kind::Text, &gates::AM_SECRET_FILES),
    field("wechat_api_corp_id", Kind::Text),
    field("victorops_api_url", Kind::Url),
    field("victorops_api_key", Kind::Text),
    since("victorops_api_key_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("telegram_api_url", Kind::Url),
    since("telegram_bot_token", Kind::Text, &gates::AM_SECRET_FILES),
    since("telegram_bot_token_file", Kind::Text, &gates::AM_SECRET_FILES),
    field("webex_api_url", Kind::Url),
    field("jira_api_url", Kind::Url),
    field("rocketchat_api_url", Kind::Url),
    field("rocketchat_token", Kind::Text),
    field("rocketchat_token_file", Kind::Text),
    field("rocketchat_token_id", Kind::Text),
    field("rocketchat_token_id_file", Kind::Text),
    since("mattermost_webhook_url", Kind::Url, &gates::AM_MATTERMOST_GLOBAL),
    since("mattermost_webhook_url_file", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
]);

/// A route.
pub(in crate::lower::alertmanager) static ROUTE: Shape = Shape(&[
    field("receiver", Kind::Text),
    field("group_by", Kind::Texts),
    field("match", Kind::Pairs),
    field("match_re", Kind::Pairs),
    field("matchers", Kind::Texts),
    field("continue", Kind::Flag),
    field("routes", Kind::Many(&ROUTE)),
    field("group_wait", Kind::Text),
    field("group_interval", Kind::Text),
    field("repeat_interval", Kind::Text),
    since("mute_time_intervals", Kind::Texts, &gates::AM_MUTE_TIME_INTERVALS),
    since("active_time_intervals", Kind::Texts, &gates::AM_TIME_INTERVALS),
]);

/// Alerts that keep others quiet.
pub(in crate::lower::alertmanager) static INHIBIT: Shape = Shape(&[
    field("target_match", Kind::Pairs),
    field("target_match_re", Kind::Pairs),
    field("target_matchers", Kind::Texts),
    field("source_match", Kind::Pairs),
    field("source_match_re", Kind::Pairs),
    field("source_matchers", Kind::Texts),
    field("equal", Kind::Texts),
]);

/// Times with a name.
pub(in crate::lower::alertmanager) static TIMES: Shape =
    Shape(&[field("name", Kind::TextAlways), field("time_intervals", Kind::Times)]);

/// A receiver.
pub(in crate::lower::alertmanager) static RECEIVER: Shape = Shape(&[
    field("name", Kind::TextAlways),
    field("opsgenie_configs", Kind::Many(&OPSGENIE)),
    field("pagerduty_configs", Kind::Many(&PAGERDUTY)),
    field("slack_configs", Kind::Many(&SLACK)),
    field("webhook_configs", Kind::Many(&WEBHOOK)),
    field("wechat_configs", Kind::Many(&WECHAT)),
    field("email_configs", Kind::Many(&EMAIL)),
    field("pushover_configs", Kind::Many(&PUSHOVER)),
    field("victorops_configs", Kind::Many(&VICTOROPS)),
    field("sns_configs", Kind::Many(&SNS)),
    field("telegram_configs", Kind::Many(&TELEGRAM)),
    field("discord_configs", Kind::Many(&DISCORD)),
    field("webex_configs", Kind::Many(&WEBEX)),
    field("msteams_configs", Kind::Many(&MSTEAMS)),
    field("msteamsv2_configs", Kind::Many(&MSTEAMSV2)),
    field("jira_configs", Kind::Many(&JIRA)),
    field("rocketchat_configs", Kind::Many(&ROCKETCHAT)),
    field("mattermost_configs", Kind::Many(&MATTERMOST)),
    field("incidentio_configs", Kind::Many(&INCIDENTIO)),
]);

/// A webhook.
pub(in crate::lower::alertmanager) static WEBHOOK: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("url", Kind::Text),
    since("url_file", Kind::Text, &gates::AM_WEBHOOK_URL_FILE),
    field("http_config", Kind::One(&HTTP)),
    field("max_alerts", Kind::Number),
    since("timeout", Kind::Duration, &gates::AM_WEBHOOK_TIMEOUT),
    since("payload", Kind::Sorted, &gates::AM_WEBHOOK_PAYLOAD),
]);

/// PagerDuty.
pub(in crate::lower::alertmanager) static PAGERDUTY: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("service_key", Kind::Text),
    since("service_key_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("routing_key", Kind::Text),
    since("routing_key_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("url", Kind::Url),
    field("client", Kind::Text),
    field("client_url", Kind::Text),
    field("description", Kind::Text),
    field("details", Kind::Sorted),
    field("images", Kind::Many(&PAGERDUTY_IMAGE)),
    field("links", Kind::Many(&PAGERDUTY_LINK)),
    field("severity", Kind::Text),
    field("class", Kind::Text),
    field("component", Kind::Text),
    field("group", Kind::Text),
    since("source", Kind::Text, &gates::AM_PAGERDUTY_SOURCE),
    since("timeout", Kind::Duration, &gates::AM_RECEIVER_TIMEOUT),
]);

/// A picture of PagerDuty.
static PAGERDUTY_IMAGE: Shape = Shape(&[field("src", Kind::Text), field("alt", Kind::Text), field("href", Kind::Text)]);

/// A link of PagerDuty.
static PAGERDUTY_LINK: Shape = Shape(&[field("href", Kind::Text), field("text", Kind::Text)]);

/// OpsGenie.
pub(in crate::lower::alertmanager) static OPSGENIE: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_key", Kind::Text),
    since("api_key_file", Kind::Text, &gates::AM_OPSGENIE_KEY_FILE),
    field("api_url", Kind::Url),
    field("message", Kind::Text),
    field("description", Kind::Text),
    field("source", Kind::Text),
    field("details", Kind::Pairs),
    field("responders", Kind::Many(&OPSGENIE_RESPONDER)),
    field("tags", Kind::Text),
    field("note", Kind::Text),
    field("priority", Kind::Text),
    since("update_alerts", Kind::Set, &gates::AM_OPSGENIE_UPDATE),
    since("entity", Kind::Text, &gates::AM_OPSGENIE_KEY_FILE),
    since("actions", Kind::Text, &gates::AM_OPSGENIE_KEY_FILE),
]);

/// Who OpsGenie calls.
static OPSGENIE_RESPONDER: Shape = Shape(&[
    field("id", Kind::Text),
    field("name", Kind::Text),
    field("username", Kind::Text),
    field("type", Kind::Text),
]);

/// WeChat.
pub(in crate::lower::alertmanager) static WECHAT: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("api_secret", Kind::Text),
    since("api_secret_file", Kind::Text, &gates::AM_SECRET_FILES),
    field("api_url", Kind::Url),
    field("corp_id", Kind::Text),
    field("agent_id", Kind::Text),
    field("to_user", Kind::Text),
    field("to_party", Kind::Text),
    field("to_tag", Kind::Text),
    field("message", Kind::Text),
    field("message_type", Kind::Text),
    field("http_config", Kind::One(&HTTP)),
]);

/// Slack.
pub(in crate::lower::alertmanager) static SLACK: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_url", Kind::Url),
    since("api_url_file", Kind::Text, &gates::AM_SLACK_URL_FILE),
    since("app_token", Kind::Text, &gates::AM_SLACK_APP),
    since("app_token_file", Kind::Text, &gates::AM_SLACK_APP),
    since("app_url", Kind::Url, &gates::AM_SLACK_APP),
    field("channel", Kind::Text),
    field("username", Kind::Text),
    field("color", Kind::Text),
    field("title", Kind::Text),
    field("title_link", Kind::Text),
    field("pretext", Kind::Text),
    field("text", Kind::Text),
    field("fields", Kind::Many(&SLACK_FIELD)),
    field("short_fields", Kind::Flag),
    field("footer", Kind::Text),
    field("fallback", Kind::Text),
    field("callback_id", Kind::Text),
    field("icon_emoji", Kind::Text),
    field("icon_url", Kind::Text),
    field("image_url", Kind::Text),
    field("thumb_url", Kind::Text),
    field("link_names", Kind::Flag),
    field("mrkdwn_in", Kind::Texts),
    field("actions", Kind::Many(&SLACK_ACTION)),
    since("timeout", Kind::Duration, &gates::AM_RECEIVER_TIMEOUT),
    field("message_text", Kind::Text),
    field("update_message", Kind::Set),
]);

/// A field of Slack.
pub(in crate::lower::alertmanager) static SLACK_FIELD: Shape =
    Shape(&[field("title", Kind::Text), field("value", Kind::Text), field("short", Kind::Flag)]);

/// A button of Slack.
pub(in crate::lower::alertmanager) static SLACK_ACTION: Shape = Shape(&[
    field("type", Kind::Text),
    field("text", Kind::Text),
    field("url", Kind::Text),
    field("style", Kind::Text),
    field("name", Kind::Text),
    field("value", Kind::Text),
    field("confirm", Kind::One(&SLACK_CONFIRM)),
]);

/// What Slack asks before it acts.
pub(in crate::lower::alertmanager) static SLACK_CONFIRM: Shape = Shape(&[
    field("text", Kind::Text),
    field("title", Kind::Text),
    field("ok_text", Kind::Text),
    field("dismiss_text", Kind::Text),
]);

/// How receivers talk HTTP.
pub(in crate::lower::alertmanager) static HTTP: Shape = Shape(&[
    field("authorization", Kind::One(&AUTHORIZATION)),
    field("basic_auth", Kind::One(&BASIC_AUTH)),
    field("oauth2", Kind::One(&OAUTH2)),
    field("bearer_token", Kind::Text),
    field("bearer_token_file", Kind::Text),
    field("tls_config", Kind::One(&TLS)),
    since("follow_redirects", Kind::Set, &gates::AM_HTTP_AUTHORIZATION),
    since("enable_http2", Kind::Set, &gates::AM_HTTP_TLS_VERSIONS),
    since("http_headers", Kind::Sorted, &gates::AM_HTTP_HEADERS),
    field("proxy_url", Kind::Text),
    since("no_proxy", Kind::Text, &gates::AM_PROXY),
    since("proxy_from_environment", Kind::Flag, &gates::AM_PROXY),
    since("proxy_connect_header", Kind::Sorted, &gates::AM_PROXY),
]);

/// TLS of a client that sends mail. Operator: nobody looks at the version.
static MAIL_TLS: Shape = Shape(&[
    field("ca_file", Kind::Text),
    field("cert_file", Kind::Text),
    field("key_file", Kind::Text),
    field("server_name", Kind::Text),
    field("insecure_skip_verify", Kind::FlagAlways),
    field("min_version", Kind::Text),
    field("max_version", Kind::Text),
]);

/// TLS of a client.
static TLS: Shape = Shape(&[
    field("ca_file", Kind::Text),
    field("cert_file", Kind::Text),
    field("key_file", Kind::Text),
    field("server_name", Kind::Text),
    field("insecure_skip_verify", Kind::FlagAlways),
    since("min_version", Kind::Text, &gates::AM_HTTP_TLS_VERSIONS),
    since("max_version", Kind::Text, &gates::AM_HTTP_TLS_VERSIONS),
]);

/// An `Authorization` header.
pub(in crate::lower::alertmanager) static AUTHORIZATION: Shape =
    Shape(&[field("type", Kind::Text), field("credentials", Kind::Text), field("credentials_file", Kind::Text)]);

/// User name and password.
pub(in crate::lower::alertmanager) static BASIC_AUTH: Shape =
    Shape(&[field("username", Kind::Text), field("password", Kind::Text), field("password_file", Kind::Text)]);

/// A token from an OAuth2 server.
pub(in crate::lower::alertmanager) static OAUTH2: Shape = Shape(&[
    field("client_id", Kind::TextAlways),
    field("client_secret", Kind::TextAlways),
    field("client_secret_file", Kind::Text),
    field("scopes", Kind::Texts),
    field("token_url", Kind::TextAlways),
    field("endpoint_params", Kind::Pairs),
    since("proxy_url", Kind::Text, &gates::AM_OAUTH2_PROXY),
    since("no_proxy", Kind::Text, &gates::AM_OAUTH2_PROXY),
    since("proxy_from_environment", Kind::Flag, &gates::AM_OAUTH2_PROXY),
    since("proxy_connect_header", Kind::Sorted, &gates::AM_OAUTH2_PROXY),
    field("tls_config", Kind::One(&TLS)),
]);

/// A mail.
pub(in crate::lower::alertmanager) static EMAIL: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("to", Kind::Text),
    field("from", Kind::Text),
    field("hello", Kind::Text),
    field("smarthost", Kind::Text),
    field("force_implicit_tls", Kind::Set),
    field("auth_username", Kind::Text),
    field("auth_password", Kind::Text),
    since("auth_password_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("auth_secret", Kind::Text),
    since("auth_secret_file", Kind::Text, &gates::AM_SECRET_FILES),
    field("auth_identity", Kind::Text),
    field("headers", Kind::Pairs),
    field("html", Kind::Set),
    field("text", Kind::Set),
    field("require_tls", Kind::Set),
    field("tls_config", Kind::One(&MAIL_TLS)),
    field("threading", Kind::Any),
]);

/// Pushover.
pub(in crate::lower::alertmanager) static PUSHOVER: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("user_key", Kind::Text),
    since("user_key_file", Kind::Text, &gates::AM_PUSHOVER_FILES),
    field("token", Kind::Text),
    since("token_file", Kind::Text, &gates::AM_PUSHOVER_FILES),
    field("title", Kind::Text),
    field("message", Kind::Text),
    field("url", Kind::Text),
    field("url_title", Kind::Text),
    since("ttl", Kind::Text, &gates::AM_PUSHOVER_TTL),
    since("device", Kind::Text, &gates::AM_PUSHOVER_FILES),
    field("sound", Kind::Text),
    field("priority", Kind::Text),
    field("retry", Kind::Set),
    field("expire", Kind::Set),
    field("html", Kind::Set),
    since("monospace", Kind::Set, &gates::AM_PUSHOVER_MONOSPACE),
]);

/// Amazon SNS.
pub(in crate::lower::alertmanager) static SNS: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_url", Kind::Url),
    field("sigv4", Kind::One(&SIGV4)),
    field("topic_arn", Kind::Text),
    field("phone_number", Kind::Text),
    field("target_arn", Kind::Text),
    field("subject", Kind::Text),
    field("message", Kind::Text),
    field("attributes", Kind::Pairs),
    field("use_aws_http_client", Kind::Set),
]);

/// Requests signed as AWS wants them.
pub(in crate::lower::alertmanager) static SIGV4: Shape = Shape(&[
    field("region", Kind::Text),
    field("access_key", Kind::Text),
    field("secret_key", Kind::Text),
    field("profile", Kind::Text),
    field("role_arn", Kind::Text),
    since("external_id", Kind::Text, &gates::AM_SNS_EXTERNAL_ID),
]);

/// Telegram.
pub(in crate::lower::alertmanager) static TELEGRAM: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("api_url", Kind::Url),
    field("bot_token", Kind::Text),
    since("bot_token_file", Kind::Text, &gates::AM_TELEGRAM_FILES),
    field("chat_id", Kind::Number),
    since("chat_id_file", Kind::Text, &gates::AM_SECRET_FILES),
    since("message_thread_id", Kind::Number, &gates::AM_TELEGRAM_FILES),
    field("message", Kind::Text),
    field("disable_notifications", Kind::Flag),
    field("parse_mode", Kind::Text),
    field("http_config", Kind::One(&HTTP)),
]);

/// Discord.
pub(in crate::lower::alertmanager) static DISCORD: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("webhook_url", Kind::Url),
    field("webhook_url_file", Kind::Text),
    field("title", Kind::Text),
    field("message", Kind::Text),
    since("content", Kind::Text, &gates::AM_DISCORD_SENDER),
    since("username", Kind::Text, &gates::AM_DISCORD_SENDER),
    since("avatar_url", Kind::Text, &gates::AM_DISCORD_SENDER),
]);

/// Webex.
pub(in crate::lower::alertmanager) static WEBEX: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_url", Kind::Url),
    field("message", Kind::Text),
    field("room_id", Kind::TextAlways),
]);

/// VictorOps.
pub(in crate::lower::alertmanager) static VICTOROPS: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_key", Kind::Text),
    since("api_key_file", Kind::Text, &gates::AM_PASSWORD_FILES),
    field("api_url", Kind::Url),
    field("routing_key", Kind::Text),
    field("message_type", Kind::Text),
    field("state_message", Kind::Text),
    field("entity_display_name", Kind::Text),
    field("monitoring_tool", Kind::Text),
    field("custom_fields", Kind::Pairs),
]);

/// Microsoft Teams.
pub(in crate::lower::alertmanager) static MSTEAMS: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("webhook_url", Kind::Url),
    field("webhook_url_file", Kind::Text),
    field("title", Kind::Text),
    since("summary", Kind::Text, &gates::AM_MSTEAMS_SUMMARY),
    field("text", Kind::Text),
    field("http_config", Kind::One(&HTTP)),
]);

/// Microsoft Teams, by workflows.
pub(in crate::lower::alertmanager) static MSTEAMSV2: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("webhook_url", Kind::Url),
    field("webhook_url_file", Kind::Text),
    field("title", Kind::Text),
    field("text", Kind::Text),
    field("http_config", Kind::One(&HTTP)),
]);

/// Jira.
pub(in crate::lower::alertmanager) static JIRA: Shape = Shape(&[
    field("http_config", Kind::One(&HTTP)),
    field("send_resolved", Kind::Set),
    field("api_url", Kind::Url),
    since("api_type", Kind::Text, &gates::AM_JIRA_API_TYPE),
    field("project", Kind::Text),
    field("summary", Kind::Any),
    field("description", Kind::Any),
    field("labels", Kind::Texts),
    field("priority", Kind::Text),
    field("issue_type", Kind::Text),
    field("reopen_transition", Kind::Text),
    field("resolve_transition", Kind::Text),
    field("wont_fix_resolution", Kind::Text),
    field("reopen_duration", Kind::Duration),
    field("fields", Kind::Sorted),
]);

/// Rocket.Chat.
static ROCKETCHAT: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("api_url", Kind::Url),
    field("token_id", Kind::Set),
    field("token_id_file", Kind::Text),
    field("token", Kind::Set),
    field("token_file", Kind::Text),
    field("channel", Kind::Text),
    field("color", Kind::Text),
    field("title", Kind::Text),
    field("title_link", Kind::Text),
    field("text", Kind::Text),
    field("fields", Kind::Many(&ROCKETCHAT_FIELD)),
    field("short_fields", Kind::FlagAlways),
    field("emoji", Kind::Text),
    field("icon_url", Kind::Text),
    field("image_url", Kind::Text),
    field("thumb_url", Kind::Text),
    field("link_names", Kind::FlagAlways),
    field("actions", Kind::Many(&ROCKETCHAT_ACTION)),
]);

/// A field of Rocket.Chat.
static ROCKETCHAT_FIELD: Shape =
    Shape(&[field("short", Kind::Set), field("title", Kind::Text), field("value", Kind::Text)]);

/// A button of Rocket.Chat.
static ROCKETCHAT_ACTION: Shape = Shape(&[
    field("type", Kind::Text),
    field("text", Kind::Text),
    field("url", Kind::Text),
    field("image_url", Kind::Text),
    field("is_webview", Kind::FlagAlways),
    field("webview_height_ratio", Kind::Text),
    field("msg", Kind::Text),
    field("msg_in_chat_window", Kind::FlagAlways),
    field("msg_processing_type", Kind::Text),
]);

/// A field of Mattermost.
static MATTERMOST_FIELD: Shape =
    Shape(&[field("title", Kind::Text), field("value", Kind::Text), field("short", Kind::Flag)]);

/// Mattermost.
static MATTERMOST: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("webhook_url", Kind::Url),
    field("webhook_url_file", Kind::Text),
    field("channel", Kind::Text),
    field("username", Kind::Text),
    since("fallback", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("color", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("pretext", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("author_name", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("author_link", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("author_icon", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("title", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("title_link", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("thumb_url", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("footer", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("footer_icon", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    since("image_url", Kind::Text, &gates::AM_MATTERMOST_GLOBAL),
    field("text", Kind::Text),
    field("icon_url", Kind::Text),
    field("icon_emoji", Kind::Text),
    field("attachments", Kind::Many(&MATTERMOST_ATTACHMENT)),
    field("props", Kind::Any),
    field("priority", Kind::Any),
    since("fields", Kind::Many(&MATTERMOST_FIELD), &gates::AM_MATTERMOST_GLOBAL),
    field("http_config", Kind::One(&HTTP)),
]);

/// An attachment of Mattermost.
static MATTERMOST_ATTACHMENT: Shape = Shape(&[
    field("fallback", Kind::Text),
    field("color", Kind::Text),
    field("pretext", Kind::Text),
    field("text", Kind::Text),
    field("author_name", Kind::Text),
    field("author_link", Kind::Text),
    field("author_icon", Kind::Text),
    field("title", Kind::Text),
    field("title_link", Kind::Text),
    field("fields", Kind::Many(&MATTERMOST_FIELD)),
    field("thumb_url", Kind::Text),
    field("footer", Kind::Text),
    field("footer_icon", Kind::Text),
    field("image_url", Kind::Text),
]);

/// incident.io.
pub(in crate::lower::alertmanager) static INCIDENTIO: Shape = Shape(&[
    field("send_resolved", Kind::Set),
    field("http_config", Kind::One(&HTTP)),
    field("url", Kind::Url),
    field("url_file", Kind::Text),
    field("alert_source_token", Kind::Text),
    field("alert_source_token_file", Kind::Text),
    field("max_alerts", Kind::Set),
    field("timeout", Kind::Duration),
]);
