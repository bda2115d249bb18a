//! Whom the alerts of a model notify: each alert, followed through the routes of all Alertmanagers in the input.

use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::Model;
use promgen_prometheus::routing::{Alert, RouteNode, RoutingTree};
use promgen_text::limits::Excess;

/// The alerts of a model, and the ways to their receivers.
#[derive(Debug)]
pub struct Deliveries<'m> {
    alerts: Vec<Alert>,
    trees: Vec<(&'m Workload, &'m RoutingTree)>,
    excess: Option<Excess>,
}

/// A notification about an alert: by an Alertmanager, through its tree, of the receiver of a route.
pub type Delivery<'d> = (&'d Workload, &'d RoutingTree, &'d RouteNode);

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
        followed.iter().flat_map(move |(workload, tree)| {
            tree.notifying_of(alert)
                .map(|node| (*workload, *tree, node))
        })
    }
}
