//! The kinds of receivers. Each has a file with its keys, its fields and its requirements; the lists here name them in the
//! orders of the operator.

pub(super) mod chat;
pub(super) mod other;
pub(super) mod paging;

use crate::lower::alertmanager::merge::tables::{Conversion, Table};
use crate::lower::alertmanager::receivers::chat::{
    discord, mattermost, msteams, msteamsv2, rocketchat, slack, telegram, webex, wechat,
};
use crate::lower::alertmanager::receivers::other::{email, jira, sns, webhook};
use crate::lower::alertmanager::receivers::paging::{incidentio, opsgenie, pagerduty, pushover, victorops};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, upstream};
use crate::lower::alertmanager::upstream::receivers::GlobalNeed;

/// A receiver.
pub(in crate::lower::alertmanager) static RECEIVER: Shape = Shape::item(
    "config.plain",
    "[]config.Receiver",
    &[
        field("name", KeyType::TextAlways),
        field("opsgenie_configs", KeyType::Many(&opsgenie::SHAPE)),
        field("pagerduty_configs", KeyType::Many(&pagerduty::SHAPE)),
        field("slack_configs", KeyType::Many(&slack::SHAPE)),
        field("webhook_configs", KeyType::Many(&webhook::SHAPE)),
        field("wechat_configs", KeyType::Many(&wechat::SHAPE)),
        field("email_configs", KeyType::Many(&email::SHAPE)),
        field("pushover_configs", KeyType::Many(&pushover::SHAPE)),
        field("victorops_configs", KeyType::Many(&victorops::SHAPE)),
        field("sns_configs", KeyType::Many(&sns::SHAPE)),
        field("telegram_configs", KeyType::Many(&telegram::SHAPE)),
        field("discord_configs", KeyType::Many(&discord::SHAPE)),
        field("webex_configs", KeyType::Many(&webex::SHAPE)),
        field("msteams_configs", KeyType::Many(&msteams::SHAPE)),
        field("msteamsv2_configs", KeyType::Many(&msteamsv2::SHAPE)),
        field("jira_configs", KeyType::Many(&jira::SHAPE)),
        field("rocketchat_configs", KeyType::Many(&rocketchat::SHAPE)),
        field("mattermost_configs", KeyType::Many(&mattermost::SHAPE)),
        field("incidentio_configs", KeyType::Many(&incidentio::SHAPE)),
        upstream("labels", "alertmanager.receiver"),
    ],
);

/// The lists of a receiver of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    ("opsgenieConfigs", "opsgenie_configs", Conversion::Parts(opsgenie::FIELDS)),
    ("pagerdutyConfigs", "pagerduty_configs", Conversion::Parts(pagerduty::FIELDS)),
    ("slackConfigs", "slack_configs", Conversion::Parts(slack::FIELDS)),
    ("webhookConfigs", "webhook_configs", Conversion::Parts(webhook::FIELDS)),
    ("wechatConfigs", "wechat_configs", Conversion::Parts(wechat::FIELDS)),
    ("emailConfigs", "email_configs", Conversion::Parts(email::FIELDS)),
    ("pushoverConfigs", "pushover_configs", Conversion::Parts(pushover::FIELDS)),
    ("victoropsConfigs", "victorops_configs", Conversion::Parts(victorops::FIELDS)),
    ("snsConfigs", "sns_configs", Conversion::Parts(sns::FIELDS)),
    ("telegramConfigs", "telegram_configs", Conversion::Parts(telegram::FIELDS)),
    ("discordConfigs", "discord_configs", Conversion::Parts(discord::FIELDS)),
    ("webexConfigs", "webex_configs", Conversion::Parts(webex::FIELDS)),
    ("msteamsConfigs", "msteams_configs", Conversion::Parts(msteams::FIELDS)),
    ("msteamsv2Configs", "msteamsv2_configs", Conversion::Parts(msteamsv2::FIELDS)),
    ("rocketchatConfigs", "rocketchat_configs", Conversion::Parts(rocketchat::FIELDS)),
];

/// The lists of a receiver with their requirements, in the operator's order.
pub(in crate::lower::alertmanager) static DEMANDS: &[(&str, &[ReceiverDemand])] = &[
    ("email_configs", email::DEMANDS),
    ("opsgenie_configs", opsgenie::DEMANDS),
    ("pagerduty_configs", pagerduty::DEMANDS),
    ("pushover_configs", pushover::DEMANDS),
    ("slack_configs", slack::DEMANDS),
    ("victorops_configs", victorops::DEMANDS),
    ("webhook_configs", webhook::DEMANDS),
    ("wechat_configs", wechat::DEMANDS),
    ("sns_configs", sns::DEMANDS),
    ("telegram_configs", telegram::DEMANDS),
    ("discord_configs", discord::DEMANDS),
    ("webex_configs", webex::DEMANDS),
    ("msteams_configs", msteams::DEMANDS),
    ("msteamsv2_configs", msteamsv2::DEMANDS),
    ("jira_configs", jira::DEMANDS),
    ("rocketchat_configs", rocketchat::DEMANDS),
    ("mattermost_configs", mattermost::DEMANDS),
    ("incidentio_configs", incidentio::DEMANDS),
];

/// The keys that Alertmanager requires of receivers and their parts.
pub(in crate::lower::alertmanager) fn needs() -> impl Iterator<Item = &'static Need> {
    let all = [
        email::NEEDS,
        webhook::NEEDS,
        pagerduty::NEEDS,
        victorops::NEEDS,
        pushover::NEEDS,
        msteamsv2::NEEDS,
        discord::NEEDS,
        msteams::NEEDS,
        slack::NEEDS,
        mattermost::NEEDS,
        jira::NEEDS,
        webex::NEEDS,
        telegram::NEEDS,
        incidentio::NEEDS,
    ];
    all.into_iter().flatten()
}

/// The requirements of Alertmanager on the items of each list, or of the global settings, in its order.
pub(in crate::lower::alertmanager) fn global_needs() -> impl Iterator<Item = (&'static str, &'static GlobalNeed)> {
    let all = [
        ("email_configs", email::GLOBAL_NEEDS),
        ("slack_configs", slack::GLOBAL_NEEDS),
        ("opsgenie_configs", opsgenie::GLOBAL_NEEDS),
        ("wechat_configs", wechat::GLOBAL_NEEDS),
        ("victorops_configs", victorops::GLOBAL_NEEDS),
        ("telegram_configs", telegram::GLOBAL_NEEDS),
        ("jira_configs", jira::GLOBAL_NEEDS),
        ("rocketchat_configs", rocketchat::GLOBAL_NEEDS),
        ("mattermost_configs", mattermost::GLOBAL_NEEDS),
    ];
    all.into_iter().flat_map(|(list, needs)| needs.iter().map(move |need| (list, need)))
}
