//! `Alertmanager`: takes alerts, groups them and notifies.

use promgen_derive::api;

use crate::api::auth::{SafeTlsConfig, SecretOrConfigMap};
use crate::api::core::{
    Affinity, Container, LocalObjectReference, PlainTopologySpreadConstraint, PodSecurityContext,
    ResourceRequirements, StatefulSetPersistentVolumeClaimRetentionPolicy, Toleration, Volume,
    VolumeMount,
};
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
use crate::api::scalar::{ByteSize, GoDuration};
use crate::api::servers::settings::{LogFormat, LogLevel};
use crate::api::servers::web::{AlertmanagerWebSpec, WebTlsConfig};
use crate::api::servers::workload::{
    Argument, DnsPolicy, EmbeddedObjectMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    PullPolicy, StatefulSetUpdateStrategy, StorageSpec,
};
use crate::api::status::AlertmanagerStatus;
use crate::api::{resource, string_enum};
use promgen_text::yaml::StringMap;

resource! {
    /// An Alertmanager, or a cluster of several.
    ///
    /// Operator: monitoring/v1.Alertmanager.
    pub struct Alertmanager { spec: AlertmanagerSpec, status: AlertmanagerStatus }
    "monitoring.coreos.com/v1", "alertmanagers"
}

/// The spec of an Alertmanager.
#[api(of = "monitoring/v1.AlertmanagerSpec")]
pub struct AlertmanagerSpec {
    /// Further arguments. One that the operator sets itself is refused.
    pub additional_args: Option<Vec<Argument>>,
    /// Further peers, as `host:port`.
    pub additional_peers: Option<Vec<String>>,
    /// Where pods may, should or must not run.
    pub affinity: Option<Affinity>,
    /// Which AlertmanagerConfigs may name files of the container. Default `FromAlertmanagerConfigMatcherStrategy`.
    pub alertmanager_config_file_system_mode: Option<FileSystemMode>,
    /// Which alerts the routes of an AlertmanagerConfig match.
    pub alertmanager_config_matcher_strategy: Option<AlertmanagerConfigMatcherStrategy>,
    /// Selects the namespaces of AlertmanagerConfigs. Absent selects the own one, empty selects all.
    pub alertmanager_config_namespace_selector: Option<LabelSelector>,
    /// Selects AlertmanagerConfigs. Absent selects none, empty selects all.
    pub alertmanager_config_selector: Option<LabelSelector>,
    /// An AlertmanagerConfig of its own namespace that is the root of its configuration.
    pub alertmanager_configuration: Option<AlertmanagerConfiguration>,
    /// Whether the token of the service account is mounted. Default the service account's setting.
    pub automount_service_account_token: Option<bool>,
    /// The image without tag; rather use `image`.
    pub base_image: Option<String>,
    /// The address that is advertised to peers, as `host:port`.
    pub cluster_advertise_address: Option<String>,
    /// The interval of gossip between peers.
    pub cluster_gossip_interval: Option<GoDuration>,
    /// The label of the cluster's packets. Default namespace and name.
    pub cluster_label: Option<String>,
    /// The name among its peers, which may refer to environment variables. Default the pod's.
    pub cluster_peer_name: Option<String>,
    /// The time that a peer waits for the preceding one.
    pub cluster_peer_timeout: Option<GoDuration>,
    /// The interval of full state exchanges between peers.
    pub cluster_pushpull_interval: Option<GoDuration>,
    /// TLS among peers.
    pub cluster_tls: Option<ClusterTlsConfig>,
    /// ConfigMaps to mount at `/etc/alertmanager/configmaps/<name>`.
    pub config_maps: Option<Vec<String>>,
    /// The Secret with the configuration, key `alertmanager.yaml`. Default `alertmanager-<name>`.
    pub config_secret: Option<String>,
    /// Further containers, and patches of the operator's own by name.
    pub containers: Option<Vec<Container>>,
    /// DNS settings of pods, in addition to the policy.
    pub dns_config: Option<PodDnsConfig>,
    /// Where pods resolve names. Default `ClusterFirst`.
    pub dns_policy: Option<DnsPolicy>,
    /// Feature flags of Alertmanager.
    pub enable_features: Option<Vec<String>>,
    /// Whether services become environment variables.
    pub enable_service_links: Option<bool>,
    /// The URL under which it is reached from outside.
    pub external_url: Option<String>,
    /// Whether a single replica runs in cluster mode, too.
    pub force_enable_cluster_mode: Option<bool>,
    /// Entries of `/etc/hosts`. Each address once.
    pub host_aliases: Option<Vec<HostAlias>>,
    /// Whether pods use the node's network namespace. Default false.
    pub host_network: Option<bool>,
    /// Whether pods use the node's user namespace. Default true.
    pub host_users: Option<bool>,
    /// The image, with tag or digest; wins over `version`, `tag` and `sha`.
    pub image: Option<String>,
    /// When images are pulled.
    pub image_pull_policy: Option<PullPolicy>,
    /// Secrets of registries.
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,
    /// Containers that run to their end before the others, and patches of the operator's own by name.
    pub init_containers: Option<Vec<Container>>,
    /// Limits of the number and size of silences.
    pub limits: Option<AlertmanagerLimitsSpec>,
    /// Whether it listens on the loopback only. Default false.
    pub listen_local: Option<bool>,
    /// The format of log lines. Default `logfmt`.
    pub log_format: Option<LogFormat>,
    /// From which level on there are log lines. Default `info`.
    pub log_level: Option<LogLevel>,
    /// The number of seconds a pod must be ready to count as available. Default 0.
    pub min_ready_seconds: Option<i32>,
    /// Labels that a node must have.
    pub node_selector: Option<StringMap>,
    /// Whether reconciliation is paused. Default false.
    pub paused: Option<bool>,
    /// What happens to claims of deleted or scaled-down pods. Default they are retained.
    pub persistent_volume_claim_retention_policy:
        Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Whether pods start in parallel or in order. Default `Parallel`.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// Labels and annotations of pods.
    pub pod_metadata: Option<EmbeddedObjectMetadata>,
    /// The name of the web port. Default `web`.
    #[api(default = web)]
    pub port_name: String,
    /// The priority class of pods.
    pub priority_class_name: Option<String>,
    /// The number of pods. Default 1.
    pub replicas: Option<i32>,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// The retention of silences and notifications. Default 120h.
    #[api(default = five_days)]
    pub retention: GoDuration,
    /// The prefix of every path. Default `/`.
    pub route_prefix: Option<String>,
    /// The scheduler of pods. Default the cluster's.
    pub scheduler_name: Option<String>,
    /// Secrets to mount at `/etc/alertmanager/secrets/<name>`.
    pub secrets: Option<Vec<String>>,
    /// Users, groups and privileges of pods.
    pub security_context: Option<PodSecurityContext>,
    /// The service account of pods.
    pub service_account_name: Option<String>,
    /// A service of your own that governs the pods, instead of the operator's.
    pub service_name: Option<String>,
    /// The digest of the image; rather use `image`.
    pub sha: Option<String>,
    /// The storage of data. Default a folder that is deleted with its pod.
    pub storage: Option<StorageSpec>,
    /// The tag of the image; rather use `image`.
    pub tag: Option<String>,
    /// The number of seconds a pod may take to stop. Default 120.
    pub termination_grace_period_seconds: Option<i64>,
    /// Taints that pods tolerate.
    pub tolerations: Option<Vec<Toleration>>,
    /// How evenly pods spread.
    pub topology_spread_constraints: Option<Vec<PlainTopologySpreadConstraint>>,
    /// The update strategy of the StatefulSet. Default a rolling update.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// The version of Alertmanager, for the image's tag and for what it can do. Default the operator's.
    pub version: Option<String>,
    /// Further mounts of the Alertmanager container.
    pub volume_mounts: Option<Vec<VolumeMount>>,
    /// Further volumes of pods.
    pub volumes: Option<Vec<Volume>>,
    /// The web server.
    pub web: Option<AlertmanagerWebSpec>,
}

/// Which alerts the routes of an AlertmanagerConfig match.
#[api(of = "monitoring/v1.AlertmanagerConfigMatcherStrategy")]
pub struct AlertmanagerConfigMatcherStrategy {
    /// Whether the namespace of alerts restricts them. Default `OnNamespace`.
    #[api(default = on_namespace)]
    pub r#type: MatcherStrategyType,
}

string_enum! {
    /// Which alerts the routes of an AlertmanagerConfig match.
    pub enum MatcherStrategyType {
        /// Those of its namespace.
        OnNamespace = "OnNamespace",
        /// Those of its namespace; in the namespace of the Alertmanager, all.
        OnNamespaceExceptForAlertmanagerNamespace = "OnNamespaceExceptForAlertmanagerNamespace",
        /// All.
        None = "None",
    }
}

string_enum! {
    /// Which AlertmanagerConfigs may name files of the container.
    pub enum FileSystemMode {
        /// All.
        AllowAll = "AllowAll",
        /// Those whose routes match alerts of other namespaces.
        FromMatcherStrategy = "FromAlertmanagerConfigMatcherStrategy",
        /// None.
        DenyAll = "DenyAll",
    }
}

/// The root of a configuration.
#[api(of = "monitoring/v1.AlertmanagerConfiguration")]
pub struct AlertmanagerConfiguration {
    /// Settings that all receivers share.
    pub global: Option<AlertmanagerGlobalConfig>,
    /// The AlertmanagerConfig, in the namespace of the Alertmanager.
    pub name: Option<String>,
    /// Templates of notifications.
    pub templates: Option<Vec<SecretOrConfigMap>>,
}

/// TLS among peers.
#[api(of = "monitoring/v1.ClusterTLSConfig")]
pub struct ClusterTlsConfig {
    /// As the side that calls.
    pub client: SafeTlsConfig,
    /// As the side that is called.
    pub server: WebTlsConfig,
}

/// Limits on silences.
#[api(of = "monitoring/v1.AlertmanagerLimitsSpec")]
pub struct AlertmanagerLimitsSpec {
    /// The maximum size of a silence.
    pub max_per_silence_bytes: Option<ByteSize>,
    /// The maximum number of silences, active or pending.
    pub max_silences: Option<i32>,
}

fn web() -> String {
    "web".to_owned()
}

fn five_days() -> GoDuration {
    GoDuration::from("120h")
}

const fn on_namespace() -> MatcherStrategyType {
    MatcherStrategyType::OnNamespace
}
