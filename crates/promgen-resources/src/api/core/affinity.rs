//! Which nodes a pod may, should or must not run on, and how evenly pods spread over them.

use promgen_derive::api;

use crate::api::meta::LabelSelector;

/// Where a pod may, should or must not run.
#[api(of = "core/v1.Affinity")]
pub struct Affinity {
    /// By labels of nodes.
    pub node_affinity: Option<NodeAffinity>,
    /// Near which pods.
    pub pod_affinity: Option<PodAffinity>,
    /// Away from which pods.
    pub pod_anti_affinity: Option<PodAntiAffinity>,
}

/// Nodes that a pod prefers or requires.
#[api(of = "core/v1.NodeAffinity")]
pub struct NodeAffinity {
    /// Preferences; the node with the highest sum of weights wins.
    #[api(omit_empty)]
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<PreferredSchedulingTerm>>,
    /// The required properties of a node.
    pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
}

/// Nodes that match any of several terms.
#[api(of = "core/v1.NodeSelector")]
pub struct NodeSelector {
    /// The terms, one of which must match; an empty list matches nothing.
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// Nodes that match all of several requirements.
#[api(of = "core/v1.NodeSelectorTerm", omit_empty)]
pub struct NodeSelectorTerm {
    /// Requirements on labels.
    pub match_expressions: Option<Vec<NodeSelectorRequirement>>,
    /// Requirements on fields, such as `metadata.name`.
    pub match_fields: Option<Vec<NodeSelectorRequirement>>,
}

/// A requirement on one label or field of a node.
#[api(of = "core/v1.NodeSelectorRequirement")]
pub struct NodeSelectorRequirement {
    /// The label or field.
    pub key: String,
    /// `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`.
    pub operator: String,
    /// The values; none for `Exists` and `DoesNotExist`, one number for `Gt` and `Lt`.
    #[api(omit_empty)]
    pub values: Option<Vec<String>>,
}

/// A preference for nodes.
#[api(of = "core/v1.PreferredSchedulingTerm")]
pub struct PreferredSchedulingTerm {
    /// The preferred nodes.
    pub preference: NodeSelectorTerm,
    /// Its weight, 1 to 100.
    pub weight: i32,
}

/// Pods to be near to.
#[api(of = "core/v1.PodAffinity", omit_empty)]
pub struct PodAffinity {
    /// Preferences; the node with the highest sum of weights wins.
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<WeightedPodAffinityTerm>>,
    /// Pods that must be near; all terms must hold.
    pub required_during_scheduling_ignored_during_execution: Option<Vec<PodAffinityTerm>>,
}

/// Pods to stay away from.
#[api(of = "core/v1.PodAntiAffinity", omit_empty)]
pub struct PodAntiAffinity {
    /// Preferences; the node with the lowest sum of weights wins.
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<WeightedPodAffinityTerm>>,
    /// Pods that must not be near; all terms must hold.
    pub required_during_scheduling_ignored_during_execution: Option<Vec<PodAffinityTerm>>,
}

/// Pods, and how near counts as near.
#[api(of = "core/v1.PodAffinityTerm", omit_empty)]
pub struct PodAffinityTerm {
    /// The selector of pods. Absent matches none.
    pub label_selector: Option<LabelSelector>,
    /// Labels whose value must be that of the incoming pod.
    pub match_label_keys: Option<Vec<String>>,
    /// Labels whose value must differ from that of the incoming pod.
    pub mismatch_label_keys: Option<Vec<String>>,
    /// In which namespaces, by label; empty matches all.
    pub namespace_selector: Option<LabelSelector>,
    /// In which namespaces, by name. Default the own one.
    pub namespaces: Option<Vec<String>>,
    /// The node label whose equal values count as near.
    pub topology_key: String,
}

/// A preference about pods.
#[api(of = "core/v1.WeightedPodAffinityTerm")]
pub struct WeightedPodAffinityTerm {
    /// The pods, and the topology.
    pub pod_affinity_term: PodAffinityTerm,
    /// Its weight, 1 to 100.
    pub weight: i32,
}

/// A taint that a pod tolerates.
#[api(of = "core/v1.Toleration")]
pub struct Toleration {
    /// The effect: `NoSchedule`, `PreferNoSchedule`, `NoExecute`; absent means all.
    #[api(omit_empty)]
    pub effect: Option<String>,
    /// The taint; absent means all, with operator `Exists`.
    #[api(omit_empty)]
    pub key: Option<String>,
    /// `Exists` or `Equal`. Default `Equal`.
    #[api(omit_empty)]
    pub operator: Option<String>,
    /// The number of seconds, with `NoExecute`; absent means no limit.
    pub toleration_seconds: Option<i64>,
    /// The value of the taint, with `Equal`.
    #[api(omit_empty)]
    pub value: Option<String>,
}

/// How evenly pods spread over zones or nodes.
///
/// Kubernetes: core/v1.TopologySpreadConstraint. It has a name of its own, because the operator's type for Prometheus has the
/// same.
#[api]
pub struct PlainTopologySpreadConstraint {
    /// The selector of pods.
    pub label_selector: Option<LabelSelector>,
    /// Labels of the incoming pod that narrow the selector.
    #[api(omit_empty)]
    pub match_label_keys: Option<Vec<String>>,
    /// The maximum difference between the counts of two domains.
    pub max_skew: i32,
    /// The minimum number of domains.
    pub min_domains: Option<i32>,
    /// Whether the pod's node affinity restricts the domains: `Honor` or `Ignore`.
    pub node_affinity_policy: Option<String>,
    /// Whether taints restrict the domains: `Honor` or `Ignore`.
    pub node_taints_policy: Option<String>,
    /// The node label whose values are the domains.
    pub topology_key: String,
    /// `DoNotSchedule` or `ScheduleAnyway`.
    pub when_unsatisfiable: String,
}
