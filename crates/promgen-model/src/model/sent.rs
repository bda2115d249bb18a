//! The labels of alerts as servers send them: with external labels, and relabeled.
//!
//! In: an alert as its rule makes it. Out: its labels at the Alertmanagers, as far as all servers that evaluate it agree. What is not
//! known is open.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::World;
use crate::model::senders::in_secret;
use promgen_compile::lower::prometheus::global::server_label;
use promgen_compile::output::{SelectedResource, Workload, WorkloadKind};
use promgen_prometheus::relabel::{CompiledRule, LabelSet, relabel, rules};
use promgen_prometheus::routing::{Alert, AlertLabels, RoutingTree};
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::{PrometheusRule, Resource as _};
use promgen_resources::unknown::is_later_text;
use promgen_text::yaml::Value;

/// An alert as a server sends it.
struct AlertAsSent {
    labels: AlertLabels,
    open: BTreeMap<String, String>,
    changed: Option<String>,
}

impl AlertAsSent {
    /// As this server or another one sends it: a label that they send with different values is open.
    fn or(&mut self, other: Self) {
        self.changed = self.changed.take().or(other.changed);
        self.open.extend(other.open);
        let differing = |labels: &AlertLabels, others: &AlertLabels| -> Vec<String> {
            let labels = labels.iter();
            let differing = labels.filter(|(label, value)| others.get(*label) != Some(*value));
            differing.map(|(label, _)| label.clone()).collect()
        };
        let names = differing(&self.labels, &other.labels).into_iter();
        let names = names.chain(differing(&other.labels, &self.labels));
        for name in names.collect::<BTreeSet<String>>() {
            self.labels.remove(&name);
            let why = format!("its servers send it with different values of `{name}`");
            self.open.entry(name).or_insert(why);
        }
    }
}

/// A workload that evaluates alerts, with the rules that it accepts.
struct Evaluator<'w> {
    workload: &'w Workload,
    accepted: BTreeSet<String>,
    /// What it does to labels, if it changes any.
    spec: Option<&'w PrometheusSpec>,
    /// The label of the operator with its own name, if a route asks for it.
    own_label: Option<&'w str>,
    /// The rules that relabel them. `None` if they are not known.
    relabeling: Option<Vec<CompiledRule>>,
}

/// Alerts as their servers send them.
pub(super) fn all(world: &World<'_>, mut alerts: Vec<Alert>) -> Vec<Alert> {
    let own = world.workloads.iter().filter(|of| !of.is_stand_in);
    let trees: Vec<&RoutingTree> = own.clone().filter_map(|of| of.routing.as_ref()).collect();
    let evaluators = own.map(|of| Evaluator::of(world, of, &trees));
    let evaluators: Vec<Evaluator<'_>> = evaluators.collect();
    if evaluators.iter().all(|of| of.spec.is_none()) {
        return alerts;
    }
    for alert in &mut alerts {
        let mut own = evaluators
            .iter()
            .filter(|of| of.accepted.contains(&alert.resource));
        let Some(mut sent) = own.next().map(|of| of.sends(alert)) else {
            continue;
        };
        own.for_each(|of| sent.or(of.sends(alert)));
        (alert.labels, alert.open, alert.changed) = (sent.labels, sent.open, sent.changed);
    }
    alerts
}

/// Returns whether a server changes the labels of alerts, beside the one that the operator itself adds.
fn changes(spec: &PrometheusSpec) -> bool {
    let has_external = spec.common.external_labels.as_ref();
    has_external.is_some_and(|labels| labels.iter().next().is_some())
        || spec.additional_alert_relabel_configs.is_some()
        || is_relabeled_by_endpoint(spec)
}

fn is_relabeled_by_endpoint(spec: &PrometheusSpec) -> bool {
    let endpoints = spec.alerting.iter().flat_map(|of| &of.alertmanagers);
    let rules = endpoints.filter_map(|of| of.alert_relabelings.as_ref());
    rules.into_iter().any(|rules| !rules.is_empty())
}

impl<'w> Evaluator<'w> {
    fn of(world: &World<'w>, workload: &'w Workload, trees: &[&RoutingTree]) -> Self {
        let accepted = workload.selected.accepted_of(PrometheusRule::KIND);
        let servers = &world.cluster().prometheuses;
        let server = servers.get(workload.id.key().as_str());
        let spec = server
            .filter(|_| workload.id.kind == WorkloadKind::Prometheus)
            .map(|server| &server.value.spec);
        let own_label = spec.map(|spec| server_label(&spec.common));
        let own_label = own_label.filter(|label| trees.iter().any(|tree| tree.asks_for(label)));
        let spec = spec.filter(|spec| own_label.is_some() || changes(spec));
        let secret = spec.and_then(|spec| spec.additional_alert_relabel_configs.as_ref());
        let relabeling = match secret {
            None => Some(Vec::new()),
            Some(secret) => {
                let found = in_secret(world.cluster(), &workload.id.namespace, secret);
                found.and_then(|(_, root)| match root.to_value() {
                    Value::Seq(values) => rules(&values, workload.name_scheme()).ok(),
                    _ => None,
                })
            }
        };
        Self {
            workload,
            accepted: accepted.map(SelectedResource::key).collect(),
            spec,
            own_label,
            relabeling,
        }
    }

    fn sends(&self, alert: &Alert) -> AlertAsSent {
        let mut sent = AlertAsSent {
            labels: alert.labels.clone(),
            open: alert.open.clone(),
            changed: None,
        };
        let Some(spec) = self.spec else {
            return sent;
        };
        // The operator's own wins over one of the user with the same name.
        let external = spec.common.external_labels.iter().flatten();
        let external = external.map(|(name, value)| (&**name, &**value));
        let external = external.filter(|(name, _)| *name != server_label(&spec.common));
        let id = self.workload.id.key();
        for (name, value) in external.chain(self.own_label.map(|name| (name, &*id))) {
            let is_there = sent.labels.contains_key(name) || sent.open.contains_key(name);
            let is_filled_in = value.contains("$(") || is_later_text(value);
            if is_there {
                continue;
            }
            if is_filled_in {
                let why = format!("`externalLabels.{name}` is filled in later");
                sent.open.insert(name.to_owned(), why);
            } else {
                sent.labels.insert(name.to_owned(), value.to_owned());
            }
        }
        let what = self.workload.id.what();
        if is_relabeled_by_endpoint(spec) {
            sent.changed = Some(format!("{what} relabels alerts by `alertRelabelings`"));
        }
        if self.relabeling.as_ref().is_some_and(Vec::is_empty) {
            return sent;
        }
        let given: LabelSet = sent.labels.clone().into_iter().collect();
        // What a rule does to a label that is open is not followed, and neither is an alert that is dropped.
        let rules = self.relabeling.as_ref().filter(|_| sent.open.is_empty());
        match rules.and_then(|rules| relabel(&given, rules).ok()) {
            Some(after) => {
                let own = after.iter().filter(|(_, value)| !value.is_empty());
                let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
                sent.labels = own.collect();
            }
            None => {
                let why = format!("{what} relabels alerts by `additionalAlertRelabelConfigs`");
                sent.changed = Some(why);
            }
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use crate::Project;
    use promgen_compile::options::Options;
    use promgen_text::source::Input;

    /// The labels of the alerts as they are sent, what is open, and why any may be another.
    fn sent(server: &str, rule: &str, more: &str) -> String {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p, namespace: a}}\nspec: {{ruleSelector: {{}}, {server}}}\n---\n\
             apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r, namespace: a}}\nspec: {{groups: [{{name: g, rules: [{{alert: A, {rule}}}]}}]}}\n{more}"
        );
        let project = Project::read(&[Input::new("a.yaml", &*text)], &Options::default());
        let model = project.model();
        let shown = |alert: promgen_prometheus::routing::Alert| {
            let labels: Vec<String> = alert
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let open: Vec<&str> = alert.open.keys().map(String::as_str).collect();
            let changed = if alert.changed.is_some() {
                " changed"
            } else {
                ""
            };
            format!("{} [{}]{changed}", labels.join(","), open.join(","))
        };
        model.alerts().into_iter().map(shown).collect()
    }

    #[test]
    fn alerts_have_the_labels_that_their_servers_send() {
        let secret = |rules: &str| {
            format!(
                "---\napiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: a}}\nstringData: {{k: '{rules}'}}\n"
            )
        };
        let relabeled = "additionalAlertRelabelConfigs: {name: s, key: k}";
        let sum = "expr: sum(up) == 0";
        for (server, rule, more, expected) in [
            (
                "externalLabels: {cluster: eu}",
                sum,
                String::new(),
                "alertname=A,cluster=eu []",
            ),
            (
                "externalLabels: {cluster: eu}",
                "expr: sum(up) == 0, labels: {cluster: us}",
                String::new(),
                "alertname=A,cluster=us []",
            ),
            (
                "externalLabels: {cluster: $(X)}",
                sum,
                String::new(),
                "alertname=A [cluster]",
            ),
            (
                "replicas: 2",
                "expr: sum(up) == 0, labels: {namespace: '{{ $labels.x }}'}",
                String::new(),
                "alertname=A [namespace]",
            ),
            (
                relabeled,
                sum,
                secret("[{target_label: namespace, replacement: shop}]"),
                "alertname=A,namespace=shop []",
            ),
            (
                relabeled,
                "expr: up == 0",
                secret("[{action: labeldrop, regex: namespace}]"),
                "alertname=A []",
            ),
            (relabeled, sum, String::new(), "alertname=A [] changed"),
            (
                relabeled,
                sum,
                secret("[{action: drop, source_labels: [alertname], regex: A}]"),
                "alertname=A [] changed",
            ),
            (
                "alerting: {alertmanagers: [{name: m, port: web, alertRelabelings: [{targetLabel: a, replacement: b}]}]}",
                sum,
                String::new(),
                "alertname=A [] changed",
            ),
        ] {
            assert_eq!(
                sent(server, rule, &more),
                expected,
                "{server} {rule} {more}"
            );
        }
    }

    #[test]
    fn the_label_of_the_operator_counts_where_a_route_asks_for_it() {
        let routed = |label: &str| {
            format!(
                "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: m, namespace: a}}\nspec: {{alertmanagerConfiguration: {{name: c}}}}\n---\n\
                 apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: a}}\nspec: {{route: {{receiver: r, routes: [{{receiver: r, matchers: [{{name: {label}, value: a/p}}]}}]}}, receivers: [{{name: r}}]}}\n"
            )
        };
        let second = "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: q, namespace: a}\nspec: {ruleSelector: {}}\n";
        let sum = "expr: sum(up) == 0";
        for (server, more, expected) in [
            (
                "replicas: 2",
                routed("prometheus"),
                "alertname=A,prometheus=a/p []",
            ),
            (
                "replicas: 2",
                routed("prometheus_replica"),
                "alertname=A []",
            ),
            (
                "externalLabels: {prometheus: x}",
                routed("prometheus"),
                "alertname=A,prometheus=a/p []",
            ),
            (
                "prometheusExternalLabelName: of",
                routed("of"),
                "alertname=A,of=a/p []",
            ),
            (
                "prometheusExternalLabelName: ''",
                routed("prometheus"),
                "alertname=A []",
            ),
            ("replicas: 2", routed("severity"), "alertname=A []"),
            (
                "replicas: 2",
                routed("prometheus") + second,
                "alertname=A [prometheus]",
            ),
            (
                "externalLabels: {b: c}",
                second.to_owned(),
                "alertname=A [b]",
            ),
        ] {
            assert_eq!(sent(server, sum, &more), expected, "{server} {more}");
        }
    }
}
