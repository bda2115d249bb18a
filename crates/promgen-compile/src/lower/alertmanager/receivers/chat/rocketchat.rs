//! Rocket.Chat: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Parts, Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, NotBoth, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Shape, field};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// Rocket.Chat.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
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
pub(in crate::lower::alertmanager) static ROCKETCHAT_FIELD: Shape = Shape::item(
    "config.RocketchatAttachmentField",
    "[]*config.RocketchatAttachmentField",
    &[field("short", KeyType::Nullable), field("title", KeyType::Text), field("value", KeyType::Text)],
);

/// A button of Rocket.Chat.
pub(in crate::lower::alertmanager) static ROCKETCHAT_ACTION: Shape = Shape::item(
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

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("tokenID", "token_id", Secret),
    ("token", "token", Secret),
    ("channel", "channel", Plain),
    ("color", "color", Plain),
    ("title", "title", Plain),
    ("titleLink", "title_link", Plain),
    ("text", "text", Plain),
    ("fields", "fields", Parts(&[("short", "short", Plain), ("title", "title", Plain), ("value", "value", Plain)])),
    ("shortFields", "short_fields", Plain),
    ("emoji", "emoji", Plain),
    ("iconURL", "icon_url", Plain),
    ("imageURL", "image_url", Plain),
    ("thumbURL", "thumb_url", Plain),
    ("linkNames", "link_names", Plain),
    ("actions", "actions", Parts(&[("text", "text", Plain), ("url", "url", Plain), ("msg", "msg", Plain)])),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_ROCKETCHAT, "rocketchat integration is available in Alertmanager >= 0.28.0"),
    NotBoth("token", "token_file", "at most one of token & token_file must be configured"),
    NotBoth("token_id", "token_id_file", "at most one of token_id & token_id_file must be configured"),
    Http,
];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[
    need(
        &["token_id", "token_id_file"],
        &["rocketchat_token_id", "rocketchat_token_id_file"],
        "no global Rocketchat TokenID set either inline or in a file",
    ),
    need(
        &["token", "token_file"],
        &["rocketchat_token", "rocketchat_token_file"],
        "no global Rocketchat Token set either inline or in a file",
    ),
];
