//! Incident.io: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, NotBoth, OneOf, PlainUrl, Since, Token};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field};
use promgen_resources::gates;

/// incident.io.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "incidentio.plain",
    "[]*incidentio.IncidentioConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("url", KeyType::Url),
        field("url_file", KeyType::Text),
        field("alert_source_token", KeyType::Text),
        field("alert_source_token_file", KeyType::Text),
        field("max_alerts", KeyType::Set),
        field("timeout", KeyType::Duration),
    ],
);

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_INCIDENTIO, "incident.io integration is available in Alertmanager >= 0.29.0"),
    OneOf(&["url", "url_file"], "one of url or url_file must be configured"),
    NotBoth("url", "url_file", "at most one of url & url_file must be configured"),
    PlainUrl("url"),
    Token,
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["url", "url_file"], "one of url or url_file must be configured")];
