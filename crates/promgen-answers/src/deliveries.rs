//! Whom the alerts of a model notify: each alert, from its server through the routes of the Alertmanagers that get it.

use std::sync::OnceLock;

use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::Model;
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{Alert, AlertLabels, RouteNode, RoutingTree};
use promgen_resources::secrecy::REDACTED;
use promgen_text::limits::Excess;
use promgen_text::source::Span;

/// The alerts of a model, and the ways to their receivers.
#[derive(Debug)]
pub struct Deliveries<'m> {
    alerts: Vec<Alert>,
    /// The labels of all alerts, once somebody asks which inhibit another.
    labels: OnceLock<Vec<AlertLabels>>,
    senders: &'m AlertSenders,
    trees: Vec<(&'m Workload, &'m RoutingTree)>,
    excess: Option<Excess>,
}

/// A notification about an alert.
#[derive(Debug)]
pub struct Delivery<'d> {
    /// The Alertmanager.
    pub by: &'d Workload,
    /// Its routes.
    pub tree: &'d RoutingTree,
    /// The route, with the receiver that is notified.
    pub node: &'d RouteNode,
    /// Why nobody knows whether the Alertmanager gets the alert.
    pub unknown: Option<String>,
}

impl<'m> Deliveries<'m> {
    /// Those of a model. If there are more than the limits allow, nobody is notified, and [`Self::excess`] says so.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let alerts = model.alerts();
        let of_kind = model
            .output()
            .each_workload()
            .filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
        let trees: Vec<_> = of_kind
            .filter_map(|workload| Some((workload, workload.routing.as_ref()?)))
            .collect();
        let limits = &model.project().options().limits;
        let excess = RoutingTree::excess(limits, alerts.len(), trees.iter().map(|(_, tree)| *tree));
        Self {
            alerts,
            labels: OnceLock::new(),
            senders: model.senders(),
            trees,
            excess,
        }
    }

    /// All alerts.
    #[must_use]
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// The number of Alertmanagers whose routes are known.
    #[must_use]
    pub const fn n_trees(&self) -> usize {
        self.trees.len()
    }

    /// The limit that following them exceeds.
    #[must_use]
    pub const fn excess(&self) -> Option<&Excess> {
        self.excess.as_ref()
    }

    /// The notifications about an alert.
    pub fn of_alert<'d>(&'d self, alert: &'d Alert) -> impl Iterator<Item = Delivery<'d>> {
        let followed = if self.excess.is_some() {
            &[][..]
        } else {
            &self.trees
        };
        followed.iter().flat_map(move |(by, tree)| {
            let delivery = move |(node, reach)| {
                let unknown = match reach {
                    AlertReach::No(_) => return None,
                    AlertReach::Yes => None,
                    AlertReach::Unknown(why) => Some(why),
                };
                Some(Delivery {
                    by,
                    tree,
                    node,
                    unknown,
                })
            };
            let ends = self.senders.ends(alert, (&by.id, *tree)).into_iter();
            ends.filter_map(delivery)
        })
    }

    /// What keeps a notification back for a time: the time intervals of its route, and the alerts of the input that inhibit this
    /// one, each with the place of the rule.
    #[must_use]
    pub fn kept_back(&self, alert: &Alert, delivery: &Delivery<'_>) -> Vec<(String, Option<Span>)> {
        let Delivery { tree, node, .. } = delivery;
        let shown = |names: &[String], is_secret: bool| match is_secret {
            true => REDACTED.to_owned(),
            false => format!("`{}`", names.join("`, `")),
        };
        let intervals = [("not during", &node.mute), ("only during", &node.active)];
        let intervals = intervals.into_iter().filter(|(_, names)| !names.is_empty());
        let intervals = intervals.map(|(when, names)| {
            let text = format!("{when} {}", shown(names, node.source.is_secret));
            (text, node.source.span)
        });
        let all = || self.alerts.iter().map(Alert::with_open);
        let firing = self.labels.get_or_init(|| all().collect());
        let inhibited = tree.inhibited_by(&alert.with_open(), firing);
        let inhibited = inhibited.into_iter();
        let inhibited = inhibited.map(|(rule, by)| {
            let by = by.get("alertname").map_or("another alert", String::as_str);
            let equal = match rule.equal.as_slice() {
                [] => String::new(),
                names => format!(" with the same {}", shown(names, rule.source.is_secret)),
            };
            (format!("not while {by} fires{equal}"), rule.source.span)
        });
        intervals.chain(inhibited).collect()
    }

    /// Why no Alertmanager gets an alert: nobody evaluates it, or its servers send it elsewhere or nowhere.
    #[must_use]
    pub fn nobody(&self, alert: &Alert) -> Option<String> {
        let reach =
            |(by, _): &(&Workload, &RoutingTree)| self.senders.reach(&alert.resource, &by.id);
        let mut ways = self.trees.iter().map(reach);
        match ways.next()? {
            AlertReach::No(why) if ways.all(|way| matches!(way, AlertReach::No(_))) => Some(why),
            _ => None,
        }
    }
}
