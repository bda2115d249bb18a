//! The labels of alerts as servers send them: with external labels, and relabeled.
//!
//! In: an alert as its rule makes it. Out: its labels at the Alertmanagers, as far as all servers that evaluate it agree. What is not
//! known is open.

use std::collections::BTreeSet;

use crate::model::World;
use crate::model::senders::in_secret;
use promgen_compile::lower::prometheus::global::server_label;
use promgen_compile::output::{SelectedResource, Workload, WorkloadKind};
use promgen_prometheus::relabel::program::ANY;
use promgen_prometheus::relabel::{Action, CompiledRule, LabelSet, relabel, rules};
use promgen_prometheus::routing::{Alert, OpenLabel, RoutingTree};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::thanos_ruler::ThanosRulerSpec;
use promgen_resources::api::{PrometheusRule, Resource as _};
use promgen_resources::unknown::is_later_text;
use promgen_text::CollectOrdered;
use promgen_text::yaml::Value;

/// Merges an alert as one server sends it with the same from another one: a label that they send with different values is open.
fn merge(one: &mut Alert, other: Alert) {
    one.changed = one.changed.take().or(other.changed);
    one.open.extend(other.open);
    let names: BTreeSet<&String> = one.labels.keys().chain(other.labels.keys()).collect_set();
    let names = names.into_iter();
    let differing = names.filter(|name| one.labels.get(*name) != other.labels.get(*name));
    for name in differing.cloned().collect::<Vec<String>>() {
        let own = one.labels.remove(&name).unwrap_or_default();
        let why = format!("its servers send it with different values of `{name}`");
        let values = vec![own];
        let open = one.open.entry(name.clone());
        let open = open.or_insert(OpenLabel { why, values });
        open.values
            .push(other.labels.get(&name).cloned().unwrap_or_default());
    }
}

/// A workload that evaluates alerts, with the rules that it accepts.
struct Evaluator<'w> {
    workload: &'w Workload,
    accepted: BTreeSet<String>,
    /// The labels that it gives them, each with its field.
    external: Vec<(&'w str, String, &'static str)>,
    /// Its labels win over those of alerts.
    wins: bool,
    /// The labels that it takes from them.
    dropped: BTreeSet<&'w str>,
    /// The field of the rules that relabel them.
    field: &'static str,
    /// These rules. `None` if they are not known, or are for one Alertmanager alone.
    relabeling: Option<Vec<CompiledRule>>,
}

/// Alerts as their servers send them.
pub(super) fn all(world: &World<'_>, mut alerts: Vec<Alert>) -> Vec<Alert> {
    let trees = world.workloads.iter().filter_map(|of| of.routing.as_ref());
    let asked = trees.flat_map(RoutingTree::asked).map(|(label, _)| label);
    let asked: BTreeSet<&str> = asked.collect_set();
    let own = world.workloads.iter().filter(|of| !of.is_stand_in);
    let evaluators: Vec<Evaluator<'_>> = own.map(|of| Evaluator::of(world, of, &asked)).collect();
    for alert in &mut alerts {
        let mut own = evaluators
            .iter()
            .filter(|of| of.accepted.contains(&alert.resource));
        let Some(mut sent) = own.next().map(|of| of.sends(alert)) else {
            continue;
        };
        own.for_each(|of| merge(&mut sent, of.sends(alert)));
        *alert = sent;
    }
    alerts
}

/// The label with which the operator tells the replicas of a ThanosRuler apart. Alerts lose it.
const RULER_REPLICA: &str = "thanos_ruler_replica";

impl<'w> Evaluator<'w> {
    fn of(world: &World<'w>, workload: &'w Workload, asked: &BTreeSet<&str>) -> Self {
        let accepted = workload.selected.accepted_of(PrometheusRule::KIND);
        let mut of = Self {
            workload,
            accepted: accepted.map(SelectedResource::key).collect(),
            external: Vec::new(),
            wins: false,
            dropped: BTreeSet::new(),
            field: "additionalAlertRelabelConfigs",
            relabeling: Some(Vec::new()),
        };
        let (cluster, key) = (world.cluster(), workload.id.key());
        match workload.id.kind {
            WorkloadKind::Prometheus => {
                if let Some(server) = cluster.prometheuses.get(key.as_str()) {
                    of.of_prometheus(world, &server.value.spec, asked);
                }
            }
            WorkloadKind::ThanosRuler => {
                if let Some(ruler) = cluster.thanos_rulers.get(key.as_str()) {
                    of.of_ruler(world, &ruler.value.spec);
                }
            }
            WorkloadKind::PrometheusAgent | WorkloadKind::Alertmanager => {}
        }
        of
    }

    /// Takes over the rules in a Secret.
    fn relabel_by(&mut self, world: &World<'_>, secret: Option<&SecretKeySelector>) {
        let Some(secret) = secret else { return };
        let root = in_secret(world.cluster(), &self.workload.id.namespace, secret);
        self.relabeling = root.and_then(|(_, root)| match root.to_value() {
            Value::Seq(values) => rules(&values, self.workload.name_scheme()).ok(),
            _ => None,
        });
    }

    fn of_prometheus(
        &mut self,
        world: &World<'_>,
        spec: &'w PrometheusSpec,
        asked: &BTreeSet<&str>,
    ) {
        let label = server_label(&spec.common);
        let external = spec.common.external_labels.iter().flatten();
        // The operator's own wins over one of the user with the same name.
        let external = external.filter(|(name, _)| **name != *label);
        let own = asked
            .contains(label)
            .then(|| (label, self.workload.id.key()));
        let external = external.map(|(name, value)| (&**name, value.to_string()));
        let all = external.chain(own);
        self.external = all
            .map(|(name, value)| (name, value, "externalLabels"))
            .collect();
        self.relabel_by(world, spec.additional_alert_relabel_configs.as_ref());
        let endpoints = spec.alerting.iter().flat_map(|of| &of.alertmanagers);
        let mut rules = endpoints.filter_map(|of| of.alert_relabelings.as_ref());
        if rules.any(|rules| !rules.is_empty()) {
            (self.field, self.relabeling) = ("alertRelabelings", None);
        }
    }

    fn of_ruler(&mut self, world: &World<'_>, spec: &'w ThanosRulerSpec) {
        let dropped = spec.alert_drop_labels.iter().flatten();
        let dropped = dropped.map(|label| &**label).chain([RULER_REPLICA]);
        self.dropped = dropped.collect_set();
        let labels = spec.labels.iter().flatten();
        let labels = labels.map(|(name, value)| (&**name, value.to_string(), "labels"));
        let is_kept = |(name, ..): &(&str, _, _)| !self.dropped.contains(name);
        self.external = labels.filter(is_kept).collect();
        self.wins = true;
        self.field = "alertRelabelConfigs";
        self.relabel_by(world, spec.alert_relabel_configs.as_ref());
        if spec.alert_relabel_config_file.is_some() {
            (self.field, self.relabeling) = ("alertRelabelConfigFile", None);
        }
    }

    fn sends(&self, alert: &Alert) -> Alert {
        let mut sent = alert.clone();
        sent.labels
            .retain(|name, _| !self.dropped.contains(&**name));
        sent.open.retain(|name, _| !self.dropped.contains(&**name));
        for (name, value, field) in &self.external {
            // A series whose labels are not known is taken to have none of those that servers add.
            let is_assumed = |open: &OpenLabel| open.values.iter().any(String::is_empty);
            let is_open = sent.open.get(*name).is_some_and(|open| !is_assumed(open));
            if !self.wins && (is_open || sent.labels.contains_key(*name)) {
                continue;
            }
            sent.labels.remove(*name);
            if value.contains("$(") || is_later_text(value) {
                let why = format!("`{field}.{name}` is filled in later");
                sent.open.insert((*name).to_owned(), OpenLabel::any(why));
            } else {
                sent.open.remove(*name);
                sent.labels.insert((*name).to_owned(), value.clone());
            }
        }
        if self.relabeling.as_ref().is_some_and(Vec::is_empty) {
            return sent;
        }
        // What a rule makes of the value of a label that is open is not followed, and neither is an alert that is dropped.
        let is_followed = |rule: &CompiledRule| {
            let mut read = rule.source_labels.iter();
            let compares = matches!(rule.action, Action::KeepEqual | Action::DropEqual);
            let is_free = sent.open.is_empty() || rule.action != Action::LabelMap && !compares;
            is_free && !read.any(|label| sent.open.contains_key(label))
        };
        let rules = self.relabeling.as_ref();
        let rules = rules.filter(|rules| rules.iter().all(is_followed));
        let given: LabelSet = sent.with_open().into_iter().collect();
        match rules.and_then(|rules| relabel(&given, rules).ok()) {
            Some(after) => {
                let is_open = |label: &str| after.get(label) == ANY.to_string();
                sent.open.retain(|label, _| is_open(label));
                let own = after
                    .iter()
                    .filter(|(label, value)| !value.is_empty() && !sent.open.contains_key(*label));
                let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
                sent.labels = own.collect();
            }
            None => {
                let (what, field) = (self.workload.id.what(), self.field);
                sent.changed = Some(format!("{what} relabels alerts by `{field}`"));
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
        let is_ruler = server.contains("queryEndpoints");
        let kind = if is_ruler {
            "ThanosRuler"
        } else {
            "Prometheus"
        };
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: p, namespace: a}}\nspec: {{ruleSelector: {{}}, {server}}}\n---\n\
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
            (
                relabeled,
                "expr: up == 0",
                secret("[{action: labeldrop, regex: pod}, {target_label: a, replacement: b}]"),
                "a=b,alertname=A [namespace]",
            ),
            (
                relabeled,
                "expr: up == 0",
                secret("[{target_label: namespace, replacement: shop}]"),
                "alertname=A,namespace=shop []",
            ),
            (
                relabeled,
                "expr: up == 0",
                secret("[{source_labels: [namespace], target_label: team}]"),
                "alertname=A [namespace] changed",
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
    fn the_namespace_of_an_alert_is_that_of_its_series() {
        let enforcing = "enforcedNamespaceLabel: namespace";
        let excluding = "enforcedNamespaceLabel: namespace, excludedFromEnforcement: [{namespace: a, resource: prometheusrules}]";
        let other = |spec: &str| {
            format!(
                "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: q, namespace: a}}\nspec: {{{spec}}}\n"
            )
        };
        let both = other("ruleSelector: {}, enforcedNamespaceLabel: namespace");
        for (server, rule, more, expected) in [
            (
                "replicas: 2",
                "expr: up == 0",
                "",
                "alertname=A [namespace]",
            ),
            (
                "replicas: 2",
                "expr: sum by (namespace) (x) > 1",
                "",
                "alertname=A [namespace]",
            ),
            ("replicas: 2", "expr: sum(x) > 1", "", "alertname=A []"),
            (
                "replicas: 2",
                "expr: 'x{namespace=\"b\"} > 1'",
                "",
                "alertname=A,namespace=b []",
            ),
            (
                "replicas: 2",
                "expr: up == 0, labels: {namespace: b}",
                "",
                "alertname=A,namespace=b []",
            ),
            (
                "queryEndpoints: [q]",
                "expr: up == 0",
                "",
                "alertname=A [namespace]",
            ),
            (enforcing, "expr: up == 0", "", "alertname=A,namespace=a []"),
            (
                enforcing,
                "expr: up == 0, labels: {namespace: '{{ $labels.x }}'}",
                "",
                "alertname=A,namespace=a []",
            ),
            (excluding, "expr: up == 0", "", "alertname=A [namespace]"),
            // Another server counts if it evaluates the rule, too.
            (
                enforcing,
                "expr: up == 0",
                &other("replicas: 2"),
                "alertname=A,namespace=a []",
            ),
            (
                "replicas: 2",
                "expr: up == 0",
                &both,
                "alertname=A [namespace]",
            ),
            (
                enforcing,
                "expr: sum(x) > 1",
                &other("ruleSelector: {}"),
                "alertname=A [namespace]",
            ),
        ] {
            assert_eq!(sent(server, rule, more), expected, "{server} {rule} {more}");
        }
    }

    #[test]
    fn the_label_of_the_operator_counts_where_a_route_asks_for_it() {
        let second = "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: q, namespace: a}\nspec: {ruleSelector: {}}\n";
        let sum = "expr: sum(up) == 0";
        for (server, more, expected) in [
            (
                "replicas: 2",
                asking("prometheus"),
                "alertname=A,prometheus=a/p []",
            ),
            (
                "replicas: 2",
                asking("prometheus_replica"),
                "alertname=A []",
            ),
            (
                "externalLabels: {prometheus: x}",
                asking("prometheus"),
                "alertname=A,prometheus=a/p []",
            ),
            (
                "prometheusExternalLabelName: of",
                asking("of"),
                "alertname=A,of=a/p []",
            ),
            (
                "prometheusExternalLabelName: ''",
                asking("prometheus"),
                "alertname=A []",
            ),
            ("replicas: 2", asking("severity"), "alertname=A []"),
            (
                "replicas: 2",
                asking("prometheus") + second,
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

    /// An Alertmanager whose routes ask for a label.
    fn asking(label: &str) -> String {
        format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: m, namespace: a}}\nspec: {{alertmanagerConfiguration: {{name: c}}}}\n---\n\
             apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: a}}\nspec: {{route: {{receiver: r, routes: [{{receiver: r, matchers: [{{name: {label}, value: a/p}}]}}]}}, receivers: [{{name: r}}]}}\n"
        )
    }

    #[test]
    fn labels_of_series_that_routes_ask_for_are_those_of_alerts() {
        let team = asking("team");
        let record = format!(
            "{team}---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: z, namespace: a}}\nspec: {{groups: [{{name: g, rules: [{{record: 'a:x:sum', expr: sum(x), labels: {{team: cash}}}}]}}]}}\n"
        );
        let job = |labels: &str| {
            format!(
                "{team}---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: till, namespace: a}}\nspec: {{jobName: till, staticConfigs: [{{targets: ['till.example:80'], labels: {{{labels}}}}}]}}\n"
            )
        };
        let jobs = "scrapeConfigSelector: {}";
        for (server, expression, more, expected) in [
            (
                "replicas: 2",
                r#"sum by (team) (rate(x{team="cash"}[5m])) > 5"#,
                &team,
                "alertname=A,team=cash []",
            ),
            (
                "replicas: 2",
                r#"sum without (team) (x{team="cash"}) and on () vector(1)"#,
                &team,
                "alertname=A [namespace]",
            ),
            (
                "replicas: 2",
                r#"absent(up{team="cash"})"#,
                &team,
                "alertname=A,team=cash []",
            ),
            (
                "replicas: 2",
                "sum by (team) (x) > 5",
                &team,
                "alertname=A [team]",
            ),
            ("replicas: 2", "sum(x) > 5", &team, "alertname=A []"),
            (
                "replicas: 2",
                r#"sum by (job) (x{team="cash"})"#,
                &asking("severity"),
                "alertname=A []",
            ),
            (
                "replicas: 2",
                "a:x:sum > 1",
                &record,
                "alertname=A,team=cash []",
            ),
            (
                jobs,
                "up == 0",
                &job("team: cash"),
                "alertname=A,team=cash []",
            ),
            (jobs, "up == 0", &job("site: east"), "alertname=A []"),
            (
                "externalLabels: {team: shop}",
                "sum by (team) (x) > 5",
                &team,
                "alertname=A,team=shop []",
            ),
            (
                "externalLabels: {team: shop}",
                r#"sum by (team) (x{team="cash"}) > 5"#,
                &team,
                "alertname=A,team=cash []",
            ),
            (
                "queryEndpoints: [q], labels: {team: shop}, alertDropLabels: [severity]",
                r#"sum by (team, severity) (x{team="cash"}) > 5"#,
                &team,
                "alertname=A,team=shop []",
            ),
            (
                "queryEndpoints: [q], labels: {team: shop}, alertDropLabels: [team]",
                r#"sum by (team) (x{team="cash"}) > 5"#,
                &team,
                "alertname=A []",
            ),
            (
                "queryEndpoints: [q], alertRelabelConfigFile: /x",
                "sum(x) > 5",
                &team,
                "alertname=A [] changed",
            ),
        ] {
            let rule = format!("expr: '{expression}'");
            assert_eq!(sent(server, &rule, more), expected, "{server} {expression}");
        }
    }

    #[test]
    fn labels_that_a_rule_sets_win_over_those_of_its_series() {
        let team = asking("team");
        for (labels, expected) in [
            ("{team: shop}", "alertname=A,team=shop []"),
            ("{team: ''}", "alertname=A []"),
            ("{team: '{{ $labels.x }}'}", "alertname=A [team]"),
            ("{severity: a}", "alertname=A,severity=a,team=cash []"),
        ] {
            let rule = format!("expr: 'sum by (team) (x{{team=\"cash\"}})', labels: {labels}");
            assert_eq!(sent("replicas: 2", &rule, &team), expected, "{labels}");
        }
    }
}
