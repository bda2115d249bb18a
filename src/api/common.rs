//! The fields that `Prometheus` and `PrometheusAgent` share.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, ResourceRequirements, SecretKeySelector,
    StatefulSetPersistentVolumeClaimRetentionPolicy, Toleration, Volume, VolumeMount,
};
use crate::api::defaults;
use crate::api::meta::LabelSelector;
use crate::api::remote::{RemoteWriteMessageVersion, RemoteWriteSpec};
use crate::api::scalar::{ByteSize, Duration};
use crate::api::scrape::{NameEscapingScheme, NameValidationScheme, ScrapeClass, ScrapeProtocol, ServiceDiscoveryRole};
use crate::api::settings::{
    ApiServerConfig, ArbitraryFsAccessThroughSmsConfig, LogFormat, LogLevel, ObjectReference, OtlpConfig,
    ReloadStrategy, RuntimeConfig, TracingConfig, TsdbSpec,
};
use crate::api::sharding::ShardingStrategy;
use crate::api::web::PrometheusWebSpec;
use crate::api::workload::{
    Argument, DnsPolicy, EmbeddedObjectMetadata, HostAlias, PodDnsConfig, PodManagementPolicy, PullPolicy,
    StatefulSetUpdateStrategy, StorageSpec, TopologySpreadConstraint,
};

/// Operator: monitoring/v1.CommonPrometheusFields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommonPrometheusFields {
    pub additional_args: Option<Vec<Argument>>,
    pub additional_scrape_configs: Option<SecretKeySelector>,
    pub affinity: Option<Affinity>,
    pub apiserver_config: Option<ApiServerConfig>,
    #[serde(rename = "arbitraryFSAccessThroughSMs")]
    pub arbitrary_fs_access_through_sms: Option<ArbitraryFsAccessThroughSmsConfig>,
    pub automount_service_account_token: Option<bool>,
    pub body_size_limit: Option<ByteSize>,
    pub config_maps: Option<Vec<String>>,
    pub containers: Option<Vec<Container>>,
    #[serde(rename = "convertClassicHistogramsToNHCB")]
    pub convert_classic_histograms_to_nhcb: Option<bool>,
    pub dns_config: Option<PodDnsConfig>,
    pub dns_policy: Option<DnsPolicy>,
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub enable_features: Option<Vec<String>>,
    #[serde(rename = "enableOTLPReceiver")]
    pub enable_otlp_receiver: Option<bool>,
    pub enable_remote_write_receiver: Option<bool>,
    pub enable_service_links: Option<bool>,
    pub enforced_body_size_limit: Option<ByteSize>,
    #[schemars(range(min = 0))]
    pub enforced_keep_dropped_targets: Option<i64>,
    #[schemars(range(min = 0))]
    pub enforced_label_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub enforced_label_name_length_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub enforced_label_value_length_limit: Option<i64>,
    pub enforced_namespace_label: Option<String>,
    #[schemars(range(min = 0))]
    pub enforced_sample_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub enforced_target_limit: Option<i64>,
    pub excluded_from_enforcement: Option<Vec<ObjectReference>>,
    pub external_labels: Option<BTreeMap<String, String>>,
    pub external_url: Option<String>,
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["ip"]))]
    pub host_aliases: Option<Vec<HostAlias>>,
    pub host_network: Option<bool>,
    pub host_users: Option<bool>,
    pub ignore_namespace_selectors: Option<bool>,
    pub image: Option<String>,
    pub image_pull_policy: Option<PullPolicy>,
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,
    pub init_containers: Option<Vec<Container>>,
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_name_length_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_value_length_limit: Option<i64>,
    pub listen_local: Option<bool>,
    pub log_format: Option<LogFormat>,
    pub log_level: Option<LogLevel>,
    #[schemars(range(min = 60))]
    pub maximum_startup_duration_seconds: Option<i32>,
    #[schemars(range(min = 0))]
    pub min_ready_seconds: Option<i32>,
    pub name_escaping_scheme: Option<NameEscapingScheme>,
    pub name_validation_scheme: Option<NameValidationScheme>,
    pub node_selector: Option<BTreeMap<String, String>>,
    pub otlp: Option<OtlpConfig>,
    pub override_honor_labels: Option<bool>,
    pub override_honor_timestamps: Option<bool>,
    pub paused: Option<bool>,
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    pub pod_management_policy: Option<PodManagementPolicy>,
    pub pod_metadata: Option<EmbeddedObjectMetadata>,
    pub pod_monitor_namespace_selector: Option<LabelSelector>,
    pub pod_monitor_selector: Option<LabelSelector>,
    pub pod_target_labels: Option<Vec<String>>,
    #[serde(default = "web")]
    pub port_name: String,
    pub priority_class_name: Option<String>,
    pub probe_namespace_selector: Option<LabelSelector>,
    pub probe_selector: Option<LabelSelector>,
    pub prometheus_external_label_name: Option<String>,
    pub reload_strategy: Option<ReloadStrategy>,
    pub remote_write: Option<Vec<RemoteWriteSpec>>,
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub remote_write_receiver_message_versions: Option<Vec<RemoteWriteMessageVersion>>,
    pub replica_external_label_name: Option<String>,
    pub replicas: Option<i32>,
    pub resources: Option<ResourceRequirements>,
    pub route_prefix: Option<String>,
    pub runtime: Option<RuntimeConfig>,
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    #[schemars(length(min = 1))]
    pub scheduler_name: Option<String>,
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub scrape_classes: Option<Vec<ScrapeClass>>,
    pub scrape_classic_histograms: Option<bool>,
    pub scrape_config_namespace_selector: Option<LabelSelector>,
    pub scrape_config_selector: Option<LabelSelector>,
    #[schemars(length(min = 1))]
    pub scrape_failure_log_file: Option<String>,
    #[serde(default = "super::scalar::thirty_seconds")]
    pub scrape_interval: Duration,
    pub scrape_native_histograms: Option<bool>,
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    pub scrape_timeout: Option<Duration>,
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub secrets: Option<Vec<String>>,
    pub security_context: Option<PodSecurityContext>,
    pub service_account_name: Option<String>,
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
    pub service_monitor_namespace_selector: Option<LabelSelector>,
    pub service_monitor_selector: Option<LabelSelector>,
    #[schemars(length(min = 1))]
    pub service_name: Option<String>,
    pub sharding_strategy: Option<ShardingStrategy>,
    #[serde(default = "one_shard")]
    pub shards: i32,
    pub storage: Option<StorageSpec>,
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,
    pub tolerations: Option<Vec<Toleration>>,
    pub topology_spread_constraints: Option<Vec<TopologySpreadConstraint>>,
    pub tracing_config: Option<TracingConfig>,
    pub tsdb: Option<TsdbSpec>,
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    pub version: Option<String>,
    pub volume_mounts: Option<Vec<VolumeMount>>,
    pub volumes: Option<Vec<Volume>>,
    pub wal_compression: Option<bool>,
    pub web: Option<PrometheusWebSpec>,
}

impl Default for CommonPrometheusFields {
    fn default() -> Self {
        defaults()
    }
}

fn web() -> String {
    "web".to_owned()
}

const fn one_shard() -> i32 {
    1
}
