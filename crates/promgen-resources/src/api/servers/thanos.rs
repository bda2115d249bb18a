//! The Thanos sidecar of a server.

use promgen_derive::api;

use crate::api::auth::{SecretOrConfigMap, TlsVersion};
use crate::api::core::{ResourceRequirements, SecretKeySelector, VolumeMount};
use crate::api::scalar::Duration;
use crate::api::servers::settings::{LogFormat, LogLevel};
use crate::api::servers::workload::Argument;

/// A Thanos sidecar.
#[api(of = "monitoring/v1.ThanosSpec")]
pub struct ThanosSpec {
    /// Further arguments. One that the operator sets itself is refused.
    pub additional_args: Option<Vec<Argument>>,
    /// The image without tag; rather use `image`.
    pub base_image: Option<String>,
    /// The length of blocks. Default 2h; leave it there.
    #[api(default = two_hours)]
    pub block_size: Duration,
    /// The interval at which the configuration of Prometheus is fetched.
    pub get_config_interval: Option<Duration>,
    /// The time-out of fetching the configuration.
    pub get_config_timeout: Option<Duration>,
    /// Whether gRPC listens on the loopback only.
    pub grpc_listen_local: Option<bool>,
    /// TLS of the gRPC server.
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    /// Whether HTTP listens on the loopback only.
    pub http_listen_local: Option<bool>,
    /// The image.
    pub image: Option<String>,
    /// Both of the above; rather use those.
    pub listen_local: Option<bool>,
    /// The format of log lines. Default `logfmt`.
    pub log_format: Option<LogFormat>,
    /// From which level on there are log lines. Default `info`.
    pub log_level: Option<LogLevel>,
    /// From when on samples are served: a time, or a duration back.
    pub min_time: Option<String>,
    /// The bucket of uploaded blocks. Without it no blocks are uploaded.
    pub object_storage_config: Option<SecretKeySelector>,
    /// The file of the bucket settings, in the container.
    pub object_storage_config_file: Option<String>,
    /// The time to wait for Prometheus.
    pub ready_timeout: Option<Duration>,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// The digest of the image; rather use `image`.
    pub sha: Option<String>,
    /// The tag of the image; rather use `image`.
    pub tag: Option<String>,
    /// Where traces of the sidecar go.
    pub tracing_config: Option<SecretKeySelector>,
    /// The file of the tracing settings, in the container.
    pub tracing_config_file: Option<String>,
    /// The version, for the image's tag and for what it can do.
    pub version: Option<String>,
    /// Further mounts.
    pub volume_mounts: Option<Vec<VolumeMount>>,
}

/// TLS of a gRPC server; only the files are used.
///
/// Operator: monitoring/v1.ThanosSpec, its `grpcServerTlsConfig`.
#[api]
pub struct GrpcServerTlsConfig {
    /// The CA of clients' certificates; without effect.
    pub ca: Option<SecretOrConfigMap>,
    /// The file of the CA.
    pub ca_file: Option<String>,
    /// The certificate; without effect.
    pub cert: Option<SecretOrConfigMap>,
    /// The file of the certificate.
    pub cert_file: Option<String>,
    /// Allowed cipher suites up to TLS 1.2. Each once.
    #[api(min_length = 1, unique)]
    pub cipher_suites: Option<Vec<String>>,
    /// Curves by preference. Each once.
    #[api(min_length = 1, unique)]
    pub curves: Option<Vec<String>>,
    /// Without effect on a server.
    pub insecure_skip_verify: Option<bool>,
    /// The key of the certificate, as a file.
    pub key_file: Option<String>,
    /// The key, from a Secret; without effect.
    pub key_secret: Option<SecretKeySelector>,
    /// The newest version of TLS; without effect.
    pub max_version: Option<TlsVersion>,
    /// The oldest version of TLS.
    pub min_version: Option<TlsVersion>,
    /// Without effect on a server.
    pub server_name: Option<String>,
}

fn two_hours() -> Duration {
    Duration::from("2h")
}
