//! Duplicate rules.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use promgen_compile::cluster::Object;
use promgen_model::lineage::server::ResultLabels;
use promgen_model::rule_groups::rules;
use promgen_resources::api::PrometheusRule;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds rules of one PrometheusRule that record the same series, or raise the same alert: the same name, labels and
    /// expression. If only the expressions differ, the level is info, and promgen reports each name once.
    ///
    /// ## Why is this bad?
    /// If two rules write one series at the same time, Prometheus keeps one value and logs a warning. Alertmanager treats
    /// two alerts with the same labels as one, which fires and resolves whenever either rule does.
    ///
    /// Expressions whose series differ in a label are of different alerts: `up{job="a"} == 0` and `up{job="b"} == 0`.
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
    DUPLICATE_RULE = "PG601" "duplicate-rule" Warning: "two rules for the same series or alert";
}

/// The most rules of one name and labels of which the series are compared.
const MAX_APART: usize = 32;

/// The first rule of a series or an alert.
struct FirstRule {
    at: At,
    expr: String,
    /// The labels of its series, once another rule comes. `None` if it does not parse.
    series: OnceCell<Option<ResultLabels>>,
}

/// The rules of one name and labels that are told apart, and whether one with another expression has been reported.
type SameRules = (Vec<FirstRule>, bool);

impl FirstRule {
    /// Returns whether no series of one has the labels of one of the other, but for those that both set.
    fn is_apart(&self, other: &Self, set: &[String]) -> bool {
        self.expr != other.expr
            && self
                .series()
                .zip(other.series())
                .is_some_and(|(own, other)| own.are_apart(other, set))
    }

    fn series(&self) -> Option<&ResultLabels> {
        let read = || ResultLabels::of(&self.expr);
        self.series.get_or_init(read).as_ref()
    }
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
    let mut seen: BTreeMap<(&str, &str, BTreeMap<&str, &str>), SameRules> = BTreeMap::new();
    for rule in rules(DocId::default(), resource) {
        let Some((what, name)) = rule.made() else {
            continue;
        };
        let labels = rule.labels();
        let labels: BTreeMap<&str, &str> = labels
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect_map();

        let (at, expr) = (rule.at.key(what), rule.rule.expr.to_string());
        let set: Vec<String> = labels.keys().map(|name| (*name).to_owned()).collect();
        let (all, is_reported) = seen.entry((what, name, labels)).or_default();
        let own = FirstRule {
            at,
            expr,
            series: OnceCell::new(),
        };
        let Some(first) = all.iter_mut().find(|first| !first.is_apart(&own, &set)) else {
            if all.len() < MAX_APART {
                all.push(own);
            }
            continue;
        };
        let FirstRule { at, expr, .. } = own;
        let is_same = first.expr.split_whitespace().eq(expr.split_whitespace());
        if is_same || !*is_reported {
            sink.report(finding(what, name, at, first, is_same));
        }
        *is_reported |= !is_same;
    }
}

fn finding(what: &str, name: &str, at: At, first: &FirstRule, is_same: bool) -> Diagnostic {
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
