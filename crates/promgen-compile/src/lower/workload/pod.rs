//! The pods of a workload, as far as they depend on fields that all kinds of workload share.

pub(super) mod args;
pub(super) mod canonical;
pub(super) mod container;
pub(super) mod grpc;
pub(super) mod merge;
pub(super) mod path;
pub(super) mod placement;
pub(super) mod reloader;
pub(super) mod runner;
pub(super) mod volumes;

use crate::lower::workload::names;
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use promgen_resources::api::apps::{
    GeneratedPodDnsConfig, GeneratedPodSpec, PodTemplateSpec, TemplateMeta,
};
use promgen_resources::api::core::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, Toleration, Volume,
};
use promgen_resources::api::servers::workload::{
    self, DnsPolicy, EmbeddedObjectMetadata, HostAlias, PullPolicy,
};
use promgen_text::yaml::StringMap;

/// Tells `kubectl` which container is meant.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The fields of a spec about pods.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PodFields<'a> {
    pub(super) affinity: Option<&'a Affinity>,
    pub(super) automount_service_account_token: Option<bool>,
    pub(super) containers: Option<&'a [Container]>,
    pub(super) dns_config: Option<&'a workload::PodDnsConfig>,
    pub(super) dns_policy: Option<DnsPolicy>,
    pub(super) enable_service_links: Option<bool>,
    pub(super) host_aliases: Option<&'a [HostAlias]>,
    pub(super) host_network: Option<bool>,
    pub(super) host_users: Option<bool>,
    pub(super) image_pull_policy: Option<PullPolicy>,
    pub(super) image_pull_secrets: Option<&'a Vec<LocalObjectReference>>,
    /// A probe keeps the operator's handler beside that of the user.
    pub(super) keeps_handlers: bool,
    pub(super) init_containers: Option<&'a [Container]>,
    pub(super) node_selector: Option<&'a StringMap>,
    pub(super) pod_metadata: Option<&'a EmbeddedObjectMetadata>,
    pub(super) priority_class_name: Option<&'a String>,
    pub(super) scheduler_name: Option<&'a String>,
    pub(super) security_context: Option<&'a PodSecurityContext>,
    pub(super) service_account_name: Option<&'a String>,
    pub(super) termination_grace_period_seconds: Option<i64>,
    pub(super) tolerations: Option<&'a Vec<Toleration>>,
    pub(super) volumes: Option<&'a [Volume]>,
}

/// The [`PodFields`] of a spec, less those that not all kinds of workload have: `automountServiceAccountToken` and
/// `hostNetwork`.
macro_rules! pod_fields {
    ($spec:expr, $of:expr) => {
        $crate::lower::workload::pod::PodFields {
            affinity: $spec.affinity.as_ref(),
            automount_service_account_token: None,
            containers: $spec.containers.as_deref(),
            dns_config: $spec.dns_config.as_ref(),
            dns_policy: $spec.dns_policy,
            enable_service_links: $spec.enable_service_links,
            host_aliases: $spec.host_aliases.as_deref(),
            host_network: None,
            host_users: $spec.host_users,
            image_pull_policy: $spec.image_pull_policy,
            image_pull_secrets: $spec.image_pull_secrets.as_ref(),
            keeps_handlers: !$of.has(&promgen_resources::gates::ONE_PROBE_HANDLER),
            init_containers: $spec.init_containers.as_deref(),
            node_selector: $spec.node_selector.as_ref(),
            pod_metadata: $spec.pod_metadata.as_ref(),
            priority_class_name: $spec.priority_class_name.as_ref(),
            scheduler_name: $spec.scheduler_name.as_ref(),
            security_context: $spec.security_context.as_ref(),
            service_account_name: $spec.service_account_name.as_ref(),
            termination_grace_period_seconds: $spec.termination_grace_period_seconds,
            tolerations: $spec.tolerations.as_ref(),
            volumes: $spec.volumes.as_deref(),
        }
    };
}
pub(super) use pod_fields;

impl PodFields<'_> {
    /// The spec of a pod, except containers and volumes. `grace_seconds` is the default termination grace period.
    pub(super) fn spec(&self, grace_seconds: i64) -> GeneratedPodSpec {
        let host_network = self.host_network == Some(true);
        // With the network of its node, a pod would ask the node's resolver, which knows no Services.
        let dns_policy = self
            .dns_policy
            .map(|p| p.as_str())
            .or(host_network.then_some("ClusterFirstWithHostNet"));
        GeneratedPodSpec {
            affinity: self.affinity.cloned(),
            automount_service_account_token: self.automount_service_account_token,
            dns_config: self.dns_config.map(|dns| GeneratedPodDnsConfig {
                nameservers: dns.nameservers.clone(),
                options: dns.options.clone().unwrap_or_default(),
                searches: dns.searches.clone(),
            }),
            dns_policy: dns_policy.map(str::to_owned),
            enable_service_links: self.enable_service_links,
            host_aliases: self.host_aliases.unwrap_or_default().to_vec(),
            host_network: self.host_network,
            host_users: self.host_users,
            image_pull_secrets: self.image_pull_secrets.cloned(),
            node_selector: self.node_selector.cloned().unwrap_or_default(),
            priority_class_name: self.priority_class_name.cloned(),
            scheduler_name: self.scheduler_name.cloned(),
            security_context: self.security_context.cloned(),
            service_account_name: self.service_account_name.cloned(),
            termination_grace_period_seconds: Some(
                self.termination_grace_period_seconds
                    .unwrap_or(grace_seconds),
            ),
            tolerations: self.tolerations.cloned(),
            ..GeneratedPodSpec::default()
        }
    }

    /// StringMap and annotations of pods whose main container has that name and version. The labels of the selector win,
    /// and the user's annotation about the default container.
    pub(super) fn metadata(
        &self,
        container: &str,
        version: Option<&str>,
        selector: StringMap,
    ) -> TemplateMeta {
        let mut annotations = names::labels([(DEFAULT_CONTAINER, container)]);
        let mut labels: StringMap = version
            .map(|version| names::labels([(names::VERSION_LABEL, version)]))
            .unwrap_or_default();
        if let Some(pod) = self.pod_metadata {
            annotations.extend(pod.annotations.clone().unwrap_or_default());
            labels.extend(pod.labels.clone().unwrap_or_default());
        }
        // After the user's, so that they cannot hide a pod from its set.
        labels.extend(selector);
        TemplateMeta {
            annotations,
            labels,
        }
    }

    /// The same with the annotation about the default container, whatever the user says.
    pub(super) fn pinned_metadata(
        &self,
        container: &str,
        version: Option<&str>,
        selector: StringMap,
    ) -> TemplateMeta {
        let mut metadata = self.metadata(container, version, selector);
        metadata
            .annotations
            .insert(DEFAULT_CONTAINER.into(), container.into());
        metadata
    }

    /// The operator's containers, with what the user changes of them and adds.
    ///
    /// # Errors
    /// The two cannot be merged, in the operator's words.
    pub(super) fn merge(&self, containers: Vec<Container>) -> Result<Vec<Container>, Refusal> {
        merge::containers(containers, self.containers, self.keeps_handlers).map_err(|e| {
            unmergeable(
                "containers",
                format!("failed to merge containers spec: {e}"),
            )
        })
    }

    /// The operator's init containers, with what the user changes of them and adds.
    ///
    /// # Errors
    /// The two cannot be merged, in the operator's words.
    pub(super) fn merge_init(&self, containers: Vec<Container>) -> Result<Vec<Container>, Refusal> {
        merge::containers(containers, self.init_containers, self.keeps_handlers).map_err(|e| {
            unmergeable(
                "initContainers",
                format!("failed to merge init containers spec: {e}"),
            )
        })
    }

    /// The pull policy, if the user sets it.
    pub(super) fn pull_policy(&self) -> Option<String> {
        self.image_pull_policy.map(|p| p.as_str().to_owned())
    }
}

fn unmergeable(field: &'static str, message: String) -> Refusal {
    Refusal::new(&SPEC.key(field), message)
}

/// The template of pods, with quantities as Kubernetes writes them.
pub(super) fn template(metadata: TemplateMeta, mut spec: GeneratedPodSpec) -> PodTemplateSpec {
    canonical::pod(&mut spec);
    PodTemplateSpec { metadata, spec }
}
