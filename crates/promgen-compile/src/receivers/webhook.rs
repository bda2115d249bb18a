//! Webhooks: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// A webhook.
pub(crate) static WEBHOOK: ReceiverKind = ReceiverKind {
    list: "webhook_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WebhookConfig",
        &[
            SEND_RESOLVED_KEY,
            text("url").of(GoScalar::TemplateUrl),
            text("url_file").since(&gates::AM_WEBHOOK_URL_FILE),
            HTTP_CONFIG_KEY,
            field("max_alerts", KeyType::Number).of(GoScalar::Uint64),
            duration("timeout")
                .since(&gates::AM_WEBHOOK_TIMEOUT)
                .of(GoScalar::Nanoseconds),
            field("payload", KeyType::Sorted)
                .since(&gates::AM_WEBHOOK_PAYLOAD)
                .refused_before(),
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
        fields: Table::new(
            WebhookConfig::describe,
            &[
                HTTP_CONFIG,
                ("urlSecret", "url", Secret),
                ("timeout", "timeout", Filled),
            ],
        ),
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("url", "url_file"),
        ReceiverDemand::Url("url"),
    ],
    global_needs: &[],
};
