//! Pushover: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{Conversion, HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, OneOf, Prefer, Url};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use promgen_resources::gates;

/// Pushover.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.PushoverConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("user_key", KeyType::Text),
        since("user_key_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("token", KeyType::Text),
        since("token_file", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("title", KeyType::Text),
        field("message", KeyType::Text),
        field("url", KeyType::Text),
        field("url_title", KeyType::Text),
        since("ttl", KeyType::Text, &gates::AM_PUSHOVER_TTL),
        since("device", KeyType::Text, &gates::AM_PUSHOVER_FILES),
        field("sound", KeyType::Text),
        field("priority", KeyType::Text),
        field("retry", KeyType::Duration),
        field("expire", KeyType::Duration),
        field("html", KeyType::Set),
        since("monospace", KeyType::Set, &gates::AM_PUSHOVER_MONOSPACE),
    ],
);

/// Operator: drops `sound`.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
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
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    OneOf(&["user_key", "user_key_file"], "missing mandatory field user_key or user_key_file"),
    Prefer("user_key", "user_key_file"),
    OneOf(&["token", "token_file"], "missing mandatory field token or token_file"),
    Prefer("token", "token_file"),
    Url("url"),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[
    (&SHAPE, &["user_key", "user_key_file"], "one of user_key or user_key_file must be configured"),
    (&SHAPE, &["token", "token_file"], "one of token or token_file must be configured"),
];
