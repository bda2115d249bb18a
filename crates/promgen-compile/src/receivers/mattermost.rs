//! Mattermost: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::HTTP;
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{KeyType, PartRule, Shape, field, since, upstream};
use crate::receivers::table::{KindSince, ReceiverKind};
use promgen_resources::gates;

/// Mattermost.
pub(crate) static MATTERMOST: ReceiverKind = ReceiverKind {
    list: "mattermost_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.MattermostConfig",
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
            since("fallback", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("color", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("pretext", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("author_name", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("author_link", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("author_icon", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("title", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("title_link", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since(
                "fields",
                KeyType::Many(&MATTERMOST_FIELD),
                &gates::AM_MATTERMOST_GLOBAL,
            )
            .refused_before(),
            since("thumb_url", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("footer", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("footer_icon", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            since("image_url", KeyType::Text, &gates::AM_MATTERMOST_GLOBAL).refused_before(),
            upstream("type", "alertmanager.mattermostConfig"),
            field("http_config", KeyType::One(&HTTP)),
        ],
    )
    .moved_to("mattermost", &gates::AM_FIRST_PACKAGES)
    .checked(&[PartRule::OneSourceEach]),
    since: Some(KindSince {
        gate: &gates::AM_MATTERMOST,
        in_configuration: "mattermost integration is available",
        in_resource: None,
    }),
    resource: None,
    demands: &[
        ReceiverDemand::Prefer("webhook_url", "webhook_url_file"),
        ReceiverDemand::Since(&gates::MATTERMOST_URLS_CHECK, MATTERMOST_URLS),
        ReceiverDemand::Http,
    ],
    global_needs: &[GlobalNeed::new(
        &["webhook_url", "webhook_url_file"],
        &["mattermost_webhook_url", "mattermost_webhook_url_file"],
        "missing webhook_url or webhook_url_file on mattermost_config",
    )],
};

/// The URLs of a message.
const MATTERMOST_URLS: &[ReceiverDemand] = &[
    ReceiverDemand::Url("icon_url"),
    ReceiverDemand::Url("author_link"),
    ReceiverDemand::Url("author_icon"),
    ReceiverDemand::Url("title_link"),
    ReceiverDemand::Url("thumb_url"),
    ReceiverDemand::Url("footer_icon"),
    ReceiverDemand::Url("image_url"),
    ReceiverDemand::Urls(
        "attachments",
        &[
            "author_link",
            "author_icon",
            "title_link",
            "thumb_url",
            "footer_icon",
            "image_url",
        ],
    ),
];

/// A field of Mattermost.
static MATTERMOST_FIELD: Shape = Shape::item(
    "config.plain",
    "[]*config.MattermostField",
    &[
        field("title", KeyType::Text),
        field("value", KeyType::Text),
        field("short", KeyType::Flag),
    ],
)
.moved_to("mattermost", &gates::AM_FIRST_PACKAGES)
.checked(&[
    PartRule::AnyOf(
        &["title"],
        "missing title in Mattermost field configuration",
    ),
    PartRule::AnyOf(
        &["value"],
        "missing value in Mattermost field configuration",
    ),
]);

/// The fields that Mattermost shows beside a message.
static MATTERMOST_PROPS: Shape =
    Shape::part("config.MattermostProps", &[field("card", KeyType::Text)])
        .moved_to("mattermost", &gates::AM_FIRST_PACKAGES);

/// The priority of a message of Mattermost.
static MATTERMOST_PRIORITY: Shape = Shape::part(
    "config.MattermostPriority",
    &[
        field("priority", KeyType::Text),
        field("requested_ack", KeyType::Set),
        field("persistent_notifications", KeyType::Set),
    ],
)
.moved_to("mattermost", &gates::AM_FIRST_PACKAGES);

/// An attachment of Mattermost.
static MATTERMOST_ATTACHMENT: Shape = Shape::item(
    "config.MattermostAttachment",
    "[]*config.MattermostAttachment",
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
)
.moved_to("mattermost", &gates::AM_FIRST_PACKAGES);
