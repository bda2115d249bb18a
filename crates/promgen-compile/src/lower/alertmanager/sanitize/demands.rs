//! The operator's requirements of each receiver, in its order.

use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{
    Http, NotBoth, OneOf, OneOfOrGlobal, PlainUrl, Prefer, Responders, Since, Texts, Threading, Token, Url, Urls,
};
use promgen_resources::gates::{self, Gate};

/// A requirement of a receiver.
pub(super) enum ReceiverDemand {
    /// The version supports such receivers; else the operator's message.
    Since(&'static Gate, &'static str),
    /// At least one of the keys is set; else the operator's message.
    OneOf(&'static [&'static str], &'static str),
    /// The same, of the receiver or of the global settings.
    OneOfOrGlobal(&'static [&'static str], &'static [&'static str], &'static str),
    /// Of two keys the first one counts.
    Prefer(&'static str, &'static str),
    /// At most one of two keys is set; else the operator's message.
    NotBoth(&'static str, &'static str, &'static str),
    /// The key holds a URL.
    PlainUrl(&'static str),
    /// The key holds a URL, or a template of one.
    Url(&'static str),
    /// The keys of each item of a list hold URLs, or templates of them.
    Urls(&'static str, &'static [&'static str]),
    /// The settings of HTTP are sound.
    Http,
    /// The values of a map are texts, in versions that know nothing else; else the operator's message.
    Texts(&'static str, &'static Gate, &'static str),
    /// No responder is a group of teams, in versions that know none.
    Responders,
    /// Mails are threaded by day or not by date.
    Threading,
    /// There is one way to authenticate with incident.io.
    Token,
}

/// The kinds of receivers, in the operator's order, with their requirements.
pub(super) static RECEIVERS: &[(&str, &[ReceiverDemand])] = &[
    ("email_configs", &[Prefer("auth_password", "auth_password_file"), Threading]),
    ("opsgenie_configs", &[Http, Prefer("api_key", "api_key_file"), PlainUrl("api_url"), Responders]),
    (
        "pagerduty_configs",
        &[
            Prefer("service_key", "service_key_file"),
            Prefer("routing_key", "routing_key_file"),
            Texts(
                "details",
                &gates::AM_DETAILS,
                "'details' value in non-string format is supported in Alertmanager >= 0.30.0 only",
            ),
            Http,
        ],
    ),
    (
        "pushover_configs",
        &[
            OneOf(&["user_key", "user_key_file"], "missing mandatory field user_key or user_key_file"),
            Prefer("user_key", "user_key_file"),
            OneOf(&["token", "token_file"], "missing mandatory field token or token_file"),
            Prefer("token", "token_file"),
            Url("url"),
            Http,
        ],
    ),
    (
        "slack_configs",
        &[
            Http,
            Prefer("app_token", "app_token_file"),
            NotBoth("app_token", "api_url", ONE_SLACK),
            NotBoth("app_token", "api_url_file", ONE_SLACK),
            NotBoth("app_token_file", "api_url", ONE_SLACK),
            NotBoth("app_token_file", "api_url_file", ONE_SLACK),
            Prefer("api_url", "api_url_file"),
        ],
    ),
    ("victorops_configs", &[Http, Prefer("api_key", "api_key_file"), PlainUrl("api_url")]),
    ("webhook_configs", &[Http, Prefer("url", "url_file"), Url("url")]),
    ("wechat_configs", &[Http, PlainUrl("api_url")]),
    ("sns_configs", &[Url("api_url"), Http]),
    (
        "telegram_configs",
        &[
            Since(&gates::AM_TELEGRAM, "telegram integration is available in Alertmanager >= 0.24.0"),
            OneOf(&["chat_id", "chat_id_file"], "missing mandatory field chat_id or chat_id_file"),
            OneOfOrGlobal(
                &["bot_token", "bot_token_file"],
                &["telegram_bot_token", "telegram_bot_token_file"],
                "missing mandatory field botToken or botTokenFile",
            ),
            Prefer("bot_token", "bot_token_file"),
            PlainUrl("api_url"),
            Http,
        ],
    ),
    (
        "discord_configs",
        &[Since(&gates::AM_DISCORD, "discord integration is available in Alertmanager >= 0.25.0"), Http],
    ),
    (
        "webex_configs",
        &[
            Since(&gates::AM_WEBEX, "webex integration is available in Alertmanager >= 0.25.0"),
            OneOf(&["room_id"], "mandatory field \"room_id\" is empty"),
            PlainUrl("api_url"),
            Http,
        ],
    ),
    (
        "msteams_configs",
        &[
            Since(&gates::AM_MSTEAMS, "msteams integration is only available in Alertmanager >= 0.26.0"),
            OneOf(&["webhook_url", "webhook_url_file"], "mandatory field \"webhook_url\" is empty"),
            PlainUrl("webhook_url"),
            Http,
        ],
    ),
    (
        "msteamsv2_configs",
        &[
            Since(&gates::AM_MSTEAMSV2, "msteams v2 integration is available in Alertmanager >= 0.28.0"),
            OneOf(&["webhook_url", "webhook_url_file"], "no webhook_url or webhook_url_file provided"),
            NotBoth(
                "webhook_url",
                "webhook_url_file",
                "both webhook_url and webhook_url_file cannot be set at the same time",
            ),
            PlainUrl("webhook_url"),
            Http,
        ],
    ),
    (
        "jira_configs",
        &[
            Since(&gates::AM_JIRA, "jira integration is available in Alertmanager >= 0.28.0"),
            OneOf(&["project"], "missing project in jira_config"),
            OneOf(&["issue_type"], "missing issue_type in jira_config"),
            PlainUrl("api_url"),
            Http,
        ],
    ),
    (
        "rocketchat_configs",
        &[
            Since(&gates::AM_ROCKETCHAT, "rocketchat integration is available in Alertmanager >= 0.28.0"),
            NotBoth("token", "token_file", "at most one of token & token_file must be configured"),
            NotBoth("token_id", "token_id_file", "at most one of token_id & token_id_file must be configured"),
            Http,
        ],
    ),
    (
        "mattermost_configs",
        &[
            Since(&gates::AM_MATTERMOST, "mattermost integration is available in Alertmanager >= 0.30.0"),
            Prefer("webhook_url", "webhook_url_file"),
            Url("icon_url"),
            Url("author_link"),
            Url("author_icon"),
            Url("title_link"),
            Url("thumb_url"),
            Url("footer_icon"),
            Url("image_url"),
            Urls("attachments", &["author_link", "author_icon", "title_link", "thumb_url", "footer_icon", "image_url"]),
            Http,
        ],
    ),
    (
        "incidentio_configs",
        &[
            Since(&gates::AM_INCIDENTIO, "incident.io integration is available in Alertmanager >= 0.29.0"),
            OneOf(&["url", "url_file"], "one of url or url_file must be configured"),
            NotBoth("url", "url_file", "at most one of url & url_file must be configured"),
            PlainUrl("url"),
            Token,
            Http,
        ],
    ),
];

const ONE_SLACK: &str = "at most one of app_token/app_token_file & api_url/api_url_file must be configured";
