//! OpsGenie: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// OpsGenie.
pub(crate) static OPSGENIE: ReceiverKind = ReceiverKind {
    list: "opsgenie_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.OpsGenieConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            secret("api_key"),
            text("api_key_file").since(&gates::AM_OPSGENIE_KEY_FILE),
            url("api_url"),
            text("message"),
            text("description"),
            text("source"),
            pairs("details"),
            field("responders", KeyType::Many(&OPSGENIE_RESPONDER)),
            text("tags"),
            text("note"),
            text("priority"),
            set("update_alerts").since(&gates::AM_OPSGENIE_UPDATE),
            text("entity").since(&gates::AM_OPSGENIE_KEY_FILE),
            text("actions").since(&gates::AM_OPSGENIE_KEY_FILE),
        ],
    )
    .moved_to("opsgenie", &gates::AM_PACKAGES)
    .checked(&[PartRule::OneSourceEach, PartRule::ResponderTypes]),
    since: None,
    resource: Some(ReceiverList {
        field: "opsgenieConfigs",
        valid: &[
            ReceiverRule::Named(
                "responders",
                &["id", "name", "username"],
                "responder must have at least an ID, a Name or an Username defined",
            ),
            ReceiverRule::Plain("apiURL"),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::Responders,
            ReceiverRead::secret("apiKey"),
            ReceiverRead::Client,
        ],
        fields: Table::new(OpsGenieConfig::describe, &[HTTP_CONFIG]),
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("api_key", "api_key_file"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Responders,
    ],
    global_needs: &[GlobalNeed::new(
        &["api_key", "api_key_file"],
        &["opsgenie_api_key", "opsgenie_api_key_file"],
        "no global OpsGenie API Key set either inline or in a file",
    )],
};

/// The responders of OpsGenie.
static OPSGENIE_RESPONDER: Shape = Shape::item(
    "config.OpsGenieConfigResponder",
    "[]config.OpsGenieConfigResponder",
    &[text("id"), text("name"), text("username"), text("type")],
)
.moved_to("opsgenie", &gates::AM_PACKAGES);
