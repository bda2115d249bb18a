//! Blocks of settings that servers and agents share.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{Authorization, BasicAuth, ProxyConfig, TlsConfig};
use crate::api::meta::MonitoringGroup;
use crate::api::scalar::{Duration, Quantity};
use crate::api::{string_choice, string_enum};

/// Operator: monitoring/v1.APIServerConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerConfig {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub authorization: Option<Authorization>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token: Option<String>,
    pub bearer_token_file: Option<String>,
    pub host: String,
    pub tls_config: Option<TlsConfig>,
}

/// Operator: monitoring/v1.ArbitraryFSAccessThroughSMsConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArbitraryFsAccessThroughSmsConfig {
    pub deny: Option<bool>,
}

/// Operator: monitoring/v1.ObjectReference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    #[serde(default = "monitoring")]
    pub group: MonitoringGroup,
    pub name: Option<String>,
    #[schemars(length(min = 1))]
    pub namespace: String,
    pub resource: ConfigResource,
}

/// Operator: monitoring/v1.OTLPConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OtlpConfig {
    #[serde(rename = "convertHistogramsToNHCB")]
    pub convert_histograms_to_nhcb: Option<bool>,
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub ignore_resource_attributes: Option<Vec<String>>,
    pub keep_identifying_resource_attributes: Option<bool>,
    pub label_name_preserve_multiple_underscores: Option<bool>,
    pub label_name_underscore_sanitization: Option<bool>,
    pub promote_all_resource_attributes: Option<bool>,
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub promote_resource_attributes: Option<Vec<String>>,
    pub promote_scope_metadata: Option<bool>,
    pub translation_strategy: Option<TranslationStrategy>,
}

/// Operator: monitoring/v1.RuntimeConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeConfig {
    #[serde(rename = "goGC")]
    #[schemars(range(min = -1))]
    pub go_gc: Option<i32>,
}

/// Operator: monitoring/v1.TracingConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TracingConfig {
    pub client_type: Option<TracingClientType>,
    pub compression: Option<TracingCompression>,
    #[schemars(length(min = 1))]
    pub endpoint: String,
    pub headers: Option<BTreeMap<String, String>>,
    pub insecure: Option<bool>,
    pub sampling_fraction: Option<Quantity>,
    pub timeout: Option<Duration>,
    pub tls_config: Option<TlsConfig>,
}

/// Operator: monitoring/v1.TSDBSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TsdbSpec {
    pub chunk_encoding: Option<TsdbChunkEncoding>,
    pub out_of_order_time_window: Option<Duration>,
    pub stale_series_compaction_threshold: Option<Quantity>,
}

/// Operator: monitoring/v1.TSDBChunkEncoding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TsdbChunkEncoding {
    pub floats: Option<FloatEncoding>,
}

string_enum! {
    /// One of the allowed values.
    pub enum LogFormat {
        /// ``.
        Empty = "",
        /// `logfmt`.
        Logfmt = "logfmt",
        /// `json`.
        Json = "json",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum LogLevel {
        /// ``.
        Empty = "",
        /// `debug`.
        Debug = "debug",
        /// `info`.
        Info = "info",
        /// `warn`.
        Warn = "warn",
        /// `error`.
        Error = "error",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum ReloadStrategy {
        /// `HTTP`.
        Http = "HTTP",
        /// `ProcessSignal`.
        ProcessSignal = "ProcessSignal",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum ConfigResource {
        /// `prometheusrules`.
        PrometheusRules = "prometheusrules",
        /// `servicemonitors`.
        ServiceMonitors = "servicemonitors",
        /// `podmonitors`.
        PodMonitors = "podmonitors",
        /// `probes`.
        Probes = "probes",
        /// `scrapeconfigs`.
        ScrapeConfigs = "scrapeconfigs",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum TranslationStrategy {
        /// `NoUTF8EscapingWithSuffixes`.
        NoUtf8EscapingWithSuffixes = "NoUTF8EscapingWithSuffixes",
        /// `UnderscoreEscapingWithSuffixes`.
        UnderscoreEscapingWithSuffixes = "UnderscoreEscapingWithSuffixes",
        /// `NoTranslation`.
        NoTranslation = "NoTranslation",
        /// `UnderscoreEscapingWithoutSuffixes`.
        UnderscoreEscapingWithoutSuffixes = "UnderscoreEscapingWithoutSuffixes",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum FloatEncoding {
        /// `Xor`.
        Xor = "Xor",
        /// `Xor2`.
        Xor2 = "Xor2",
    }
}

string_choice! {
    /// One of the allowed texts, in the casing of the user.
    pub struct TracingClientType = ["http", "grpc", "HTTP", "GRPC"];
}

string_choice! {
    /// One of the allowed texts, in the casing of the user.
    pub struct TracingCompression = ["gzip", "Gzip"];
}

const fn monitoring() -> MonitoringGroup {
    MonitoringGroup::Monitoring
}
