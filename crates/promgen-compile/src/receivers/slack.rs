//! Slack: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, UrlForm};
use crate::receivers::table::conversion::Conversion::{Filled, Part, Parts, Plain, SecretUrl};
use crate::receivers::table::conversion::Table;
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Slack.
pub(crate) static SLACK: ReceiverKind = ReceiverKind {
    list: "slack_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.SlackConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("api_url", KeyType::Url),
            since("api_url_file", KeyType::Text, &gates::AM_SLACK_URL_FILE),
            since("app_token", KeyType::Text, &gates::AM_SLACK_APP).of(GoScalar::Secret),
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
            since("timeout", KeyType::Duration, &gates::AM_RECEIVER_TIMEOUT)
                .of(GoScalar::Nanoseconds),
            since("message_text", KeyType::Text, &gates::AM_MESSAGE_TEXT),
            since("update_message", KeyType::Set, &gates::AM_SLACK_UPDATES).refused_before(),
        ],
    )
    .checked(&[
        PartRule::OneSourceEach,
        PartRule::Apart(
            &["app_token", "app_token_file"],
            &["api_url", "api_url_file"],
            "at most one of api_url/api_url_file & app_token/app_token_file must be configured",
        ),
        PartRule::BotUpdates(BOT_URL),
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "slackConfigs",
        valid: &[
            ReceiverRule::Named(
                "actions",
                &["name", "url"],
                "missing 'name' or 'url' in Slack action configuration",
            ),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::url("apiURL", UrlForm::Plain, ("", "failed to validate API URL")),
            ReceiverRead::Since("messageText", &gates::AM_MESSAGE_TEXT),
            ReceiverRead::Since("updateMessage", &gates::AM_UPDATE_MESSAGE),
            ReceiverRead::BotUrl(BOT_URL),
            ReceiverRead::Client,
        ],
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("apiURL", "api_url", SecretUrl),
            ("channel", "channel", Plain),
            ("username", "username", Plain),
            ("color", "color", Plain),
            ("title", "title", Plain),
            ("titleLink", "title_link", Plain),
            ("pretext", "pretext", Plain),
            ("text", "text", Plain),
            ("messageText", "message_text", Plain),
            (
                "fields",
                "fields",
                Parts(&[
                    ("title", "title", Plain),
                    ("value", "value", Plain),
                    ("short", "short", Plain),
                ]),
            ),
            ("shortFields", "short_fields", Plain),
            ("footer", "footer", Plain),
            ("fallback", "fallback", Plain),
            ("callbackId", "callback_id", Plain),
            ("iconEmoji", "icon_emoji", Plain),
            ("iconURL", "icon_url", Plain),
            ("imageURL", "image_url", Plain),
            ("thumbURL", "thumb_url", Plain),
            ("linkNames", "link_names", Plain),
            ("mrkdwnIn", "mrkdwn_in", Plain),
            ("actions", "actions", Parts(SLACK_ACTION_FIELDS)),
            ("timeout", "timeout", Filled),
            ("updateMessage", "update_message", Plain),
        ],
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("app_token", "app_token_file"),
        ReceiverDemand::NotBoth("app_token", "api_url", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token", "api_url_file", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token_file", "api_url", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token_file", "api_url_file", ONE_SLACK),
        ReceiverDemand::Prefer("api_url", "api_url_file"),
    ],
    global_needs: &[GlobalNeed::new(
        &["api_url", "api_url_file", "app_token", "app_token_file"],
        &[
            "slack_api_url",
            "slack_api_url_file",
            "slack_app_token",
            "slack_app_token_file",
        ],
        "no Slack API URL nor App token set either inline or in a file",
    )],
};

/// The URL of a bot of Slack.
const BOT_URL: &str = "https://slack.com/api/chat.postMessage";

/// A field of Slack.
static SLACK_FIELD: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackField",
    &[
        field("title", KeyType::Text),
        field("value", KeyType::Text),
        field("short", KeyType::Flag),
    ],
)
.checked(&[
    PartRule::AnyOf(&["title"], "missing title in Slack field configuration"),
    PartRule::AnyOf(&["value"], "missing value in Slack field configuration"),
]);

/// A button of Slack.
static SLACK_ACTION: Shape = Shape::item(
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
)
.checked(&[
    PartRule::AnyOf(&["type"], "missing type in Slack action configuration"),
    PartRule::AnyOf(&["text"], "missing text in Slack action configuration"),
    PartRule::AnyOf(
        &["url", "name"],
        "missing name or url in Slack action configuration",
    ),
]);

/// Slack's confirmation dialog of an action.
static SLACK_CONFIRM: Shape = Shape::part(
    "config.plain",
    &[
        field("text", KeyType::Text),
        field("title", KeyType::Text),
        field("ok_text", KeyType::Text),
        field("dismiss_text", KeyType::Text),
    ],
)
.checked(&[PartRule::AnyOf(
    &["text"],
    "missing text in Slack confirmation configuration",
)]);

static SLACK_ACTION_FIELDS: Table = &[
    ("type", "type", Plain),
    ("text", "text", Plain),
    ("url", "url", Plain),
    ("style", "style", Plain),
    ("name", "name", Plain),
    ("value", "value", Plain),
    (
        "confirm",
        "confirm",
        Part(&[
            ("text", "text", Plain),
            ("title", "title", Plain),
            ("okText", "ok_text", Plain),
            ("dismissText", "dismiss_text", Plain),
        ]),
    ),
];

const ONE_SLACK: &str =
    "at most one of app_token/app_token_file & api_url/api_url_file must be configured";
