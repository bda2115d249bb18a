//! Alerts that reach other receivers.

use crate::diff;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::listed::{Listed, ThingGroups};
use promgen_prometheus::routing::{Alert, AlertLabels, RoutingTree};
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

/// Routes the alerts of both sides.
pub(crate) fn changes(
    base: (&RoutingTree, &[Alert]),
    head: (&RoutingTree, &[Alert]),
) -> Listed<RouteChange> {
    let (old, new) = (by_name(base.1), by_name(head.1));
    let mut groups = ThingGroups::new();
    for key in diff::keys(&old, &new) {
        let from = old
            .get(key)
            .map(|labels| receivers(base.0, labels))
            .unwrap_or_default();
        let to = new
            .get(key)
            .map(|labels| receivers(head.0, labels))
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
}

impl ReachedReceiver {
    fn shown(&self) -> String {
        let name = if self.is_secret { REDACTED } else { &self.name };
        match self.integrations.as_slice() {
            [] => name.to_owned(),
            integrations => format!("{name} ({})", integrations.join(", ")),
        }
    }
}

fn receivers(tree: &RoutingTree, labels: &AlertLabels) -> Vec<ReachedReceiver> {
    let steps = tree.route(labels);
    let receivers = steps
        .into_iter()
        .filter(|step| step.is_last)
        .map(|step| &step.node.receiver);
    let receiver = |setting: &promgen_prometheus::routing::Setting<String>| ReachedReceiver {
        name: setting.value.clone(),
        integrations: tree
            .receivers
            .get(&setting.value)
            .cloned()
            .unwrap_or_default(),
        is_secret: setting.is_secret,
    };
    receivers.map(receiver).collect()
}

/// The alerts by resource, name and number.
fn by_name(alerts: &[Alert]) -> BTreeMap<(&str, &str, usize), &AlertLabels> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let number = |alert| {
        let alert: &Alert = alert;
        let name = alert.labels.get("alertname").map_or("", String::as_str);
        let n = seen.entry((&alert.resource, name)).or_default();
        *n += 1;
        ((alert.resource.as_str(), name, *n), &alert.labels)
    };
    alerts.iter().map(number).collect()
}
