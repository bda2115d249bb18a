//! Telegram: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Telegram.
pub(crate) static TELEGRAM: ReceiverKind = ReceiverKind {
    list: "telegram_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.TelegramConfig",
        &[
            SEND_RESOLVED_KEY,
            url("api_url"),
            secret("bot_token"),
            text("bot_token_file").since(&gates::AM_TELEGRAM_FILES),
            field("chat_id", KeyType::Number).of(GoScalar::Int64),
            text("chat_id_file").since(&gates::AM_SECRET_FILES),
            field("message_thread_id", KeyType::Number).since(&gates::AM_TELEGRAM_FILES).of(GoScalar::Int),
            text("message"),
            flag("disable_notifications"),
            text("parse_mode"),
            HTTP_CONFIG_KEY,
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
        fields: Table::new(TelegramConfig::describe, &[HTTP_CONFIG, ("botTokenFile", "bot_token_file", Since(&gates::TELEGRAM_TAKEN_OVER)), ("disableNotifications", "disable_notifications", Since(&gates::TELEGRAM_TAKEN_OVER))]),
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
