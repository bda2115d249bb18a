//! The alerts of PrometheusRules.

use crate::rule_groups::{PlacedRule, rules};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::lineage::labels::SeriesLabels;
use crate::lineage::server::{ResultLabels, SeriesServer, kept_labels};
use crate::lineage::values::is_known;
use crate::model::{World, sent};
use promgen_compile::cluster::Object;
use promgen_compile::select::admit::rule::is_excluded;
use promgen_prometheus::promql::Tree;
use promgen_prometheus::routing::{Alert, AlertLabels, OpenLabel, RouteNode, RoutingTree};
use promgen_resources::api::PrometheusRule;
use promgen_resources::locate;
use promgen_text::CollectOrdered;
use promgen_text::go::template::reads_alert;
use promgen_text::route::At;

/// The label that the operator makes the routes of AlertmanagerConfigs match.
pub const NAMESPACE: &str = "namespace";

/// The maximum number of namespaces of an alert that are told apart.
const MAX_NAMESPACES: usize = 16;

/// An alert of a rule.
struct FoundAlert {
    alert: Alert,
    /// The place of the rule.
    rule: At,
    /// The labels that its rule or its servers set.
    sets: BTreeSet<String>,
}

/// All alerts, by resource and in the order of each, as their rules make them.
pub fn of_rules(world: &World<'_>) -> Vec<Alert> {
    found(world).map(|found| found.alert).collect()
}

/// The labels that routes ask for, each with whether only routes do that must not be printed.
type AskedLabels<'a> = BTreeMap<&'a str, bool>;

/// The same as servers send them, with the labels of their series that routes ask for: an alert for each namespace, as far as those
/// are known.
pub fn of_series(world: &World<'_>) -> Vec<Alert> {
    let trees = world.workloads.iter().filter_map(|of| of.routing.as_ref());
    let mut asked = AskedLabels::new();
    for (label, is_secret) in trees.flat_map(RoutingTree::asked) {
        *asked.entry(label).or_insert(true) &= is_secret;
    }
    let is_of_rule = |alert: &FoundAlert| {
        let mut asked = asked.keys().filter(|label| **label != NAMESPACE);
        !alert.is_namespace_of_series() && asked.all(|label| alert.sets.contains(*label))
    };
    let rules = LazyCell::new(|| {
        let all = world.lineage().rules.iter().enumerate();
        let rules = all.map(|(number, rule)| (&rule.at, number));
        rules.collect_map()
    });
    let elsewhere = LazyCell::new(|| world.lineage().elsewhere());
    let mut all = Vec::new();
    for found in found(world) {
        let rule = (!is_of_rule(&found)).then(|| rules.get(&found.rule).copied());
        match rule.flatten() {
            Some(rule) => all.extend(found.by_series(world, rule, &asked, &elsewhere)),
            None => all.push(found.alert),
        }
    }
    sent::all(world, all)
}

impl FoundAlert {
    fn is_namespace_of_series(&self) -> bool {
        self.alert.open.contains_key(NAMESPACE) && !self.sets.contains(NAMESPACE)
    }

    /// The alert for each namespace of its series, with their labels that routes ask for.
    fn by_series(
        self,
        world: &World<'_>,
        rule: usize,
        asked: &AskedLabels<'_>,
        elsewhere: &SeriesServer,
    ) -> Vec<Alert> {
        let rule_text = &world.lineage().rules[rule];
        let anywhere = |tree: &Tree| elsewhere.labels(tree, &rule_text.text, None);
        let own = series(world, rule);
        let known = own.as_ref().filter(|_| self.is_namespace_of_series());
        let known = known.and_then(|series| namespaces_of(series));
        let has_ruler = world.senders().rulers(&rule_text.resource).next().is_some();
        let mut series = own.unwrap_or_default();
        if has_ruler || series.is_empty() {
            series.extend(rule_text.tree.as_ref().map(anywhere).unwrap_or_default());
        }
        let Some(known) = known else {
            return vec![self.labelled(&series, asked)];
        };
        let of = |namespace: &String| {
            let has =
                |labels: &&SeriesLabels| labels.get(NAMESPACE).iter().any(|of| of == namespace);
            let series: Vec<SeriesLabels> = series.iter().filter(has).cloned().collect();
            let mut alert = self.labelled(&series, asked);
            alert.open.remove(NAMESPACE);
            match namespace.as_str() {
                "" => alert.labels.remove(NAMESPACE),
                _ => alert.labels.insert(NAMESPACE.to_owned(), namespace.clone()),
            };
            alert
        };
        known.iter().map(of).collect()
    }

    /// The alert with the labels that are asked for, as all of its series have them.
    fn labelled(&self, series: &[SeriesLabels], asked: &AskedLabels<'_>) -> Alert {
        let mut alert = self.alert.clone();
        let is_of_series = |label: &str| label != NAMESPACE && !self.sets.contains(label);
        for (label, is_secret) in asked.iter().filter(|(label, _)| is_of_series(label)) {
            let Some(values) = SeriesLabels::values(series, label) else {
                continue;
            };
            match values.known() {
                Some("") => {}
                Some(value) => drop(alert.labels.insert((*label).to_owned(), value.to_owned())),
                None => {
                    let mut open = OpenLabel::of_series(label);
                    if *is_secret {
                        open.why = "it depends on a label of its series".to_owned();
                    }
                    open.values = values.iter().map(str::to_owned).collect();
                    alert.open.insert((*label).to_owned(), open);
                }
            }
        }
        alert
    }
}

/// The labels of the series of a rule, of each sort, on all servers that evaluate it. `None` if its expression does not parse.
fn series(world: &World<'_>, rule: usize) -> Option<Vec<SeriesLabels>> {
    let lineage = world.lineage();
    let mut all = Vec::new();
    for server in lineage.evaluators(rule) {
        all.extend(server.labels(world, &lineage.rules[rule])?);
    }
    Some(all)
}

/// The namespaces of the series of a rule, on all servers that evaluate it. `None` if one is not known, or there is none.
pub fn namespaces(world: &World<'_>, rule: usize) -> Option<BTreeSet<String>> {
    namespaces_of(&series(world, rule)?)
}

fn namespaces_of(series: &[SeriesLabels]) -> Option<BTreeSet<String>> {
    let values = SeriesLabels::values(series, NAMESPACE)?;
    let is_known = values.len() <= MAX_NAMESPACES && values.iter().all(is_known);
    is_known.then(|| values.iter().map(str::to_owned).collect())
}

fn found<'w>(world: &'w World<'_>) -> impl Iterator<Item = FoundAlert> + 'w {
    let rules = world.cluster().prometheus_rules.values();
    rules.flat_map(|rule| of_resource(rule, world))
}

/// The alerts of a PrometheusRule. Its namespace is that of its alerts only if their servers enforce it: else they have the one of
/// their series.
fn of_resource(resource: &Object<PrometheusRule>, world: &World<'_>) -> Vec<FoundAlert> {
    let enforced = is_enforced(resource, world);
    let alert = |placed: PlacedRule<'_>| {
        let PlacedRule { at, rule, .. } = &placed;
        let name = rule.alert.as_deref().filter(|name| !name.is_empty())?;
        let expression = rule.expr.to_string();
        let kept = kept_labels(&expression);
        let (mut labels, mut open) = (AlertLabels::new(), BTreeMap::new());
        if enforced != Some(true) && kept.as_ref().is_none_or(|kept| kept.has(NAMESPACE)) {
            match ResultLabels::of(&expression).and_then(|of| of.known(NAMESPACE)) {
                Some(selected) => drop(labels.insert(NAMESPACE.to_owned(), selected)),
                None => drop(open.insert(NAMESPACE.to_owned(), OpenLabel::of_series(NAMESPACE))),
            }
        }
        for (label, value) in placed.labels() {
            open.remove(label.as_str());
            labels.insert(label.to_string(), value.to_string());
        }
        match enforced {
            Some(true) => {
                labels.insert(NAMESPACE.to_owned(), resource.namespace().to_owned());
            }
            None => {
                let why = "some of its servers enforce the label `namespace`".to_owned();
                labels.remove(NAMESPACE);
                open.insert(
                    NAMESPACE.to_owned(),
                    OpenLabel {
                        why,
                        ..OpenLabel::of_series(NAMESPACE)
                    },
                );
            }
            Some(false) => {}
        }
        let own = placed.labels().map(|(label, _)| label.to_string());
        let enforced = (enforced != Some(false)).then(|| NAMESPACE.to_owned());
        let sets = own
            .chain(enforced)
            .chain(["alertname".to_owned()])
            .collect_set();
        let is_template = |(_, value): &(&String, &String)| value.contains("{{");
        open.extend(labels.iter().filter(is_template).map(|(label, _)| {
            let why = format!("the value of its label `{label}` is a template");
            (label.clone(), OpenLabel::any(why))
        }));
        // A label without a value is none, and one that is a template has a value that nobody knows yet.
        labels.retain(|_, value| !value.is_empty() && !value.contains("{{"));
        // Prometheus takes a name literally; another engine may fill it in before.
        if !name.contains("{{") || reads_alert(name) {
            labels.insert("alertname".to_owned(), name.to_owned());
        }
        let span = locate::locate(&at.clone().key("alert"), world.documents());
        let alert = Alert {
            labels,
            open,
            changed: None,
            kept,
            resource: resource.key(),
            span,
        };
        Some(FoundAlert {
            alert,
            rule: placed.at,
            sets,
        })
    };
    rules(resource.doc, &resource.value)
        .filter_map(alert)
        .collect()
}

/// Whether the servers that evaluate a resource give its alerts the label of its namespace: those in the input, if it is not known
/// which do. `None`: some of them do.
fn is_enforced(resource: &Object<PrometheusRule>, world: &World<'_>) -> Option<bool> {
    let (namespace, name) = (resource.namespace(), &resource.value.metadata.name);
    let enforces = |label: &Option<_>, excluded: &Option<_>, rules: &Option<_>| {
        let is_excluded = is_excluded(excluded.as_deref(), rules.as_deref(), namespace, name);
        label.as_deref() == Some(NAMESPACE) && !is_excluded
    };
    let servers = world.cluster().prometheuses.values().map(|server| {
        let (spec, rules) = (
            &server.value.spec.common,
            &server.value.spec.prometheus_rules_excluded_from_enforce,
        );
        let is_it = enforces(
            &spec.enforced_namespace_label,
            &spec.excluded_from_enforcement,
            rules,
        );
        (server.doc, is_it)
    });
    let rulers = world.cluster().thanos_rulers.values().map(|ruler| {
        let (spec, rules) = (
            &ruler.value.spec,
            &ruler.value.spec.prometheus_rules_excluded_from_enforce,
        );
        let is_it = enforces(
            &spec.enforced_namespace_label,
            &spec.excluded_from_enforcement,
            rules,
        );
        (ruler.doc, is_it)
    });
    let by = world.senders().docs(&resource.key());
    let evaluating = servers.chain(rulers);
    let evaluating = evaluating.filter(|(doc, _)| by.is_empty() || by.contains(doc));
    let mut enforcing = evaluating.map(|(_, is_it)| is_it);
    let first = enforcing.next().unwrap_or_default();
    enforcing.all(|other| other == first).then_some(first)
}

/// A label that an alert lacks, and with which it would notify somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The label and the value, as a matcher: `namespace="shop"`.
    pub wanted: String,
    /// What the expression of the alert leaves.
    pub left: String,
}

impl NearMiss {
    /// The label of the namespace, which the routes of AlertmanagerConfigs match, if the expression of an alert drops it.
    #[must_use]
    pub fn of(alert: &Alert, tree: &RoutingTree) -> Option<Self> {
        let left = Self::left(alert)?;
        let may_notify = |alert: &Alert| {
            let mut ends = tree.ends(alert).into_iter();
            ends.any(|(node, _)| tree.has_integrations(node))
        };
        if alert.labels.contains_key(NAMESPACE) || may_notify(alert) {
            return None;
        }
        let namespace = alert.resource.split('/').next().unwrap_or_default();
        let mut with = alert.clone();
        with.labels
            .insert(NAMESPACE.to_owned(), namespace.to_owned());
        may_notify(&with).then(|| Self {
            wanted: format!("{NAMESPACE}=\"{namespace}\""),
            left,
        })
    }

    /// What an alert misses that no AlertmanagerConfig can take, as it has no namespace and all of their routes ask for one.
    #[must_use]
    pub fn of_all(alert: &Alert, tree: &RoutingTree) -> Option<Self> {
        let left = Self::left(alert)?;
        let asks = |node: &RouteNode| {
            node.matchers
                .iter()
                .any(|matcher| matcher.name == NAMESPACE && !matcher.accepts(""))
        };
        let is_lost = !alert.labels.contains_key(NAMESPACE)
            && !tree.root.routes.is_empty()
            && tree.root.routes.iter().all(asks)
            && !tree.has_integrations(&tree.root);
        is_lost.then(|| Self {
            wanted: format!("the label `{NAMESPACE}`"),
            left,
        })
    }

    /// What the expression of an alert leaves, if that is no namespace.
    fn left(alert: &Alert) -> Option<String> {
        if alert.open.contains_key(NAMESPACE) || alert.changed.is_some() {
            return None;
        }
        let kept = alert.kept.as_ref().filter(|kept| !kept.has(NAMESPACE))?;
        Some(kept.words("`namespace`"))
    }
}
