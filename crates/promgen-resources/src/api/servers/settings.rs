//! Blocks of settings that servers and agents share.

use promgen_derive::api;

use crate::api::auth::{Authorization, BasicAuth, ProxyConfig, TlsConfig};
use crate::api::meta::MonitoringGroup;
use crate::api::scalar::{Duration, Quantity};
use crate::api::{string_choice, string_enum};
use promgen_text::yaml::StringMap;

/// The API server that service discovery talks to.
#[api(of = "monitoring/v1.APIServerConfig")]
pub struct ApiServerConfig {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// The `Authorization` header.
    pub authorization: Option<Authorization>,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
    /// A token, in clear; rather use `authorization`.
    pub bearer_token: Option<String>,
    /// A token, as a file of the container; rather use `authorization`.
    pub bearer_token_file: Option<String>,
    /// The server: host, `host:port` or URL.
    pub host: String,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
}

/// Whether ServiceMonitors may name files of the container.
#[api(of = "monitoring/v1.ArbitraryFSAccessThroughSMsConfig")]
pub struct ArbitraryFsAccessThroughSmsConfig {
    /// Whether access is denied. Default false.
    pub deny: Option<bool>,
}

/// Objects that are exempt from what is enforced.
#[api(of = "monitoring/v1.ObjectReference")]
pub struct ObjectReference {
    /// Their group.
    #[api(default = monitoring)]
    pub group: MonitoringGroup,
    /// The request of the claim; absent means all.
    pub name: Option<String>,
    /// Their namespace.
    pub namespace: String,
    /// Their kind, in plural.
    pub resource: ConfigResource,
}

/// Settings of the OTLP receiver.
#[api(of = "monitoring/v1.OTLPConfig")]
pub struct OtlpConfig {
    /// Whether histograms with explicit buckets become native ones.
    pub convert_histograms_to_nhcb: Option<bool>,
    /// Resource attributes that make no label, with `promoteAllResourceAttributes`. Each once.
    pub ignore_resource_attributes: Option<Vec<String>>,
    /// Whether the attributes of `job` and `instance` are kept on `target_info`.
    pub keep_identifying_resource_attributes: Option<bool>,
    /// Whether multiple underscores in a row are preserved.
    pub label_name_preserve_multiple_underscores: Option<bool>,
    /// Whether labels that start with an underscore are prefixed with `key`.
    pub label_name_underscore_sanitization: Option<bool>,
    /// Whether every resource attribute becomes a label.
    pub promote_all_resource_attributes: Option<bool>,
    /// Resource attributes that make labels. Each once.
    pub promote_resource_attributes: Option<Vec<String>>,
    /// Whether name and version of the scope become labels.
    pub promote_scope_metadata: Option<bool>,
    /// The translation of names.
    pub translation_strategy: Option<TranslationStrategy>,
}

/// Settings of the Go runtime.
#[api(of = "monitoring/v1.RuntimeConfig")]
pub struct RuntimeConfig {
    /// The growth of the heap between garbage collections, in percent; -1 disables them. Default 75.
    pub go_gc: Option<i32>,
}

/// Where traces of Prometheus itself go.
#[api(of = "monitoring/v1.TracingConfig")]
pub struct TracingConfig {
    /// The protocol: gRPC or HTTP. Default `grpc`.
    pub client_type: Option<TracingClientType>,
    /// The compression: `gzip`.
    pub compression: Option<TracingCompression>,
    /// Where to.
    pub endpoint: String,
    /// Headers of every request.
    pub headers: Option<StringMap>,
    /// Whether TLS is disabled.
    pub insecure: Option<bool>,
    /// The fraction of traced requests, 0 to 1. Default 0.
    pub sampling_fraction: Option<Quantity>,
    /// The time-out of a request.
    pub timeout: Option<Duration>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
}

/// Settings of the storage engine.
#[api(of = "monitoring/v1.TSDBSpec")]
pub struct TsdbSpec {
    /// The encoding of samples.
    pub chunk_encoding: Option<TsdbChunkEncoding>,
    /// The maximum delay of out-of-order samples. Default 0: none are accepted.
    pub out_of_order_time_window: Option<Duration>,
    /// From which share of stale series on memory is compacted early, 0 to 1.
    pub stale_series_compaction_threshold: Option<Quantity>,
}

/// The encoding of samples.
///
/// Operator: monitoring/v1.TSDBSpec, its `chunkEncoding`.
#[api]
pub struct TsdbChunkEncoding {
    /// The encoding of float samples.
    pub floats: Option<FloatEncoding>,
}

string_enum! {
    /// The format of log lines.
    pub enum LogFormat {
        /// The default.
        Empty = "",
        /// `key=value`.
        Logfmt = "logfmt",
        /// JSON.
        Json = "json",
    }
}

string_enum! {
    /// From which level on there are log lines.
    pub enum LogLevel {
        /// The default.
        Empty = "",
        /// All.
        Debug = "debug",
        /// Information.
        Info = "info",
        /// Warnings.
        Warn = "warn",
        /// Errors.
        Error = "error",
    }
}

string_enum! {
    /// The method of reloading the configuration.
    pub enum ReloadStrategy {
        /// By a request.
        Http = "HTTP",
        /// By a signal.
        ProcessSignal = "ProcessSignal",
    }
}

string_enum! {
    /// Kinds that configure workloads, in plural.
    pub enum ConfigResource {
        /// PrometheusRule.
        PrometheusRules = "prometheusrules",
        /// ServiceMonitor.
        ServiceMonitors = "servicemonitors",
        /// PodMonitor.
        PodMonitors = "podmonitors",
        /// Probe.
        Probes = "probes",
        /// ScrapeConfig.
        ScrapeConfigs = "scrapeconfigs",
    }
}

string_enum! {
    /// The translation of names from OTLP.
    pub enum TranslationStrategy {
        /// Characters stay, suffixes for unit and type are added.
        NoUtf8EscapingWithSuffixes = "NoUTF8EscapingWithSuffixes",
        /// Other characters become underscores, suffixes are added.
        UnderscoreEscapingWithSuffixes = "UnderscoreEscapingWithSuffixes",
        /// Nothing is changed.
        NoTranslation = "NoTranslation",
        /// Other characters become underscores.
        UnderscoreEscapingWithoutSuffixes = "UnderscoreEscapingWithoutSuffixes",
    }
}

string_enum! {
    /// The encoding of float samples.
    pub enum FloatEncoding {
        /// The classic encoding.
        Xor = "Xor",
        /// The newer encoding.
        Xor2 = "Xor2",
    }
}

string_choice! {
    /// `http` or `grpc`, in the user's casing.
    pub struct TracingClientType = ["http", "grpc", "HTTP", "GRPC"];
}

string_choice! {
    /// `gzip`, in the user's casing.
    pub struct TracingCompression = ["gzip", "Gzip"];
}

const fn monitoring() -> MonitoringGroup {
    MonitoringGroup::Monitoring
}
