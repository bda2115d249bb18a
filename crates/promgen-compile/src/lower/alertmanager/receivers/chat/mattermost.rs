//! Mattermost: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, Prefer, Since, Url, Urls};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since, upstream};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// A field of Mattermost.
pub(in crate::lower::alertmanager) static MATTERMOST_FIELD: Shape = Shape::item(
    "mattermost.plain",
    "[]*mattermost.MattermostField",
    &[field("title", KeyType::Text), field("value", KeyType::Text), field("short", KeyType::Flag)],
);

/// Mattermost.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
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
pub(in crate::lower::alertmanager) static MATTERMOST_PROPS: Shape =
    Shape::part("mattermost.MattermostProps", &[field("card", KeyType::Text)]);

/// The priority of a message of Mattermost.
pub(in crate::lower::alertmanager) static MATTERMOST_PRIORITY: Shape = Shape::part(
    "mattermost.MattermostPriority",
    &[
        field("priority", KeyType::Text),
        field("requested_ack", KeyType::Set),
        field("persistent_notifications", KeyType::Set),
    ],
);

/// An attachment of Mattermost.
pub(in crate::lower::alertmanager) static MATTERMOST_ATTACHMENT: Shape = Shape::item(
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

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
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
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[
    (&MATTERMOST_FIELD, &["title"], "missing title in Mattermost field configuration"),
    (&MATTERMOST_FIELD, &["value"], "missing value in Mattermost field configuration"),
];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[need(
    &["webhook_url", "webhook_url_file"],
    &["mattermost_webhook_url", "mattermost_webhook_url_file"],
    "missing webhook_url or webhook_url_file on mattermost_config",
)];
