//! Microsoft Teams, by workflows: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, NotBoth, OneOf, PlainUrl, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field};
use promgen_resources::gates;

/// Microsoft Teams, by workflows.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.MSTeamsV2Config",
    &[
        field("send_resolved", KeyType::Set),
        field("webhook_url", KeyType::Url),
        field("webhook_url_file", KeyType::Text),
        field("title", KeyType::Text),
        field("text", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    ("webhookURL", "webhook_url", Secret),
    ("title", "title", Plain),
    ("text", "text", Plain),
    HTTP_CONFIG,
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_MSTEAMSV2, "msteams v2 integration is available in Alertmanager >= 0.28.0"),
    OneOf(&["webhook_url", "webhook_url_file"], "no webhook_url or webhook_url_file provided"),
    NotBoth("webhook_url", "webhook_url_file", "both webhook_url and webhook_url_file cannot be set at the same time"),
    PlainUrl("webhook_url"),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["webhook_url", "webhook_url_file"], "one of webhook_url or webhook_url_file must be configured")];
