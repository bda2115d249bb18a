//! The facts about a server or an agent.

use crate::cluster::{Cluster, Key};
use crate::context::WorkloadContext;
use crate::lower::status::facts::{Facts, Outcome, Set, deprecated_images};
use crate::lower::workload::names::selector_text;
use crate::lower::workload::prometheus::{names, replicas};
use crate::options::Assume;
use crate::output::WorkloadId;
use promgen_resources::api::meta::ObjectMeta;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::schema;

/// The facts about the workload and its pods. `is_empty`: it selects nothing. `error`: the error with which the
/// operator stopped.
pub fn facts(
    cx: &WorkloadContext<'_>,
    id: &WorkloadId,
    metadata: &ObjectMeta,
    cluster: &Cluster,
    assume: Assume,
    is_empty: bool,
    error: Option<&str>,
) -> Facts {
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
        selector: Some(selector_text(&names::selector_labels(cx))),
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
        ..Facts::new(id.clone(), metadata, &cx.versions.operator)
    }
}

fn outcome(cx: &WorkloadContext<'_>, is_empty: bool, error: Option<&str>) -> Outcome {
    let kinds = match cx.server {
        Some(_) => "ServiceMonitor, PodMonitor, Probe, ScrapeConfig, and PrometheusRule",
        None => "ServiceMonitor, PodMonitor, Probe, and ScrapeConfig",
    };
    let plan = &cx.sharding.plan;
    let uncovered = plan.uncovered();
    // The API server refuses the operator's dialect with fewer shards than zones.
    let uncovered = (!uncovered.is_empty()).then(|| {
        let n_shards = i64::try_from(plan.shards.len()).unwrap_or(i64::MAX);
        schema::uncovered_words(n_shards, plan.zones.len(), &uncovered)
    });
    Outcome {
        error: error.map(str::to_owned).or(uncovered),
        is_unmanaged: cx.is_unmanaged(),
        nothing_selected: is_empty.then_some(kinds),
        deprecations: cx.server.map(deprecations).unwrap_or_default(),
        ..Outcome::default()
    }
}

/// Operator: `recordDeprecatedFields`.
fn deprecations(spec: &PrometheusSpec) -> Vec<String> {
    let mut used = deprecated_images("spec", [&spec.base_image, &spec.tag, &spec.sha]);
    if let Some(thanos) = &spec.thanos {
        let images = [&thanos.base_image, &thanos.tag, &thanos.sha];
        used.extend(deprecated_images("spec.thanos", images));
    }
    used
}
