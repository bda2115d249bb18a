//! Rules that are there twice.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::checks::alerting::rules;
use promgen_compile::cluster::Object;
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Level, Sink, rule};
use promgen_text::route::At;

rule! {
    /// ## What it does
    /// Finds rules of one PrometheusRule that record the same series, or raise the same alert: the same name, labels and
    /// expression. Where only the expressions differ, it is an info, once for each name.
    ///
    /// ## Why is this bad?
    /// Of two values for one series at one time, Prometheus keeps one and warns in its log; two alerts with the same labels
    /// are one to Alertmanager, which fires and resolves as either of them says.
    ///
    /// The doubt: expressions that differ may never give the same series.
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
    ///     - {record: "cart:requests:rate5m", expr: "rate(cart_requests_total[5m])"}
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
    pub(in crate::checks) static DUPLICATE_RULE = "PG601" "duplicate-rule" {
        summary: "two rules for the same series or alert", level: Warning, since: "0.1.0",
    }
}

/// What was seen first of a series or an alert.
struct Seen {
    at: At,
    expr: String,
    /// Whether it was told that another expression gives the same.
    is_told: bool,
}

/// Looks at a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, BTreeMap<&str, &str>), Seen> = BTreeMap::new();
    for (group_index, rule_index, group, rule) in rules(resource) {
        let (what, name) = match (rule.record.as_deref(), rule.alert.as_deref()) {
            (Some(name), _) if !name.is_empty() => ("record", name),
            (_, Some(name)) if !name.is_empty() => ("alert", name),
            _ => continue,
        };
        let labels = group.labels.iter().flatten().chain(rule.labels.iter().flatten());
        let labels = labels.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let at = At::doc(resource.doc).key("spec").key("groups").index(group_index).key("rules").index(rule_index);
        let (at, expr) = (at.key(what), rule.expr.to_string());
        match seen.entry((what, name, labels)) {
            Entry::Vacant(place) => drop(place.insert(Seen { at, expr, is_told: false })),
            Entry::Occupied(mut place) => {
                let first = place.get_mut();
                let is_same = first.expr.split_whitespace().eq(expr.split_whitespace());
                if is_same || !first.is_told {
                    sink.report(finding(what, name, at, (first, is_same)));
                }
                first.is_told |= !is_same;
            }
        }
    }
}

fn finding(what: &str, name: &str, at: At, (first, is_same): (&Seen, bool)) -> Diagnostic {
    let does = if what == "record" { "records the series" } else { "raises the alert" };
    let finding =
        |message: String| Diagnostic::new(&DUPLICATE_RULE, at, message).related(first.at.clone(), "the first is here");
    if is_same {
        finding(format!("a second rule {does} `{name}` by the same expression, with the same labels"))
            .help("remove one of them, or give it a label that tells it apart")
    } else {
        finding(format!("another rule {does} `{name}` with the same labels"))
            .level(Level::Info)
            .help("give it another name or label, unless the expressions never give the same series")
    }
}
