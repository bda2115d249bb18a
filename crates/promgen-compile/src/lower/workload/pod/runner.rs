//! The StatefulSets that run the pods of a workload.

use crate::lower::workload::object::{self, Owner, Parent};
use crate::output::OutputObject;
use promgen_resources::api::apps::{
    GeneratedStatefulSet, GeneratedStatefulSetSpec, PersistentVolumeClaim, PodTemplateSpec,
};
use promgen_resources::api::core::StatefulSetPersistentVolumeClaimRetentionPolicy;
use promgen_resources::api::meta::{LabelSelector, ObjectMeta};
use promgen_resources::api::servers::workload::{
    PodManagementPolicy, StatefulSetUpdateStrategy, UpdateStrategyType,
};
use promgen_resources::gates;
use promgen_text::yaml::{StringMap, to_value};

/// The fields that differ between StatefulSets.
#[derive(Clone, Debug)]
pub(crate) struct Runner<'a> {
    pub min_ready_seconds: Option<i32>,
    pub persistent_volume_claim_retention_policy:
        Option<&'a StatefulSetPersistentVolumeClaimRetentionPolicy>,
    pub pod_management_policy: Option<PodManagementPolicy>,
    pub update_strategy: Option<&'a StatefulSetUpdateStrategy>,
    /// Its name.
    pub name: String,
    /// Its own labels, besides those of the custom resource and of its pods.
    pub labels: StringMap,
    /// The number of pods. `None` leaves it to the cluster.
    pub replicas: Option<i32>,
    /// The labels by which it finds its pods.
    pub selector: StringMap,
    /// The Service that names its pods.
    pub service_name: &'a str,
    /// The template of its pods.
    pub template: PodTemplateSpec,
    /// The claim of each pod.
    pub claim: Option<PersistentVolumeClaim>,
}

/// A StatefulSet. Its file is called `statefulset`.
pub(crate) fn stateful_set(parent: &Parent<'_>, runner: Runner<'_>) -> OutputObject {
    let rolling = || StatefulSetUpdateStrategy {
        rolling_update: None,
        r#type: UpdateStrategyType::RollingUpdate,
    };
    let object = GeneratedStatefulSet {
        api_version: "apps/v1",
        kind: "StatefulSet",
        metadata: metadata(parent, runner.name, runner.labels, &runner.selector),
        spec: GeneratedStatefulSetSpec {
            min_ready_seconds: runner.min_ready_seconds,
            persistent_volume_claim_retention_policy: runner
                .persistent_volume_claim_retention_policy
                .cloned(),
            pod_management_policy: runner
                .pod_management_policy
                .unwrap_or(PodManagementPolicy::Parallel)
                .as_str(),
            replicas: runner.replicas,
            selector: LabelSelector {
                match_expressions: None,
                match_labels: Some(runner.selector),
            },
            service_name: runner.service_name.to_owned(),
            template: runner.template,
            update_strategy: runner.update_strategy.cloned().unwrap_or_else(rolling),
            volume_claim_templates: runner.claim.into_iter().collect(),
        },
    };
    OutputObject {
        file: "statefulset".to_owned(),
        ..object::object("statefulset", to_value(&object))
    }
}

/// The metadata of a set: the labels of the custom resource, those given, those of the pods, which older releases leave as
/// they find them; the annotations of the custom resource.
pub(crate) fn metadata(
    parent: &Parent<'_>,
    name: String,
    own: StringMap,
    selector: &StringMap,
) -> ObjectMeta {
    let observed = parent.observed_labels(&name);
    let mut labels = parent.metadata.labels.clone().unwrap_or_default();
    labels.extend(own);
    let is_there = |key: &str| observed.is_some_and(|labels| labels.contains_key(key));
    // A release that does not write such a label leaves one that is there.
    let is_own = |key: &str| {
        parent.has(&gates::WORKLOAD_LABELS) || key.starts_with("operator.prometheus.io/")
    };
    let selector = selector
        .iter()
        .filter(|(key, _)| is_own(key) || is_there(key));
    labels.extend(selector.map(|(key, value)| (key.clone(), value.clone())));
    let metadata = object::metadata(parent, name, labels, Owner::Manager);
    ObjectMeta {
        annotations: object::inherited_annotations(parent),
        ..metadata
    }
}
