//! Webex: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Webex.
pub(crate) static WEBEX: ReceiverKind = ReceiverKind {
    list: "webex_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WebexConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            url("api_url"),
            text("message"),
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
        fields: Table::new(WebexConfig::describe, &[HTTP_CONFIG]),
    }),
    demands: &[
        ReceiverDemand::OneOf(&["room_id"], "mandatory field \"room_id\" is empty"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
