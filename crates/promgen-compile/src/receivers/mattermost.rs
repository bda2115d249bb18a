//! Mattermost: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Mattermost.
pub(crate) static MATTERMOST: ReceiverKind = ReceiverKind {
    list: "mattermost_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.MattermostConfig",
        &[
            SEND_RESOLVED_KEY,
            url("webhook_url"),
            text("webhook_url_file"),
            text("channel"),
            text("username"),
            text("text"),
            text("icon_url"),
            text("icon_emoji"),
            field("attachments", KeyType::Many(&MATTERMOST_ATTACHMENT)),
            field("props", KeyType::Raw(&MATTERMOST_PROPS)),
            field("priority", KeyType::Raw(&MATTERMOST_PRIORITY)),
            late(text("fallback")),
            late(text("color")),
            late(text("pretext")),
            late(text("author_name")),
            late(text("author_link")),
            late(text("author_icon")),
            late(text("title")),
            late(text("title_link")),
            late(field("fields", KeyType::Many(&MATTERMOST_FIELD))),
            late(text("thumb_url")),
            late(text("footer")),
            late(text("footer_icon")),
            late(text("image_url")),
            upstream("type", "alertmanager.mattermostConfig"),
            HTTP_CONFIG_KEY,
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

/// A key that Mattermost got with the global settings.
const fn late(key: ShapeKey) -> ShapeKey {
    key.since(&gates::AM_MATTERMOST_GLOBAL).refused_before()
}

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
    &[text("title"), text("value"), flag("short")],
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
static MATTERMOST_PROPS: Shape = Shape::part("config.MattermostProps", &[text("card")])
    .moved_to("mattermost", &gates::AM_FIRST_PACKAGES);

/// The priority of a message of Mattermost.
static MATTERMOST_PRIORITY: Shape = Shape::part(
    "config.MattermostPriority",
    &[
        text("priority"),
        set("requested_ack"),
        set("persistent_notifications"),
    ],
)
.moved_to("mattermost", &gates::AM_FIRST_PACKAGES);

/// An attachment of Mattermost.
static MATTERMOST_ATTACHMENT: Shape = Shape::item(
    "config.MattermostAttachment",
    "[]*config.MattermostAttachment",
    &[
        text("fallback"),
        text("color"),
        text("pretext"),
        text("text"),
        text("author_name"),
        text("author_link"),
        text("author_icon"),
        text("title"),
        text("title_link"),
        field("fields", KeyType::Many(&MATTERMOST_FIELD)),
        text("thumb_url"),
        text("footer"),
        text("footer_icon"),
        text("image_url"),
    ],
)
.moved_to("mattermost", &gates::AM_FIRST_PACKAGES);
