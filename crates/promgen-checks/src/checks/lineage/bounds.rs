//! Rules that ask for bounds of buckets in a form that Prometheus 3 does not store.

use promgen_model::lineage::bounds::{asks_for_whole, is_three};
use promgen_model::lineage::job::ScrapedJob;
use promgen_model::lineage::matcher::{SeriesMatcher, SeriesSelector};
use promgen_model::model::World;
use promgen_model::model::lineage::{ExpressionRule, RuleServer};
use promgen_prometheus::promql::{ExprKind, Tree, VectorSelector};
use promgen_text::diag::{Diagnostic, Sink, rules};

use super::within;

rules! {
    /// ## What it does
    /// Finds rules that ask for a bucket or a quantile by a whole number, `le="1"`, and that are evaluated by Prometheus 3 alone.
    /// Series that a rule records, that a federation brings, or whose bounds a relabeling sets are left out, and those that the other
    /// side of an `or` asks for by the float.
    ///
    /// ## Why is this bad?
    /// Prometheus 3 stores the bound as a float, `1.0`, whatever the target sends: the selector finds nothing, and the alert
    /// never fires.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {version: v3.5.0, scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Slow, expr: 'rate(sale_seconds_bucket{le="1"}[5m]) < 1'}
    /// ```
    /// Use instead: the float; `le=~"1|1.0"` where Prometheus 2 reads the rule, too.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {version: v3.5.0, scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Slow, expr: 'rate(sale_seconds_bucket{le="1.0"}[5m]) < 1'}
    /// ```
    ///
    /// ## Source
    /// Prometheus: migration guide to 3.0, normalization of `le` and `quantile`.
    WHOLE_BOUND = "PG638" "whole-bound" Warning: "a bucket that is asked for by a whole number";
}

/// Checks all rules.
pub(super) fn check(world: &World<'_>, sink: &mut Sink) {
    let lineage = world.lineage();
    for (number, rule) in lineage.rules.iter().enumerate() {
        let Some(tree) = &rule.tree else {
            continue;
        };
        let mut selectors = tree.nodes().iter().filter_map(|node| match &node.kind {
            ExprKind::Selector(selector) => Some((node, selector)),
            _ => None,
        });
        let found = selectors.find_map(|(node, selector)| {
            let mut evaluators = lineage.evaluators(number).peekable();
            evaluators.peek()?;
            let (selector, matcher) = whole(tree, selector)?;
            evaluators
                .all(|server| normalizes(world, server, &selector))
                .then(|| finding(rule, node.span.clone(), &matcher))
        });
        sink.extend(found);
    }
}

/// A selector of a bucket or quantile that asks for whole numbers alone, with the condition that does.
fn whole(tree: &Tree, written: &VectorSelector) -> Option<(SeriesSelector, SeriesMatcher)> {
    let (matcher, asks_for_no_other) = asks_for_whole(tree, written)?;
    let selector = SeriesSelector::of(written, None);
    let is_scraped = |name: &String| {
        !name.contains(':') && (matcher.label == "quantile" || name.ends_with("_bucket"))
    };
    let is_scraped = selector.names.as_ref()?.iter().all(is_scraped);
    (asks_for_no_other && is_scraped).then_some((selector, matcher))
}

/// Returns whether a server makes floats of all bounds that a selector can ask for.
fn normalizes(world: &World<'_>, server: &RuleServer, selector: &SeriesSelector) -> bool {
    let is_other = |job: &ScrapedJob| job.federates || job.may_set("le") || job.may_set("quantile");
    let is_recorded = |name: &String| !server.server.records(name).is_empty();
    let names = selector.names.iter().flatten();
    let compiled = world.workload(&server.id);
    compiled.is_some_and(|of| is_three(of) && !of.is_stand_in)
        && server.server.open.is_none()
        && !server.server.jobs.is_empty()
        && !server.server.jobs.iter().any(is_other)
        && !names.into_iter().any(is_recorded)
}

fn finding(
    rule: &ExpressionRule,
    span: std::ops::Range<usize>,
    matcher: &SeriesMatcher,
) -> Diagnostic {
    let message = format!(
        "{}: nothing has `{}`, as Prometheus 3 stores `{}` as a float, `1.0` for `1`",
        rule.what(),
        matcher.text(),
        matcher.label
    );
    let finding = Diagnostic::new(&WHOLE_BOUND, within(rule, span), message);
    finding.help("write the number with `.0`; for Prometheus 2, too: `=~\"1|1.0\"`")
}
