//! `ServiceMonitor`: scrapes the endpoints of services.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, TlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::resource;
use crate::api::scalar::{ByteSize, Duration, IntOrString};
use crate::api::scrape::{
    AttachMetadata, NamespaceSelector, NativeHistogramConfig, RelabelConfig, Scheme, ScrapeProtocol, SelectorMechanism,
    ServiceDiscoveryRole,
};
use crate::api::status::ConfigResourceStatus;

resource! {
    /// Says which services are scraped, and how.
    ///
    /// Operator: monitoring/v1.ServiceMonitor.
    pub struct ServiceMonitor { spec: ServiceMonitorSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "servicemonitors"
}

/// Operator: monitoring/v1.ServiceMonitorSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceMonitorSpec {
    #[serde(flatten)]
    pub native_histogram: NativeHistogramConfig,
    pub attach_metadata: Option<AttachMetadata>,
    pub body_size_limit: Option<ByteSize>,
    pub endpoints: Vec<Endpoint>,
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
    pub pod_target_labels: Option<Vec<String>>,
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    #[schemars(length(min = 1))]
    pub scrape_class: Option<String>,
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    pub selector: LabelSelector,
    pub selector_mechanism: Option<SelectorMechanism>,
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
    pub target_labels: Option<Vec<String>>,
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
}

/// Operator: monitoring/v1.Endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub authorization: Option<SafeAuthorization>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token_file: Option<String>,
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
    pub relabelings: Option<Vec<RelabelConfig>>,
    pub scheme: Option<Scheme>,
    pub scrape_timeout: Option<Duration>,
    pub target_port: Option<IntOrString>,
    pub tls_config: Option<TlsConfig>,
    pub track_timestamps_staleness: Option<bool>,
}
