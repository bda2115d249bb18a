//! What all scrape resources share: relabelling, selectors, protocols.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{Authorization, TlsConfig};
use crate::api::scalar::Quantity;
use crate::api::{defaults, string_choice, string_enum};

/// Operator: monitoring/v1.NativeHistogramConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NativeHistogramConfig {
    #[serde(rename = "convertClassicHistogramsToNHCB")]
    pub convert_classic_histograms_to_nhcb: Option<bool>,
    #[schemars(range(min = 0))]
    pub native_histogram_bucket_limit: Option<i64>,
    pub native_histogram_min_bucket_factor: Option<Quantity>,
    pub scrape_classic_histograms: Option<bool>,
    pub scrape_native_histograms: Option<bool>,
}

/// Operator: monitoring/v1.RelabelConfig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelabelConfig {
    #[serde(default = "replace")]
    pub action: RelabelAction,
    #[schemars(range(min = 0))]
    pub modulus: Option<i64>,
    pub regex: Option<String>,
    pub replacement: Option<String>,
    pub separator: Option<String>,
    pub source_labels: Option<Vec<String>>,
    pub target_label: Option<String>,
}

/// Operator: monitoring/v1.NamespaceSelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceSelector {
    pub any: Option<bool>,
    pub match_names: Option<Vec<String>>,
}

/// Operator: monitoring/v1.AttachMetadata.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachMetadata {
    pub node: Option<bool>,
}

/// Operator: monitoring/v1.ScrapeClass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScrapeClass {
    pub attach_metadata: Option<AttachMetadata>,
    pub authorization: Option<Authorization>,
    pub default: Option<bool>,
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    #[schemars(length(min = 1))]
    pub name: String,
    pub relabelings: Option<Vec<RelabelConfig>>,
    pub tls_config: Option<TlsConfig>,
}

string_enum! {
    /// One of the allowed values.
    pub enum NameEscapingScheme {
        /// `AllowUTF8`.
        AllowUtf8 = "AllowUTF8",
        /// `Underscores`.
        Underscores = "Underscores",
        /// `Dots`.
        Dots = "Dots",
        /// `Values`.
        Values = "Values",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum NameValidationScheme {
        /// `UTF8`.
        Utf8 = "UTF8",
        /// `Legacy`.
        Legacy = "Legacy",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum ScrapeProtocol {
        /// `PrometheusProto`.
        PrometheusProto = "PrometheusProto",
        /// `OpenMetricsText0.0.1`.
        OpenMetricsText001 = "OpenMetricsText0.0.1",
        /// `OpenMetricsText1.0.0`.
        OpenMetricsText100 = "OpenMetricsText1.0.0",
        /// `PrometheusText0.0.4`.
        PrometheusText004 = "PrometheusText0.0.4",
        /// `PrometheusText1.0.0`.
        PrometheusText100 = "PrometheusText1.0.0",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum ServiceDiscoveryRole {
        /// `Endpoints`.
        Endpoints = "Endpoints",
        /// `EndpointSlice`.
        EndpointSlice = "EndpointSlice",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum SelectorMechanism {
        /// `RelabelConfig`.
        RelabelConfig = "RelabelConfig",
        /// `RoleSelector`.
        RoleSelector = "RoleSelector",
    }
}

string_choice! {
    /// One of the allowed texts, in the casing of the user.
    pub struct Scheme = ["http", "https", "HTTP", "HTTPS"];
}

string_choice! {
    /// One of the allowed texts, in the casing of the user.
    pub struct RelabelAction = ["replace", "Replace", "keep", "Keep", "drop", "Drop", "hashmod", "HashMod", "labelmap", "LabelMap", "labeldrop", "LabelDrop", "labelkeep", "LabelKeep", "lowercase", "Lowercase", "uppercase", "Uppercase", "keepequal", "KeepEqual", "dropequal", "DropEqual"];
}

impl Default for RelabelConfig {
    fn default() -> Self {
        defaults()
    }
}

fn replace() -> RelabelAction {
    RelabelAction("replace".to_owned())
}
