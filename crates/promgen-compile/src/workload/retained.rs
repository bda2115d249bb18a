//! Retained StatefulSets of scaled-down shards.
//!
//! In: a server with a `shardRetentionPolicy`, the observed StatefulSets, the time of the run. Out: the retained ones,
//! unchanged, with the time at which the operator deletes them. Without a time, only those with a deadline are known.

use crate::cluster::Object as Observed;
use crate::context::WorkloadContext;
use crate::lower::prometheus::scrape::limits::float;
use crate::lower::workload::prometheus::names::{MODE_LABEL, NAME_LABEL, SHARD_LABEL};
use crate::output::{OutputObject, Part};
use crate::workload::Run;
use promgen_resources::api::kubernetes::StatefulSet;
use promgen_resources::api::servers::prometheus::{PrometheusSpec, WhenScaledRetentionType};
use promgen_resources::{document, gates};
use promgen_text::time::Timestamp;
use promgen_text::yaml::{Map, Value};

/// The deadline of a StatefulSet. Operator: the annotation of the same name.
const DEADLINE: &str = "operator.prometheus.io/deletion-deadline";
/// The deadline of one that is never deleted: Go's zero time.
const NEVER: &str = "0001-01-01T00:00:00Z";
/// The default retention of samples.
const DEFAULT_SECONDS: i64 = 24 * 3600;

/// The retained StatefulSets of removed shards, by shard.
pub(super) fn shards(run: &Run<'_>, cx: &WorkloadContext<'_>) -> Vec<OutputObject> {
    let Some(spec) = cx.server else {
        return Vec::new();
    };
    let policy = spec
        .shard_retention_policy
        .as_ref()
        .and_then(|policy| policy.when_scaled);
    if policy != Some(WhenScaledRetentionType::Retain)
        || !cx.target.enabled(&gates::SHARD_RETENTION)
    {
        return Vec::new();
    }
    let observed = run.cluster.observed_stateful_sets().map(|(_, set)| set);
    let in_namespace = observed.filter(|set| set.namespace() == cx.namespace);
    let at = run.options.at;
    let deadline = at.map(|at| deadline(spec, at));
    let mut kept: Vec<(u32, OutputObject)> = in_namespace
        .filter_map(|set| kept(run, cx, set, deadline.as_deref(), at))
        .collect();
    kept.sort_by_key(|(shard, _)| *shard);
    kept.dedup_by_key(|(shard, _)| *shard);
    kept.into_iter().map(|(_, object)| object).collect()
}

/// The deadline of StatefulSets that are retained from now on. Shards with a size-based retention are never deleted.
fn deadline(spec: &PrometheusSpec, at: Timestamp) -> String {
    let retain = spec
        .shard_retention_policy
        .as_ref()
        .and_then(|policy| policy.retain.as_ref());
    let period = retain
        .map(|retain| &retain.retention_period)
        .or(spec.retention.as_ref());
    let retention = period.filter(|period| !period.as_str().is_empty());
    let size = spec
        .retention_size
        .as_ref()
        .filter(|size| !size.as_str().is_empty());
    let share = spec
        .retention_percentage
        .as_ref()
        .is_some_and(|share| float(share) > 0.0);
    if retention.is_none() && (size.is_some() || share) {
        return NEVER.to_owned();
    }
    let length = retention.and_then(|retention| retention.length().ok());
    let seconds = length.map_or(DEFAULT_SECONDS, |d| {
        i64::try_from(d.millis / 1000).unwrap_or(i64::MAX)
    });
    at.after(seconds).to_string()
}

/// The StatefulSet, if it belongs to the workload, runs none of its shards, and its time has not come.
fn kept(
    run: &Run<'_>,
    cx: &WorkloadContext<'_>,
    set: &Observed<StatefulSet>,
    deadline: Option<&str>,
    at: Option<Timestamp>,
) -> Option<(u32, OutputObject)> {
    let metadata = &set.value.metadata;
    let label = |name: &str| {
        metadata
            .labels
            .as_ref()
            .and_then(|labels| labels.get(name))
            .map(|value| &**value)
    };
    let is_own = label(NAME_LABEL) == Some(cx.name) && label(MODE_LABEL) == Some("server");
    let shard: u32 = label(SHARD_LABEL)?.parse().ok()?;
    if !is_own || cx.sharding.plan.shards.iter().any(|s| s.index == shard) {
        return None;
    }
    let earlier = metadata
        .annotations
        .as_ref()
        .and_then(|annotations| annotations.get(DEADLINE));
    let earlier = earlier.map(|text| &**text);
    let is_over = |text: &str| {
        text != NEVER
            && at.is_some_and(|at| Timestamp::parse(text).is_some_and(|deadline| deadline < at))
    };
    if earlier.is_some_and(is_over) {
        return None;
    }
    let document = document::find(run.documents, set.doc)?;
    let value = annotated(document.node.to_value(), earlier.or(deadline)?)?;
    Some((
        shard,
        OutputObject {
            part: Part::Workloads,
            file: format!("statefulset-{shard}"),
            body: value.into(),
            payload: None,
        },
    ))
}

/// The observed object without the fields of the server, with its deadline.
fn annotated(object: Value, deadline: &str) -> Option<Value> {
    let Value::Map(mut object) = object else {
        return None;
    };
    object.remove("status");
    let Some(Value::Map(mut metadata)) = object.get("metadata").cloned() else {
        return None;
    };
    for key in [
        "creationTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "uid",
    ] {
        metadata.remove(key);
    }
    let mut annotations = metadata
        .get("annotations")
        .and_then(Value::as_map)
        .cloned()
        .unwrap_or_else(Map::new);
    annotations.set(DEADLINE, deadline.to_owned());
    metadata.set("annotations", annotations);
    object.set("metadata", metadata);
    Some(object.into())
}
