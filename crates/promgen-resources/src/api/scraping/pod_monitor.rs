//! `PodMonitor`: scrapes pods directly.

use std::collections::BTreeMap;

use promgen_derive::api;

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::resource;
use crate::api::scalar::{ByteSize, Duration, IntOrString};
use crate::api::scraping::scrape::{
    AttachMetadata, NamespaceSelector, NativeHistogramConfig, RelabelConfig, Scheme,
    ScrapeProtocol, SelectorMechanism,
};
use crate::api::status::ConfigResourceStatus;

resource! {
    /// Says which pods are scraped, and how.
    ///
    /// Operator: monitoring/v1.PodMonitor.
    pub struct PodMonitor { spec: PodMonitorSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "podmonitors"
}

// Few have what is in a box.
/// The spec of a PodMonitor.
#[api(of = "monitoring/v1.PodMonitorSpec")]
pub struct PodMonitorSpec {
    /// Settings of native histograms.
    #[api(flatten)]
    pub native_histogram: NativeHistogramConfig,
    /// Metadata that service discovery attaches.
    pub attach_metadata: Option<AttachMetadata>,
    /// The maximum size of a response.
    pub body_size_limit: Option<Box<ByteSize>>,
    /// Whether `scrape_timeout_seconds`, `scrape_sample_limit` and `scrape_body_size_bytes` are stored for each scrape.
    pub extra_scrape_metrics: Option<bool>,
    /// The protocol for targets that do not name theirs.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// The label of pods whose value becomes `job`. Default the monitor, as `namespace/name`.
    pub job_label: Option<String>,
    /// The maximum number of dropped targets in memory; 0 means no limit.
    pub keep_dropped_targets: Option<i64>,
    /// The maximum number of labels of a sample.
    pub label_limit: Option<i64>,
    /// The maximum length of a label's name, in bytes.
    pub label_name_length_limit: Option<i64>,
    /// The maximum length of a label's value, in bytes.
    pub label_value_length_limit: Option<i64>,
    /// Namespaces of the pods. Default the own one.
    pub namespace_selector: Option<Box<NamespaceSelector>>,
    /// The ports to scrape, and how; one job each.
    pub pod_metrics_endpoints: Option<Vec<PodMetricsEndpoint>>,
    /// Labels of pods that are copied to the series.
    pub pod_target_labels: Option<Vec<String>>,
    /// The maximum number of samples of a scrape.
    pub sample_limit: Option<i64>,
    /// The scrape class to take settings from. Default the server's default class.
    pub scrape_class: Option<String>,
    /// Protocols by preference. Each once.
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    /// The selector of pods.
    pub selector: LabelSelector,
    /// The mechanism of the selector: relabeling, or service discovery itself, which reduces the load of the API
    /// server. Default `RelabelConfig`.
    pub selector_mechanism: Option<SelectorMechanism>,
    /// The maximum number of targets.
    pub target_limit: Option<i64>,
}

/// A port to scrape, and how. Names `port`, `portNumber` or `targetPort`.
#[api(of = "monitoring/v1.PodMetricsEndpoint")]
pub struct PodMetricsEndpoint {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// The `Authorization` header.
    pub authorization: Option<Box<SafeAuthorization>>,
    /// User name and password.
    pub basic_auth: Option<Box<BasicAuth>>,
    /// A token, from a Secret; rather use `authorization`.
    pub bearer_token_secret: Option<Box<SecretKeySelector>>,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    pub enable_http2: Option<bool>,
    /// Whether terminated pods are dropped. Default true.
    pub filter_running: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// Whether labels of the target take precedence over those of the server. Default false.
    pub honor_labels: Option<bool>,
    /// Whether timestamps of the target are used. Default true.
    pub honor_timestamps: Option<bool>,
    /// The interval. Default the server's.
    pub interval: Option<Duration>,
    /// Relabeling of samples.
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<Box<OAuth2>>,
    /// Parameters of the URL.
    pub params: Option<BTreeMap<String, Vec<String>>>,
    /// The path. Default `/metrics`.
    pub path: Option<String>,
    /// The port of the pod, by name; wins over the two others.
    pub port: Option<String>,
    /// The port of the pod, by number, 1 to 65535; wins over `targetPort`.
    pub port_number: Option<i32>,
    /// Relabeling of targets, after the operator's own.
    pub relabelings: Option<Vec<RelabelConfig>>,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// The time-out of a scrape. At most the interval.
    pub scrape_timeout: Option<Box<Duration>>,
    /// The port of the pod, by number or name; rather use the two others.
    pub target_port: Option<IntOrString>,
    /// TLS.
    pub tls_config: Option<Box<SafeTlsConfig>>,
    /// Whether series with their own timestamps become stale when they disappear.
    pub track_timestamps_staleness: Option<bool>,
}
