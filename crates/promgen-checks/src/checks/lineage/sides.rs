//! Operators between series that never belong together.

use crate::checks::lineage::within;
use promgen_model::lineage::server::{ApartLabel, LabelDifference, UnmatchedSides};
use promgen_model::model::lineage::ExpressionRule;
use promgen_text::diag::{Diagnostic, rules};

rules! {
    /// ## What it does
    /// Finds operators between two vectors whose sides never have a pair of series with the same labels: one side is grouped
    /// by a label that the other one lacks, or both have the label with other values. A label by which a side is grouped is taken
    /// to be there, but for `cluster` and the `externalLabels` of the server, which its own series may lack.
    ///
    /// ## Why is this bad?
    /// The result is empty: an alert with it never fires, and `unless` removes nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Errors, expr: 'sum by (path) (rate(errors_total[5m])) / sum(rate(requests_total[5m])) > 0.1'}
    /// ```
    /// Use instead: the same labels on both sides, or `on` with those that both have.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Errors, expr: 'sum by (path) (rate(errors_total[5m])) / on () group_left sum(rate(requests_total[5m])) > 0.1'}
    /// ```
    ///
    /// ## Source
    /// Prometheus: vector matching.
    SIDES_NEVER_MATCH = "PG627" "sides-never-match" Warning: "an operator whose sides have no series that belong together";
}

/// The finding about an operator.
pub(super) fn finding(rule: &ExpressionRule, unmatched: &UnmatchedSides) -> Diagnostic {
    let UnmatchedSides {
        span,
        operator,
        labels,
        is_proven,
    } = unmatched;
    let reasons: Vec<String> = labels
        .iter()
        .map(|label| reason(label, &rule.text))
        .collect();
    let effect = if *operator == "unless" {
        ", so it removes nothing"
    } else {
        ", so the result is empty"
    };
    let names: Vec<&str> = labels.iter().map(|label| label.name.as_str()).collect();
    let unless = match is_proven {
        true => String::new(),
        false => format!(", unless series lack `{}`", names.join("`, `")),
    };
    let message = format!(
        "{}: the sides of `{operator}` never match{effect}{unless}: {}",
        rule.what(),
        reasons.join(", ")
    );
    let is_value = labels
        .iter()
        .all(|label| matches!(label.differs, LabelDifference::Values(_)));
    let finding = Diagnostic::new(&SIDES_NEVER_MATCH, within(rule, span.clone()), message);
    match is_value {
        true => finding.help(format!("leave them out of the comparison: `{operator} ignoring ({})`", names.join(", "))),
        false => finding
            .help("group both sides by the same labels")
            .help("or match by the labels that both have: `on (LABEL)`, with `group_left` if the left side has several for each"),
    }
}

/// The way a label keeps the sides apart. Only values that the expression has are named: others may be from a Secret.
fn reason(label: &ApartLabel, expression: &str) -> String {
    let name = &label.name;
    match &label.differs {
        LabelDifference::OnlyLeft => format!("only the left side has `{name}`"),
        LabelDifference::OnlyRight => format!("only the right side has `{name}`"),
        LabelDifference::Values(Some((left, right)))
            if [left, right]
                .iter()
                .all(|text| expression.contains(&***text)) =>
        {
            format!("`{name}` is \"{left}\" on the left and \"{right}\" on the right")
        }
        LabelDifference::Values(_) => format!("`{name}` has other values on each side"),
    }
}
