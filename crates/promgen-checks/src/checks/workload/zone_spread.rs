//! PinnedReplicas that keep out of one zone, and have too few zones.

use std::collections::BTreeSet;

use promgen_compile::output::Workload;
use promgen_compile::sharding::ZONE_LABEL as ZONE;
use promgen_model::running::RunningWorkload;
use promgen_prometheus::labels::Selector;
use promgen_prometheus::labels::miss::Miss;
use promgen_resources::api::core::{Affinity, NodeSelectorTerm, PodAffinityTerm};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::yaml::{StringMap, Value};

rules! {
    /// ## What it does
    /// Finds workloads whose replicas may not share a zone, by their anti-affinity, and may run in fewer zones than they are: by
    /// their node selector, by their node affinity, or because a shard runs in its own zone.
    ///
    /// ## Why is this bad?
    /// The replicas that find no zone are never scheduled.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    ///   affinity:
    ///     podAntiAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///       - topologyKey: topology.kubernetes.io/zone
    ///         labelSelector: {matchLabels: {prometheus: k8s}}
    /// ```
    /// Use instead: one for each node.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    ///   affinity:
    ///     podAntiAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///       - topologyKey: kubernetes.io/hostname
    ///         labelSelector: {matchLabels: {prometheus: k8s}}
    /// ```
    ZONE_TOO_SMALL = "PG224" "replicas-apart-in-one-zone" Warning: "replicas that may not share the few zones in which they may run";
}

/// Reports an anti-affinity of a workload that keeps replicas out of the zones that they need.
pub(super) fn check(running: &RunningWorkload<'_>, compiled: &Workload, sink: &mut Sink) {
    let Some(affinity) = running.affinity() else {
        return;
    };
    let terms = affinity.pod_anti_affinity.as_ref();
    let terms = terms.and_then(|anti| {
        anti.required_during_scheduling_ignored_during_execution
            .as_ref()
    });
    let mut terms = terms
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, term)| term.topology_key == ZONE)
        .peekable();
    if terms.peek().is_none() {
        return;
    }
    let Some(set) = compiled
        .objects
        .iter()
        .find(|object| object.body.kind() == "StatefulSet")
    else {
        return;
    };
    let Some(pods) =
        PinnedReplicas::of(&set.value(), affinity).filter(|pods| pods.zones.len() < pods.n)
    else {
        return;
    };
    for (index, _) in terms.filter(|(_, term)| pods.are_apart(term)) {
        let at = running.at().key("affinity").key("podAntiAffinity");
        let at = at
            .key("requiredDuringSchedulingIgnoredDuringExecution")
            .index(index);
        let finding = Diagnostic::new(&ZONE_TOO_SMALL, at, pods.message(running, compiled));
        sink.report(finding.help("use `topologyKey: kubernetes.io/hostname`"));
    }
}

/// The replicas of a StatefulSet.
struct PinnedReplicas {
    /// Their number.
    n: usize,
    labels: StringMap,
    /// The zones in which they may run.
    zones: BTreeSet<String>,
}

impl PinnedReplicas {
    /// Reads a StatefulSet. `None` if its pods may run in any zone.
    fn of(set: &Value, affinity: &Affinity) -> Option<Self> {
        let spec = set.get("spec")?;
        let n = match spec.get("replicas") {
            Some(Value::Int(n)) => usize::try_from(*n).ok()?,
            _ => return None,
        };
        let template = spec.get("template")?;
        let labels = template.get("metadata")?.get("labels")?.as_map()?;
        let labels = labels
            .iter()
            .filter_map(|(key, value)| Some(((**key).into(), value.as_str()?.into())));
        let selected = template
            .get("spec")?
            .get("nodeSelector")
            .and_then(|selector| selector.get(ZONE)?.as_str());
        let selected = selected.map(|zone| BTreeSet::from([zone.to_owned()]));
        let zones = match (selected, zones_of_affinity(affinity)) {
            (Some(selected), Some(allowed)) => selected.intersection(&allowed).cloned().collect(),
            (selected, allowed) => selected.or(allowed)?,
        };
        Some(Self {
            n,
            labels: labels.collect(),
            zones,
        })
    }

    /// Returns whether a term keeps them out of the zones of one another.
    fn are_apart(&self, term: &PodAffinityTerm) -> bool {
        let is_own =
            term.namespaces.as_ref().is_none_or(Vec::is_empty) && term.namespace_selector.is_none();
        let selector = term
            .label_selector
            .as_ref()
            .and_then(|selector| Selector::new(selector).ok());
        is_own && selector.is_some_and(|selector| Miss::all(&selector, &self.labels).is_empty())
    }

    fn message(&self, running: &RunningWorkload<'_>, compiled: &Workload) -> String {
        let Self { n, zones, .. } = self;
        let what = running.what();
        if !compiled.plan.zones.is_empty() {
            return format!(
                "the anti-affinity of {what} keeps the {n} replicas of a shard out of one zone, and a shard has one: all but one stay pending"
            );
        }
        let zones: Vec<String> = zones.iter().map(|zone| format!("\"{zone}\"")).collect();
        let pending = n - zones.len();
        let stay = if pending == 1 { "stays" } else { "stay" };
        let place = if zones.is_empty() {
            "no zone".to_owned()
        } else {
            zones.join(" or ")
        };
        format!(
            "the anti-affinity of {what} keeps its {n} replicas out of one zone, and they may run in {place} alone: {pending} {stay} pending"
        )
    }
}

/// The zones that a required node affinity allows. `None` if it allows any.
fn zones_of_affinity(affinity: &Affinity) -> Option<BTreeSet<String>> {
    let required = affinity
        .node_affinity
        .as_ref()?
        .required_during_scheduling_ignored_during_execution
        .as_ref()?;
    let zones = required
        .node_selector_terms
        .iter()
        .map(zones_of_term)
        .collect::<Option<Vec<_>>>()?;
    Some(zones.into_iter().flatten().collect())
}

fn zones_of_term(term: &NodeSelectorTerm) -> Option<BTreeSet<String>> {
    let listed = term
        .match_expressions
        .iter()
        .flatten()
        .filter(|of| of.key == ZONE && of.operator == "In");
    let lists = listed.map(|of| of.values.iter().flatten().cloned().collect_set());
    lists.reduce(|all, list| all.intersection(&list).cloned().collect())
}
