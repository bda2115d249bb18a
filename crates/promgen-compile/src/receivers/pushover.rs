//! Pushover: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion;
use crate::receivers::table::conversion::Conversion::{Plain, Secret};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Pushover.
pub(crate) static PUSHOVER: ReceiverKind = ReceiverKind {
    list: "pushover_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.PushoverConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("user_key", KeyType::Text).of(GoScalar::Secret),
            since("user_key_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
            field("token", KeyType::Text).of(GoScalar::Secret),
            since("token_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
            field("title", KeyType::Text),
            field("message", KeyType::Text),
            field("url", KeyType::Text),
            field("url_title", KeyType::Text),
            since("ttl", KeyType::Text, &gates::AM_PUSHOVER_TTL).of(GoScalar::GoDuration),
            since("device", KeyType::Text, &gates::AM_PUSHOVER_FILES),
            field("sound", KeyType::Text),
            field("priority", KeyType::Text),
            field("retry", KeyType::Duration).of(GoScalar::GoDuration),
            field("expire", KeyType::Duration).of(GoScalar::GoDuration),
            field("html", KeyType::Set),
            since("monospace", KeyType::Set, &gates::AM_PUSHOVER_MONOSPACE).turned_off(),
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
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("userKey", "user_key", Secret),
            ("userKeyFile", "user_key_file", Plain),
            ("token", "token", Secret),
            ("tokenFile", "token_file", Plain),
            ("title", "title", Plain),
            ("message", "message", Plain),
            ("url", "url", Plain),
            ("urlTitle", "url_title", Plain),
            ("ttl", "ttl", Plain),
            ("device", "device", Plain),
            ("priority", "priority", Plain),
            ("retry", "retry", Conversion::GoDuration),
            ("expire", "expire", Conversion::GoDuration),
            ("html", "html", Plain),
            ("monospace", "monospace", Plain),
        ],
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
