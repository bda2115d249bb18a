//! The status of ADR 27 of the Stackable data platform (profile `stackable`).
//!
//! Each condition follows the rows of the ADR's table, and has the row's example as its message, with the pods' names.
//! A case without a row is `Unknown`, and the message explains it. The table presupposes that the resource was
//! reconciled without errors; where it was not, it does not define the replicas.
//!
//! Two rows of `Progressing` overlap, where some pods failed and others did not: the one that names the pods applies.

use crate::lower::status::StatusFormat;
use crate::lower::status::condition::{TransitionTrigger, WrittenCondition, truth};
use crate::lower::status::facts::{Facts, ObservedPod, Phase, Pods};
use promgen_text::yaml::Map;

/// The desired and the observed replicas, of all sets together.
struct Replicas<'a> {
    desired: usize,
    available: usize,
    pods: Vec<&'a ObservedPod>,
}

impl<'a> Replicas<'a> {
    fn of(facts: &'a Facts) -> Self {
        // A stopped cluster runs no pods, except for observed ones.
        let is_stopped = commanded(facts, "Stopped");
        let available = |pods: &Pods| {
            if is_stopped && pods.reported.is_none() {
                0
            } else {
                pods.available()
            }
        };
        let sets = facts.runners();
        Self {
            desired: sets.iter().map(|set| set.desired).sum(),
            available: sets
                .iter()
                .filter_map(super::facts::Set::pods)
                .map(available)
                .sum(),
            pods: facts.pods().collect(),
        }
    }

    fn in_phases(&self, phases: &[Phase]) -> Vec<&'a ObservedPod> {
        self.pods
            .iter()
            .copied()
            .filter(|pod| phases.contains(&pod.phase))
            .collect()
    }
}

/// The status: conditions alone.
pub(super) fn status(facts: &Facts, format: &StatusFormat<'_>) -> Map {
    let mut conditions = match &facts.outcome.error {
        Some(error) => ["Available", "Progressing", "Degraded"].map(|kind| {
            open(kind, &format!("The cluster is not reconciled without errors, for which there is no rule: {error}"))
        }),
        None => {
            let replicas = Replicas::of(facts);
            [available(&replicas), progressing(&replicas), degraded(&replicas)]
        }
    }
    .to_vec();
    conditions.push(open(
        "Upgradable",
        "There is no rule that tells whether the cluster can be upgraded.",
    ));
    // The ADR defines the annotation only; a workload with `spec.paused` is not reconciled either.
    conditions.push(command(
        "Paused",
        commanded(facts, "Paused") || facts.paused,
        PAUSED,
    ));
    conditions.push(command("Stopped", commanded(facts, "Stopped"), STOPPED));
    Map::new().with(
        "conditions",
        conditions
            .iter()
            .map(|c| print(c, format))
            .collect::<Vec<_>>(),
    )
}

/// A condition, with its keys in the order of the seed's examples. It was probed when the run took place.
fn print(condition: &WrittenCondition, format: &StatusFormat<'_>) -> Map {
    const KEYS: &[&str] = &[
        "type",
        "status",
        "lastProbeTime",
        "lastTransitionTime",
        "message",
    ];
    let earlier = format.earlier.get("conditions");
    condition.print(KEYS, format, earlier, TransitionTrigger::OfStatus)
}

/// A case that the table leaves open.
fn open(kind: &'static str, message: &str) -> WrittenCondition {
    WrittenCondition::new(kind, "Unknown").saying(message)
}

/// `At least one Pod [Pod1,Pod2] has` …, less what it has.
fn some(pods: &[&ObservedPod]) -> String {
    let names: Vec<_> = pods.iter().map(|pod| pod.name.as_str()).collect();
    format!("At least one Pod [{}] has", names.join(","))
}

const ENOUGH: &str = "The cluster has the desired amount of replicas.";
const NOT_ENOUGH: &str = "The cluster does not have the desired amount of replicas.";

fn available(replicas: &Replicas<'_>) -> WrittenCondition {
    let unknown = replicas.in_phases(&[Phase::Unknown]);
    if replicas.available == replicas.desired {
        WrittenCondition::new("Available", "True").saying(ENOUGH)
    } else if unknown.is_empty() {
        WrittenCondition::new("Available", "False").saying(NOT_ENOUGH)
    } else {
        let some = some(&unknown);
        let message =
            format!("The cluster has not the desired amount of replicas. {some} phase Unknown.");
        WrittenCondition::new("Available", "Unknown").saying(message)
    }
}

fn progressing(replicas: &Replicas<'_>) -> WrittenCondition {
    let (failed, unknown) = (
        replicas.in_phases(&[Phase::Failed]),
        replicas.in_phases(&[Phase::Unknown]),
    );
    if replicas.available == replicas.desired {
        WrittenCondition::new("Progressing", "False").saying(ENOUGH)
    } else if !failed.is_empty() {
        WrittenCondition::new("Progressing", "False")
            .saying(format!("{NOT_ENOUGH} {} Phase Failed.", some(&failed)))
    } else if replicas.pods.is_empty() {
        open(
            "Progressing",
            &format!("{NOT_ENOUGH} There is no Pod, for which there is no rule."),
        )
    } else if unknown.is_empty() {
        WrittenCondition::new("Progressing", "True")
            .saying(format!("{NOT_ENOUGH} No Pod has phase Unknown."))
    } else {
        // The row requires only that no pod failed; its message would be wrong here.
        WrittenCondition::new("Progressing", "True")
            .saying(format!("{NOT_ENOUGH} No Pod has phase Failed."))
    }
}

fn degraded(replicas: &Replicas<'_>) -> WrittenCondition {
    let lost = replicas.in_phases(&[Phase::Unknown, Phase::Failed]);
    if replicas.available == replicas.desired {
        WrittenCondition::new("Degraded", "False").saying(ENOUGH)
    } else if replicas.available > replicas.desired {
        open(
            "Degraded",
            "The cluster has more than the desired amount of replicas, for which there is no rule.",
        )
    } else if lost.is_empty() {
        let less = "The cluster has less than the desired amount of replicas.";
        open(
            "Degraded",
            &format!("{less} No Pod has Phase [Unknown,Failed], for which there is no rule."),
        )
    } else {
        let phases = [Phase::Unknown, Phase::Failed]
            .into_iter()
            .filter(|phase| lost.iter().any(|p| p.phase == *phase));
        let phases: Vec<_> = phases.map(Phase::as_str).collect();
        let (some, phases) = (some(&lost), phases.join(","));
        let message = format!(
            "The cluster has less than the desired amount of replicas. {some} Phase [{phases}]."
        );
        WrittenCondition::new("Degraded", "True").saying(message)
    }
}

/// The messages of a condition: while the command holds, and while it does not.
type Said = [&'static str; 2];

const PAUSED: Said = [
    "The cluster is currently not reconciled by the operator.",
    "The cluster is currently reconciled by the operator.",
];
const STOPPED: Said = [
    "The cluster is currently stopped. All replicas are set to 0.",
    "The cluster is currently not stopped.",
];

/// A condition that the user decides.
fn command(kind: &'static str, holds: bool, [yes, no]: Said) -> WrittenCondition {
    WrittenCondition::new(kind, truth(holds)).saying(if holds { yes } else { no })
}

fn commanded(facts: &Facts, command: &str) -> bool {
    facts.command.as_deref() == Some(command)
}
