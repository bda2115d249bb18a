//! VictorOps: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{Conversion, HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, PlainUrl, Prefer};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// VictorOps.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.VictorOpsConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_key", KeyType::Text),
        since("api_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("api_url", KeyType::Url),
        field("routing_key", KeyType::Text),
        field("message_type", KeyType::Text),
        field("state_message", KeyType::Text),
        field("entity_display_name", KeyType::Text),
        field("monitoring_tool", KeyType::Text),
        field("custom_fields", KeyType::Pairs),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
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
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] =
    &[Http, Prefer("api_key", "api_key_file"), PlainUrl("api_url")];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["routing_key"], "missing Routing key in VictorOps config")];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[need(
    &["api_key", "api_key_file"],
    &["victorops_api_key", "victorops_api_key_file"],
    "no global VictorOps API Key set",
)];
