//! VictorOps: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion;
use crate::receivers::table::conversion::Conversion::{Plain, Secret};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// VictorOps.
pub(crate) static VICTOROPS: ReceiverKind = ReceiverKind {
    list: "victorops_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.VictorOpsConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("api_key", KeyType::Text).of(GoScalar::Secret),
            since("api_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
            field("api_url", KeyType::Url),
            field("routing_key", KeyType::Text),
            field("message_type", KeyType::Text),
            field("state_message", KeyType::Text),
            field("entity_display_name", KeyType::Text),
            field("monitoring_tool", KeyType::Text),
            field("custom_fields", KeyType::Pairs),
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
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("apiKey", "api_key", Secret),
            ("apiUrl", "api_url", Plain),
            ("routingKey", "routing_key", Plain),
            ("messageType", "message_type", Plain),
            ("stateMessage", "state_message", Plain),
            ("entityDisplayName", "entity_display_name", Plain),
            ("monitoringTool", "monitoring_tool", Plain),
            ("customFields", "custom_fields", Conversion::Pairs),
        ],
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
