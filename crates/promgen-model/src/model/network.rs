//! The pods of workloads as NetworkPolicies see them, and the ways between them.

use crate::model::World;
use promgen_compile::output::Workload;
use promgen_targets::network::{NetworkPods, NetworkWay, Policy, TargetPort};
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::PodSource;
use promgen_text::source::Span;

/// The way between the pods of two workloads, the best first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkloadWay {
    /// It is open for some of them.
    Open,
    /// What decides it is not in the input.
    Unknown(String),
    /// These policies are in the way, each with the place of its name.
    Blocked(Vec<(String, Option<Span>)>),
}

/// The pods of a workload, one for each sort of shard.
pub fn pods_of(workload: &Workload) -> Vec<PodSource> {
    let namespace = &workload.id.namespace;
    let sets = workload.sets();
    sets.filter_map(|object| PodSource::of_value(&object.value(), namespace))
        .collect()
}

impl<'a> World<'a> {
    /// Pods as policies see them.
    pub fn network<'p>(&self, pods: &'p PodSource) -> NetworkPods<'p>
    where
        'a: 'p,
    {
        let namespace = pods.namespace();
        let labels = self.cluster().namespace_labels(namespace);
        let written = labels.filter(|_| self.reach.others.namespaces.contains(namespace));
        NetworkPods {
            namespace,
            namespace_labels: written.or_else(|| self.access().live_labels(namespace)),
            labels: pods.labels(),
            spec: pods.spec(),
        }
    }

    /// The way between the pods of two workloads at a port: open if it is for some of them.
    pub fn way(&self, from: &Workload, to: &Workload, port: i64) -> WorkloadWay {
        let policies = &self.access().policies;
        if policies.is_empty() || self.access().has_partial_policies() {
            return WorkloadWay::Open;
        }
        let (from, to) = (pods_of(from), pods_of(to));
        let ways = from.iter().flat_map(|from| {
            let scraping = policies.scraping(self.network(from));
            let port = TargetPort { number: port };
            let way = |to| match policies.way(&scraping, &self.network(to), port) {
                NetworkWay::Open => WorkloadWay::Open,
                NetworkWay::Unknown(why) => WorkloadWay::Unknown(why),
                NetworkWay::Blocked(_, policies) => {
                    let name = |of: &Policy| {
                        let name = format!("NetworkPolicy {}/{}", of.namespace, of.name);
                        (name, of.span)
                    };
                    WorkloadWay::Blocked(policies.into_iter().map(name).collect())
                }
            };
            to.iter().map(way).collect::<Vec<_>>()
        });
        ways.min().unwrap_or(WorkloadWay::Open)
    }
}
