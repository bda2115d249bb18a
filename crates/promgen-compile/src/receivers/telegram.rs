//! Telegram: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Plain, Secret, Since};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Telegram.
pub(crate) static TELEGRAM: ReceiverKind = ReceiverKind {
    list: "telegram_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.TelegramConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("api_url", KeyType::Url),
            field("bot_token", KeyType::Text).of(GoScalar::Secret),
            since("bot_token_file", KeyType::Text, &gates::AM_TELEGRAM_FILES),
            field("chat_id", KeyType::Number).of(GoScalar::Int64),
            since("chat_id_file", KeyType::Text, &gates::AM_SECRET_FILES),
            since("message_thread_id", KeyType::Number, &gates::AM_TELEGRAM_FILES).of(GoScalar::Int),
            field("message", KeyType::Text),
            field("disable_notifications", KeyType::Flag),
            field("parse_mode", KeyType::Text),
            field("http_config", KeyType::One(&HTTP)),
        ],
    )
    .moved_to("telegram", &gates::AM_PACKAGES)
    .checked(&[
        PartRule::OneSource("bot_token"),
        PartRule::AnyOf(&["chat_id", "chat_id_file"], "missing chat_id or chat_id_file on telegram_config"),
        PartRule::OneSourceEach,
        PartRule::Choice(
            "parse_mode",
            &["", "Markdown", "MarkdownV2", "HTML"],
            "unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string",
        ),
    ]),
    since: Some(KindSince {
        gate: &gates::AM_TELEGRAM,
        in_configuration: "telegram integration is available",
        in_resource: Some(KindGate::Field("telegramConfigs")),
    }),
    resource: Some(ReceiverList {
        field: "telegramConfigs",
        valid: &[
            ReceiverRule::NotBoth(
                "botToken",
                "botTokenFile",
                "only one of 'botToken' or 'botTokenfile' must be configured",
            ),
            ReceiverRule::OneOf(&["botToken", "botTokenFile"], "mandatory field botToken or botTokenfile is empty"),
            ReceiverRule::Number("chatID", "mandatory field 'chatID' is empty"),
            ReceiverRule::Plain("apiURL"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::Since("botTokenFile", &gates::AM_BOT_TOKEN_FILE),
            ReceiverRead::secret("botToken"),
            ReceiverRead::Client,
        ],
        fields: &[
            SEND_RESOLVED,
            ("apiURL", "api_url", Plain),
            ("botToken", "bot_token", Secret),
            ("botTokenFile", "bot_token_file", Since(&gates::TELEGRAM_TAKEN_OVER)),
            ("chatID", "chat_id", Plain),
            ("messageThreadID", "message_thread_id", Plain),
            ("message", "message", Plain),
            ("disableNotifications", "disable_notifications", Since(&gates::TELEGRAM_TAKEN_OVER)),
            ("parseMode", "parse_mode", Plain),
            HTTP_CONFIG,
        ],
    }),
    demands: &[
        ReceiverDemand::OneOf(&["chat_id", "chat_id_file"], "missing mandatory field chat_id or chat_id_file"),
        // What newer versions have neither of comes from an AlertmanagerConfig with an empty file, and is written.
        ReceiverDemand::Before(
            &gates::AM_SECRET_FILES,
            &[ReceiverDemand::OneOf(
                &["bot_token", "bot_token_file"],
                "missing mandatory field botToken or botTokenFile",
            )],
        ),
        ReceiverDemand::Before(
            &gates::TELEGRAM_TOKEN_CHECK,
            &[ReceiverDemand::OneOf(
                &["bot_token", "bot_token_file"],
                "missing mandatory field botToken or botTokenFile",
            )],
        ),
        ReceiverDemand::Prefer("bot_token", "bot_token_file"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[GlobalNeed::new(
        &["bot_token", "bot_token_file"],
        &["telegram_bot_token", "telegram_bot_token_file"],
        "missing bot_token or bot_token_file on telegram_config",
    )],
};
