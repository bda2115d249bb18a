//! Blocks of settings that servers and agents share.

use std::collections::BTreeMap;

use promgen_derive::{Decode, Encode};

use crate::api::auth::{Authorization, BasicAuth, ProxyConfig, TlsConfig};
use crate::api::meta::MonitoringGroup;
use crate::api::scalar::{Duration, Quantity};
use crate::api::{string_choice, string_enum};

/// The API server that service discovery talks to.
///
/// Operator: monitoring/v1.APIServerConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ApiServerConfig {
    /// The proxy in front of the other side.
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
///
/// Operator: monitoring/v1.ArbitraryFSAccessThroughSMsConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ArbitraryFsAccessThroughSmsConfig {
    /// Whether they may not. Default false.
    pub deny: Option<bool>,
}

/// Objects that are exempt from what is enforced.
///
/// Operator: monitoring/v1.ObjectReference.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct ObjectReference {
    /// Their group.
    #[api(default = monitoring)]
    pub group: MonitoringGroup,
    /// One of them; absent means all.
    pub name: Option<String>,
    /// Their namespace.
    #[api(min_length = 1)]
    pub namespace: String,
    /// Their kind, in plural.
    pub resource: ConfigResource,
}

/// How the OTLP receiver makes labels and series.
///
/// Operator: monitoring/v1.OTLPConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct OtlpConfig {
    /// Whether histograms with explicit buckets become native ones.
    #[api(name = "convertHistogramsToNHCB")]
    pub convert_histograms_to_nhcb: Option<bool>,
    /// Resource attributes that make no label, with `promoteAllResourceAttributes`. Each once.
    #[api(min_length = 1, items(min_length = 1), unique)]
    pub ignore_resource_attributes: Option<Vec<String>>,
    /// Whether the attributes that make `job` and `instance` stay on `target_info`.
    pub keep_identifying_resource_attributes: Option<bool>,
    /// Whether several underscores in a row stay.
    pub label_name_preserve_multiple_underscores: Option<bool>,
    /// Whether labels that start with an underscore get `key` in front.
    pub label_name_underscore_sanitization: Option<bool>,
    /// Whether every resource attribute makes a label.
    pub promote_all_resource_attributes: Option<bool>,
    /// Resource attributes that make labels. Each once.
    #[api(min_length = 1, items(min_length = 1), unique)]
    pub promote_resource_attributes: Option<Vec<String>>,
    /// Whether name and version of the scope make labels.
    pub promote_scope_metadata: Option<bool>,
    /// How names are made to fit.
    pub translation_strategy: Option<TranslationStrategy>,
}

/// Settings of the Go runtime.
///
/// Operator: monitoring/v1.RuntimeConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RuntimeConfig {
    /// How much the heap may grow between collections, in percent; -1 turns them off. Default 75.
    #[api(name = "goGC", min = -1)]
    pub go_gc: Option<i32>,
}

/// Where traces of Prometheus itself go.
///
/// Operator: monitoring/v1.TracingConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct TracingConfig {
    /// How: by gRPC or HTTP. Default `grpc`.
    pub client_type: Option<TracingClientType>,
    /// Whether they are compressed: `gzip`.
    pub compression: Option<TracingCompression>,
    /// Where to.
    #[api(min_length = 1)]
    pub endpoint: String,
    /// Headers of every request.
    pub headers: Option<BTreeMap<String, String>>,
    /// Whether there is no TLS.
    pub insecure: Option<bool>,
    /// Which share of requests is traced, 0 to 1. Default 0.
    pub sampling_fraction: Option<Quantity>,
    /// How long a request may take.
    pub timeout: Option<Duration>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
}

/// Settings of the storage engine.
///
/// Operator: monitoring/v1.TSDBSpec.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct TsdbSpec {
    /// How samples are packed.
    pub chunk_encoding: Option<TsdbChunkEncoding>,
    /// How late a sample may come. Default 0: not at all.
    pub out_of_order_time_window: Option<Duration>,
    /// From which share of stale series on memory is compacted early, 0 to 1.
    pub stale_series_compaction_threshold: Option<Quantity>,
}

/// How samples are packed.
///
/// Operator: monitoring/v1.TSDBSpec, its `chunkEncoding`.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct TsdbChunkEncoding {
    /// Those of floats.
    pub floats: Option<FloatEncoding>,
}

string_enum! {
    /// How log lines look.
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
        /// What happens.
        Info = "info",
        /// What may be wrong.
        Warn = "warn",
        /// What is wrong.
        Error = "error",
    }
}

string_enum! {
    /// How a new configuration gets in.
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
    /// How names from OTLP are made to fit.
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
    /// How samples that are floats are packed.
    pub enum FloatEncoding {
        /// The classic way.
        Xor = "Xor",
        /// The newer way.
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
