//! Webhooks: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, Prefer, Url};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use promgen_resources::gates;

/// A webhook.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "webhook.plain",
    "[]*webhook.WebhookConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("url", KeyType::Text),
        since("url_file", KeyType::Text, &gates::AM_WEBHOOK_URL_FILE),
        field("http_config", KeyType::One(&HTTP)),
        field("max_alerts", KeyType::Number),
        since("timeout", KeyType::Duration, &gates::AM_WEBHOOK_TIMEOUT),
        since("payload", KeyType::Sorted, &gates::AM_WEBHOOK_PAYLOAD),
    ],
);

/// `urlSecret` wins over `url`.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    ("url", "url", Plain),
    ("urlSecret", "url", Secret),
    HTTP_CONFIG,
    ("maxAlerts", "max_alerts", Plain),
    ("timeout", "timeout", Plain),
    ("payload", "payload", Plain),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[Http, Prefer("url", "url_file"), Url("url")];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["url", "url_file"], "one of url or url_file must be configured")];
