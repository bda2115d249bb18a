//! `Probe`: scrapes a prober's results, such as those of the blackbox exporter, for targets.

use promgen_derive::api;

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::resource;
use crate::api::scalar::Duration;
use crate::api::scraping::scrape::{
    NamespaceSelector, NativeHistogramConfig, RelabelConfig, Scheme, ScrapeProtocol,
};
use crate::api::status::ConfigResourceStatus;
use promgen_text::yaml::StringMap;

resource! {
    /// Probes targets by a prober.
    ///
    /// Operator: monitoring/v1.Probe.
    pub struct Probe { spec: ProbeSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "probes"
}

/// The spec of a Probe.
#[api(of = "monitoring/v1.ProbeSpec")]
pub struct ProbeSpec {
    /// Settings of native histograms.
    #[api(flatten)]
    pub native_histogram: NativeHistogramConfig,
    /// The `Authorization` header for the prober.
    pub authorization: Option<SafeAuthorization>,
    /// User name and password for the prober.
    pub basic_auth: Option<BasicAuth>,
    /// A token for the prober, from a Secret; rather use `authorization`.
    pub bearer_token_secret: Option<SecretKeySelector>,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    pub enable_http2: Option<bool>,
    /// Whether `scrape_timeout_seconds`, `scrape_sample_limit` and `scrape_body_size_bytes` are stored for each scrape.
    pub extra_scrape_metrics: Option<bool>,
    /// The protocol for probers that do not name theirs.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// Whether redirects of the prober are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// The interval. Default the server's.
    pub interval: Option<Duration>,
    /// The value of `job`. Default the name of the job.
    pub job_name: Option<String>,
    /// The maximum number of dropped targets in memory; 0 means no limit.
    pub keep_dropped_targets: Option<i64>,
    /// The maximum number of labels of a sample.
    pub label_limit: Option<i64>,
    /// The maximum length of a label's name, in bytes.
    pub label_name_length_limit: Option<i64>,
    /// The maximum length of a label's value, in bytes.
    pub label_value_length_limit: Option<i64>,
    /// Relabeling of samples.
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    /// The prober's module, which defines the probe.
    pub module: Option<String>,
    /// A token from an OAuth2 server, for the prober.
    pub oauth2: Option<OAuth2>,
    /// Further parameters of the URL. Each name once. `module` above wins over one of that name.
    pub params: Option<Vec<ProbeParam>>,
    /// Where the prober is.
    pub prober: Option<ProberSpec>,
    /// The maximum number of samples of a scrape.
    pub sample_limit: Option<i64>,
    /// The scrape class to take settings from. Default the server's default class.
    pub scrape_class: Option<String>,
    /// Protocols by preference. Each once.
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    /// The time-out of a scrape. At most the interval.
    pub scrape_timeout: Option<Duration>,
    /// The maximum number of targets.
    pub target_limit: Option<i64>,
    /// The probed targets.
    pub targets: Option<ProbeTargets>,
    /// TLS towards the prober.
    pub tls_config: Option<SafeTlsConfig>,
}

/// A parameter of the prober's URL.
#[api(of = "monitoring/v1.ProbeParam")]
pub struct ProbeParam {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Option<Vec<String>>,
}

/// Where a prober is.
#[api(of = "monitoring/v1.ProberSpec")]
pub struct ProberSpec {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// The path of the prober. Default `/probe`.
    #[api(default = probe_path)]
    pub path: String,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// Its host, or host and port; no scheme.
    pub url: String,
}

/// The probed targets: a static list, or the hosts of ingresses. The list takes precedence.
#[api(of = "monitoring/v1.ProbeTargets")]
pub struct ProbeTargets {
    /// Hosts and paths of ingresses.
    pub ingress: Option<ProbeTargetIngress>,
    /// A list.
    pub static_config: Option<ProbeTargetStaticConfig>,
}

/// A list of targets to probe.
#[api(of = "monitoring/v1.ProbeTargetStaticConfig")]
pub struct ProbeTargetStaticConfig {
    /// Labels that are added to their series. `namespace` is added by default.
    pub labels: Option<StringMap>,
    /// Relabeling of targets, after the operator's own.
    pub relabeling_configs: Option<Vec<RelabelConfig>>,
    /// The targets, in the form that the module requires.
    #[api(name = "static")]
    pub targets: Option<Vec<String>>,
}

/// Ingresses of which every host and path is probed.
#[api(of = "monitoring/v1.ProbeTargetIngress")]
pub struct ProbeTargetIngress {
    /// Namespaces of the ingresses. Default the own one.
    pub namespace_selector: Option<NamespaceSelector>,
    /// Relabeling of targets, after the operator's own.
    pub relabeling_configs: Option<Vec<RelabelConfig>>,
    /// The selector of ingresses.
    pub selector: Option<LabelSelector>,
}

fn probe_path() -> String {
    "/probe".to_owned()
}
