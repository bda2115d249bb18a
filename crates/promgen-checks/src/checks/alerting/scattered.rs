//! Rules that one shard cannot evaluate alone.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::rules;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_prometheus::promql::{self, Join, ScatteredPart};
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::{At, DocId, ValueRoute};

rules! {
    /// ## What it does
    /// Finds rules whose result needs all targets, evaluated by a Prometheus with several shards: `absent` and `count(up)`;
    /// and, once per resource, joins of metrics of different jobs, and at level info joins of metrics that usually come from
    /// different exporters, and aggregations over several targets.
    ///
    /// ## Why is this bad?
    /// Every shard evaluates every rule on its own targets only. `absent(up{job="cart"})` fires on each shard without such a
    /// target, although another shard scrapes it. A sum covers only part of the targets. A join has no result where one shard
    /// scrapes one side of it, and another shard the other.
    ///
    /// False positives: the rule is correct if one shard scrapes all targets of the expression.
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
    /// Use instead: a ThanosRuler, which queries all shards, or an expression about single targets.
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
    /// kube-prometheus issue 1744: alerts are wrong with several shards.
    SCATTERED_RULE = "PG602" "scattered-rule" Warning: "a rule that needs all targets, evaluated by each shard on its own";
}

const HELP: &str = "evaluate the rule in a ThanosRuler, which queries all shards, or group by `instance`; ignore this if one \
                    shard scrapes all targets of the expression";

/// An absence has no labels to group by.
const HELP_OF_ABSENCE: &str = "evaluate the rule in a ThanosRuler, which queries all shards; ignore this if one shard scrapes all \
                               targets of the expression";

/// An expression that combines the series of several targets.
struct Dispersion {
    /// The place of its expression, in no document yet.
    route: ValueRoute,
    join: Option<Join>,
    scattered: Option<ScatteredPart>,
}

/// The dispersions of the rules of a resource for which it matters.
struct Dispersions(Vec<Dispersion>);

impl Dispersions {
    fn new(resource: &PrometheusRule) -> Self {
        let found = rules(DocId::default(), resource).map(|rule| {
            let expr = rule.rule.expr.to_string();
            let join = promql::joins(&expr)
                .into_iter()
                .max_by_key(|join| join.is_certain);
            Dispersion {
                route: rule.at.key("expr").route,
                join,
                scattered: promql::scattered(&expr),
            }
        });
        Self(
            found
                .filter(|found| found.join.is_some() || found.scattered.is_some())
                .collect(),
        )
    }
}

pub(super) fn check(
    server: ScrapingServer<'_>,
    resource: &Object<PrometheusRule>,
    sink: &mut Sink,
) {
    let n_shards = server.workload.plan.shards.len();
    if n_shards < 2 {
        return;
    }
    let mut aggregations: Vec<(At, String)> = Vec::new();
    let mut joined: [Vec<(At, Join)>; 2] = Default::default();
    for Dispersion {
        route,
        join,
        scattered,
    } in &resource.value.derive(Dispersions::new).0
    {
        let at = At {
            doc: resource.doc,
            route: route.clone(),
        };
        if let Some(join) = join {
            joined[usize::from(join.is_certain)].push((at.clone(), join.clone()));
        }
        let Some(found) = scattered else { continue };
        let what = match found {
            ScatteredPart::Absent(function) => {
                format!(
                    "`{function}` returns a value on every shard that does not scrape the target"
                )
            }
            ScatteredPart::CountOfUp => {
                "`count(up)` counts the targets of one shard only".to_owned()
            }
            ScatteredPart::Aggregation(op) => {
                aggregations.push((at, op.clone()));
                continue;
            }
        };
        let message = format!("{what}, and {} has {n_shards} shards", server.what());
        let help = if matches!(found, ScatteredPart::Absent(_)) {
            HELP_OF_ABSENCE
        } else {
            HELP
        };
        sink.report(Diagnostic::new(&SCATTERED_RULE, at, message).help(help));
    }
    for (level, found) in [Level::Info, Level::Warning].into_iter().zip(joined) {
        let others = others(found.len());
        if let Some((at, Join { left, right, .. })) = found.into_iter().next() {
            let message = format!(
                "joins metrics of {left} with those of {right}, which different shards may scrape, and {} has {n_shards} shards{others}",
                server.what()
            );
            sink.report(
                Diagnostic::new(&SCATTERED_RULE, at, message)
                    .level(level)
                    .help(HELP),
            );
        }
    }
    // Aggregations are many, and most are intended: report one finding for all of them.
    let others = others(aggregations.len());
    if let Some((at, op)) = aggregations.into_iter().next() {
        let message = format!(
            "`{op}` aggregates the targets of one shard only, and {} has {n_shards} shards{others}",
            server.what()
        );
        sink.report(
            Diagnostic::new(&SCATTERED_RULE, at, message)
                .level(Level::Info)
                .help(HELP),
        );
    }
}

/// The words for other rules of the resource that do the same.
fn others(n: usize) -> String {
    match n {
        0 | 1 => String::new(),
        2 => "; so does another rule here".to_owned(),
        n => format!("; so do {} other rules here", n - 1),
    }
}
