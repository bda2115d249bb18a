//! Numbers of shards that are none, and places where no pod of a shard can run.

use promgen_compile::sharding::ZONE_LABEL as ZONE;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_model::words::quoted;
use promgen_resources::api::core::{Affinity, NodeSelectorRequirement, NodeSelectorTerm};
use promgen_resources::api::servers::sharding::ShardingStrategy;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds `shards: 0`, and numbers of shards below zero.
    ///
    /// ## Why is this bad?
    /// The operator runs one shard. Whoever wants to stop all pods sets `replicas: 0`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 0
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 1
    /// ```
    NO_SHARDS = "PG220" "no-shards" Warning: "a number of shards below one";

    /// ## What it does
    /// Finds a required node affinity without a term: `nodeSelectorTerms: []`.
    ///
    /// ## Why is this bad?
    /// The API server accepts the custom resource, and refuses the StatefulSet that the operator makes of it. The pods stay as
    /// they are, and new ones are not created.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   affinity:
    ///     nodeAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///         nodeSelectorTerms: []
    /// ```
    /// Use instead: a term, or no affinity.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   affinity:
    ///     nodeAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///         nodeSelectorTerms:
    ///         - matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]
    /// ```
    ///
    /// ## Source
    /// Kubernetes: core/v1.NodeSelector, "at least one node selector term".
    NO_NODE_TERM = "PG221" "no-node-selector-term" Error: "a required node affinity without a term";

    /// ## What it does
    /// Finds a node selector, or a required node affinity, that contradicts the zones of topology sharding.
    ///
    /// ## Why is this bad?
    /// A shard runs in its own zone. The operator overwrites a node selector for the label of the zone, without a word. An
    /// affinity that excludes the zone of a shard leaves its pods pending: nobody scrapes the targets of the shard.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a, zone-b]}
    ///   nodeSelector: {topology.kubernetes.io/zone: zone-c}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a, zone-b]}
    /// ```
    EXCLUDED_ZONE = "PG222" "excluded-zone" Warning: "a node selector or affinity that excludes the zone of a shard";
}

/// Checks the number of shards of a workload, and where they may run.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let shards = server.own.common.shards;
    if shards < 1 {
        let message = format!(
            "`shards: {shards}` of {} is no number of shards: the operator runs 1",
            server.what()
        );
        let diagnostic = Diagnostic::new(&NO_SHARDS, server.spec().key("shards"), message);
        sink.report(diagnostic.help("use `shards: 1`, or `replicas: 0` to stop all pods"));
    }
    if let Some(affinity) = &server.own.common.affinity {
        self::affinity(server, affinity, sink);
    }
    node_selector(server, sink);
}

fn affinity(server: ScrapingServer<'_>, affinity: &Affinity, sink: &mut Sink) {
    let required = affinity.node_affinity.as_ref();
    let required = required.and_then(|node| {
        node.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    let Some(required) = required else { return };
    let at = server.spec().key("affinity").key("nodeAffinity");
    let at = at
        .key("requiredDuringSchedulingIgnoredDuringExecution")
        .key("nodeSelectorTerms");
    let terms = &required.node_selector_terms;
    if terms.is_empty() {
        let message = format!(
            "the API server refuses the StatefulSets of {}: no term selects nodes",
            server.what()
        );
        sink.report(
            Diagnostic::new(&NO_NODE_TERM, at, message).help("add a term, or remove the affinity"),
        );
        return;
    }
    let zones = server.workload.plan.zones.iter();
    let excluded: Vec<&String> = zones
        .filter(|zone| terms.iter().all(|term| excludes(term, zone)))
        .collect();
    if !excluded.is_empty() {
        let message = format!(
            "the affinity of {} excludes {}: the pods of their shards stay pending",
            server.what(),
            quoted(&excluded)
        );
        sink.report(
            Diagnostic::new(&EXCLUDED_ZONE, at, message)
                .level(Level::Error)
                .help(REMOVE),
        );
    }
}

/// The remedy for the contradiction.
const REMOVE: &str = "remove the requirement: each shard runs in its own zone anyway";

/// Returns whether no node of a zone fits a term.
fn excludes(term: &NodeSelectorTerm, zone: &str) -> bool {
    let expressions = term.match_expressions.iter().flatten();
    expressions
        .into_iter()
        .filter(|expression| expression.key == ZONE)
        .any(|expression| misses(expression, zone))
}

fn misses(expression: &NodeSelectorRequirement, zone: &str) -> bool {
    let is_listed = expression
        .values
        .iter()
        .flatten()
        .any(|value| value == zone);
    match expression.operator.as_str() {
        "In" => !is_listed,
        "NotIn" => is_listed,
        "DoesNotExist" => true,
        _ => false,
    }
}

fn node_selector(server: ScrapingServer<'_>, sink: &mut Sink) {
    let zones = &server.workload.plan.zones;
    let selected = server
        .own
        .common
        .node_selector
        .as_ref()
        .and_then(|selector| selector.get(ZONE));
    let Some(selected) = selected.filter(|_| !zones.is_empty()) else {
        return;
    };
    let excluded: Vec<&String> = zones.iter().filter(|zone| *zone != selected).collect();
    if excluded.is_empty() {
        return;
    }
    let at: At = server.spec().key("nodeSelector").key(ZONE);
    let what = server.what();
    let found = match server.own.common.sharding_strategy {
        Some(ShardingStrategy::Proposal(_)) => {
            let message = format!(
                "the node selector of {what} excludes {}: the pods of their shards stay pending",
                quoted(&excluded)
            );
            Diagnostic::new(&EXCLUDED_ZONE, at, message).level(Level::Error)
        }
        _ => {
            let message = format!(
                "the operator overwrites this node selector of {what}: the shards run in {}",
                quoted(zones)
            );
            Diagnostic::new(&EXCLUDED_ZONE, at, message)
        }
    };
    sink.report(found.help(REMOVE));
}
