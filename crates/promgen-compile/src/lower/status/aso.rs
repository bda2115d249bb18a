//! The status of the Azure service operator (profile `aso`).
//!
//! One condition, `Ready`, with a severity and a reason that is never empty. Where the seed has the code of Azure's
//! error, this has the cluster's reason: that of a pod, or the operator's own.

use crate::lower::status::StatusFormat;
use crate::lower::status::condition::{TransitionTrigger, WrittenCondition};
use crate::lower::status::facts::{Facts, ObservedPod, Phase, Set};
use promgen_text::yaml::Map;

/// The severity of a condition that is not ready. Ready and unknown conditions have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// The user has to change the resource.
    Error,
    /// Something is wrong, and the operator keeps trying.
    Warning,
    /// It progresses as expected.
    Info,
}

impl Severity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::Warning => "Warning",
            Self::Info => "Info",
        }
    }
}

/// The status: one condition.
pub(super) fn status(facts: &Facts, format: &StatusFormat<'_>) -> Map {
    written(&ready(facts), format)
}

/// A status with that condition.
pub(super) fn written(ready: &WrittenCondition, format: &StatusFormat<'_>) -> Map {
    const KEYS: &[&str] = &[
        "type",
        "status",
        "severity",
        "lastTransitionTime",
        "reason",
        "message",
    ];
    let earlier = format.earlier.get("conditions");
    let condition = ready.print(KEYS, format, earlier, TransitionTrigger::OfAnything);
    Map::new().with("conditions", vec![condition])
}

/// The spec is applied completely.
pub(super) fn succeeded() -> WrittenCondition {
    WrittenCondition::new("Ready", "True").because("Succeeded")
}

/// It is not ready.
pub(super) fn unready(
    severity: Severity,
    reason: &str,
    message: impl Into<String>,
) -> WrittenCondition {
    let condition = WrittenCondition::new("Ready", "False")
        .because(reason)
        .saying(message);
    WrittenCondition {
        severity: Some(severity.as_str()),
        ..condition
    }
}

/// It is being deleted.
pub(super) fn deleting() -> WrittenCondition {
    unready(Severity::Info, "Deleting", "")
}

/// It waits for its owner.
pub(super) fn waiting(message: impl Into<String>) -> WrittenCondition {
    unready(Severity::Warning, "WaitingForOwner", message)
}

/// The reason while the operator itself works.
const RECONCILING: &str = "Reconciling";

fn ready(facts: &Facts) -> WrittenCondition {
    if facts.deleting {
        return deleting();
    }
    if let Some(owner) = &facts.missing_owner {
        return waiting(format!("the owner {owner} is not there"));
    }
    if let Some(error) = &facts.outcome.error {
        return unready(Severity::Error, "ReconciliationFailed", error.as_str());
    }
    let missed: Vec<_> = facts
        .runners()
        .iter()
        .filter(|set| ready_pods(set) < set.desired)
        .collect();
    if missed.is_empty() && facts.runners().iter().all(|set| set.pods().is_some()) {
        return succeeded();
    }
    let failed: Vec<&ObservedPod> = missed
        .iter()
        .filter_map(|set| set.pods())
        .flat_map(|pods| &pods.observed)
        .filter(|p| !p.is_ready)
        .collect();
    let message = message(facts, &failed);
    if let Some(lost) = failed.iter().find(|pod| pod.phase == Phase::Unknown) {
        let reason = lost
            .reason
            .as_deref()
            .filter(|reason| is_word(reason))
            .unwrap_or(RECONCILING);
        return WrittenCondition::new("Ready", "Unknown")
            .because(reason)
            .saying(message);
    }
    match failed.iter().find_map(|pod| trouble(pod)) {
        Some(reason) => unready(Severity::Warning, reason, message),
        None => unready(Severity::Info, RECONCILING, message),
    }
}

fn ready_pods(set: &Set) -> usize {
    set.pods().map_or(0, super::facts::Pods::available)
}

fn message(facts: &Facts, failed: &[&ObservedPod]) -> String {
    let desired: usize = facts.runners().iter().map(|set| set.desired).sum();
    let ready: usize = facts.runners().iter().map(ready_pods).sum();
    let mut message = format!("{ready} of {desired} pods are ready");
    for pod in failed {
        let phase = (pod.phase == Phase::Failed).then_some("its phase is Failed");
        let trouble = pod.message.as_deref().or(pod.reason.as_deref()).or(phase);
        message.push_str(
            &trouble
                .map(|trouble| format!("\n{}: {trouble}", pod.name))
                .unwrap_or_default(),
        );
    }
    message
}

/// The reason why a pod fails. A failed pod does not progress, whatever its conditions are.
fn trouble(pod: &ObservedPod) -> Option<&str> {
    let reason = pod.reason.as_deref().filter(|reason| is_trouble(reason));
    reason.or((pod.phase == Phase::Failed).then_some("PodFailed"))
}

/// Returns whether a pod's reason is an error, rather than normal progress of a starting pod.
fn is_trouble(reason: &str) -> bool {
    const ON_ITS_WAY: [&str; 6] = [
        "ContainerCreating",
        "PodInitializing",
        "ContainersNotReady",
        "ContainersNotInitialized",
        "PodCompleted",
        "SchedulingGated",
    ];
    is_word(reason) && !ON_ITS_WAY.contains(&reason)
}

/// Returns whether a reason is upper camel case, as the seed demands.
fn is_word(reason: &str) -> bool {
    reason.starts_with(|c: char| c.is_ascii_uppercase())
        && reason.bytes().all(|b| b.is_ascii_alphanumeric())
}
