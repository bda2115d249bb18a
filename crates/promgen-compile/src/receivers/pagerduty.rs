//! PagerDuty: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion;
use crate::receivers::table::conversion::Conversion::{Filled, Parts, Plain, Secret};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// PagerDuty.
pub(crate) static PAGERDUTY: ReceiverKind = ReceiverKind {
    list: "pagerduty_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.PagerdutyConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("service_key", KeyType::Text).of(GoScalar::Secret),
            since("service_key_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
            field("routing_key", KeyType::Text).of(GoScalar::Secret),
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
            since("timeout", KeyType::Duration, &gates::AM_RECEIVER_TIMEOUT)
                .of(GoScalar::Nanoseconds),
        ],
    )
    .moved_to("pagerduty", &gates::AM_PACKAGES)
    .checked(&[
        PartRule::AnyOf(
            &[
                "service_key",
                "service_key_file",
                "routing_key",
                "routing_key_file",
            ],
            "missing service or routing key in PagerDuty config",
        ),
        PartRule::OneSource("routing_key"),
        PartRule::OneSource("service_key"),
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "pagerdutyConfigs",
        valid: &[
            ReceiverRule::Plain("url"),
            ReceiverRule::Template("clientURL"),
            ReceiverRule::Recipient(
                &["routingKey", "serviceKey"],
                "one of 'routingKey' or 'serviceKey' is required",
            ),
            ReceiverRule::Templates("pagerDutyLinkConfigs", "href"),
            ReceiverRule::Templates("pagerDutyImageConfigs", "href"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::secret("routingKey"),
            ReceiverRead::secret("serviceKey"),
            ReceiverRead::Client,
        ],
        fields: &[
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
                Parts(&[
                    ("src", "src", Plain),
                    ("alt", "alt", Plain),
                    ("href", "href", Plain),
                ]),
            ),
            (
                "pagerDutyLinkConfigs",
                "links",
                Parts(&[("href", "href", Plain), ("alt", "text", Plain)]),
            ),
            ("severity", "severity", Plain),
            ("class", "class", Plain),
            ("component", "component", Plain),
            ("group", "group", Plain),
            ("source", "source", Plain),
            ("timeout", "timeout", Filled),
        ],
    }),
    demands: &[
        ReceiverDemand::Prefer("service_key", "service_key_file"),
        ReceiverDemand::Prefer("routing_key", "routing_key_file"),
        ReceiverDemand::Texts(
            "details",
            &gates::AM_DETAILS,
            "'details' value in non-string format is supported in Alertmanager >= 0.30.0 only",
        ),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};

/// A picture of PagerDuty.
static PAGERDUTY_IMAGE: Shape = Shape::item(
    "config.PagerdutyImage",
    "[]config.PagerdutyImage",
    &[
        field("src", KeyType::Text),
        field("alt", KeyType::Text),
        field("href", KeyType::Text),
    ],
)
.moved_to("pagerduty", &gates::AM_PACKAGES);

/// A link of PagerDuty.
static PAGERDUTY_LINK: Shape = Shape::item(
    "config.PagerdutyLink",
    "[]config.PagerdutyLink",
    &[field("href", KeyType::Text), field("text", KeyType::Text)],
)
.moved_to("pagerduty", &gates::AM_PACKAGES);
