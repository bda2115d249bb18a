//! Slack: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Part, Parts, Plain, SecretUrl};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, NotBoth, Prefer};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// Slack.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
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

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
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
    ("fields", "fields", Parts(&[("title", "title", Plain), ("value", "value", Plain), ("short", "short", Plain)])),
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
    ("timeout", "timeout", Plain),
    ("updateMessage", "update_message", Plain),
];

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

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Http,
    Prefer("app_token", "app_token_file"),
    NotBoth("app_token", "api_url", ONE_SLACK),
    NotBoth("app_token", "api_url_file", ONE_SLACK),
    NotBoth("app_token_file", "api_url", ONE_SLACK),
    NotBoth("app_token_file", "api_url_file", ONE_SLACK),
    Prefer("api_url", "api_url_file"),
];

const ONE_SLACK: &str = "at most one of app_token/app_token_file & api_url/api_url_file must be configured";

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[
    (&SLACK_ACTION, &["type"], "missing type in Slack action configuration"),
    (&SLACK_ACTION, &["text"], "missing text in Slack action configuration"),
    (&SLACK_ACTION, &["url", "name"], "missing name or url in Slack action configuration"),
    (&SLACK_CONFIRM, &["text"], "missing text in Slack confirmation configuration"),
    (&SLACK_FIELD, &["title"], "missing title in Slack field configuration"),
    (&SLACK_FIELD, &["value"], "missing value in Slack field configuration"),
];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[need(
    &["api_url", "api_url_file", "app_token", "app_token_file"],
    &["slack_api_url", "slack_api_url_file", "slack_app_token", "slack_app_token_file"],
    "no Slack API URL nor App token set either inline or in a file",
)];
