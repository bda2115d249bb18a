//! What no longer runs: jobs, alerts and selected resources that the base has, and no workload of the head.
//!
//! A workload runs if it has pods. What another workload takes over is not lost; what one keeps although its manifest is
//! refused or paused is not either.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::{KeptState, KeptStates, Side};
use promgen_compile::output::{RuleFile, Workload, WorkloadId};
use promgen_prometheus::routing::Alert;
use promgen_resources::api::ObjectMeta;
use promgen_text::CollectOrdered;
use promgen_text::yaml::Value;

/// The losses of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// The number of jobs.
    pub jobs: usize,
    /// The number of resources that are there still, and that it no longer selects or accepts.
    pub resources: usize,
}

/// A resource that a workload accepts: kind, namespace, name.
type AcceptedResource<'a> = (&'a str, &'a str, &'a str);

/// The name and severity of an alert.
type AlertName = (String, Option<String>);

/// The jobs, resources and alerts of a workload that has pods.
#[derive(Default)]
struct RunningPods<'a> {
    jobs: BTreeSet<&'a str>,
    resources: BTreeSet<AcceptedResource<'a>>,
    alerts: BTreeSet<AlertName>,
}

/// Returns whether a workload has pods: `replicas: 0` is none.
pub(crate) fn runs(workload: &Workload) -> bool {
    let replicas = workload
        .resource
        .get("spec")
        .and_then(|spec| spec.get("replicas"));
    !matches!(replicas, Some(Value::Int(0) | Value::Uint(0)))
}

impl<'a> RunningPods<'a> {
    fn of(workload: &'a Workload) -> Self {
        if !runs(workload) {
            return Self::default();
        }
        let accepted = workload.selected.accepted();
        let contents = workload.rule_files.iter().flat_map(RuleFile::content);
        Self {
            jobs: workload
                .jobs()
                .iter()
                .map(|job| job.name.as_str())
                .collect_set(),
            resources: accepted
                .map(|(kind, of)| (kind, of.namespace.as_str(), of.name.as_str()))
                .collect(),
            alerts: contents
                .flat_map(|group| alerts_of_group(&group))
                .collect_set(),
        }
    }
}

fn alerts_of_group(group: &Value) -> Vec<AlertName> {
    let severity = |of: &Value| Some(of.get("labels")?.get("severity")?.as_str()?.to_owned());
    let of_group = severity(group);
    let rules = group.items_of("rules").iter();
    let name = |rule: &Value| {
        let name = rule.text_of("alert").filter(|name| !name.is_empty())?;
        Some((name.to_owned(), severity(rule).or_else(|| of_group.clone())))
    };
    rules.filter_map(name).collect()
}

/// The jobs, resources and alerts of the workloads of two sides.
pub(crate) struct Runs<'a> {
    base: BTreeMap<&'a WorkloadId, RunningPods<'a>>,
    head: BTreeMap<&'a WorkloadId, RunningPods<'a>>,
    /// The workloads of which the cluster keeps what the base makes of them.
    kept: BTreeSet<&'a WorkloadId>,
    /// The resources of the head.
    existing: BTreeSet<AcceptedResource<'a>>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(base: Side<'a>, head: Side<'a>, kept: &KeptStates) -> Self {
        let of = |side: Side<'a>| {
            side.output
                .workloads
                .iter()
                .map(|w| (&w.id, RunningPods::of(w)))
                .collect_map()
        };
        let is_kept = |id: &WorkloadId| {
            matches!(
                kept.get(id.to_string().as_str()),
                Some(KeptState::Paused | KeptState::Refused)
            )
        };
        let namespace = |of: &'a ObjectMeta| of.namespace.as_deref().unwrap_or_default();
        let candidates = head.model.cluster().candidates();
        Self {
            base: of(base),
            head: of(head),
            kept: base
                .output
                .workloads
                .iter()
                .map(|w| &w.id)
                .filter(|id| is_kept(id))
                .collect_set(),
            existing: candidates
                .map(|c| {
                    (
                        c.kind.as_str(),
                        namespace(c.metadata),
                        c.metadata.name.as_str(),
                    )
                })
                .collect(),
        }
    }

    /// The losses of a workload.
    pub(crate) fn losses(&self, id: &WorkloadId) -> Losses {
        let Some(before) = self.base.get(id).filter(|_| !self.kept.contains(id)) else {
            return Losses::default();
        };
        let none = RunningPods::default();
        let after = self.head.get(id).unwrap_or(&none);
        let is_lost_job = |job: &&&str| {
            !after.jobs.contains(**job)
                && !self.is_taken(id, |running| running.jobs.contains(**job))
        };
        let is_lost = |resource: &&AcceptedResource<'_>| {
            self.existing.contains(*resource)
                && !after.resources.contains(*resource)
                && !self.is_taken(id, |running| running.resources.contains(*resource))
        };
        Losses {
            jobs: before.jobs.iter().filter(is_lost_job).count(),
            resources: before.resources.iter().filter(is_lost).count(),
        }
    }

    /// Returns whether another workload has something in the head that it did not have in the base.
    fn is_taken(&self, id: &WorkloadId, has: impl Fn(&RunningPods<'a>) -> bool) -> bool {
        let mut others = self.head.iter().filter(|(other, _)| **other != id);
        others.any(|(other, running)| has(running) && !self.base.get(other).is_some_and(&has))
    }

    /// The number of alerts, by name and severity, that the head lacks: that are in no PrometheusRule of it any more, or
    /// that no workload evaluates any more.
    pub(crate) fn n_lost_alerts(&self, base: &[Alert], head: &[Alert]) -> usize {
        let kept = self
            .base
            .iter()
            .filter(|(id, _)| self.kept.contains(*id))
            .map(|(_, running)| running);
        let evaluated: BTreeSet<&AlertName> = self
            .head
            .values()
            .chain(kept)
            .flat_map(|running| &running.alerts)
            .collect_set();
        let before = self.base.values().flat_map(|running| &running.alerts);
        let still: BTreeSet<AlertName> = head.iter().filter_map(name_of).collect_set();
        let written = base.iter().filter_map(name_of);
        let gone = written.filter(|alert| !still.contains(alert));
        let all: BTreeSet<AlertName> = before.cloned().chain(gone).collect_set();
        all.iter()
            .filter(|alert| !evaluated.contains(alert))
            .count()
    }
}

fn name_of(alert: &Alert) -> Option<AlertName> {
    let of = |label: &str| alert.labels.get(label).cloned();
    Some((of("alertname")?, of("severity")))
}
