//! `ThanosRuler`: evaluates rules against Thanos queriers.

use promgen_derive::api;

use crate::api::core::{
    Affinity, Container, LocalObjectReference, PlainTopologySpreadConstraint, PodSecurityContext,
    ResourceRequirements, SecretKeySelector, Toleration, Volume, VolumeMount,
};
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::resource;
use crate::api::scalar::Duration;
use crate::api::servers::prometheus::PrometheusRuleExcludeConfig;
use crate::api::servers::remote::RemoteWriteSpec;
use crate::api::servers::settings::{LogFormat, LogLevel, ObjectReference};
use crate::api::servers::thanos::GrpcServerTlsConfig;
use crate::api::servers::web::ThanosRulerWebSpec;
use crate::api::servers::workload::{
    Argument, DnsPolicy, EmbeddedObjectMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    PullPolicy, StatefulSetUpdateStrategy, StorageSpec,
};
use crate::api::status::ThanosRulerStatus;
use promgen_text::yaml::StringMap;

resource! {
    /// A Thanos Ruler.
    ///
    /// Operator: monitoring/v1.ThanosRuler.
    pub struct ThanosRuler { spec: ThanosRulerSpec, status: ThanosRulerStatus }
    "monitoring.coreos.com/v1", "thanosrulers"
}

/// The spec of a Thanos Ruler.
#[api(of = "monitoring/v1.ThanosRulerSpec")]
pub struct ThanosRulerSpec {
    /// Further arguments. One that the operator sets itself is refused.
    pub additional_args: Option<Vec<Argument>>,
    /// Where pods may, should or must not run.
    pub affinity: Option<Affinity>,
    /// Labels that are removed from sent alerts. `thanos_ruler_replica` is always removed.
    pub alert_drop_labels: Option<Vec<String>>,
    /// The URL that alerts name as their source.
    pub alert_query_url: Option<String>,
    /// Relabel steps for alerts, as a file of the container. Wins over `alertRelabelConfigs`.
    pub alert_relabel_config_file: Option<String>,
    /// Relabel rules for alerts in Prometheus' own form, which are copied unchanged.
    pub alert_relabel_configs: Option<SecretKeySelector>,
    /// The Alertmanagers that alerts go to, in Thanos' own form.
    pub alertmanagers_config: Option<SecretKeySelector>,
    /// URLs of the Alertmanagers; `alertmanagersConfig` wins.
    pub alertmanagers_url: Option<Vec<String>>,
    /// Further containers, and patches of the operator's own by name.
    pub containers: Option<Vec<Container>>,
    /// DNS settings of pods, in addition to the policy.
    pub dns_config: Option<PodDnsConfig>,
    /// Where pods resolve names. Default `ClusterFirst`.
    pub dns_policy: Option<DnsPolicy>,
    /// Feature flags of Thanos Ruler. Each once.
    pub enable_features: Option<Vec<String>>,
    /// Whether services become environment variables.
    pub enable_service_links: Option<bool>,
    /// A label with the namespace of the PrometheusRule, which is enforced on every rule and every series that it
    /// reads.
    pub enforced_namespace_label: Option<String>,
    /// The evaluation interval of rules. Default 15s.
    #[api(default = fifteen_seconds)]
    pub evaluation_interval: Duration,
    /// PrometheusRules that are exempt from the enforced namespace label.
    pub excluded_from_enforcement: Option<Vec<ObjectReference>>,
    /// The prefix of every path in links.
    pub external_prefix: Option<String>,
    /// TLS of the gRPC server.
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    /// Entries of `/etc/hosts`. Each address once.
    pub host_aliases: Option<Vec<HostAlias>>,
    /// Whether pods use the node's user namespace. Default true.
    pub host_users: Option<bool>,
    /// The image, with tag or digest; wins over `version`.
    pub image: Option<String>,
    /// When images are pulled.
    pub image_pull_policy: Option<PullPolicy>,
    /// Secrets of registries.
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,
    /// Containers that run to their end before the others.
    pub init_containers: Option<Vec<Container>>,
    /// Labels of alerts and samples that are sent, in addition to `thanos_ruler_replica`.
    pub labels: Option<StringMap>,
    /// Whether HTTP listens on the loopback only. Default false.
    pub listen_local: Option<bool>,
    /// The format of log lines. Default `logfmt`.
    pub log_format: Option<LogFormat>,
    /// From which level on there are log lines. Default `info`.
    pub log_level: Option<LogLevel>,
    /// The number of seconds a pod must be ready to count as available. Default 0.
    pub min_ready_seconds: Option<i32>,
    /// Labels that a node must have.
    pub node_selector: Option<StringMap>,
    /// The bucket of uploaded blocks, in Thanos' own form. Without it no blocks are uploaded.
    pub object_storage_config: Option<SecretKeySelector>,
    /// The file of the bucket settings, in the container. Takes precedence.
    pub object_storage_config_file: Option<String>,
    /// Whether reconciliation is paused. Default false.
    pub paused: Option<bool>,
    /// Whether pods start in parallel or in order. Default `Parallel`.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// Labels and annotations of pods.
    pub pod_metadata: Option<EmbeddedObjectMetadata>,
    /// The name of the web port. Default `web`.
    #[api(default = web)]
    pub port_name: String,
    /// The priority class of pods.
    pub priority_class_name: Option<String>,
    /// Rules that are exempt from the enforced namespace label; rather use `excludedFromEnforcement`.
    pub prometheus_rules_excluded_from_enforce: Option<Vec<PrometheusRuleExcludeConfig>>,
    /// The queriers that rules read from, in Thanos' own form.
    pub query_config: Option<SecretKeySelector>,
    /// The queriers that rules read from; `queryConfig` wins.
    pub query_endpoints: Option<Vec<String>>,
    /// Remote-write endpoints. With any of them, samples are not stored locally.
    pub remote_write: Option<Vec<RemoteWriteSpec>>,
    /// The number of pods. Default 1.
    pub replicas: Option<i32>,
    /// The delay before an alert is sent again.
    pub resend_delay: Option<Duration>,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// The retention of samples. Default 24h.
    #[api(default = one_day)]
    pub retention: Duration,
    /// The prefix of every path.
    pub route_prefix: Option<String>,
    /// The number of rules that are evaluated concurrently.
    pub rule_concurrent_eval: Option<i32>,
    /// The minimum time an alert stays pending after a restart.
    pub rule_grace_period: Option<Duration>,
    /// Selects the namespaces of PrometheusRules. Absent selects the own one, empty selects all.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// The maximum outage after which pending alerts are restored.
    pub rule_outage_tolerance: Option<Duration>,
    /// By how much rules look back.
    pub rule_query_offset: Option<Duration>,
    /// Selects PrometheusRules. Absent selects none, empty selects all.
    pub rule_selector: Option<LabelSelector>,
    /// The scheduler of pods. Default the cluster's.
    pub scheduler_name: Option<String>,
    /// Users, groups and privileges of pods.
    pub security_context: Option<PodSecurityContext>,
    /// The service account of pods.
    pub service_account_name: Option<String>,
    /// A service of your own that governs the pods, instead of the operator's.
    pub service_name: Option<String>,
    /// The storage of data. Default a folder that is deleted with its pod.
    pub storage: Option<StorageSpec>,
    /// The number of seconds a pod may take to stop. Default 120.
    pub termination_grace_period_seconds: Option<i64>,
    /// Taints that pods tolerate.
    pub tolerations: Option<Vec<Toleration>>,
    /// How evenly pods spread.
    pub topology_spread_constraints: Option<Vec<PlainTopologySpreadConstraint>>,
    /// Where traces go, in Thanos' own form.
    pub tracing_config: Option<SecretKeySelector>,
    /// The file of the tracing settings, in the container. Takes precedence.
    pub tracing_config_file: Option<String>,
    /// The update strategy of the StatefulSet. Default a rolling update.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// The version of Thanos, for the image's tag and for what it can do. Default the operator's.
    pub version: Option<String>,
    /// Further mounts of the Thanos container.
    pub volume_mounts: Option<Vec<VolumeMount>>,
    /// Further volumes of pods.
    pub volumes: Option<Vec<Volume>>,
    /// The web server.
    pub web: Option<ThanosRulerWebSpec>,
}

fn fifteen_seconds() -> Duration {
    Duration::from("15s")
}

fn one_day() -> Duration {
    Duration::from("24h")
}

fn web() -> String {
    "web".to_owned()
}
