//! The fields that `Prometheus` and `PrometheusAgent` share.

use promgen_derive::api;

use crate::api::core::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, ResourceRequirements,
    SecretKeySelector, StatefulSetPersistentVolumeClaimRetentionPolicy, Toleration, Volume,
    VolumeMount,
};
use crate::api::meta::LabelSelector;
use crate::api::scalar::{ByteSize, Duration};
use crate::api::scraping::scrape::{
    NameEscapingScheme, NameValidationScheme, ScrapeClass, ScrapeProtocol, ServiceDiscoveryRole,
};
use crate::api::servers::remote::{RemoteWriteMessageVersion, RemoteWriteSpec};
use crate::api::servers::settings::{
    ApiServerConfig, ArbitraryFsAccessThroughSmsConfig, LogFormat, LogLevel, ObjectReference,
    OtlpConfig, ReloadStrategy, RuntimeConfig, TracingConfig, TsdbSpec,
};
use crate::api::servers::sharding::ShardingStrategy;
use crate::api::servers::web::PrometheusWebSpec;
use crate::api::servers::workload::{
    Argument, DnsPolicy, EmbeddedObjectMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    PullPolicy, StatefulSetUpdateStrategy, StorageSpec, TopologySpreadConstraint,
};
use promgen_text::yaml::StringMap;

/// The fields that servers and agents share.
#[api(of = "monitoring/v1.CommonPrometheusFields")]
pub struct CommonPrometheusFields {
    /// Further arguments. One that the operator sets itself is refused.
    pub additional_args: Option<Vec<Argument>>,
    /// A list of jobs in Prometheus' own form; only sharding rules are added.
    pub additional_scrape_configs: Option<SecretKeySelector>,
    /// Where pods may, should or must not run.
    pub affinity: Option<Affinity>,
    /// The API server that service discovery talks to. Default the cluster's own.
    pub apiserver_config: Option<ApiServerConfig>,
    /// Whether ServiceMonitors may name files of the container.
    pub arbitrary_fs_access_through_sms: Option<ArbitraryFsAccessThroughSmsConfig>,
    /// Whether the token of the service account is mounted. Default true.
    pub automount_service_account_token: Option<bool>,
    /// The default maximum size of a response.
    pub body_size_limit: Option<ByteSize>,
    /// ConfigMaps to mount at `/etc/prometheus/configmaps/<name>`.
    pub config_maps: Option<Vec<String>>,
    /// Further containers, and patches of the operator's own by name.
    pub containers: Option<Vec<Container>>,
    /// Whether classic histograms become native ones with custom buckets.
    pub convert_classic_histograms_to_nhcb: Option<bool>,
    /// DNS settings of pods, in addition to the policy.
    pub dns_config: Option<PodDnsConfig>,
    /// Where pods resolve names. Default `ClusterFirst`.
    pub dns_policy: Option<DnsPolicy>,
    /// Feature flags of Prometheus. Each once.
    pub enable_features: Option<Vec<String>>,
    /// Whether the OTLP receiver is enabled. Default whether `otlp` is set.
    pub enable_otlp_receiver: Option<bool>,
    /// Whether the remote-write receiver is enabled. Default false.
    pub enable_remote_write_receiver: Option<bool>,
    /// Whether services become environment variables.
    pub enable_service_links: Option<bool>,
    /// The upper bound of every job's body size limit.
    pub enforced_body_size_limit: Option<ByteSize>,
    /// The upper bound of every job's limit of dropped targets.
    pub enforced_keep_dropped_targets: Option<i64>,
    /// The upper bound of every job's label limit.
    pub enforced_label_limit: Option<i64>,
    /// The upper bound of every job's limit of label names, in bytes.
    pub enforced_label_name_length_limit: Option<i64>,
    /// The upper bound of every job's limit of label values, in bytes.
    pub enforced_label_value_length_limit: Option<i64>,
    /// A label with the monitor's namespace, which is enforced on every series and rule.
    pub enforced_namespace_label: Option<String>,
    /// The upper bound of every job's sample limit.
    pub enforced_sample_limit: Option<i64>,
    /// The upper bound of every job's target limit.
    pub enforced_target_limit: Option<i64>,
    /// Objects that are exempt from the enforced namespace label.
    pub excluded_from_enforcement: Option<Vec<ObjectReference>>,
    /// Labels of everything that leaves. Those of the operator win.
    pub external_labels: Option<StringMap>,
    /// The URL under which it is reached from outside.
    pub external_url: Option<String>,
    /// Whether `scrape_timeout_seconds`, `scrape_sample_limit` and `scrape_body_size_bytes` are stored for each scrape.
    pub extra_scrape_metrics: Option<bool>,
    /// Entries of `/etc/hosts`. Each address once.
    pub host_aliases: Option<Vec<HostAlias>>,
    /// Whether pods use the node's network namespace. Default false.
    pub host_network: Option<bool>,
    /// Whether pods use the node's user namespace. Default true.
    pub host_users: Option<bool>,
    /// Whether namespace selectors of monitors are ignored, so that they discover targets in their own namespace only.
    pub ignore_namespace_selectors: Option<bool>,
    /// The image, with tag or digest; wins over `version`, `tag` and `sha`.
    pub image: Option<String>,
    /// When images are pulled.
    pub image_pull_policy: Option<PullPolicy>,
    /// Secrets of registries.
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,
    /// Containers that run to their end before the others, and patches of the operator's own by name.
    pub init_containers: Option<Vec<Container>>,
    /// The default maximum number of dropped targets in memory.
    pub keep_dropped_targets: Option<i64>,
    /// The default maximum number of labels of a sample.
    pub label_limit: Option<i64>,
    /// The default maximum length of a label's name, in bytes.
    pub label_name_length_limit: Option<i64>,
    /// The default maximum length of a label's value, in bytes.
    pub label_value_length_limit: Option<i64>,
    /// Whether it listens on the loopback only. Default false.
    pub listen_local: Option<bool>,
    /// The format of log lines. Default `logfmt`.
    pub log_format: Option<LogFormat>,
    /// From which level on there are log lines. Default `info`.
    pub log_level: Option<LogLevel>,
    /// The number of seconds the start may take, at least 60. Default 900.
    pub maximum_startup_duration_seconds: Option<i32>,
    /// The number of seconds a pod must be ready to count as available. Default 0.
    pub min_ready_seconds: Option<i32>,
    /// How names are escaped for clients without UTF-8 support.
    pub name_escaping_scheme: Option<NameEscapingScheme>,
    /// The valid characters of names.
    pub name_validation_scheme: Option<NameValidationScheme>,
    /// Labels that a node must have.
    pub node_selector: Option<StringMap>,
    /// Settings of the OTLP receiver.
    pub otlp: Option<OtlpConfig>,
    /// Whether `honorLabels` of monitors is ignored.
    pub override_honor_labels: Option<bool>,
    /// Whether `honorTimestamps` of monitors is ignored.
    pub override_honor_timestamps: Option<bool>,
    /// Whether reconciliation is paused. Default false.
    pub paused: Option<bool>,
    /// What happens to claims of deleted or scaled-down pods. Default they are retained.
    pub persistent_volume_claim_retention_policy:
        Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Whether pods start in parallel or in order. Default `Parallel`.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// Labels and annotations of pods.
    pub pod_metadata: Option<EmbeddedObjectMetadata>,
    /// Selects the namespaces of PodMonitors. Absent selects the own one, empty selects all.
    pub pod_monitor_namespace_selector: Option<LabelSelector>,
    /// Selects PodMonitors. Absent selects none, empty selects all.
    pub pod_monitor_selector: Option<LabelSelector>,
    /// Labels of pods that are copied to the series of every monitor.
    pub pod_target_labels: Option<Vec<String>>,
    /// The name of the web port. Default `web`.
    #[api(default = web)]
    pub port_name: String,
    /// The priority class of pods.
    pub priority_class_name: Option<String>,
    /// Selects the namespaces of Probes. Absent selects the own one, empty selects all.
    pub probe_namespace_selector: Option<LabelSelector>,
    /// Selects Probes. Absent selects none, empty selects all.
    pub probe_selector: Option<LabelSelector>,
    /// The external label that names the resource. Default `prometheus`; empty means none.
    pub prometheus_external_label_name: Option<String>,
    /// The method of reloading the configuration. Default `HTTP`.
    pub reload_strategy: Option<ReloadStrategy>,
    /// Places to send samples to.
    pub remote_write: Option<Vec<RemoteWriteSpec>>,
    /// The accepted versions of remote write. Each once.
    pub remote_write_receiver_message_versions: Option<Vec<RemoteWriteMessageVersion>>,
    /// The external label that names the pod. Default `prometheus_replica`; empty means none.
    pub replica_external_label_name: Option<String>,
    /// The number of pods per shard. Default 1.
    pub replicas: Option<i32>,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// The prefix of every path. Default `/`.
    pub route_prefix: Option<String>,
    /// Settings of the Go runtime.
    pub runtime: Option<RuntimeConfig>,
    /// The default maximum number of samples of a scrape.
    pub sample_limit: Option<i64>,
    /// The scheduler of pods. Default the cluster's.
    pub scheduler_name: Option<String>,
    /// Settings that monitors inherit by name. Each name once.
    pub scrape_classes: Option<Vec<ScrapeClass>>,
    /// Whether classic histograms are kept in addition to native ones, by default.
    pub scrape_classic_histograms: Option<bool>,
    /// Selects the namespaces of ScrapeConfigs. Absent selects the own one, empty selects all.
    pub scrape_config_namespace_selector: Option<LabelSelector>,
    /// Selects ScrapeConfigs. Absent selects none, empty selects all.
    pub scrape_config_selector: Option<LabelSelector>,
    /// The file that failed scrapes are logged to. A bare name lands in a folder of its own.
    pub scrape_failure_log_file: Option<String>,
    /// The default scrape interval. Default 30s.
    #[api(default = crate::api::scalar::thirty_seconds)]
    pub scrape_interval: Duration,
    /// Whether native histograms are scraped, by default.
    pub scrape_native_histograms: Option<bool>,
    /// The default protocols by preference. Each once.
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    /// The default time-out of a scrape. At most the interval.
    pub scrape_timeout: Option<Duration>,
    /// Secrets to mount at `/etc/prometheus/secrets/<name>`. Each once.
    pub secrets: Option<Vec<String>>,
    /// Users, groups and privileges of pods.
    pub security_context: Option<PodSecurityContext>,
    /// The service account of pods.
    pub service_account_name: Option<String>,
    /// The objects with the endpoints of services. Default `Endpoints`.
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
    /// Selects the namespaces of ServiceMonitors. Absent selects the own one, empty selects all.
    pub service_monitor_namespace_selector: Option<LabelSelector>,
    /// Selects ServiceMonitors. Absent selects none, empty selects all.
    pub service_monitor_selector: Option<LabelSelector>,
    /// A service of your own that governs the pods, instead of the operator's.
    pub service_name: Option<String>,
    /// The assignment of targets to shards. Default by the hash of their address.
    pub sharding_strategy: Option<ShardingStrategy>,
    /// The number of shards. Default 1.
    #[api(default = one_shard)]
    pub shards: i32,
    /// The storage of data. Default a folder that is deleted with its pod.
    pub storage: Option<StorageSpec>,
    /// The default maximum number of targets of a job.
    pub target_limit: Option<i64>,
    /// The number of seconds a pod may take to stop. Default 600.
    pub termination_grace_period_seconds: Option<i64>,
    /// Taints that pods tolerate.
    pub tolerations: Option<Vec<Toleration>>,
    /// How evenly pods spread.
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
    /// Where traces go.
    pub tracing_config: Option<TracingConfig>,
    /// Settings of the storage engine.
    pub tsdb: Option<TsdbSpec>,
    /// The update strategy of the StatefulSet. Default a rolling update.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// The version of Prometheus, for the image's tag and for what it can do. Default the operator's.
    pub version: Option<String>,
    /// Further mounts of the Prometheus container.
    pub volume_mounts: Option<Vec<VolumeMount>>,
    /// Further volumes of pods.
    pub volumes: Option<Vec<Volume>>,
    /// Whether the write-ahead log is compressed. Default Prometheus'.
    pub wal_compression: Option<bool>,
    /// The web server.
    pub web: Option<PrometheusWebSpec>,
}

fn web() -> String {
    "web".to_owned()
}

const fn one_shard() -> i32 {
    1
}
