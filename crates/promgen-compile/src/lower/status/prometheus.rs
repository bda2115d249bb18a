//! The facts about a server or an agent.

use crate::cluster::{Cluster, Key};
use crate::context::Ctx;
use crate::lower::status::facts::{Facts, Outcome, Set, deprecated};
use crate::lower::workload::prometheus::{names, replicas};
use crate::options::Assume;
use crate::output::{WorkloadId, WorkloadKind};
use promgen_resources::api::meta::ObjectMeta;
use promgen_resources::api::servers::prometheus::PrometheusSpec;

/// The facts about the workload and its pods. `is_empty`: it selects nothing. `error`: the error with which the
/// operator stopped.
pub fn facts(
    cx: &Ctx<'_>,
    metadata: &ObjectMeta,
    cluster: &Cluster,
    assume: Assume,
    is_empty: bool,
    error: Option<&str>,
) -> Facts {
    let kind = if cx.server.is_some() {
        WorkloadKind::Prometheus
    } else {
        WorkloadKind::PrometheusAgent
    };
    let id = WorkloadId {
        kind,
        namespace: cx.namespace.to_owned(),
        name: cx.name.to_owned(),
    };
    let desired = usize::try_from(replicas(cx)).unwrap_or_default();
    // Operator: looks up a StatefulSet even where there is none by design.
    let assume_sets = if cx.daemon_set {
        Assume::Missing
    } else {
        assume
    };
    let set = |shard: u32| {
        let key = Key::new(cx.namespace, &names::stateful_set(cx, shard));
        Set::stateful(cluster, assume_sets, &key, shard, desired)
    };
    Facts {
        paused: cx.common.paused == Some(true),
        shards: Some(cx.common.shards),
        selector: Some(selector(cx)),
        sets: cx
            .sharding
            .plan
            .shards
            .iter()
            .map(|shard| set(shard.index))
            .collect(),
        daemon_set: cx.daemon_set.then(|| {
            Set::daemon(
                cluster,
                assume,
                &Key::new(cx.namespace, &names::prefixed(cx)),
            )
        }),
        outcome: outcome(cx, is_empty, error),
        ..Facts::new(id, metadata, &cx.versions.operator)
    }
}

fn outcome(cx: &Ctx<'_>, is_empty: bool, error: Option<&str>) -> Outcome {
    let kinds = match cx.server {
        Some(_) => "ServiceMonitor, PodMonitor, Probe, ScrapeConfig, and PrometheusRule",
        None => "ServiceMonitor, PodMonitor, Probe, and ScrapeConfig",
    };
    Outcome {
        error: error.map(str::to_owned),
        is_unmanaged: cx.is_unmanaged(),
        nothing_selected: is_empty.then_some(kinds),
        deprecations: cx.server.map(deprecations).unwrap_or_default(),
        ..Outcome::default()
    }
}

/// The labels of the workload's pods, for autoscalers.
fn selector(cx: &Ctx<'_>) -> String {
    let labels = names::selector_labels(cx);
    labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect::<Vec<_>>()
        .join(",")
}

/// Operator: `recordDeprecatedFields`.
fn deprecations(spec: &PrometheusSpec) -> Vec<String> {
    let thanos = spec.thanos.as_ref();
    let fields = [
        ("spec.baseImage", &spec.base_image, "spec.image"),
        ("spec.tag", &spec.tag, "spec.image"),
        ("spec.sha", &spec.sha, "spec.image"),
        (
            "spec.thanos.baseImage",
            thanos.map_or(&None, |t| &t.base_image),
            "spec.thanos.image",
        ),
        (
            "spec.thanos.tag",
            thanos.map_or(&None, |t| &t.tag),
            "spec.thanos.image",
        ),
        (
            "spec.thanos.sha",
            thanos.map_or(&None, |t| &t.sha),
            "spec.thanos.image",
        ),
    ];
    let used = fields
        .into_iter()
        .filter(|(_, value, _)| value.as_ref().is_some_and(|v| !v.is_empty()));
    used.map(|(field, _, instead)| deprecated(field, instead))
        .collect()
}
