//! Remote read and remote write.

use promgen_derive::api;

use crate::api::auth::{Authorization, AzureAd, BasicAuth, OAuth2, ProxyConfig, Sigv4, TlsConfig};
use crate::api::scalar::Duration;
use crate::api::scraping::scrape::RelabelConfig;
use crate::api::string_enum;
use promgen_text::yaml::StringMap;

/// A place to read samples from.
#[api(of = "monitoring/v1.RemoteReadSpec")]
pub struct RemoteReadSpec {
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
    /// Whether external labels are added to the query as matchers. Default true.
    pub filter_external_labels: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// Headers of every request.
    pub headers: Option<StringMap>,
    /// Its name in metrics and logs. Each once.
    pub name: Option<String>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// Whether to query times that local storage covers. Default false.
    pub read_recent: Option<bool>,
    /// The time-out of a request. Default 1m.
    pub remote_timeout: Option<Duration>,
    /// Labels that a query must match to be sent here.
    pub required_matchers: Option<StringMap>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
    /// Where to.
    pub url: String,
}

/// A place to send samples to.
#[api(of = "monitoring/v1.RemoteWriteSpec")]
pub struct RemoteWriteSpec {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// The `Authorization` header.
    pub authorization: Option<Authorization>,
    /// A token of Azure.
    pub azure_ad: Option<AzureAd>,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
    /// A token, in clear; rather use `authorization`.
    pub bearer_token: Option<String>,
    /// A token, as a file of the container; rather use `authorization`.
    pub bearer_token_file: Option<String>,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// Headers of every request.
    pub headers: Option<StringMap>,
    /// The version of the protocol. Default `V1.0`.
    pub message_version: Option<RemoteWriteMessageVersion>,
    /// Settings of the metadata of series.
    pub metadata_config: Option<MetadataConfig>,
    /// Its name in metrics and logs. Each once.
    pub name: Option<String>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// The queue of samples.
    pub queue_config: Option<QueueConfig>,
    /// The time-out of a request. Default 30s.
    pub remote_timeout: Option<Duration>,
    /// Whether connections are spread over all addresses of the name.
    pub round_robin_dns: Option<bool>,
    /// Whether exemplars are sent. Default false.
    pub send_exemplars: Option<bool>,
    /// Whether native histograms are sent. Default false.
    pub send_native_histograms: Option<bool>,
    /// Requests signed for AWS.
    pub sigv4: Option<Sigv4>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
    /// Where to.
    pub url: String,
    /// Relabeling of samples before they are sent.
    pub write_relabel_configs: Option<Vec<RelabelConfig>>,
}

/// The queue of samples to be sent.
#[api(of = "monitoring/v1.QueueConfig")]
pub struct QueueConfig {
    /// The maximum time that a sample waits.
    pub batch_send_deadline: Option<Duration>,
    /// The capacity of a shard's queue; reading stops when it is full.
    pub capacity: Option<i64>,
    /// The longest wait after a failure.
    pub max_backoff: Option<Duration>,
    /// The maximum number of retries of a batch; before Prometheus 2.11 only.
    pub max_retries: Option<i64>,
    /// The maximum number of samples in a request.
    pub max_samples_per_send: Option<i64>,
    /// The most requests at a time.
    pub max_shards: Option<i64>,
    /// The first wait after a failure; doubles each time.
    pub min_backoff: Option<Duration>,
    /// The fewest requests at a time.
    pub min_shards: Option<i64>,
    /// Whether requests with status 429 are retried.
    pub retry_on_rate_limit: Option<bool>,
    /// The maximum age of a sample; absent means no limit.
    pub sample_age_limit: Option<Duration>,
}

/// Settings of the metadata of series.
#[api(of = "monitoring/v1.MetadataConfig")]
pub struct MetadataConfig {
    /// The maximum number in a request; -1 for no limit.
    pub max_samples_per_send: Option<i32>,
    /// Whether it is sent.
    pub send: Option<bool>,
    /// The interval.
    pub send_interval: Option<Duration>,
}

string_enum! {
    /// Versions of the remote write protocol.
    pub enum RemoteWriteMessageVersion {
        /// Version 1.
        V1 = "V1.0",
        /// Version 2.
        V2 = "V2.0",
    }
}
