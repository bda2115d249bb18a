//! Webex: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::Plain;
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, OneOf, PlainUrl, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field};
use promgen_resources::gates;

/// Webex.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.WebexConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("api_url", KeyType::Url),
        field("message", KeyType::Text),
        field("room_id", KeyType::TextAlways),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("message", "message", Plain),
    ("roomID", "room_id", Plain),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_WEBEX, "webex integration is available in Alertmanager >= 0.25.0"),
    OneOf(&["room_id"], "mandatory field \"room_id\" is empty"),
    PlainUrl("api_url"),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[(&SHAPE, &["room_id"], "missing room_id on webex_config")];
