//! `PodMonitor`: scrapes pods directly.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::resource;
use crate::api::scalar::{ByteSize, Duration, IntOrString};
use crate::api::scrape::{
    AttachMetadata, NamespaceSelector, NativeHistogramConfig, RelabelConfig, Scheme, ScrapeProtocol, SelectorMechanism,
};
use crate::api::status::ConfigResourceStatus;

resource! {
    /// Says which pods are scraped, and how.
    ///
    /// Operator: monitoring/v1.PodMonitor.
    pub struct PodMonitor { spec: PodMonitorSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "podmonitors"
}

/// Operator: monitoring/v1.PodMonitorSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodMonitorSpec {
    #[serde(flatten)]
    pub native_histogram: NativeHistogramConfig,
    pub attach_metadata: Option<AttachMetadata>,
    pub body_size_limit: Option<ByteSize>,
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    pub job_label: Option<String>,
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_name_length_limit: Option<i64>,
    #[schemars(range(min = 0))]
    pub label_value_length_limit: Option<i64>,
    pub namespace_selector: Option<NamespaceSelector>,
    pub pod_metrics_endpoints: Option<Vec<PodMetricsEndpoint>>,
    pub pod_target_labels: Option<Vec<String>>,
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    #[schemars(length(min = 1))]
    pub scrape_class: Option<String>,
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    pub selector: LabelSelector,
    pub selector_mechanism: Option<SelectorMechanism>,
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
}

/// Operator: monitoring/v1.PodMetricsEndpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodMetricsEndpoint {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub authorization: Option<SafeAuthorization>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token_secret: Option<SecretKeySelector>,
    pub enable_http2: Option<bool>,
    pub filter_running: Option<bool>,
    pub follow_redirects: Option<bool>,
    pub honor_labels: Option<bool>,
    pub honor_timestamps: Option<bool>,
    pub interval: Option<Duration>,
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    pub oauth2: Option<OAuth2>,
    pub params: Option<BTreeMap<String, Vec<String>>>,
    pub path: Option<String>,
    pub port: Option<String>,
    #[schemars(range(min = 1, max = 65535))]
    pub port_number: Option<i32>,
    pub relabelings: Option<Vec<RelabelConfig>>,
    pub scheme: Option<Scheme>,
    pub scrape_timeout: Option<Duration>,
    pub target_port: Option<IntOrString>,
    pub tls_config: Option<SafeTlsConfig>,
    pub track_timestamps_staleness: Option<bool>,
}
