//! The status that the operator writes (profile `operator`).
//!
//! Two conditions, figures, and for kinds with shards the figures of each. The operator's documentation, and the operator's code where the
//! seed is silent.

use std::collections::BTreeSet;

use crate::lower::status::condition::{TransitionTrigger, WrittenCondition, truth};
use crate::lower::status::facts::{Facts, Outcome, Pods, Set, State};
use crate::lower::status::{StatusFormat, number};
use promgen_resources::gates;
use promgen_text::yaml::Map;

/// The status. Fields that a kind does not have are left out.
pub(super) fn status(facts: &Facts, format: &StatusFormat<'_>) -> Map {
    // The operator writes nothing about what is being deleted, so the status stays as it is.
    let is_leaving = facts.deleting
        || (facts.shards.is_none() && facts.sets.iter().any(|set| set.state == State::Deleting));
    if is_leaving && !format.earlier.is_empty() {
        return format.earlier.clone();
    }
    let pods = || facts.sets.iter().filter_map(Set::pods);
    let total = |count: fn(&Pods) -> usize| number(pods().map(count).sum::<usize>());
    let mut status = Map::new();
    status.push("availableReplicas", total(|p| p.ready));
    status.push(
        "conditions",
        [available(facts), reconciled(facts)]
            .map(|c| print(&c, facts, format))
            .to_vec(),
    );
    status.push("paused", facts.paused);
    status.push("replicas", total(|p| p.replicas));
    status.push_some("selector", facts.selector.clone());
    if let Some(shards) = facts.shards {
        status.push(
            "shardStatuses",
            facts
                .sets
                .iter()
                .filter_map(shard_status)
                .collect::<Vec<_>>(),
        );
        status.push("shards", shards);
    }
    status.push("unavailableReplicas", total(Pods::unavailable));
    status.push("updatedReplicas", total(|p| p.updated));
    status
}

/// A shard's figures. A StatefulSet that is being deleted has none.
fn shard_status(set: &Set) -> Option<Map> {
    let none = Pods::default();
    let pods = match &set.state {
        State::Missing => &none,
        State::Deleting => return None,
        State::Present(pods) => pods,
    };
    Some(
        Map::new()
            .with("availableReplicas", number(pods.ready))
            .with("replicas", number(pods.replicas))
            .with("shardID", set.shard.to_string())
            .with("unavailableReplicas", number(pods.unavailable()))
            .with("updatedReplicas", number(pods.updated)),
    )
}

/// The status of a condition, from best to worst.
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

/// Reason and message are there even if they are empty.
fn print(condition: &WrittenCondition, facts: &Facts, format: &StatusFormat<'_>) -> Map {
    let mut map = Map::new();
    let earlier = format.earlier.get("conditions");
    map.push(
        "lastTransitionTime",
        condition.changed(format, earlier, TransitionTrigger::OfStatus),
    );
    map.with("message", condition.message.clone().unwrap_or_default())
        .with("observedGeneration", facts.generation)
        .with("reason", condition.reason.clone().unwrap_or_default())
        .with("status", condition.status)
        .with("type", condition.kind)
}

/// Returns whether all pods run: the worst of the shards, with the reasons of all of them, or the last one that does
/// not; with the messages of all.
fn available(facts: &Facts) -> WrittenCondition {
    let (mut status, mut reasons, mut messages) = (Status::True, BTreeSet::new(), Vec::new());
    let joins = facts.has(&gates::JOINED_CONDITIONS);
    for set in &facts.sets {
        let (shard, reason) = set_available(set);
        // Older releases let each shard that is not available overwrite what the earlier ones found.
        if !joins && shard != Status::True {
            status = Status::True;
            reasons = BTreeSet::new();
        }
        status = status.max(shard);
        reasons.extend(reason);
        messages.extend(set_messages(facts, set));
    }
    let reasons: Vec<_> = reasons.into_iter().collect();
    WrittenCondition::new("Available", status.as_str())
        .because(reasons.join("And"))
        .saying(messages.join("\n"))
}

/// Operator: `StatusAndReasonForAvailableCondition`.
fn set_available(set: &Set) -> (Status, Option<&'static str>) {
    match &set.state {
        State::Missing => (Status::False, Some("StatefulSetNotFound")),
        State::Present(pods) if pods.ready < set.desired => match pods.ready {
            0 => (Status::False, Some("NoPodReady")),
            _ => (Status::Degraded, Some("SomePodsNotReady")),
        },
        State::Deleting | State::Present(_) => (Status::True, None),
    }
}

/// The messages about a StatefulSet and its pods. Kinds without shards do not report a missing one.
fn set_messages(facts: &Facts, set: &Set) -> Vec<String> {
    let prefix = facts
        .shards
        .map(|_| format!("shard {}: ", set.shard))
        .unwrap_or_default();
    match &set.state {
        State::Missing => {
            let message = format!(
                "{prefix}statefulset {}/{} not found",
                facts.id.namespace, set.name
            );
            facts.shards.map(|_| message).into_iter().collect()
        }
        State::Deleting => Vec::new(),
        // Pods beyond the desired number do not count for kinds with shards.
        State::Present(_) if facts.shards.is_some() && set_available(set).0 == Status::True => {
            Vec::new()
        }
        State::Present(pods) => {
            let with_message = pods
                .observed
                .iter()
                .filter_map(|pod| Some((&pod.name, pod.message.as_ref()?)));
            with_message
                .map(|(name, message)| format!("{prefix}pod {name}: {message}"))
                .collect()
        }
    }
}

/// Returns whether the operator reconciled the custom resource.
fn reconciled(facts: &Facts) -> WrittenCondition {
    let (reason, message) = match &facts.outcome.error {
        Some(error) => ("ReconciliationFailed", error.clone()),
        None => remark(facts).unwrap_or_default(),
    };
    WrittenCondition::new("Reconciled", truth(facts.outcome.error.is_none()))
        .because(reason)
        .saying(message)
}

/// The operator's message about a server whose configuration it does not manage.
const UNMANAGED: &str = "the operator doesn't manage the Prometheus configuration secret because neither \
                         serviceMonitorSelector nor podMonitorSelector, nor probeSelector, nor scrapeConfigSelector is \
                         specified. Unmanaged Prometheus configuration is deprecated, use additionalScrapeConfigs or \
                         the ScrapeConfig Custom Resource Definition instead.";

/// The additions of newer releases. Recorded: v0.88 does not, v0.91 does.
const UNMANAGED_CAN_BE_DISABLED: &str = " Unmanaged Prometheus configuration can also be disabled from the operator's command-line (check './operator --help').";

/// The message about an unmanaged workload, in the words of older releases.
const UNMANAGED_BEFORE_0_85: &str = "the operator doesn't manage the Prometheus configuration secret because neither \
                                     serviceMonitorSelector nor podMonitorSelector, nor probeSelector is specified. \
                                     Unmanaged Prometheus configuration is deprecated, use additionalScrapeConfigs or \
                                     the ScrapeConfig instead.";

/// The reason and message for a workload that was reconciled. The last of several applies.
fn remark(facts: &Facts) -> Option<(&'static str, String)> {
    let says_more = facts.has(&gates::UNMANAGED_UNLESS_PAUSED);
    // Newer releases make no remark about a paused workload, which they do not reconcile.
    if facts.paused && says_more {
        return None;
    }
    let Outcome {
        nothing_selected,
        is_unmanaged,
        deprecations,
        ignored,
        ..
    } = &facts.outcome;
    let empty = nothing_selected.filter(|_| facts.has(&gates::NO_SELECTED_RESOURCES));
    let empty = empty.map(|kinds| {
        (
            "NoSelectedResources",
            format!("No {kinds} have been selected."),
        )
    });
    let is_unmanaged = *is_unmanaged && facts.has(&gates::CONFIGURATION_UNMANAGED);
    let message = if says_more {
        UNMANAGED
    } else {
        UNMANAGED_BEFORE_0_85
    };
    let is_newer = facts.has(&gates::NO_SELECTED_RESOURCES_FIRST);
    let more = if is_newer {
        UNMANAGED_CAN_BE_DISABLED
    } else {
        ""
    };
    let unmanaged = is_unmanaged.then(|| ("ConfigurationUnmanaged", format!("{message}{more}")));
    let found = if is_newer {
        empty.or(unmanaged)
    } else {
        unmanaged.or(empty)
    };
    let is_deprecated = !deprecations.is_empty() && facts.has(&gates::DEPRECATED_FIELDS_IN_USE);
    let deprecated = || is_deprecated.then(|| ("DeprecatedFieldsInUse", deprecations.join("; ")));
    let without_effect = || format!("The following fields were ignored: {}", ignored.join(", "));
    found
        .or_else(deprecated)
        .or_else(|| (!ignored.is_empty()).then(|| ("IgnoredFields", without_effect())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::status::facts::deprecated;
    use crate::output::{WorkloadId, WorkloadKind};
    use promgen_resources::api::meta::ObjectMeta;
    use promgen_text::version::Version;

    fn of_release(release: &str) -> Facts {
        let id = WorkloadId::new(WorkloadKind::Prometheus, "shop", "main");
        Facts {
            shards: Some(1),
            ..Facts::new(
                id,
                &ObjectMeta::default(),
                &Version::parse(release).unwrap(),
            )
        }
    }

    /// A shard of three pods, of which so many are ready. `None`: there is no StatefulSet.
    fn shard(ready: Option<usize>) -> Set {
        let present = |ready| {
            State::Present(Pods {
                replicas: 3,
                ready,
                ..Pods::default()
            })
        };
        Set {
            shard: 0,
            name: "s".to_owned(),
            desired: 3,
            state: ready.map_or(State::Missing, present),
        }
    }

    /// Recorded for v0.88.0 and v0.93.0: the cases 024, 075 and 109 of the family `status`. The gate is between these two.
    #[test]
    fn older_releases_report_the_last_shard_that_is_not_available() {
        let reason = |release: &str, shards: &[Option<usize>]| {
            let facts = Facts {
                sets: shards.iter().map(|ready| shard(*ready)).collect(),
                ..of_release(release)
            };
            let condition = available(&facts);
            format!(
                "{} {}",
                condition.status,
                condition.reason.unwrap_or_default()
            )
        };
        for (shards, before, since) in [
            (
                &[Some(1), Some(0)][..],
                "False NoPodReady",
                "False NoPodReadyAndSomePodsNotReady",
            ),
            (
                &[Some(0), Some(1)],
                "Degraded SomePodsNotReady",
                "False NoPodReadyAndSomePodsNotReady",
            ),
            (
                &[None, Some(0), Some(3)],
                "False NoPodReady",
                "False NoPodReadyAndStatefulSetNotFound",
            ),
            (&[Some(3), Some(3)], "True ", "True "),
        ] {
            assert_eq!(
                (&*reason("v0.89.0", shards), &*reason("v0.90.0", shards)),
                (before, since),
                "{shards:?}"
            );
        }
    }

    /// Recorded for v0.80.0, v0.84.0, v0.88.0 and v0.90.0. The releases between them follow the table of gates.
    #[test]
    fn remarks_came_with_releases() {
        let outcome = |is_unmanaged, is_empty: bool, is_deprecated: bool| Outcome {
            is_unmanaged,
            nothing_selected: is_empty.then_some("Probe"),
            deprecations: if is_deprecated {
                vec![deprecated("a", "b")]
            } else {
                Vec::new()
            },
            ..Outcome::default()
        };
        let unmanaged = |release| ("ConfigurationUnmanaged", release);
        let (older, newer) = (unmanaged(UNMANAGED_BEFORE_0_85), unmanaged(UNMANAGED));
        let with_more = format!("{UNMANAGED}{UNMANAGED_CAN_BE_DISABLED}");
        let empty = ("NoSelectedResources", "No Probe have been selected.");
        let old_field = (
            "DeprecatedFieldsInUse",
            "field \"a\" is deprecated, field \"b\" should be used instead",
        );
        for (release, paused, outcome, expected) in [
            ("v0.83.0", false, outcome(true, true, true), None),
            ("v0.84.0", false, outcome(true, true, true), Some(older)),
            ("v0.84.0", true, outcome(true, true, true), Some(older)),
            ("v0.85.0", false, outcome(true, true, true), Some(newer)),
            ("v0.85.0", true, outcome(true, true, true), None),
            ("v0.87.0", false, outcome(false, true, true), None),
            ("v0.88.0", false, outcome(true, true, true), Some(newer)),
            ("v0.88.0", false, outcome(false, true, true), Some(empty)),
            ("v0.88.0", false, outcome(false, false, true), None),
            ("v0.89.0", false, outcome(true, true, true), Some(empty)),
            (
                "v0.89.0",
                false,
                outcome(true, false, true),
                Some(unmanaged(&with_more)),
            ),
            (
                "v0.89.0",
                false,
                outcome(false, false, true),
                Some(old_field),
            ),
            ("v0.89.0", false, outcome(false, false, false), None),
        ] {
            let facts = Facts {
                paused,
                outcome,
                ..of_release(release)
            };
            let remark = remark(&facts);
            let remark = remark
                .as_ref()
                .map(|(reason, message)| (*reason, message.as_str()));
            assert_eq!(remark, expected, "{release}, {:?}", facts.outcome);
        }
    }
}
