//! incident.io: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::HTTP;
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field};
use crate::receivers::table::{KindSince, ReceiverKind};
use promgen_resources::gates;

/// incident.io.
pub(crate) static INCIDENTIO: ReceiverKind = ReceiverKind {
    list: "incidentio_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.IncidentioConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("url", KeyType::Url),
            field("url_file", KeyType::Text),
            field("alert_source_token", KeyType::Text).of(GoScalar::Secret),
            field("alert_source_token_file", KeyType::Text),
            field("max_alerts", KeyType::Set).of(GoScalar::Uint64),
            field("timeout", KeyType::Duration).of(GoScalar::Nanoseconds),
        ],
    )
    .moved_to("incidentio", &gates::AM_FIRST_PACKAGES)
    .checked(&[
        PartRule::AnyOf(&["url", "url_file"], "one of url or url_file must be configured"),
        PartRule::OneSourceEach,
        PartRule::NotAuthorized(
            &["alert_source_token", "alert_source_token_file"],
            "cannot specify alert_source_token or alert_source_token_file when using http_config.authorization",
        ),
    ]),
    since: Some(KindSince {
        gate: &gates::AM_INCIDENTIO,
        in_configuration: "incident.io integration is available",
        in_resource: None,
    }),
    resource: None,
    demands: &[
        ReceiverDemand::OneOf(&["url", "url_file"], "one of url or url_file must be configured"),
        ReceiverDemand::NotBoth("url", "url_file", "at most one of url & url_file must be configured"),
        ReceiverDemand::PlainUrl("url"),
        ReceiverDemand::Token,
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
