//! Rocket.Chat: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Parts, Plain, Secret};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Rocket.Chat.
pub(crate) static ROCKETCHAT: ReceiverKind = ReceiverKind {
    list: "rocketchat_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.RocketchatConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("api_url", KeyType::Url),
            field("token_id", KeyType::TextSet).of(GoScalar::Secret),
            field("token_id_file", KeyType::Text),
            field("token", KeyType::TextSet).of(GoScalar::Secret),
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
    )
    .checked(&[PartRule::OneSource("token"), PartRule::OneSourceEach]),
    since: Some(KindSince {
        gate: &gates::AM_ROCKETCHAT,
        in_configuration: "rocketchat integration is available",
        in_resource: Some(KindGate::Field("rocketChatConfigs")),
    }),
    resource: Some(ReceiverList {
        field: "rocketchatConfigs",
        valid: &[
            ReceiverRule::Plain("apiURL"),
            ReceiverRule::Template("iconURL"),
            ReceiverRule::Template("imageURL"),
            ReceiverRule::Template("thumbURL"),
            ReceiverRule::Templates("actions", "url"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::Client,
            ReceiverRead::prefixed("token", "failed to retrieve RocketChat token"),
            ReceiverRead::prefixed("tokenID", "failed to retrieve RocketChat token ID"),
        ],
        fields: &[
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
            (
                "fields",
                "fields",
                Parts(&[
                    ("short", "short", Plain),
                    ("title", "title", Plain),
                    ("value", "value", Plain),
                ]),
            ),
            ("shortFields", "short_fields", Plain),
            ("emoji", "emoji", Plain),
            ("iconURL", "icon_url", Plain),
            ("imageURL", "image_url", Plain),
            ("thumbURL", "thumb_url", Plain),
            ("linkNames", "link_names", Plain),
            (
                "actions",
                "actions",
                Parts(&[
                    ("text", "text", Plain),
                    ("url", "url", Plain),
                    ("msg", "msg", Plain),
                ]),
            ),
        ],
    }),
    demands: &[
        ReceiverDemand::NotBoth(
            "token",
            "token_file",
            "at most one of token & token_file must be configured",
        ),
        ReceiverDemand::NotBoth(
            "token_id",
            "token_id_file",
            "at most one of token_id & token_id_file must be configured",
        ),
        ReceiverDemand::Http,
    ],
    global_needs: &[
        GlobalNeed::new(
            &["token_id", "token_id_file"],
            &["rocketchat_token_id", "rocketchat_token_id_file"],
            "no global Rocketchat TokenID set either inline or in a file",
        )
        .or_empty(),
        GlobalNeed::new(
            &["token", "token_file"],
            &["rocketchat_token", "rocketchat_token_file"],
            "no global Rocketchat Token set either inline or in a file",
        )
        .or_empty(),
    ],
};

/// A field of Rocket.Chat.
static ROCKETCHAT_FIELD: Shape = Shape::item(
    "config.RocketchatAttachmentField",
    "[]*config.RocketchatAttachmentField",
    &[
        field("short", KeyType::Nullable),
        field("title", KeyType::Text),
        field("value", KeyType::Text),
    ],
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
