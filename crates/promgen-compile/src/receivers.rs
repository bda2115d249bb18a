//! The kinds of receivers of Alertmanager, and the orders in which the operator and Alertmanager go through them.
//!
//! Each kind is one value in a file of its own: its keys, its fields, and what is required of it. The code that applies
//! them stands in `select` and `lower`. To add one, write its file, and name it in [`KINDS`].

pub(crate) mod client;
mod discord;
mod email;
pub(crate) mod global;
mod incidentio;
mod jira;
mod mattermost;
mod msteams;
mod msteamsv2;
mod opsgenie;
mod pagerduty;
mod prelude;
mod pushover;
mod rocketchat;
mod slack;
mod sns;
pub(crate) mod table;
mod telegram;
#[cfg(test)]
mod tests;
mod victorops;
mod webex;
mod webhook;
mod wechat;

use crate::receivers::table::conversion::{Conversion, ReceiverFieldRow, Table};
use crate::receivers::table::shape::{KeyType, PartRule, Shape, ShapeKey, field, upstream};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::api::notifying::alertmanager_config::receiver::Receiver;
use promgen_text::describe::Describe;

/// All kinds, in the order of their lists in a configuration.
static KINDS: [&ReceiverKind; 18] = [
    &opsgenie::OPSGENIE,
    &pagerduty::PAGERDUTY,
    &slack::SLACK,
    &webhook::WEBHOOK,
    &wechat::WECHAT,
    &email::EMAIL,
    &pushover::PUSHOVER,
    &victorops::VICTOROPS,
    &sns::SNS,
    &telegram::TELEGRAM,
    &discord::DISCORD,
    &webex::WEBEX,
    &msteams::MSTEAMS,
    &msteamsv2::MSTEAMSV2,
    &jira::JIRA,
    &rocketchat::ROCKETCHAT,
    &mattermost::MATTERMOST,
    &incidentio::INCIDENTIO,
];

/// The kinds that come first in one of the passes. The others follow in the order of [`KINDS`].
type First = &'static [&'static ReceiverKind];

/// First in the pass over an AlertmanagerConfig that looks at the resource alone.
static VALID_FIRST: First = &[
    &opsgenie::OPSGENIE,
    &pagerduty::PAGERDUTY,
    &discord::DISCORD,
    &slack::SLACK,
    &webhook::WEBHOOK,
    &wechat::WECHAT,
    &email::EMAIL,
    &victorops::VICTOROPS,
    &pushover::PUSHOVER,
    &sns::SNS,
    &telegram::TELEGRAM,
    &webex::WEBEX,
];

/// First in the pass over an AlertmanagerConfig that looks at the version and reads the Secrets.
static READ_FIRST: First = &[
    &pagerduty::PAGERDUTY,
    &opsgenie::OPSGENIE,
    &discord::DISCORD,
    &slack::SLACK,
    &webhook::WEBHOOK,
    &wechat::WECHAT,
    &webex::WEBEX,
    &email::EMAIL,
    &victorops::VICTOROPS,
];

/// First where the operator adapts a configuration to a version.
static SANITIZED_FIRST: First = &[
    &email::EMAIL,
    &opsgenie::OPSGENIE,
    &pagerduty::PAGERDUTY,
    &pushover::PUSHOVER,
    &slack::SLACK,
    &victorops::VICTOROPS,
];

/// First where Alertmanager looks whether a receiver or the global settings have what it needs.
static NEEDING_FIRST: First = &[&email::EMAIL, &slack::SLACK, &opsgenie::OPSGENIE];

/// All kinds: those that come first, and the others.
fn ordered(first: First) -> impl Iterator<Item = &'static ReceiverKind> {
    let is_later = |kind: &&ReceiverKind| first.iter().all(|other| !std::ptr::eq(*other, *kind));
    first
        .iter()
        .copied()
        .chain(KINDS.into_iter().filter(is_later))
}

/// The kinds that AlertmanagerConfigs have, with their lists.
fn listed(first: First) -> impl Iterator<Item = (&'static ReceiverKind, &'static ReceiverList)> {
    ordered(first).filter_map(|kind| Some((kind, kind.resource.as_ref()?)))
}

/// The lists of an AlertmanagerConfig in the order in which they are checked without the version and the Secrets.
pub(crate) fn validated() -> impl Iterator<Item = &'static ReceiverList> {
    listed(VALID_FIRST).map(|(_, list)| list)
}

/// The kinds that AlertmanagerConfigs have, in the order in which the versions and the Secrets are checked.
pub(crate) fn read() -> impl Iterator<Item = (&'static ReceiverKind, &'static ReceiverList)> {
    listed(READ_FIRST)
}

/// The kinds in the order in which the operator adapts them to a version.
pub(crate) fn sanitized() -> impl Iterator<Item = &'static ReceiverKind> {
    ordered(SANITIZED_FIRST)
}

/// The kinds in the order in which Alertmanager looks for what they need.
pub(crate) fn needing() -> impl Iterator<Item = &'static ReceiverKind> {
    ordered(NEEDING_FIRST)
}

/// A receiver: its name, a list for each kind, and its labels.
pub(crate) static RECEIVER: Shape = Shape::item("config.plain", "[]config.Receiver", &KEYS)
    .checked(&[PartRule::AnyOf(&["name"], "missing name in receiver")]);

static KEYS: [ShapeKey; KINDS.len() + 2] = {
    let mut keys = [field("name", KeyType::TextAlways); KINDS.len() + 2];
    let mut index = 0;
    while index < KINDS.len() {
        keys[index + 1] = field(KINDS[index].list, KeyType::Many(&KINDS[index].shape));
        index += 1;
    }
    keys[KINDS.len() + 1] = upstream("labels", "alertmanager.receiver");
    keys
};

/// The lists of a receiver of an AlertmanagerConfig.
pub(crate) static FIELDS: Table = Table::new(Receiver::describe, &LISTS);

static LISTS: [ReceiverFieldRow; count_listed() + 1] = {
    // The name is that of the whole configuration.
    let mut rows = [("name", "", Conversion::Lost); count_listed() + 1];
    let (mut index, mut row) = (0, 0);
    while index < KINDS.len() {
        if let Some(list) = &KINDS[index].resource {
            rows[row] = (
                list.field,
                KINDS[index].list,
                Conversion::Parts(list.fields),
            );
            row += 1;
        }
        index += 1;
    }
    rows
};

/// The number of kinds that AlertmanagerConfigs have.
const fn count_listed() -> usize {
    let (mut index, mut count) = (0, 0);
    while index < KINDS.len() {
        count += KINDS[index].resource.is_some() as usize;
        index += 1;
    }
    count
}
