//! Discord: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Discord.
pub(crate) static DISCORD: ReceiverKind = ReceiverKind {
    list: "discord_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.DiscordConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            url("webhook_url"),
            text("webhook_url_file")
                .since(&gates::AM_DISCORD_URL_FILE)
                .lacking_in("alertmanager.discordConfig"),
            text("title"),
            text("message"),
            text("content").since(&gates::AM_DISCORD_SENDER),
            text("username").since(&gates::AM_DISCORD_SENDER),
            text("avatar_url").since(&gates::AM_DISCORD_SENDER),
        ],
    )
    .moved_to("discord", &gates::AM_FIRST_PACKAGES)
    .checked(&[WEBHOOK_URL, PartRule::OneSourceEach]),
    since: Some(KindSince {
        gate: &gates::AM_DISCORD,
        in_configuration: "discord integration is available",
        in_resource: Some(KindGate::Field("discordConfigs")),
    }),
    resource: Some(ReceiverList {
        field: "discordConfigs",
        valid: &[ReceiverRule::ClientValid],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::Client,
            ReceiverRead::url(
                "apiURL",
                UrlForm::Plain,
                ("failed to retrieve API URL", "failed to validate API URL"),
            ),
        ],
        fields: Table::new(
            DiscordConfig::describe,
            &[HTTP_CONFIG, ("apiURL", "webhook_url", SecretUrl)],
        ),
    }),
    demands: &[
        ReceiverDemand::OneOf(
            &["webhook_url", "webhook_url_file"],
            "no webhook_url or webhook_url_file provided",
        ),
        ReceiverDemand::Http,
    ],
    global_needs: &[],
};
