//! Telegram: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{
    Http, OneOf, OneOfOrGlobal, PlainUrl, Prefer, Since,
};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// Telegram.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.TelegramConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("api_url", KeyType::Url),
        field("bot_token", KeyType::Text),
        since("bot_token_file", KeyType::Text, &gates::AM_TELEGRAM_FILES),
        field("chat_id", KeyType::Number),
        since("chat_id_file", KeyType::Text, &gates::AM_SECRET_FILES),
        since("message_thread_id", KeyType::Number, &gates::AM_TELEGRAM_FILES),
        field("message", KeyType::Text),
        field("disable_notifications", KeyType::Flag),
        field("parse_mode", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    ("apiURL", "api_url", Plain),
    ("botToken", "bot_token", Secret),
    ("botTokenFile", "bot_token_file", Plain),
    ("chatID", "chat_id", Plain),
    ("messageThreadID", "message_thread_id", Plain),
    ("message", "message", Plain),
    ("disableNotifications", "disable_notifications", Plain),
    ("parseMode", "parse_mode", Plain),
    HTTP_CONFIG,
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
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
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["chat_id", "chat_id_file"], "missing chat_id or chat_id_file on telegram_config")];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[need(
    &["bot_token", "bot_token_file"],
    &["telegram_bot_token", "telegram_bot_token_file"],
    "missing bot_token or bot_token_file on telegram_config",
)];
