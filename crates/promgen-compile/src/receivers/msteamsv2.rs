//! Microsoft Teams, by workflows: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Microsoft Teams, by workflows.
pub(crate) static MSTEAMSV2: ReceiverKind = ReceiverKind {
    list: "msteamsv2_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.MSTeamsV2Config",
        &[
            SEND_RESOLVED_KEY,
            url("webhook_url"),
            text("webhook_url_file"),
            text("title"),
            text("text"),
            HTTP_CONFIG_KEY,
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
        fields: Table::new(MsTeamsV2Config::describe, &[HTTP_CONFIG]),
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
