//! Rocket.Chat: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Rocket.Chat.
pub(crate) static ROCKETCHAT: ReceiverKind = ReceiverKind {
    list: "rocketchat_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.RocketchatConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            url("api_url"),
            field("token_id", KeyType::TextSet).of(GoScalar::Secret),
            text("token_id_file"),
            field("token", KeyType::TextSet).of(GoScalar::Secret),
            text("token_file"),
            text("channel"),
            text("color"),
            text("title"),
            text("title_link"),
            text("text"),
            field("fields", KeyType::Many(&ROCKETCHAT_FIELD)),
            field("short_fields", KeyType::FlagAlways),
            text("emoji"),
            text("icon_url"),
            text("image_url"),
            text("thumb_url"),
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
        fields: Table::new(RocketChatConfig::describe, &[HTTP_CONFIG]),
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
        text("title"),
        text("value"),
    ],
);

/// A button of Rocket.Chat.
static ROCKETCHAT_ACTION: Shape = Shape::item(
    "config.RocketchatAttachmentAction",
    "[]*config.RocketchatAttachmentAction",
    &[
        text("type"),
        text("text"),
        text("url"),
        field("is_webview", KeyType::OwnFalse),
        text("msg"),
        field("msg_in_chat_window", KeyType::OwnFalse),
    ],
);
