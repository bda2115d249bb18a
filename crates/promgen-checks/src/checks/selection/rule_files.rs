//! Rules in ConfigMaps, which the operator does not read.

use promgen_compile::cluster::{Candidate, Object};
use promgen_compile::select::selector::WorkloadSelector;
use promgen_model::model::World;
use promgen_resources::api::{ConfigMap, Kind};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;

rules! {
    /// ## What it does
    /// Finds ConfigMaps with groups of rules, whose labels a `ruleSelector` matches.
    ///
    /// ## Why is this bad?
    /// The operator selects PrometheusRules alone, and says nothing of a ConfigMap: the rules are never evaluated. Operators
    /// before v0.18 read rules from ConfigMaps.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec:
    ///   ruleSelector: {matchLabels: {role: alert-rules}}
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: cart, namespace: monitoring, labels: {role: alert-rules}}
    /// data:
    ///   cart.yaml: |
    ///     groups:
    ///     - name: cart
    ///       rules:
    ///       - {alert: CartDown, expr: up == 0}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec:
    ///   ruleSelector: {matchLabels: {role: alert-rules}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart, namespace: monitoring, labels: {role: alert-rules}}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - {alert: CartDown, expr: up == 0}
    /// ```
    RULES_IN_CONFIG_MAP = "PG141" "rules-in-config-map" Warning: "rules in a ConfigMap that a ruleSelector matches";
}

/// Checks every ConfigMap with labels.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for map in model
        .cluster()
        .config_maps
        .values()
        .filter(|map| map.value.metadata.labels.is_some())
    {
        let Object {
            doc,
            observed,
            ref value,
        } = *map;
        let candidate = Candidate {
            kind: Kind::ConfigMap,
            doc,
            observed,
            metadata: &value.metadata,
        };
        let mut selectors = model.selectors_of(Kind::PrometheusRule);
        let names_labels = |selector: &&WorkloadSelector<'_>| {
            let labels = selector
                .labels
                .written
                .and_then(|written| written.match_labels.as_ref());
            labels.is_some_and(|labels| !labels.is_empty())
        };
        let selector =
            selectors.find(|of| names_labels(of) && of.selects(&candidate, model.cluster()));
        let (Some(selector), Some(key)) = (selector, key_with_rules(value)) else {
            continue;
        };
        let message = format!(
            "{} selects PrometheusRules alone: nobody evaluates the rules of ConfigMap {}/{}",
            selector.by,
            candidate.namespace(),
            value.metadata.name
        );
        let found = Diagnostic::new(
            &RULES_IN_CONFIG_MAP,
            At::doc(doc).key("data").key(key.to_owned()),
            message,
        );
        sink.report(found.help("make it a PrometheusRule with the groups below `spec`"));
    }
}

/// The first key that holds groups of rules.
fn key_with_rules(map: &ConfigMap) -> Option<&str> {
    let has_rules = |text: &str| {
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let mut groups = documents
            .iter()
            .flat_map(|document| document.root.items_of("groups"));
        groups.any(|group| group.get("rules").is_some())
    };
    let mut texts = map
        .data
        .iter()
        .flatten()
        .filter(|(_, text)| text.contains("groups:"));
    texts
        .find(|(_, text)| has_rules(text))
        .map(|(key, _)| key.as_str())
}
