//! Duplicate rules.

use std::collections::BTreeMap;

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::rules;
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Level, Sink, rule};
use promgen_text::route::{At, DocId};

rule! {
    /// ## What it does
    /// Finds rules of one PrometheusRule that record the same series, or raise the same alert: the same name, labels and
    /// expression. If only the expressions differ, the level is info, and promgen reports each name once.
    ///
    /// ## Why is this bad?
    /// If two rules write one series at the same time, Prometheus keeps one value and logs a warning. Alertmanager treats
    /// two alerts with the same labels as one, which fires and resolves whenever either rule does.
    ///
    /// False positives: different expressions may never return the same series.
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
    /// Use instead: different names or labels.
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
    /// `promtool check rules` reports rules with the same name and labels as duplicates.
    pub(in crate::checks) static DUPLICATE_RULE = "PG601" "duplicate-rule" {
        summary: "two rules for the same series or alert", level: Warning,
    }
}

/// The first rule of a series or an alert.
struct FirstRule {
    at: At,
    expr: String,
    /// A rule with another expression has already been reported.
    is_reported: bool,
}

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    sink.append_about(resource.doc, &resource.value.derive(Duplicates::of).0);
}

/// The duplicates in a resource, whose document has the number 0 there.
struct Duplicates(Sink);

impl Duplicates {
    fn of(resource: &PrometheusRule) -> Self {
        let mut found = Sink::default();
        report(resource, &mut found);
        Self(found)
    }
}

fn report(resource: &PrometheusRule, sink: &mut Sink) {
    let mut seen: BTreeMap<(&str, &str, BTreeMap<&str, &str>), FirstRule> = BTreeMap::new();
    for rule in rules(DocId::default(), resource) {
        let Some((what, name)) = rule.made() else {
            continue;
        };
        let labels = rule.labels();
        let labels = labels
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();

        let (at, expr) = (rule.at.key(what), rule.rule.expr.to_string());
        let key = (what, name, labels);
        let Some(first) = seen.get_mut(&key) else {
            seen.insert(
                key,
                FirstRule {
                    at,
                    expr,
                    is_reported: false,
                },
            );
            continue;
        };
        let is_same = first.expr.split_whitespace().eq(expr.split_whitespace());
        if is_same || !first.is_reported {
            sink.report(finding(what, name, at, (first, is_same)));
        }
        first.is_reported |= !is_same;
    }
}

fn finding(what: &str, name: &str, at: At, (first, is_same): (&FirstRule, bool)) -> Diagnostic {
    let does = if what == "record" {
        "records the series"
    } else {
        "raises the alert"
    };
    let finding = |message: String| {
        Diagnostic::new(&DUPLICATE_RULE, at, message)
            .related(first.at.clone(), "first defined here")
    };
    if is_same {
        finding(format!(
            "a second rule {does} `{name}` with the same expression and the same labels"
        ))
        .help("remove one of the rules, or add a label that differs")
    } else {
        finding(format!("another rule {does} `{name}` with the same labels"))
            .level(Level::Info)
            .help("use another name or label, unless the expressions never return the same series")
    }
}
