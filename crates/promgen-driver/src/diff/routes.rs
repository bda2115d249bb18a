//! Alerts that reach other receivers.

use crate::diff;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::listed::{Listed, ThingGroups};
use crate::model::senders::{AlertReach, AlertSenders};
use promgen_compile::output::WorkloadId;
use promgen_prometheus::routing::{Alert, RouteNode, RoutingTree};
use promgen_resources::secrecy::REDACTED;

/// Alerts that go from the same receivers to the same others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RouteChange {
    /// The alerts, each with its PrometheusRule.
    pub alerts: Listed<String>,
    /// The receivers in the base, with their integrations. Empty for alerts that are new.
    pub from: Vec<String>,
    /// The receivers in the head. Empty for alerts that are gone.
    pub to: Vec<String>,
}

/// An Alertmanager on one side, and the alerts there.
pub(crate) struct RoutedSide<'a> {
    pub(crate) id: &'a WorkloadId,
    pub(crate) tree: &'a RoutingTree,
    pub(crate) alerts: &'a [Alert],
    pub(crate) senders: &'a AlertSenders,
}

/// Routes the alerts of both sides.
pub(crate) fn changes(base: &RoutedSide<'_>, head: &RoutedSide<'_>) -> Listed<RouteChange> {
    let (old, new) = (by_name(base.alerts), by_name(head.alerts));
    let mut groups = ThingGroups::new();
    for key in diff::keys(&old, &new) {
        let from = old
            .get(key)
            .map(|alert| base.receivers(alert))
            .unwrap_or_default();
        let to = new
            .get(key)
            .map(|alert| head.receivers(alert))
            .unwrap_or_default();
        if from != to {
            let shown = |receivers: Vec<ReachedReceiver>| {
                receivers
                    .iter()
                    .map(ReachedReceiver::shown)
                    .collect::<Vec<_>>()
            };
            groups.add((shown(from), shown(to)), format!("{} ({})", key.1, key.0));
        }
    }
    let groups = groups.into_groups();
    groups
        .map(|((from, to), alerts)| RouteChange {
            alerts: alerts.into_iter().collect(),
            from,
            to,
        })
        .collect()
}

/// A receiver that gets an alert.
#[derive(PartialEq, Eq)]
struct ReachedReceiver {
    name: String,
    integrations: Vec<String>,
    is_secret: bool,
    unknown: Option<String>,
}

impl ReachedReceiver {
    fn shown(&self) -> String {
        let name = if self.is_secret { REDACTED } else { &self.name };
        let name = match self.integrations.as_slice() {
            [] => name.to_owned(),
            integrations => format!("{name} ({})", integrations.join(", ")),
        };
        match &self.unknown {
            None => name,
            Some(why) => format!("{name} (unknown: {why})"),
        }
    }
}

impl RoutedSide<'_> {
    fn receivers(&self, alert: &Alert) -> Vec<ReachedReceiver> {
        let unknown = match self.senders.reach(&alert.resource, self.id) {
            AlertReach::No(_) => return Vec::new(),
            AlertReach::Yes => None,
            AlertReach::Unknown(why) => Some(why),
        };
        let receiver = |node: &RouteNode| {
            let name = &node.receiver.value;
            ReachedReceiver {
                integrations: self.tree.receivers.get(name).cloned().unwrap_or_default(),
                name: name.clone(),
                is_secret: node.receiver.is_secret,
                unknown: unknown.clone(),
            }
        };
        self.tree.notifying(&alert.labels).map(receiver).collect()
    }
}

/// The alerts by resource, name and number.
fn by_name(alerts: &[Alert]) -> BTreeMap<(&str, &str, usize), &Alert> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let number = |alert| {
        let alert: &Alert = alert;
        let name = alert.labels.get("alertname").map_or("", String::as_str);
        let n = seen.entry((&alert.resource, name)).or_default();
        *n += 1;
        ((alert.resource.as_str(), name, *n), alert)
    };
    alerts.iter().map(number).collect()
}
