//! Pushover: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Pushover.
pub(crate) static PUSHOVER: ReceiverKind = ReceiverKind {
    list: "pushover_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.PushoverConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            secret("user_key"),
            text("user_key_file").since(&gates::AM_PUSHOVER_FILES),
            secret("token"),
            text("token_file").since(&gates::AM_PUSHOVER_FILES),
            text("title"),
            text("message"),
            text("url"),
            text("url_title"),
            text("ttl")
                .since(&gates::AM_PUSHOVER_TTL)
                .of(GoScalar::GoDuration),
            text("device").since(&gates::AM_PUSHOVER_FILES),
            text("sound"),
            text("priority"),
            duration("retry").of(GoScalar::GoDuration),
            duration("expire").of(GoScalar::GoDuration),
            set("html"),
            set("monospace")
                .since(&gates::AM_PUSHOVER_MONOSPACE)
                .turned_off(),
        ],
    )
    .checked(&[
        PartRule::AnyOf(
            &["user_key", "user_key_file"],
            "one of user_key or user_key_file must be configured",
        ),
        PartRule::OneSource("user_key"),
        PartRule::AnyOf(
            &["token", "token_file"],
            "one of token or token_file must be configured",
        ),
        PartRule::OneSource("token"),
        PartRule::NotBothTrue(
            "html",
            "monospace",
            "at most one of monospace & html must be configured",
        ),
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "pushoverConfigs",
        valid: &[
            ReceiverRule::OneOf(
                &["userKey", "userKeyFile"],
                "one of 'userKey' or 'userKeyFile' must be configured",
            ),
            ReceiverRule::OneOf(
                &["token", "tokenFile"],
                "one of 'token' or 'tokenFile' must be configured",
            ),
            ReceiverRule::Exclusive(
                "html",
                "monospace",
                "'html' and 'monospace' options are mutually exclusive",
            ),
            ReceiverRule::Template("url"),
            ReceiverRule::ClientValid,
        ],
        // The operator reads both, although a file could give them: a receiver with files only is refused.
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::mandatory("userKey"),
            ReceiverRead::mandatory("token"),
            ReceiverRead::Client,
        ],
        // Operator: drops `sound`.
        fields: Table::new(
            PushoverConfig::describe,
            &[
                HTTP_CONFIG,
                ("retry", "retry", GoDuration),
                ("expire", "expire", GoDuration),
                ("sound", "", Lost),
            ],
        ),
    }),
    demands: &[
        ReceiverDemand::OneOf(
            &["user_key", "user_key_file"],
            "missing mandatory field user_key or user_key_file",
        ),
        ReceiverDemand::Prefer("user_key", "user_key_file"),
        ReceiverDemand::OneOf(
            &["token", "token_file"],
            "missing mandatory field token or token_file",
        ),
        ReceiverDemand::Prefer("token", "token_file"),
        ReceiverDemand::Url("url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
