//! The Thanos sidecar of a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{SecretOrConfigMap, TlsVersion};
use crate::api::core::{ResourceRequirements, SecretKeySelector, VolumeMount};
use crate::api::defaults;
use crate::api::scalar::Duration;
use crate::api::settings::{LogFormat, LogLevel};
use crate::api::workload::Argument;

/// Operator: monitoring/v1.ThanosSpec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThanosSpec {
    pub additional_args: Option<Vec<Argument>>,
    pub base_image: Option<String>,
    #[serde(default = "two_hours")]
    pub block_size: Duration,
    pub get_config_interval: Option<Duration>,
    pub get_config_timeout: Option<Duration>,
    pub grpc_listen_local: Option<bool>,
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    pub http_listen_local: Option<bool>,
    pub image: Option<String>,
    pub listen_local: Option<bool>,
    pub log_format: Option<LogFormat>,
    pub log_level: Option<LogLevel>,
    pub min_time: Option<String>,
    pub object_storage_config: Option<SecretKeySelector>,
    pub object_storage_config_file: Option<String>,
    pub ready_timeout: Option<Duration>,
    pub resources: Option<ResourceRequirements>,
    pub sha: Option<String>,
    pub tag: Option<String>,
    pub tracing_config: Option<SecretKeySelector>,
    pub tracing_config_file: Option<String>,
    pub version: Option<String>,
    pub volume_mounts: Option<Vec<VolumeMount>>,
}

/// Operator: monitoring/v1.GRPCServerTLSConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrpcServerTlsConfig {
    pub ca: Option<SecretOrConfigMap>,
    pub ca_file: Option<String>,
    pub cert: Option<SecretOrConfigMap>,
    pub cert_file: Option<String>,
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub cipher_suites: Option<Vec<String>>,
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub curves: Option<Vec<String>>,
    pub insecure_skip_verify: Option<bool>,
    pub key_file: Option<String>,
    pub key_secret: Option<SecretKeySelector>,
    pub max_version: Option<TlsVersion>,
    pub min_version: Option<TlsVersion>,
    pub server_name: Option<String>,
}

impl Default for ThanosSpec {
    fn default() -> Self {
        defaults()
    }
}

fn two_hours() -> Duration {
    Duration("2h".to_owned())
}
