//! The labels of alerts as servers send them: with external labels, and relabeled.
//!
//! In: an alert as its rule makes it. Out: its labels at the Alertmanagers, as far as all servers that evaluate it agree. What is not
//! known is open.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::World;
use crate::model::senders::in_secret;
use promgen_compile::output::{SelectedResource, Workload, WorkloadKind};
use promgen_prometheus::relabel::{CompiledRule, LabelSet, relabel, rules};
use promgen_prometheus::routing::{Alert, AlertLabels};
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

/// A workload that evaluates alerts, with the rules that it accepts.
struct Evaluator<'w> {
    workload: &'w Workload,
    accepted: BTreeSet<String>,
    /// What it does to labels, if it changes any.
    spec: Option<&'w PrometheusSpec>,
    /// The rules that relabel them. `None` if they are not known.
    relabeling: Option<Vec<CompiledRule>>,
}

/// Alerts as their servers send them.
pub(super) fn all(world: &World<'_>, mut alerts: Vec<Alert>) -> Vec<Alert> {
    let own = world.workloads.iter().filter(|of| !of.is_stand_in);
    let evaluators: Vec<Evaluator<'_>> = own.map(|of| Evaluator::of(world, of)).collect();
    if evaluators.iter().all(|of| of.spec.is_none()) {
        return alerts;
    }
    for alert in &mut alerts {
        let mut own = evaluators
            .iter()
            .filter(|of| of.accepted.contains(&alert.resource));
        let Some(first) = own.next().map(|of| of.sends(alert)) else {
            continue;
        };
        let is_same = |other: AlertAsSent| other.labels == first.labels && other.open == first.open;
        if !own.all(|of| is_same(of.sends(alert))) {
            alert.changed = Some("its servers send it with different labels".to_owned());
            continue;
        }
        (alert.labels, alert.open, alert.changed) = (first.labels, first.open, first.changed);
    }
    alerts
}

/// Returns whether a server changes the labels of alerts, beside those that the operator itself adds.
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
    fn of(world: &World<'w>, workload: &'w Workload) -> Self {
        let accepted = workload.selected.accepted_of(PrometheusRule::KIND);
        let servers = &world.cluster().prometheuses;
        let server = servers.get(workload.id.key().as_str());
        let spec = server
            .filter(|_| workload.id.kind == WorkloadKind::Prometheus)
            .map(|server| &server.value.spec)
            .filter(|spec| changes(spec));
        let secret = spec.and_then(|spec| spec.additional_alert_relabel_configs.as_ref());
        let relabeling = match secret {
            None => Some(Vec::new()),
            Some(secret) => {
                let root = in_secret(world, &workload.id.namespace, secret);
                root.and_then(|root| match root.to_value() {
                    Value::Seq(values) => rules(&values, workload.name_scheme()).ok(),
                    _ => None,
                })
            }
        };
        Self {
            workload,
            accepted: accepted.map(SelectedResource::key).collect(),
            spec,
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
        for (name, value) in spec.common.external_labels.iter().flatten() {
            let is_there = sent.labels.contains_key(&**name) || sent.open.contains_key(&**name);
            let is_filled_in = value.contains("$(") || is_later_text(value);
            if is_there {
                continue;
            }
            if is_filled_in {
                let why = format!("`externalLabels.{name}` is filled in later");
                sent.open.insert(name.to_string(), why);
            } else {
                sent.labels.insert(name.to_string(), value.to_string());
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
}
