//! Rules that one shard cannot answer.

use crate::checks::alerting::{Server, rules};
use promgen_compile::cluster::Object;
use promgen_compile::prometheus::promql::{self, Scattered};
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Level, Sink, rule};
use promgen_text::route::At;

rule! {
    /// ## What it does
    /// Finds rules whose result needs all targets, evaluated by a Prometheus that shares targets among shards: `absent` and the
    /// number of targets; and, as an info for each resource, aggregations over several targets.
    ///
    /// ## Why is this bad?
    /// Every shard evaluates every rule, on the targets that it scrapes itself. `absent(up{job="cart"})` fires on each shard
    /// that has no such target, although another has it; a sum is that of a part.
    ///
    /// The doubt: if all targets that the expression is about have one shard, the rule is right.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {shards: 2, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartIsGone, expr: "absent(up{job='cart'})"}
    /// ```
    /// Use instead: a ThanosRuler, which asks all shards, or an expression about single targets.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {shards: 2, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartIsDown, expr: "up{job='cart'} == 0"}
    /// ```
    ///
    /// ## Source
    /// kube-prometheus issue 1744: alerts misreport when there are several shards.
    pub(in crate::checks) static SCATTERED_RULE = "PG602" "scattered-rule" {
        summary: "a rule that needs all targets, evaluated by each shard on its own", level: Warning, since: "0.1.0",
    }
}

const HELP: &str = "have a ThanosRuler evaluate it, which asks all shards, or group by `instance`; it is right as it is if all \
                    targets that it is about have one shard";

/// Looks at what a server evaluates.
pub(super) fn check(server: &Server<'_>, resource: &Object<PrometheusRule>, sink: &mut Sink) {
    let n_shards = server.compiled.plan.shards.len();
    if n_shards < 2 {
        return;
    }
    let mut aggregations: Vec<(At, String)> = Vec::new();
    for (group_index, rule_index, _, rule) in rules(resource) {
        let Some(found) = promql::scattered(&rule.expr.to_string()) else { continue };
        let at = At::doc(resource.doc).key("spec").key("groups").index(group_index).key("rules").index(rule_index);
        let at = at.key("expr");
        let what = match found {
            Scattered::Absent(function) => format!("`{function}` tells what a shard does not scrape"),
            Scattered::CountOfUp => "`count(up)` counts the targets of a shard".to_owned(),
            Scattered::Aggregation(op) => {
                aggregations.push((at, op));
                continue;
            }
        };
        let message = format!("{what}, and {} shares its targets among {n_shards}", server.what());
        sink.report(Diagnostic::new(&SCATTERED_RULE, at, message).help(HELP));
    }
    // They are many, and most are meant so: together they are one finding.
    let n_more = aggregations.len().saturating_sub(1);
    if let Some((at, op)) = aggregations.into_iter().next() {
        let others = match n_more {
            0 => String::new(),
            1 => ", and so is another rule here".to_owned(),
            n => format!(", and so are {n} other rules here"),
        };
        let message =
            format!("`{op}` is over the targets of a shard, of which {} has {n_shards}{others}", server.what());
        sink.report(Diagnostic::new(&SCATTERED_RULE, at, message).level(Level::Info).help(HELP));
    }
}
