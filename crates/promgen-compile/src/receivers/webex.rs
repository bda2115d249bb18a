//! Webex: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::Plain;
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{KeyType, PartRule, Shape, field};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Webex.
pub(crate) static WEBEX: ReceiverKind = ReceiverKind {
    list: "webex_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WebexConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("api_url", KeyType::Url),
            field("message", KeyType::Text),
            field("room_id", KeyType::TextAlways),
        ],
    )
    .checked(&[
        PartRule::AnyOf(&["room_id"], "missing room_id on webex_config"),
        PartRule::Authorized("missing webex_configs.http_config.authorization"),
    ]),
    since: Some(KindSince {
        gate: &gates::AM_WEBEX,
        in_configuration: "webex integration is available",
        in_resource: Some(KindGate::Field("webexConfigs")),
    }),
    resource: Some(ReceiverList {
        field: "webexConfigs",
        valid: &[ReceiverRule::Plain("apiURL"), ReceiverRule::ClientValid],
        reads: &[ReceiverRead::ClientSince, ReceiverRead::Client],
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("apiURL", "api_url", Plain),
            ("message", "message", Plain),
            ("roomID", "room_id", Plain),
        ],
    }),
    demands: &[
        ReceiverDemand::OneOf(&["room_id"], "mandatory field \"room_id\" is empty"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
