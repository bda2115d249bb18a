//! The status of the operator's first proposal (profile `proposal`).
//!
//! Three conditions for workloads; the seed defines the last two by examples only: `Available` holds while every shard
//! has a ready pod, `Degraded` while a pod that should be ready is not. A condition is `Unknown` where it depends on
//! pods of unreachable nodes.

use crate::lower::status::condition::{TransitionTrigger, WrittenCondition, truth};
use crate::lower::status::facts::{Facts, Phase, Pods, Set, State};
use crate::lower::status::{StatusFormat, number};
use promgen_text::yaml::{Map, Value};

/// The status. Only kinds with shards report them.
pub(super) fn status(facts: &Facts, format: &StatusFormat<'_>) -> Map {
    let total = |count: fn(&Pods) -> usize| {
        number(
            facts
                .runners()
                .iter()
                .filter_map(Set::pods)
                .map(count)
                .sum::<usize>(),
        )
    };
    let conditions = [available(facts), degraded(facts), reconciled(facts)];
    let earlier = format.earlier.get("conditions");
    let mut status = Map::new()
        .with("paused", facts.paused)
        .with("replicas", total(|p| p.replicas))
        .with("updatedReplicas", total(|p| p.updated))
        .with("availableReplicas", total(|p| p.ready))
        .with("unavailableReplicas", total(Pods::unavailable))
        .with(
            "conditions",
            conditions.map(|c| print(&c, format, earlier)).to_vec(),
        );
    if facts.shards.is_some() {
        status.push(
            "shardStatuses",
            facts.runners().iter().map(shard_status).collect::<Vec<_>>(),
        );
    }
    status
}

/// A condition, with its keys in the order of the seed's examples.
pub(super) fn print(
    condition: &WrittenCondition,
    format: &StatusFormat<'_>,
    earlier: Option<&Value>,
) -> Map {
    const KEYS: &[&str] = &["type", "status", "reason", "message", "lastTransitionTime"];
    condition.print(KEYS, format, earlier, TransitionTrigger::OfStatus)
}

fn shard_status(set: &Set) -> Map {
    let none = Pods::default();
    let pods = set.pods().unwrap_or(&none);
    Map::new()
        .with("shardID", set.shard.to_string())
        .with("replicas", number(pods.replicas))
        .with("updatedReplicas", number(pods.updated))
        .with("availableReplicas", number(pods.ready))
        .with("unavailableReplicas", number(pods.unavailable()))
}

/// The conjunction of statuses: false, true, or unknown.
fn worst(all: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let all: Vec<_> = all.into_iter().collect();
    if all.contains(&Some(false)) {
        Some(false)
    } else {
        all.into_iter().all(|one| one == Some(true)).then_some(true)
    }
}

const fn status_of(holds: Option<bool>) -> &'static str {
    match holds {
        Some(holds) => truth(holds),
        None => "Unknown",
    }
}

const PODS_NOT_READY: &str = "PodsNotReady";

/// Returns whether enough pods are ready to provide the service.
fn available(facts: &Facts) -> WrittenCondition {
    let serves = |set: &Set| match &set.state {
        State::Missing | State::Deleting => Some(set.desired == 0),
        State::Present(pods) if pods.ready > 0 || set.desired == 0 => Some(true),
        State::Present(pods) => (!has_unknown(pods)).then_some(false),
    };
    let condition = WrittenCondition::new(
        "Available",
        status_of(worst(facts.runners().iter().map(serves))),
    );
    if condition.status == "True" {
        return condition;
    }
    let lost = facts
        .runners()
        .iter()
        .filter(|set| serves(set) != Some(true));
    let names: Vec<_> = lost.map(|set| set.name.as_str()).collect();
    condition
        .because(PODS_NOT_READY)
        .saying(format!("No pod is ready of {}.", names.join(", ")))
}

/// Returns whether some pods do not run as expected.
fn degraded(facts: &Facts) -> WrittenCondition {
    let runs = |set: &Set| match &set.state {
        State::Missing | State::Deleting => Some(set.desired == 0),
        State::Present(pods) if pods.ready >= set.desired => Some(true),
        State::Present(pods) => {
            let unknown = pods
                .observed
                .iter()
                .filter(|pod| pod.phase == Phase::Unknown)
                .count();
            (pods.ready + unknown < set.desired).then_some(false)
        }
    };
    let runs_all = worst(facts.runners().iter().map(runs));
    let condition = WrittenCondition::new("Degraded", status_of(runs_all.map(|runs| !runs)));
    if runs_all == Some(true) {
        return condition;
    }
    let missed = facts.runners().iter().filter(|set| runs(set) != Some(true));
    let lines: Vec<_> = missed
        .flat_map(troubles)
        .map(|line| format!("\n{line}"))
        .collect();
    condition
        .because(PODS_NOT_READY)
        .saying(format!("Some pods are not ready:{}", lines.concat()))
}

/// The messages about the pods of a set, one line each, and one about the missing pods.
fn troubles(set: &Set) -> Vec<String> {
    let none = Pods::default();
    let pods = set.pods().unwrap_or(&none);
    let trouble = |pod: &super::facts::ObservedPod| {
        let reason = pod.message.clone().or_else(|| pod.reason.clone());
        format!(
            "{}: {}",
            pod.name,
            reason.unwrap_or_else(|| format!(
                "the pod is not ready, its phase is {}",
                pod.phase.as_str()
            ))
        )
    };
    let mut lines: Vec<_> = pods
        .observed
        .iter()
        .filter(|pod| !pod.is_ready)
        .map(trouble)
        .collect();
    let missing = set.desired.saturating_sub(pods.replicas);
    if missing > 0 {
        lines.push(format!(
            "{}: {missing} of {} pods not found",
            set.name, set.desired
        ));
    }
    lines
}

fn has_unknown(pods: &Pods) -> bool {
    pods.observed.iter().any(|pod| pod.phase == Phase::Unknown)
}

/// Returns whether the operator reconciled the workload with its spec; `Unknown` while it is paused.
fn reconciled(facts: &Facts) -> WrittenCondition {
    match &facts.outcome.error {
        Some(error) => WrittenCondition::new("Reconciled", "False")
            .because("ReconciliationFailed")
            .saying(error.as_str()),
        None if facts.paused => WrittenCondition::new("Reconciled", "Unknown")
            .because("Paused")
            .saying("The resource is paused."),
        None => WrittenCondition::new("Reconciled", "True"),
    }
}
