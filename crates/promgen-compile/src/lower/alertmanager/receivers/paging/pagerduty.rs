//! PagerDuty: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Parts, Plain, Secret};
use crate::lower::alertmanager::merge::tables::{Conversion, HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, Prefer, Texts};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use promgen_resources::gates;

/// PagerDuty.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.PagerdutyConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("service_key", KeyType::Text),
        since("service_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("routing_key", KeyType::Text),
        since("routing_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("url", KeyType::Url),
        field("client", KeyType::Text),
        field("client_url", KeyType::Text),
        field("description", KeyType::Text),
        field("details", KeyType::Anything),
        field("images", KeyType::Many(&PAGERDUTY_IMAGE)),
        field("links", KeyType::Many(&PAGERDUTY_LINK)),
        field("severity", KeyType::Text),
        field("class", KeyType::Text),
        field("component", KeyType::Text),
        field("group", KeyType::Text),
        since("source", KeyType::Text, &gates::AM_PAGERDUTY_SOURCE),
        since("timeout", KeyType::Duration, &gates::AM_RECEIVER_TIMEOUT),
    ],
);

/// A picture of PagerDuty.
pub(in crate::lower::alertmanager) static PAGERDUTY_IMAGE: Shape = Shape::item(
    "config.PagerdutyImage",
    "[]config.PagerdutyImage",
    &[field("src", KeyType::Text), field("alt", KeyType::Text), field("href", KeyType::Text)],
);

/// A link of PagerDuty.
pub(in crate::lower::alertmanager) static PAGERDUTY_LINK: Shape = Shape::item(
    "config.PagerdutyLink",
    "[]config.PagerdutyLink",
    &[field("href", KeyType::Text), field("text", KeyType::Text)],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("serviceKey", "service_key", Secret),
    ("routingKey", "routing_key", Secret),
    ("url", "url", Plain),
    ("client", "client", Plain),
    ("clientURL", "client_url", Plain),
    ("description", "description", Plain),
    ("details", "details", Conversion::Pairs),
    (
        "pagerDutyImageConfigs",
        "images",
        Parts(&[("src", "src", Plain), ("alt", "alt", Plain), ("href", "href", Plain)]),
    ),
    ("pagerDutyLinkConfigs", "links", Parts(&[("href", "href", Plain), ("alt", "text", Plain)])),
    ("severity", "severity", Plain),
    ("class", "class", Plain),
    ("component", "component", Plain),
    ("group", "group", Plain),
    ("source", "source", Plain),
    ("timeout", "timeout", Plain),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Prefer("service_key", "service_key_file"),
    Prefer("routing_key", "routing_key_file"),
    Texts(
        "details",
        &gates::AM_DETAILS,
        "'details' value in non-string format is supported in Alertmanager >= 0.30.0 only",
    ),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[(
    &SHAPE,
    &["service_key", "service_key_file", "routing_key", "routing_key_file"],
    "missing service or routing key in PagerDuty config",
)];
