//! Rules that are there twice.

use std::collections::BTreeMap;

use crate::api::PrometheusRule;
use crate::cluster::Object;
use crate::diag::{Diagnostic, Sink, rule};
use crate::lint::alerting::rules;
use crate::route::At;

rule! {
    /// ## What it does
    /// Finds rules of one PrometheusRule that record the same series, or raise the same alert: the same name and labels.
    ///
    /// ## Why is this bad?
    /// Of two values for one series at one time, Prometheus keeps one and warns in its log; two alerts with the same labels
    /// are one to Alertmanager, which fires and resolves as either of them says.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {record: "cart:requests:rate5m", expr: "rate(cart_requests_total[5m])"}
    ///     - {record: "cart:requests:rate5m", expr: "rate(cart_requests[5m])"}
    /// ```
    /// Use instead: names or labels that differ.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {record: "cart:requests:rate5m", expr: "rate(cart_requests_total[5m])"}
    ///     - {record: "cart:requests:rate1h", expr: "rate(cart_requests_total[1h])"}
    /// ```
    ///
    /// ## Source
    /// `promtool check rules` counts as duplicates what has the same name and labels.
    pub(in crate::lint) static DUPLICATE_RULE = "PG601" "duplicate-rule" {
        summary: "two rules for the same series or alert", level: Warning, since: "0.1.0",
    }
}

/// Looks at a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, BTreeMap<&str, &str>), At> = BTreeMap::new();
    for (group_index, rule_index, group, rule) in rules(resource) {
        let (what, name) = match (rule.record.as_deref(), rule.alert.as_deref()) {
            (Some(name), _) if !name.is_empty() => ("record", name),
            (_, Some(name)) if !name.is_empty() => ("alert", name),
            _ => continue,
        };
        let labels = group.labels.iter().flatten().chain(rule.labels.iter().flatten());
        let labels = labels.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let at = At::doc(resource.doc).key("spec").key("groups").index(group_index).key("rules").index(rule_index);
        let at = at.key(what);
        match seen.get(&(what, name, labels)) {
            Some(first) => {
                let message = match what {
                    "record" => format!("the series `{name}` is recorded twice with the same labels"),
                    _ => format!("the alert `{name}` is raised twice with the same labels"),
                };
                let finding = Diagnostic::new(&DUPLICATE_RULE, at, message).related(first.clone(), "the first is here");
                sink.report(finding.help("give one of them another name, or a label that tells them apart"));
            }
            None => {
                let labels = group.labels.iter().flatten().chain(rule.labels.iter().flatten());
                let labels = labels.map(|(name, value)| (name.as_str(), value.as_str())).collect();
                seen.insert((what, name, labels), at);
            }
        }
    }
}
