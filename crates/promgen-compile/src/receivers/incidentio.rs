//! incident.io: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// incident.io.
pub(crate) static INCIDENTIO: ReceiverKind = ReceiverKind {
    list: "incidentio_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.IncidentioConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            url("url"),
            text("url_file"),
            secret("alert_source_token"),
            text("alert_source_token_file"),
            set("max_alerts").of(GoScalar::Uint64),
            duration("timeout").of(GoScalar::Nanoseconds),
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
