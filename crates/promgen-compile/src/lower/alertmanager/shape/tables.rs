//! The keys of an Alertmanager configuration: of every part, in the operator's order, with the gates of keys that only
//! some versions support.
//!
//! Operator: the types of its package `alertmanager`; gates as its `sanitize` functions have them.

use crate::lower::alertmanager::receivers::RECEIVER;
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
