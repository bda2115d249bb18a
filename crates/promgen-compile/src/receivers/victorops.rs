//! VictorOps: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// VictorOps.
pub(crate) static VICTOROPS: ReceiverKind = ReceiverKind {
    list: "victorops_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.VictorOpsConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            secret("api_key"),
            text("api_key_file").since(&gates::AM_PASSWORD_FILES),
            url("api_url"),
            text("routing_key"),
            text("message_type"),
            text("state_message"),
            text("entity_display_name"),
            text("monitoring_tool"),
            pairs("custom_fields"),
        ],
    )
    .checked(&[
        PartRule::AnyOf(&["routing_key"], "missing Routing key in VictorOps config"),
        PartRule::OneSourceEach,
        PartRule::CustomFields(&RESERVED),
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "victoropsConfigs",
        valid: &[
            ReceiverRule::NotReserved(&RESERVED),
            ReceiverRule::Plain("apiUrl"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::secret("apiKey"),
            ReceiverRead::Client,
        ],
        fields: Table::new(VictorOpsConfig::describe, &[HTTP_CONFIG]),
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("api_key", "api_key_file"),
        ReceiverDemand::PlainUrl("api_url"),
    ],
    global_needs: &[GlobalNeed::new(
        &["api_key", "api_key_file"],
        &["victorops_api_key", "victorops_api_key_file"],
        "no global VictorOps API Key set",
    )],
};

/// The names that custom fields of VictorOps must not have.
static RESERVED: [&str; 7] = [
    "routing_key",
    "message_type",
    "state_message",
    "entity_display_name",
    "monitoring_tool",
    "entity_id",
    "entity_state",
];
