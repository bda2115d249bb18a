//! PagerDuty: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// PagerDuty.
pub(crate) static PAGERDUTY: ReceiverKind = ReceiverKind {
    list: "pagerduty_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.PagerdutyConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            secret("service_key"),
            text("service_key_file").since(&gates::AM_PASSWORD_FILES),
            secret("routing_key"),
            text("routing_key_file").since(&gates::AM_PASSWORD_FILES),
            url("url"),
            text("client"),
            text("client_url"),
            text("description"),
            field("details", KeyType::Anything),
            field("images", KeyType::Many(&PAGERDUTY_IMAGE)),
            field("links", KeyType::Many(&PAGERDUTY_LINK)),
            text("severity"),
            text("class"),
            text("component"),
            text("group"),
            text("source").since(&gates::AM_PAGERDUTY_SOURCE),
            duration("timeout")
                .since(&gates::AM_RECEIVER_TIMEOUT)
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
        fields: Table::new(
            PagerDutyConfig::describe,
            &[
                HTTP_CONFIG,
                (
                    "pagerDutyImageConfigs",
                    "images",
                    Parts(Table::new(PagerDutyImageConfig::describe, &[])),
                ),
                (
                    "pagerDutyLinkConfigs",
                    "links",
                    Parts(Table::new(
                        PagerDutyLinkConfig::describe,
                        &[("alt", "text", Plain)],
                    )),
                ),
                ("timeout", "timeout", Filled),
            ],
        ),
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
    &[text("src"), text("alt"), text("href")],
)
.moved_to("pagerduty", &gates::AM_PACKAGES);

/// A link of PagerDuty.
static PAGERDUTY_LINK: Shape = Shape::item(
    "config.PagerdutyLink",
    "[]config.PagerdutyLink",
    &[text("href"), text("text")],
)
.moved_to("pagerduty", &gates::AM_PACKAGES);
