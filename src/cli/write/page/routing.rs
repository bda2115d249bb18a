//! The routes of the page: the tree of each Alertmanager, and who is paged for which alert.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::ask::route::print;
use crate::cli::json::answers;
use crate::cli::write::page::environment::SharedName;
use crate::cli::write::page::names::Names;
use crate::cli::write::page::{Cut, PlacePart, cut};
use promgen_answers::deliveries::Deliveries;
use promgen_prometheus::routing::{Alert, AlertLabels, RoutingTree};
use promgen_text::source::Sources;

/// The most routes and alerts that are shown.
const MAX_ROUTES: usize = 300;
const MAX_ALERTS: usize = 800;

answers! {
    /// A route of a tree.
    RouteRow as "ReportRoute" {
        /// Its depth below the root.
        depth: usize,
        /// Its way through the tree.
        route: String,
        /// Its matchers, in a line.
        matchers: String,
        /// Its receiver, with its integrations.
        receiver: String,
        /// The grouping of alerts, and the times when they are sent.
        timing: String,
        /// Its place, FILE:LINE.
        place: String,
    }

    /// The alerts of a cluster.
    #[derive(Default)]
    AlertsPart as "ReportAlerts" {
        /// The number of alerts.
        n_alerts: usize,
        /// The number of receivers that they reach.
        n_receivers: usize,
        /// The alerts.
        rows: Vec<AlertRow>,
        /// The note that these are cut.
        rows_cut: Option<Cut>,
        /// The same by receivers, those of most alerts first.
        groups: Vec<AlertGroup>,
        /// Why no receiver is known.
        note: Option<String>,
    }

    /// The alerts that reach the same receivers.
    AlertGroup as "ReportAlertGroup" {
        /// The receivers.
        receivers: Vec<String>,
        /// The alerts: their numbers in the list, from 0.
        alerts: Vec<usize>,
    }

    /// An alert.
    AlertRow as "ReportAlert" {
        /// Its link in the page.
        id: String,
        /// Its name.
        name: String,
        /// The value of its label `severity`.
        severity: String,
        /// The PrometheusRule: NAMESPACE/NAME.
        rule: String,
        #[serde(flatten)]
        place: PlacePart,
        /// The labels that it always has.
        labels: AlertLabels,
        /// The receivers, each with its Alertmanager if there are several.
        receivers: Vec<String>,
    }
}

impl AlertsPart {
    /// The receivers of the alerts that are listed.
    pub(super) fn receivers(&self) -> impl Iterator<Item = &String> {
        self.groups.iter().flat_map(|group| &group.receivers)
    }

    /// The alerts by rule, name and place. Several in one place count each.
    pub(super) fn keys(&self) -> impl Iterator<Item = SharedName<'_>> {
        let mut n_of: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        self.rows.iter().map(move |row| {
            let n = n_of.entry((&row.rule, &row.name)).or_default();
            *n += 1;
            (format!("{}/{}/{n}", row.rule, row.name), row.place.key())
        })
    }
}

/// The routes of a tree, from the root down.
pub(super) fn rows(tree: &RoutingTree, sources: &Sources) -> (Vec<RouteRow>, Option<Cut>) {
    let all = tree.routes();
    let rows: Vec<_> = all
        .iter()
        .take(MAX_ROUTES)
        .map(|(way, node, _)| RouteRow {
            depth: way.len().min(12),
            route: print::name(way),
            matchers: print::conditions(node),
            receiver: print::receiver(tree, node),
            timing: print::timing(node),
            place: print::place_text(&node.source, sources).unwrap_or_default(),
        })
        .collect();
    let cut = cut(rows.len(), all.len(), "promgen route LABELS");
    (rows, cut)
}

/// The alerts of a model, and the receivers of each.
pub(super) fn part(deliveries: &Deliveries<'_>, sources: &Sources, names: &Names) -> AlertsPart {
    let alerts = deliveries.alerts();
    let mut receivers: BTreeSet<String> = BTreeSet::default();
    let mut is_known = true;
    for alert in alerts {
        let of_alert = of_alert(alert, deliveries);
        is_known &= !of_alert.is_empty();
        receivers.extend(of_alert);
    }
    let note = match (deliveries.excess(), deliveries.n_trees()) {
        (Some(excess), _) => Some(excess.message("what the alerts in the input take")),
        (None, 0) if !is_known || alerts.is_empty() => {
            Some("No Alertmanager in the input: who is paged is not known.".to_owned())
        }
        (None, _) => None,
    };
    let mut ids = Ids::default();
    let rows: Vec<_> = alerts
        .iter()
        .take(MAX_ALERTS)
        .map(|alert| row(alert, deliveries, names, &mut ids, sources))
        .collect();
    let rows_cut = cut(rows.len(), alerts.len(), "promgen route --all-alerts");
    AlertsPart {
        n_alerts: alerts.len(),
        n_receivers: receivers.len(),
        groups: groups(&rows),
        rows,
        rows_cut,
        note,
    }
}

/// The alerts by receivers.
fn groups(rows: &[AlertRow]) -> Vec<AlertGroup> {
    let mut by_receivers: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        by_receivers.entry(&row.receivers).or_default().push(at);
    }
    let group = |(receivers, alerts): (&[String], Vec<usize>)| AlertGroup {
        receivers: receivers.to_vec(),
        alerts,
    };
    let mut groups: Vec<_> = by_receivers.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.alerts.len()));
    groups
}

/// The ids that alerts have: several may have one name in one rule.
#[derive(Default)]
struct Ids {
    taken: BTreeSet<String>,
}

impl Ids {
    fn next(&mut self, id: &str) -> String {
        let free = |n: usize| {
            if n == 1 {
                id.to_owned()
            } else {
                format!("{id}.{n}")
            }
        };
        let id = (1..)
            .map(free)
            .find(|id| !self.taken.contains(id))
            .unwrap_or_default();
        self.taken.insert(id.clone());
        id
    }
}

fn row(
    alert: &Alert,
    deliveries: &Deliveries<'_>,
    names: &Names,
    ids: &mut Ids,
    sources: &Sources,
) -> AlertRow {
    let label = |name: &str| alert.labels.get(name).cloned().unwrap_or_default();
    let name = label("alertname");
    AlertRow {
        id: ids.next(&names.id(&format!("alert/{}/{name}", alert.resource))),
        severity: label("severity"),
        rule: alert.resource.clone(),
        place: PlacePart::of(alert.span, sources),
        labels: alert.labels.clone(),
        receivers: of_alert(alert, deliveries),
        name,
    }
}

fn of_alert(alert: &Alert, deliveries: &Deliveries<'_>) -> Vec<String> {
    let mut all: Vec<String> = deliveries
        .of_alert(alert)
        .map(|delivery| {
            let by = if deliveries.n_trees() > 1 {
                format!(" ({})", delivery.by.id)
            } else {
                String::new()
            };
            let receiver = print::receiver(delivery.tree, delivery.node);
            print::or_unknown(format!("{receiver}{by}"), delivery.unknown.as_deref())
        })
        .collect();
    all.extend(
        deliveries
            .unrouted(alert)
            .map(|why| format!("unknown: {why}")),
    );
    all.dedup();
    all.extend(deliveries.nobody(alert).map(|why| format!("nobody: {why}")));
    all
}
