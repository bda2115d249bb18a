//! Microsoft Teams: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, OneOf, PlainUrl, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since, upstream};
use promgen_resources::gates;

/// Microsoft Teams.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "msteams.plain",
    "[]*msteams.MSTeamsConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("webhook_url", KeyType::Url),
        upstream("webhook_url_file", "alertmanager.msTeamsConfig"),
        field("title", KeyType::Text),
        since("summary", KeyType::Text, &gates::AM_MSTEAMS_SUMMARY),
        field("text", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    ("webhookUrl", "webhook_url", Secret),
    ("title", "title", Plain),
    ("summary", "summary", Plain),
    ("text", "text", Plain),
    HTTP_CONFIG,
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_MSTEAMS, "msteams integration is only available in Alertmanager >= 0.26.0"),
    OneOf(&["webhook_url", "webhook_url_file"], "mandatory field \"webhook_url\" is empty"),
    PlainUrl("webhook_url"),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["webhook_url", "webhook_url_file"], "one of webhook_url or webhook_url_file must be configured")];
