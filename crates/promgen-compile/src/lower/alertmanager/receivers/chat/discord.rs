//! Discord: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, SecretUrl};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since, upstream};
use promgen_resources::gates;

/// Discord.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "discord.plain",
    "[]*discord.DiscordConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("http_config", KeyType::One(&HTTP)),
        field("webhook_url", KeyType::Url),
        upstream("webhook_url_file", "alertmanager.discordConfig"),
        field("title", KeyType::Text),
        field("message", KeyType::Text),
        since("content", KeyType::Text, &gates::AM_DISCORD_SENDER),
        since("username", KeyType::Text, &gates::AM_DISCORD_SENDER),
        since("avatar_url", KeyType::Text, &gates::AM_DISCORD_SENDER),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "webhook_url", SecretUrl),
    ("title", "title", Plain),
    ("message", "message", Plain),
    ("content", "content", Plain),
    ("username", "username", Plain),
    ("avatarURL", "avatar_url", Plain),
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] =
    &[Since(&gates::AM_DISCORD, "discord integration is available in Alertmanager >= 0.25.0"), Http];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] =
    &[(&SHAPE, &["webhook_url", "webhook_url_file"], "one of webhook_url or webhook_url_file must be configured")];
