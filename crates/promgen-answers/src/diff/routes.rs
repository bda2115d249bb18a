//! Alerts that reach other receivers.

use crate::diff;
use std::collections::{BTreeMap, VecDeque};
use std::mem::discriminant;

use crate::diff::listed::{Listed, ThingGroups};
use promgen_compile::output::WorkloadId;
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{Alert, RoutingTree};
use promgen_resources::secrecy::REDACTED;
use promgen_text::CollectOrdered;

changes! {
    /// Alerts that go from the same receivers to the same others.
    RouteChange {
        /// The alerts, each with its PrometheusRule.
        alerts: Listed<String>,
        /// The receivers in the base, with their integrations. Empty for alerts that are new.
        from: Vec<String>,
        /// The receivers in the head. Empty for alerts that are gone.
        to: Vec<String>,
    }
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
    let moved = moved(&old, &new);
    let mut groups = ThingGroups::new();
    for key in diff::keys(&old, &new) {
        let is_elsewhere = moved.values().any(|was| was == key);
        if is_elsewhere && !new.contains_key(key) {
            continue;
        }
        let from = old
            .get(moved.get(key).unwrap_or(key))
            .map(|alerts| base.receivers(alerts))
            .unwrap_or_default();
        let to = new
            .get(key)
            .map(|alerts| head.receivers(alerts))
            .unwrap_or_default();
        if from != to {
            let shown = |receivers: Vec<ReachedReceiver>, nobody: Option<String>| match nobody {
                Some(why) => vec![why],
                None => receivers.iter().map(ReachedReceiver::shown).collect(),
            };
            let nobody = [(base, &old), (head, &new)].map(|(side, alerts)| {
                let is_served = base.senders.has_servers() || head.senders.has_servers();
                alerts.get(key).and_then(|of| side.nobody(of, is_served))
            });
            let [of_base, of_head] = nobody;
            groups.add(
                (shown(from, of_base), shown(to, of_head)),
                format!("{} ({})", key.1, key.0),
            );
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

/// The alerts of which an Alertmanager notified that is gone. `is_heard`: whether another one notifies somebody of an alert.
pub(crate) fn removed(
    base: &RoutedSide<'_>,
    head: &[Alert],
    is_heard: &dyn Fn(&Alert) -> bool,
) -> Listed<RouteChange> {
    let head = by_name(head);
    let mut groups = ThingGroups::new();
    for (key, alerts) in by_name(base.alerts) {
        let is_unheard = |now: &&[Alert]| !now.iter().any(is_heard);
        let notified = |of: &ReachedReceiver| {
            !of.integrations.is_empty() && !matches!(of.reach, AlertReach::No(_))
        };
        let from = base.receivers(alerts).into_iter().filter(notified);
        let from: Vec<String> = from.map(|of| of.shown()).collect();
        if !from.is_empty() && head.get(&key).copied().as_ref().is_some_and(is_unheard) {
            groups.add(from, format!("{} ({})", key.1, key.0));
        }
    }
    let to = || vec!["nobody in the input: the Alertmanager is removed".to_owned()];
    let groups = groups.into_groups();
    groups
        .map(|(from, alerts)| RouteChange {
            alerts: alerts.into_iter().collect(),
            from,
            to: to(),
        })
        .collect()
}

/// A receiver that gets an alert, if its Alertmanager does.
struct ReachedReceiver {
    name: String,
    integrations: Vec<String>,
    is_secret: bool,
    reach: AlertReach,
}

impl PartialEq for ReachedReceiver {
    /// The reason is no difference of its own.
    fn eq(&self, other: &Self) -> bool {
        let same = (&self.name, &self.integrations) == (&other.name, &other.integrations);
        same && discriminant(&self.reach) == discriminant(&other.reach)
    }
}

impl ReachedReceiver {
    fn shown(&self) -> String {
        let name = if self.is_secret { REDACTED } else { &self.name };
        let name = match self.integrations.as_slice() {
            [] => name.to_owned(),
            integrations => format!("{name} ({})", integrations.join(", ")),
        };
        match &self.reach {
            AlertReach::Yes => name,
            AlertReach::No(why) => format!("{name} (not sent: {why})"),
            AlertReach::Unknown(why) => format!("{name} (unknown: {why})"),
        }
    }
}

impl RoutedSide<'_> {
    /// Why nobody is notified of alerts that no server evaluates. `is_served`: a side has a server, so that none is elsewhere.
    fn nobody(&self, alerts: &[Alert], is_served: bool) -> Option<String> {
        match self.senders.evaluated(&alerts.first()?.resource) {
            AlertReach::No(why) => Some(format!("nobody: {why}")),
            AlertReach::Unknown(why) if is_served && !self.senders.has_servers() => {
                Some(format!("nobody in the input: {why}"))
            }
            AlertReach::Yes | AlertReach::Unknown(_) => None,
        }
    }

    /// The receivers of an alert, which may have several namespaces.
    fn receivers(&self, alerts: &[Alert]) -> Vec<ReachedReceiver> {
        let mut all: Vec<ReachedReceiver> = Vec::new();
        for alert in alerts {
            for (node, reach) in self.senders.ends(alert, self.id, self.tree) {
                let name = &node.receiver.value;
                let reached = ReachedReceiver {
                    integrations: self.tree.receivers.get(name).cloned().unwrap_or_default(),
                    name: name.clone(),
                    is_secret: node.receiver.is_secret,
                    reach,
                };
                if !all.contains(&reached) {
                    all.push(reached);
                }
            }
        }
        all
    }
}

/// An alert: its resource, its name, and its number among those that are the same.
type AlertKey<'a> = (&'a str, &'a str, usize);

/// What the alerts of the head were called that are in another resource now.
fn moved<'a>(
    old: &BTreeMap<AlertKey<'a>, &[Alert]>,
    new: &BTreeMap<AlertKey<'a>, &[Alert]>,
) -> BTreeMap<AlertKey<'a>, AlertKey<'a>> {
    let mut left: BTreeMap<&str, VecDeque<AlertKey<'a>>> = BTreeMap::new();
    for key in old.keys().filter(|key| !new.contains_key(key)) {
        left.entry(key.1).or_default().push_back(*key);
    }
    let come = new.keys().filter(|key| !old.contains_key(key));
    come.filter_map(|key| Some((*key, left.get_mut(key.1)?.pop_front()?)))
        .collect_map()
}

/// The alerts by resource, name and number of the rule: those of several namespaces are one.
fn by_name(alerts: &[Alert]) -> BTreeMap<AlertKey<'_>, &[Alert]> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let is_one = |a: &Alert, b: &Alert| a.span.is_some() && a.span == b.span;
    let number = |alerts| {
        let alerts: &[Alert] = alerts;
        let first = alerts.first()?;
        let name = first.labels.get("alertname").map_or("", String::as_str);
        let n = seen.entry((&first.resource, name)).or_default();
        *n += 1;
        Some(((first.resource.as_str(), name, *n), alerts))
    };
    alerts.chunk_by(is_one).filter_map(number).collect_map()
}
