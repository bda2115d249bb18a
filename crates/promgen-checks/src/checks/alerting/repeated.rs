//! Rules that two PrometheusRules have.

use std::collections::BTreeMap;

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::{PrometheusRule, Resource as _};
use promgen_resources::http_config::filled;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::hashed_map::HashedMap;
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds PrometheusRules that repeat rules of another one, if the same Prometheus evaluates both: the same name, labels and
    /// expression.
    ///
    /// ## Why is this bad?
    /// Prometheus evaluates each of these rules twice. A copy is easily left behind: somebody corrects or silences the one, and
    /// the other one still fires. Of two rules that record one series, Prometheus keeps one value and logs a warning.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart, namespace: shop}
    /// spec: {groups: [{name: cart, rules: [{alert: CartDown, expr: 'up{job="cart"} == 0'}]}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart-copy, namespace: shop}
    /// spec: {groups: [{name: cart, rules: [{alert: CartDown, expr: 'up{job="cart"} == 0'}]}]}
    /// ```
    /// Use instead: one PrometheusRule.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart, namespace: shop}
    /// spec: {groups: [{name: cart, rules: [{alert: CartDown, expr: 'up{job="cart"} == 0'}]}]}
    /// ```
    REPEATED_RULES = "PG606" "repeated-rules" Warning: "rules that another PrometheusRule has as well";
}

/// The identity of a rule: sort, name, labels, expression without its layout.
type Same = (&'static str, String, BTreeMap<String, String>, String);

/// The identities of the rules of a resource, in their order.
struct RuleIdentities(Vec<Same>);

impl RuleIdentities {
    fn new(resource: &PrometheusRule) -> Self {
        Self(
            rules(DocId::default(), resource)
                .filter_map(|rule| same(&rule))
                .collect(),
        )
    }
}

/// Checks the PrometheusRules that a server evaluates.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let (cluster, label) = (
        server.model.cluster(),
        server.own.common.enforced_namespace_label.as_deref(),
    );
    // The operator tells rules of different namespaces apart.
    if filled(label).is_some() {
        return;
    }
    let accepted = server.workload.selected.accepted_of(PrometheusRule::KIND);
    let resources =
        accepted.filter_map(|resource| cluster.prometheus_rules.get(resource.key().as_str()));
    let resources: Vec<_> = resources
        .map(|resource| (resource, resource.value.derive(RuleIdentities::new)))
        .collect();
    let mut seen: HashedMap<&Same, &Object<PrometheusRule>> = HashedMap::default();
    for (resource, identities) in &resources {
        let mut repeated: BTreeMap<DocId, (&Object<PrometheusRule>, usize)> = BTreeMap::new();
        for same in &identities.0 {
            match seen.get(&same) {
                Some(first) if first.doc != resource.doc => {
                    repeated.entry(first.doc).or_insert((first, 0)).1 += 1;
                }
                Some(_) => {}
                None => drop(seen.insert(same, resource)),
            }
        }
        for (first, n_repeated) in repeated.into_values() {
            sink.report(finding(server, resource, first, n_repeated));
        }
    }
}

fn same(rule: &PlacedRule<'_>) -> Option<Same> {
    let (what, name) = rule.made()?;
    let labels = rule.labels();
    let labels = labels
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect_map();
    let expression: String = rule.rule.expr.to_string().split_whitespace().collect();
    Some((what, name.to_owned(), labels, expression))
}

fn finding(
    server: ScrapingServer<'_>,
    resource: &Object<PrometheusRule>,
    first: &Object<PrometheusRule>,
    n_repeated: usize,
) -> Diagnostic {
    let name = |of: &Object<PrometheusRule>| of.key();
    let at = |of: &Object<PrometheusRule>| At::name(of.doc);
    let message = format!(
        "{} of PrometheusRule {} {} in PrometheusRule {} as well: {} evaluates both",
        counted(n_repeated, "rule"),
        name(resource),
        if n_repeated == 1 { "is" } else { "are" },
        name(first),
        server.what(),
    );
    let found =
        Diagnostic::new(&REPEATED_RULES, at(resource), message).related(at(first), "the other one");
    found.help("keep one of the two")
}
