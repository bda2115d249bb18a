//! Webhooks: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, UrlForm};
use crate::receivers::table::conversion::Conversion::{Filled, Plain, Secret};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// A webhook.
pub(crate) static WEBHOOK: ReceiverKind = ReceiverKind {
    list: "webhook_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WebhookConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("url", KeyType::Text).of(GoScalar::TemplateUrl),
            since("url_file", KeyType::Text, &gates::AM_WEBHOOK_URL_FILE),
            field("http_config", KeyType::One(&HTTP)),
            field("max_alerts", KeyType::Number).of(GoScalar::Uint64),
            since("timeout", KeyType::Duration, &gates::AM_WEBHOOK_TIMEOUT)
                .of(GoScalar::Nanoseconds),
            since("payload", KeyType::Sorted, &gates::AM_WEBHOOK_PAYLOAD).refused_before(),
        ],
    )
    .moved_to("webhook", &gates::AM_FIRST_PACKAGES)
    .checked(&[
        PartRule::AnyOf(
            &["url", "url_file"],
            "one of url or url_file must be configured",
        ),
        PartRule::OneSourceEach,
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "webhookConfigs",
        valid: &[
            ReceiverRule::OneOf(
                &["url", "urlSecret"],
                "one of 'url' or 'urlSecret' must be specified",
            ),
            ReceiverRule::Template("url"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::url(
                "urlSecret",
                UrlForm::Template,
                ("", "failed to validate URL"),
            ),
            ReceiverRead::Since("payload", &gates::AM_PAYLOAD),
            ReceiverRead::Client,
        ],
        // `urlSecret` wins over `url`.
        fields: &[
            SEND_RESOLVED,
            ("url", "url", Plain),
            ("urlSecret", "url", Secret),
            HTTP_CONFIG,
            ("maxAlerts", "max_alerts", Plain),
            ("timeout", "timeout", Filled),
            ("payload", "payload", Plain),
        ],
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("url", "url_file"),
        ReceiverDemand::Url("url"),
    ],
    global_needs: &[],
};
