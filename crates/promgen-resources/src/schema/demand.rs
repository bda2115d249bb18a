//! Rules over several fields.

use promgen_text::describe::{Demand, Validation};
use promgen_text::diag::{Diagnostic, rules};
use promgen_text::route::{At, DocId, Path};
use promgen_text::yaml::{Data, Node};

rules! {
    /// ## What it does
    /// Checks the rules of the CRDs over several fields, as the API server does.
    ///
    /// ## Why is this bad?
    /// The API server refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shardingStrategy:
    ///     topology:
    ///       values: [a]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology:
    ///       values: [a]
    /// ```
    VALIDATION_RULE = "PG014" "validation-rule" Error: "fields that violate a validation rule of the CRD";

    /// ## What it does
    /// Finds zones that no shard scrapes, because there are fewer shards than zones.
    ///
    /// ## Why is this bad?
    /// No shard scrapes the targets of such a zone. In the operator's dialect, the API server also refuses the resource
    /// (PG014). In that of the proposal, whose first assert this is, promgen still compiles the existing shards.
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
    ///     topology:
    ///       values: [a, b, c]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 3
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology:
    ///       values: [a, b, c]
    /// ```
    UNCOVERED_ZONE = "PG200" "uncovered-zone" Error: "a zone that no shard scrapes";
}

/// Checks one rule of an object. `None` if it holds, or if a required field has the wrong type.
pub(super) fn check(
    node: &Node,
    validation: &Validation,
    doc: DocId,
    path: &Path<'_>,
) -> Option<Diagnostic> {
    let holds = match validation.demand {
        Demand::ShardPerZone => StrategyZones::of(node)
            .is_none_or(|zones| zones.is_proposal || zones.uncovered.is_empty()),
        Demand::AbsentInDaemonSet(field) => !(is(node, "mode", "DaemonSet") && has(node, field)),
        Demand::OneShardInDaemonSet => !(is(node, "mode", "DaemonSet") && shards(node) > 1),
        Demand::AtMostOne(fields) => fields.iter().filter(|field| has(node, field)).count() <= 1,
        Demand::OneBelow(object, fields) => node
            .get(object)
            .is_some_and(|below| fields.iter().any(|field| has(below, field))),
        Demand::TopologyWithMode => !has(node, "topology") || is(node, "mode", "Topology"),
        Demand::ExternalIdWithRole => !has(node, "externalId") || has(node, "roleArn"),
        Demand::RollingUpdateWithType => {
            !has(node, "rollingUpdate") || is(node, "type", "RollingUpdate")
        }
    };
    let message = || format!("{}: Invalid value: {}", path.to_route(), validation.message);
    (!holds).then(|| Diagnostic::new(&VALIDATION_RULE, At::path(doc, path), message()))
}

fn has(node: &Node, field: &str) -> bool {
    node.get(field).is_some_and(|value| !value.is_null())
}

fn is(node: &Node, field: &str, text: &str) -> bool {
    node.get(field).and_then(Node::as_str) == Some(text)
}

/// `spec.shards`, of which the CRDs' default is 1.
fn shards(spec: &Node) -> i64 {
    match spec.get("shards").map(|shards| &shards.data) {
        Some(Data::Int(shards)) => *shards,
        _ => 1,
    }
}

/// The zones of a sharding strategy. Both dialects: the operator's `topology.values`, the proposal's `topology`.
struct StrategyZones<'n> {
    /// They are the proposal's, which the API server does not have.
    is_proposal: bool,
    /// The number of shards. Those of the proposal run, and the operator runs at least one.
    n_shards: i64,
    route: &'static [&'static str],
    n_zones: usize,
    uncovered: Vec<&'n str>,
}

impl<'n> StrategyZones<'n> {
    fn of(spec: &'n Node) -> Option<Self> {
        let strategy = spec.get("shardingStrategy")?;
        let (is_proposal, route) = match strategy.get("mode")?.as_str()? {
            "Topology" => (false, &["topology", "values"][..]),
            "topology" => (true, &["topology"][..]),
            _ => return None,
        };
        let zones = strategy.find(route)?.items();
        let n_shards = shards(spec).max(i64::from(is_proposal));
        let covered = usize::try_from(n_shards).unwrap_or(0).min(zones.len());
        let uncovered = zones[covered..].iter().filter_map(Node::as_str).collect();
        Some(Self {
            is_proposal,
            n_shards,
            route,
            n_zones: zones.len(),
            uncovered,
        })
    }
}

/// The zones that no shard scrapes, if any, whether the API server refuses them or not.
pub(super) fn uncovered_zone(spec: &Node, doc: DocId, path: &Path<'_>) -> Option<Diagnostic> {
    let StrategyZones {
        n_shards,
        route,
        n_zones,
        uncovered,
        ..
    } = StrategyZones::of(spec).filter(|zones| !zones.uncovered.is_empty())?;
    let at = At::path(doc, path);
    let list = route
        .iter()
        .fold(at.clone().key("shardingStrategy"), |at, key| at.key(*key));
    let (shards, zones) = (count(n_shards, "shard"), count(n_zones, "zone"));
    let message = uncovered_words(n_shards, n_zones, &uncovered);
    let diagnostic = if has(spec, "shards") {
        Diagnostic::new(&UNCOVERED_ZONE, at.key("shards"), message)
            .label(shards)
            .related(list, zones)
    } else {
        Diagnostic::new(&UNCOVERED_ZONE, list, message).label(zones)
    };
    Some(diagnostic.help(format!(
        "raise spec.shards to {n_zones} or a multiple of it, or remove zones"
    )))
}

/// `2 shards cannot cover 3 zones: no shard scrapes zone "c"`.
#[must_use]
pub fn uncovered_words(n_shards: i64, n_zones: usize, uncovered: &[&str]) -> String {
    let (shards, zones) = (count(n_shards, "shard"), count(n_zones, "zone"));
    format!("{shards} cannot cover {zones}: {}", unscraped(uncovered))
}

fn unscraped(zones: &[&str]) -> String {
    let names: Vec<String> = zones.iter().map(|zone| format!("\"{zone}\"")).collect();
    match &names[..] {
        [one] => format!("no shard scrapes zone {one}"),
        many => format!("no shard scrapes zones {}", many.join(", ")),
    }
}

fn count(n: impl TryInto<u64> + std::fmt::Display, what: &str) -> String {
    let text = n.to_string();
    let plural = if n.try_into().ok() == Some(1) {
        ""
    } else {
        "s"
    };
    format!("{text} {what}{plural}")
}
