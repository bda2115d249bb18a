//! Microsoft Teams: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED, WEBHOOK_URL};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Plain, Secret};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{KeyType, PartRule, Shape, field, since, upstream};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Microsoft Teams.
pub(crate) static MSTEAMS: ReceiverKind = ReceiverKind {
    list: "msteams_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.MSTeamsConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("webhook_url", KeyType::Url),
            upstream("webhook_url_file", "alertmanager.msTeamsConfig"),
            field("title", KeyType::Text),
            since("summary", KeyType::Text, &gates::AM_MSTEAMS_SUMMARY),
            field("text", KeyType::Text),
            field("http_config", KeyType::One(&HTTP)),
        ],
    )
    .moved_to("msteams", &gates::AM_FIRST_PACKAGES)
    .checked(&[WEBHOOK_URL, PartRule::OneSourceEach]),
    since: Some(KindSince {
        gate: &gates::AM_MSTEAMS,
        in_configuration: "msteams integration is only available",
        in_resource: Some(KindGate::Integration("msteams")),
    }),
    resource: Some(ReceiverList {
        field: "msteamsConfigs",
        valid: &[ReceiverRule::ClientValid],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::secret("webhookUrl"),
            ReceiverRead::Client,
        ],
        fields: &[
            SEND_RESOLVED,
            ("webhookUrl", "webhook_url", Secret),
            ("title", "title", Plain),
            ("summary", "summary", Plain),
            ("text", "text", Plain),
            HTTP_CONFIG,
        ],
    }),
    demands: &[
        ReceiverDemand::OneOf(
            &["webhook_url", "webhook_url_file"],
            "mandatory field \"webhook_url\" is empty",
        ),
        ReceiverDemand::PlainUrl("webhook_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
