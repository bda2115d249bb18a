//! OpsGenie: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Parts, Plain, Secret};
use crate::lower::alertmanager::merge::tables::{Conversion, HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, PlainUrl, Prefer, Responders};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// OpsGenie.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.OpsGenieConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_key", KeyType::Text),
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
);

/// The responders of OpsGenie.
pub(in crate::lower::alertmanager) static OPSGENIE_RESPONDER: Shape = Shape::item(
    "config.OpsGenieConfigResponder",
    "[]config.OpsGenieConfigResponder",
    &[
        field("id", KeyType::Text),
        field("name", KeyType::Text),
        field("username", KeyType::Text),
        field("type", KeyType::Text),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
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
];

static RESPONDER: Table =
    &[("id", "id", Plain), ("name", "name", Plain), ("username", "username", Plain), ("type", "type", Plain)];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] =
    &[Http, Prefer("api_key", "api_key_file"), PlainUrl("api_url"), Responders];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[need(
    &["api_key", "api_key_file"],
    &["opsgenie_api_key", "opsgenie_api_key_file"],
    "no global OpsGenie API Key set either inline or in a file",
)];
