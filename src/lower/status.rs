//! The status that the operator writes on a server or an agent.
//!
//! In: what is known of each shard, and how the operator got on. Out: the `status` map. There is no clock here, so
//! conditions have no `lastTransitionTime`.

pub(crate) mod observed;

use std::collections::BTreeSet;

use crate::api::prometheus::PrometheusSpec;
use crate::context::Ctx;
use crate::lower::workload::{names, replicas};
use crate::yaml::{Map, Value};
use observed::{Pods, ShardState};

/// How the operator got on with a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome<'a> {
    /// The generation of the custom resource; 0 if it has none, as in a file.
    pub(crate) generation: i64,
    /// The error with which the operator stopped, in its words.
    pub(crate) error: Option<&'a str>,
    /// Whether there is nothing that the workload selects, not even something that is refused.
    pub(crate) nothing_selected: bool,
}

/// The status. `shards` has the state of each shard, by index.
pub(crate) fn status(cx: &Ctx<'_>, shards: &[ShardState], outcome: Outcome<'_>) -> Value {
    let pods = || shards.iter().filter_map(ShardState::pods);
    let total = |count: fn(&Pods) -> usize| pods().map(count).sum::<usize>();
    let mut status = Map::new();
    status.push("availableReplicas", number(total(|p| p.ready)));
    status.push("conditions", vec![available(cx, shards, outcome), reconciled(cx, outcome)]);
    status.push("paused", cx.common.paused == Some(true));
    status.push("replicas", number(total(|p| p.replicas)));
    status.push("selector", selector(cx));
    status.push("shardStatuses", shards.iter().enumerate().filter_map(shard_status).collect::<Vec<_>>());
    status.push("shards", cx.common.shards);
    status.push("unavailableReplicas", number(total(Pods::unavailable)));
    status.push("updatedReplicas", number(total(|p| p.updated)));
    status.into()
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The labels of the workload's pods, for autoscalers.
fn selector(cx: &Ctx<'_>) -> String {
    let labels = names::selector_labels(cx);
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// A shard's figures. A StatefulSet on its way out has none.
fn shard_status((index, state): (usize, &ShardState)) -> Option<Map> {
    let none = Pods::default();
    let pods = match state {
        ShardState::Missing => &none,
        ShardState::Deleting => return None,
        ShardState::Present(pods) => pods,
    };
    Some(
        Map::new()
            .with("availableReplicas", number(pods.ready))
            .with("replicas", number(pods.replicas))
            .with("shardID", index.to_string())
            .with("unavailableReplicas", number(pods.unavailable()))
            .with("updatedReplicas", number(pods.updated)),
    )
}

/// What a condition says, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    True,
    Degraded,
    False,
}

impl Status {
    const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::Degraded => "Degraded",
            Self::False => "False",
        }
    }
}

fn condition(kind: &'static str, status: Status, reason: String, message: String, outcome: Outcome<'_>) -> Map {
    Map::new()
        .with("message", message)
        .with("observedGeneration", outcome.generation)
        .with("reason", reason)
        .with("status", status.as_str())
        .with("type", kind)
}

/// Whether all pods run: the worst of the shards, with the reasons and messages of all of them.
fn available(cx: &Ctx<'_>, shards: &[ShardState], outcome: Outcome<'_>) -> Map {
    let (mut status, mut reasons, mut messages) = (Status::True, BTreeSet::new(), Vec::new());
    for (index, state) in shards.iter().enumerate() {
        let (shard, reason) = shard_available(cx, state);
        status = status.max(shard);
        reasons.extend(reason);
        messages.extend(shard_messages(cx, index, state));
    }
    let reasons: Vec<_> = reasons.into_iter().collect();
    condition("Available", status, reasons.join("And"), messages.join("\n"), outcome)
}

/// Operator: `StatusAndReasonForAvailableCondition`.
fn shard_available(cx: &Ctx<'_>, state: &ShardState) -> (Status, Option<&'static str>) {
    let expected = usize::try_from(replicas(cx)).unwrap_or_default();
    match state {
        ShardState::Missing => (Status::False, Some("StatefulSetNotFound")),
        ShardState::Present(pods) if pods.ready < expected => match pods.ready {
            0 => (Status::False, Some("NoPodReady")),
            _ => (Status::Degraded, Some("SomePodsNotReady")),
        },
        ShardState::Deleting | ShardState::Present(_) => (Status::True, None),
    }
}

fn shard_messages(cx: &Ctx<'_>, index: usize, state: &ShardState) -> Vec<String> {
    match state {
        ShardState::Missing => {
            let name = names::stateful_set(cx, u32::try_from(index).unwrap_or(u32::MAX));
            vec![format!("shard {index}: statefulset {}/{name} not found", cx.namespace)]
        }
        ShardState::Deleting => Vec::new(),
        // Pods beyond those wanted may fail as they like.
        ShardState::Present(_) if shard_available(cx, state).0 == Status::True => Vec::new(),
        ShardState::Present(pods) => {
            pods.messages.iter().map(|(pod, message)| format!("shard {index}: pod {pod}: {message}")).collect()
        }
    }
}

/// Whether the operator could do what the custom resource asks for.
fn reconciled(cx: &Ctx<'_>, outcome: Outcome<'_>) -> Map {
    let (status, reason, message) = match outcome.error {
        Some(error) => (Status::False, "ReconciliationFailed", error.to_owned()),
        None => {
            let (reason, message) = remark(cx, outcome).unwrap_or_default();
            (Status::True, reason, message)
        }
    };
    condition("Reconciled", status, reason.to_owned(), message, outcome)
}

/// What the operator has to say of a workload that it could deal with. Of several remarks the last one stays.
fn remark(cx: &Ctx<'_>, outcome: Outcome<'_>) -> Option<(&'static str, String)> {
    if cx.common.paused == Some(true) {
        return None;
    }
    if outcome.nothing_selected {
        let kinds = match cx.server {
            Some(_) => "ServiceMonitor, PodMonitor, Probe, ScrapeConfig, and PrometheusRule",
            None => "ServiceMonitor, PodMonitor, Probe, and ScrapeConfig",
        };
        return Some(("NoSelectedResources", format!("No {kinds} have been selected.")));
    }
    let deprecations = cx.server.map(deprecations).unwrap_or_default();
    (!deprecations.is_empty()).then(|| ("DeprecatedFieldsInUse", deprecations.join("; ")))
}

/// Operator: `recordDeprecatedFields`.
fn deprecations(spec: &PrometheusSpec) -> Vec<String> {
    let thanos = spec.thanos.as_ref();
    let fields = [
        ("spec.baseImage", &spec.base_image, "spec.image"),
        ("spec.tag", &spec.tag, "spec.image"),
        ("spec.sha", &spec.sha, "spec.image"),
        ("spec.thanos.baseImage", thanos.map_or(&None, |t| &t.base_image), "spec.thanos.image"),
        ("spec.thanos.tag", thanos.map_or(&None, |t| &t.tag), "spec.thanos.image"),
        ("spec.thanos.sha", thanos.map_or(&None, |t| &t.sha), "spec.thanos.image"),
    ];
    let used = fields.into_iter().filter(|(_, value, _)| value.as_ref().is_some_and(|v| !v.is_empty()));
    used.map(|(field, _, instead)| {
        format!("field \"{field}\" is deprecated, field \"{instead}\" should be used instead")
    })
    .collect()
}
