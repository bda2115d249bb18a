//! Discord: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED, WEBHOOK_URL};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, UrlForm};
use crate::receivers::table::conversion::Conversion::{Plain, SecretUrl};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::{KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// Discord.
pub(crate) static DISCORD: ReceiverKind = ReceiverKind {
    list: "discord_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.DiscordConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("http_config", KeyType::One(&HTTP)),
            field("webhook_url", KeyType::Url),
            since(
                "webhook_url_file",
                KeyType::Text,
                &gates::AM_DISCORD_URL_FILE,
            )
            .lacking_in("alertmanager.discordConfig"),
            field("title", KeyType::Text),
            field("message", KeyType::Text),
            since("content", KeyType::Text, &gates::AM_DISCORD_SENDER),
            since("username", KeyType::Text, &gates::AM_DISCORD_SENDER),
            since("avatar_url", KeyType::Text, &gates::AM_DISCORD_SENDER),
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
        fields: &[
            SEND_RESOLVED,
            HTTP_CONFIG,
            ("apiURL", "webhook_url", SecretUrl),
            ("title", "title", Plain),
            ("message", "message", Plain),
            ("content", "content", Plain),
            ("username", "username", Plain),
            ("avatarURL", "avatar_url", Plain),
        ],
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
