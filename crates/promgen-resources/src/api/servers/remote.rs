//! Remote read and remote write.

use std::collections::BTreeMap;

use promgen_derive::{Decode, Encode};

use crate::api::auth::{Authorization, AzureAd, BasicAuth, OAuth2, ProxyConfig, Sigv4, TlsConfig};
use crate::api::scalar::Duration;
use crate::api::scraping::scrape::RelabelConfig;
use crate::api::string_enum;

/// A place to read samples from.
///
/// Operator: monitoring/v1.RemoteReadSpec.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RemoteReadSpec {
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
    /// Whether external labels narrow the query. Default true.
    pub filter_external_labels: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// Headers of every request.
    pub headers: Option<BTreeMap<String, String>>,
    /// Its name in metrics and logs. Each once.
    pub name: Option<String>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// Whether to ask for times that local storage should hold. Default false.
    pub read_recent: Option<bool>,
    /// How long a request may take. Default 1m.
    pub remote_timeout: Option<Duration>,
    /// Labels that a query must match for this place to be asked.
    pub required_matchers: Option<BTreeMap<String, String>>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
    /// Where to.
    #[api(pattern = r"^(http|https)://.+$")]
    pub url: String,
}

/// A place to send samples to.
///
/// Operator: monitoring/v1.RemoteWriteSpec.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RemoteWriteSpec {
    /// The proxy in front of the other side.
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
    /// Whether HTTP/2 is spoken. Default Prometheus'.
    #[api(name = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// Headers of every request.
    pub headers: Option<BTreeMap<String, String>>,
    /// Which version of the protocol. Default `V1.0`.
    pub message_version: Option<RemoteWriteMessageVersion>,
    /// How metadata of series is sent.
    pub metadata_config: Option<MetadataConfig>,
    /// Its name in metrics and logs. Each once.
    pub name: Option<String>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// How samples wait and are batched.
    pub queue_config: Option<QueueConfig>,
    /// How long a request may take. Default 30s.
    pub remote_timeout: Option<Duration>,
    /// Whether connections spread over all addresses of the name.
    #[api(name = "roundRobinDNS")]
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
    #[api(pattern = r"^(http|https)://.+$")]
    pub url: String,
    /// Relabeling of samples before they are sent.
    pub write_relabel_configs: Option<Vec<RelabelConfig>>,
}

/// How samples wait to be sent.
///
/// Operator: monitoring/v1.QueueConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct QueueConfig {
    /// How long a sample waits at most.
    pub batch_send_deadline: Option<Duration>,
    /// How many samples wait per shard before reading stops.
    #[api(unformatted)]
    pub capacity: Option<i64>,
    /// The longest wait after a failure.
    pub max_backoff: Option<Duration>,
    /// How often a batch is tried; before Prometheus 2.11 only.
    #[api(unformatted)]
    pub max_retries: Option<i64>,
    /// How many samples go in a request.
    #[api(unformatted)]
    pub max_samples_per_send: Option<i64>,
    /// The most requests at a time.
    #[api(unformatted)]
    pub max_shards: Option<i64>,
    /// The first wait after a failure; doubles each time.
    pub min_backoff: Option<Duration>,
    /// The fewest requests at a time.
    #[api(unformatted)]
    pub min_shards: Option<i64>,
    /// Whether status 429 is tried again.
    pub retry_on_rate_limit: Option<bool>,
    /// How old a sample may be; absent means any age.
    pub sample_age_limit: Option<Duration>,
}

/// How metadata of series is sent.
///
/// Operator: monitoring/v1.MetadataConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct MetadataConfig {
    /// How many go in a request; -1 for no limit.
    #[api(min = -1)]
    pub max_samples_per_send: Option<i32>,
    /// Whether it is sent.
    pub send: Option<bool>,
    /// How often.
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
