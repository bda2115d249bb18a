//! OpsGenie: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Parts, Plain, Secret};
use crate::receivers::table::conversion::{Conversion, Table};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// OpsGenie.
pub(crate) static OPSGENIE: ReceiverKind = ReceiverKind {
    list: "opsgenie_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.OpsGenieConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("api_key", KeyType::Text).of(GoScalar::Secret),
            since("api_key_file", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
            field("api_url", KeyType::Url),
            field("message", KeyType::Text),
            field("description", KeyType::Text),
            field("source", KeyType::Text),
            field("details", KeyType::Pairs),
            field("responders", KeyType::Many(&OPSGENIE_RESPONDER)),
            field("tags", KeyType::Text),
            field("note", KeyType::Text),
            field("priority", KeyType::Text),
            since("update_alerts", KeyType::Set, &gates::AM_OPSGENIE_UPDATE),
            since("entity", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
            since("actions", KeyType::Text, &gates::AM_OPSGENIE_KEY_FILE),
        ],
    )
    .moved_to("opsgenie", &gates::AM_PACKAGES)
    .checked(&[PartRule::OneSourceEach, PartRule::ResponderTypes]),
    since: None,
    resource: Some(ReceiverList {
        field: "opsgenieConfigs",
        valid: &[
            ReceiverRule::Named(
                "responders",
                &["id", "name", "username"],
                "responder must have at least an ID, a Name or an Username defined",
            ),
            ReceiverRule::Plain("apiURL"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::Responders,
            ReceiverRead::secret("apiKey"),
            ReceiverRead::Client,
        ],
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("apiKey", "api_key", Secret),
            ("apiURL", "api_url", Plain),
            ("message", "message", Plain),
            ("description", "description", Plain),
            ("source", "source", Plain),
            ("details", "details", Conversion::Pairs),
            ("responders", "responders", Parts(RESPONDER)),
            ("tags", "tags", Plain),
            ("note", "note", Plain),
            ("priority", "priority", Plain),
            ("updateAlerts", "update_alerts", Plain),
            ("entity", "entity", Plain),
            ("actions", "actions", Plain),
        ],
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("api_key", "api_key_file"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Responders,
    ],
    global_needs: &[GlobalNeed::new(
        &["api_key", "api_key_file"],
        &["opsgenie_api_key", "opsgenie_api_key_file"],
        "no global OpsGenie API Key set either inline or in a file",
    )],
};

/// The responders of OpsGenie.
static OPSGENIE_RESPONDER: Shape = Shape::item(
    "config.OpsGenieConfigResponder",
    "[]config.OpsGenieConfigResponder",
    &[
        field("id", KeyType::Text),
        field("name", KeyType::Text),
        field("username", KeyType::Text),
        field("type", KeyType::Text),
    ],
)
.moved_to("opsgenie", &gates::AM_PACKAGES);

static RESPONDER: Table = &[
    ("id", "id", Plain),
    ("name", "name", Plain),
    ("username", "username", Plain),
    ("type", "type", Plain),
];
