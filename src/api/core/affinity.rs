//! Which nodes a pod may, should or must not run on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::meta::LabelSelector;
use crate::api::unset;

/// Kubernetes: core/v1.Affinity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Affinity {
    pub node_affinity: Option<NodeAffinity>,
    pub pod_affinity: Option<PodAffinity>,
    pub pod_anti_affinity: Option<PodAntiAffinity>,
}

/// Kubernetes: core/v1.NodeAffinity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeAffinity {
    #[serde(skip_serializing_if = "unset")]
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<PreferredSchedulingTerm>>,
    pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
}

/// Kubernetes: core/v1.NodeSelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSelector {
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// Kubernetes: core/v1.NodeSelectorTerm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSelectorTerm {
    #[serde(skip_serializing_if = "unset")]
    pub match_expressions: Option<Vec<NodeSelectorRequirement>>,
    #[serde(skip_serializing_if = "unset")]
    pub match_fields: Option<Vec<NodeSelectorRequirement>>,
}

/// Kubernetes: core/v1.NodeSelectorRequirement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSelectorRequirement {
    pub key: String,
    pub operator: String,
    #[serde(skip_serializing_if = "unset")]
    pub values: Option<Vec<String>>,
}

/// Kubernetes: core/v1.PreferredSchedulingTerm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferredSchedulingTerm {
    pub preference: NodeSelectorTerm,
    pub weight: i32,
}

/// Kubernetes: core/v1.PodAffinity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodAffinity {
    #[serde(skip_serializing_if = "unset")]
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<WeightedPodAffinityTerm>>,
    #[serde(skip_serializing_if = "unset")]
    pub required_during_scheduling_ignored_during_execution: Option<Vec<PodAffinityTerm>>,
}

/// Kubernetes: core/v1.PodAntiAffinity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodAntiAffinity {
    #[serde(skip_serializing_if = "unset")]
    pub preferred_during_scheduling_ignored_during_execution: Option<Vec<WeightedPodAffinityTerm>>,
    #[serde(skip_serializing_if = "unset")]
    pub required_during_scheduling_ignored_during_execution: Option<Vec<PodAffinityTerm>>,
}

/// Kubernetes: core/v1.PodAffinityTerm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodAffinityTerm {
    pub label_selector: Option<LabelSelector>,
    #[serde(skip_serializing_if = "unset")]
    pub match_label_keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub mismatch_label_keys: Option<Vec<String>>,
    pub namespace_selector: Option<LabelSelector>,
    #[serde(skip_serializing_if = "unset")]
    pub namespaces: Option<Vec<String>>,
    pub topology_key: String,
}

/// Kubernetes: core/v1.WeightedPodAffinityTerm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeightedPodAffinityTerm {
    pub pod_affinity_term: PodAffinityTerm,
    pub weight: i32,
}

/// Kubernetes: core/v1.Toleration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Toleration {
    #[serde(skip_serializing_if = "unset")]
    pub effect: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub operator: Option<String>,
    pub toleration_seconds: Option<i64>,
    #[serde(skip_serializing_if = "unset")]
    pub value: Option<String>,
}
