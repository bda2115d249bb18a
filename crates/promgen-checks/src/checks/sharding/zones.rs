//! Checks on the list of zones.

use promgen_model::words::quoted;
use std::collections::BTreeSet;

use promgen_compile::sharding;
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::servers::sharding::{ShardingMode, ShardingStrategy};
use promgen_resources::gates;
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::go::regex::{ErrorKind, GoRegex};
use promgen_text::route::At;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds zones whose name contains characters with a special meaning in the regular expression that it becomes part of.
    ///
    /// ## Why is this bad?
    /// If the expression does not compile, Prometheus refuses its configuration. The expression may not match its own zone.
    /// Or it matches other zones, whose targets are then scraped twice. A dot is an info unless another zone matches.
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
    ///     topology: {values: [zone.a, zone-a]}
    /// ```
    /// Use instead: names that consist of letters, digits and dashes.
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
    ZONE_PATTERN = "PG208" "zone-pattern" Warning: "a zone whose name is a regular expression";

    /// ## What it does
    /// Finds sharding by topology that has no effect, because no zones are listed or the operator's feature gate for it is
    /// off.
    ///
    /// ## Why is this bad?
    /// Targets are distributed by address, not by zone, and nothing reports it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology}
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
    NO_ZONES = "PG210" "topology-without-zones" Warning: "sharding by topology that has no effect";

    /// ## What it does
    /// Finds zones without a node, if the input has nodes with zones.
    ///
    /// ## Why is this bad?
    /// The shards of such a zone cannot be scheduled, and there is nothing for them to scrape.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-b]}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata:
    ///   name: node-1
    ///   labels: {topology.kubernetes.io/zone: zone-a}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a]}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata:
    ///   name: node-1
    ///   labels: {topology.kubernetes.io/zone: zone-a}
    /// ```
    UNKNOWN_ZONE = "PG212" "unknown-zone" Warning: "a zone without nodes";

    /// ## What it does
    /// Finds zones of nodes that are not listed, if the input has nodes with zones.
    ///
    /// ## Why is this bad?
    /// No shard scrapes the targets in that zone.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a]}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: node-1, labels: {topology.kubernetes.io/zone: zone-a}}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: node-2, labels: {topology.kubernetes.io/zone: zone-b}}
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
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: node-1, labels: {topology.kubernetes.io/zone: zone-a}}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: node-2, labels: {topology.kubernetes.io/zone: zone-b}}
    /// ```
    UNSERVED_ZONE = "PG213" "unserved-zone" Warning: "a zone with nodes that no shard scrapes";
}

/// Checks the zones of a workload.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let Some(strategy) = &server.own.common.sharding_strategy else {
        return;
    };
    let plan = &server.workload.plan;
    if plan.zones.is_empty() {
        without_zones(server, strategy, sink);
        return;
    }
    let values = sharding::zones_at(server.own.common, server.own.doc);
    let mut listed: BTreeSet<&str> = BTreeSet::new();
    for (index, zone) in plan.zones.iter().enumerate() {
        let at = values.clone().index(index);
        if !listed.insert(zone) {
            continue;
        }
        let others = plan.zones.iter().filter(|other| *other != zone);
        sink.extend(pattern(zone, strategy, others, &at));
        sink.extend(unknown(server.model, zone, &at));
    }
    for (zone, span) in &server.model.reach.others.zones {
        if !listed.contains(zone.as_str()) {
            let message = format!(
                "no shard of {} scrapes zone \"{zone}\", which has nodes",
                server.what()
            );
            let diagnostic = Diagnostic::new(&UNSERVED_ZONE, values.clone(), message);
            sink.report(
                diagnostic
                    .related(*span, "a node of that zone")
                    .help(format!("add \"{zone}\" to the zones")),
            );
        }
    }
}

/// Sharding by topology that is configured, but has no effect.
fn without_zones(server: ScrapingServer<'_>, strategy: &ShardingStrategy, sink: &mut Sink) {
    let at = server.spec().key("shardingStrategy").key("mode");
    // Schema checks refuse the proposal's dialect without zones.
    let ShardingStrategy::Operator(operator) = strategy else {
        return;
    };
    let values = operator
        .topology
        .as_ref()
        .and_then(|topology| topology.values.as_ref());
    let n_listed = values.map_or(0, Vec::len);
    if operator.mode != Some(ShardingMode::Topology) {
        return;
    }
    let (why, help) = match n_listed {
        0 => (
            "no zones are listed".to_owned(),
            "list the zones under `topology.values`".to_owned(),
        ),
        _ => {
            let gate = gates::TOPOLOGY_SHARDING.name;
            let is_on = server
                .model
                .options()
                .target
                .enabled(&gates::TOPOLOGY_SHARDING);
            let state = if is_on { "on" } else { "off" };
            (
                format!("the feature gate {gate} is {state}"),
                format!("enable it: `--feature-gates {gate}=true`"),
            )
        }
    };
    let message = format!("{} does not shard by topology: {why}", server.what());
    sink.report(
        Diagnostic::new(&NO_ZONES, at, message)
            .label("has no effect")
            .help(help),
    );
}

/// The finding about a zone as a regular expression. The pattern is that of the generated rules, of which those of the
/// proposal quote the zone.
fn pattern<'z>(
    zone: &str,
    strategy: &ShardingStrategy,
    mut others: impl Iterator<Item = &'z String>,
    at: &At,
) -> Option<Diagnostic> {
    if !zone.is_empty()
        && zone
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    {
        return None;
    }
    let finding = |message: String| Diagnostic::new(&ZONE_PATTERN, at.clone(), message);
    if zone.is_empty() {
        return Some(finding(
            "the zone is empty: its shards scrape targets without a zone, and no node has that label".to_owned(),
        ));
    }
    if matches!(strategy, ShardingStrategy::Proposal(_)) {
        return None;
    }
    let regex = match GoRegex::anchored(&format!("{zone};|.+;.+")) {
        Ok(regex) => regex,
        Err(error) if error.kind == ErrorKind::BeyondLimit => return None,
        Err(error) => {
            let message = format!(
                "zone \"{zone}\" is not a valid regular expression, so Prometheus refuses the configuration"
            );
            return Some(finding(message).help(error.to_string()).level(Level::Error));
        }
    };
    let matches = |zone: &str| regex.is_match(&format!("{zone};"));
    if !matches(zone) {
        let message = format!("zone \"{zone}\" does not match itself as a regular expression");
        return Some(
            finding(message)
                .label("its shards scrape nothing")
                .level(Level::Error),
        );
    }
    if let Some(other) = others.find(|other| matches(other)) {
        let message = format!("zone \"{zone}\" also matches \"{other}\" as a regular expression");
        return Some(
            finding(message)
                .label(format!("its shards also scrape the targets of \"{other}\""))
                .level(Level::Error),
        );
    }
    let message = format!("zone \"{zone}\" matches other names as a regular expression");
    Some(finding(message).level(Level::Info))
}

/// A zone without nodes.
fn unknown(model: &World<'_>, zone: &str, at: &At) -> Option<Diagnostic> {
    let zones = &model.reach.others.zones;
    if zones.is_empty() || zones.contains_key(zone) {
        return None;
    }
    let message = format!("no node in the input is in zone \"{zone}\"");
    let mut diagnostic = Diagnostic::new(&UNKNOWN_ZONE, at.clone(), message);
    let names: Vec<&String> = zones.keys().take(8).collect();
    diagnostic = diagnostic.label(format!("the nodes are in {}", quoted(&names)));
    match suggest::closest(zone, zones.keys().map(String::as_str)) {
        Some(meant) => Some(
            diagnostic
                .help(format!("did you mean \"{meant}\"?"))
                .fix(Fix::value(at.clone(), meant)),
        ),
        None => Some(diagnostic.help("ignore this if nodes are missing from the input")),
    }
}
