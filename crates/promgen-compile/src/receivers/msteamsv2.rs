//! Microsoft Teams, by workflows: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED, WEBHOOK_URL};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Plain, Secret};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{KeyType, PartRule, Shape, field};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Microsoft Teams, by workflows.
pub(crate) static MSTEAMSV2: ReceiverKind = ReceiverKind {
    list: "msteamsv2_configs",
    shape: Shape::item(
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
    )
    .moved_to("msteamsv2", &gates::AM_PACKAGES)
    .checked(&[WEBHOOK_URL, PartRule::OneSourceEach]),
    since: Some(KindSince {
        gate: &gates::AM_MSTEAMSV2,
        in_configuration: "msteams v2 integration is available",
        in_resource: Some(KindGate::Integration("msteamsv2")),
    }),
    resource: Some(ReceiverList {
        field: "msteamsv2Configs",
        valid: &[ReceiverRule::ClientValid],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::secret("webhookURL"),
            ReceiverRead::Client,
        ],
        fields: &[
            SEND_RESOLVED,
            ("webhookURL", "webhook_url", Secret),
            ("title", "title", Plain),
            ("text", "text", Plain),
            HTTP_CONFIG,
        ],
    }),
    demands: &[
        ReceiverDemand::OneOf(
            &["webhook_url", "webhook_url_file"],
            "no webhook_url or webhook_url_file provided",
        ),
        ReceiverDemand::NotBoth(
            "webhook_url",
            "webhook_url_file",
            "both webhook_url and webhook_url_file cannot be set at the same time",
        ),
        ReceiverDemand::PlainUrl("webhook_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
