//! Microsoft Teams: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Microsoft Teams.
pub(crate) static MSTEAMS: ReceiverKind = ReceiverKind {
    list: "msteams_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.MSTeamsConfig",
        &[
            SEND_RESOLVED_KEY,
            url("webhook_url"),
            upstream("webhook_url_file", "alertmanager.msTeamsConfig"),
            text("title"),
            text("summary").since(&gates::AM_MSTEAMS_SUMMARY),
            text("text"),
            HTTP_CONFIG_KEY,
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
        fields: Table::new(MsTeamsConfig::describe, &[HTTP_CONFIG]),
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
