//! Remote read and remote write.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{Authorization, AzureAd, BasicAuth, OAuth2, ProxyConfig, Sigv4, TlsConfig};
use crate::api::scalar::Duration;
use crate::api::scrape::RelabelConfig;
use crate::api::{string_enum, unformatted};

/// Operator: monitoring/v1.RemoteReadSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteReadSpec {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub authorization: Option<Authorization>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token: Option<String>,
    pub bearer_token_file: Option<String>,
    pub filter_external_labels: Option<bool>,
    pub follow_redirects: Option<bool>,
    pub headers: Option<BTreeMap<String, String>>,
    pub name: Option<String>,
    pub oauth2: Option<OAuth2>,
    pub read_recent: Option<bool>,
    pub remote_timeout: Option<Duration>,
    pub required_matchers: Option<BTreeMap<String, String>>,
    pub tls_config: Option<TlsConfig>,
    #[schemars(regex(pattern = r"^(http|https)://.+$"))]
    pub url: String,
}

/// Operator: monitoring/v1.RemoteWriteSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemoteWriteSpec {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub authorization: Option<Authorization>,
    pub azure_ad: Option<AzureAd>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token: Option<String>,
    pub bearer_token_file: Option<String>,
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    pub follow_redirects: Option<bool>,
    pub headers: Option<BTreeMap<String, String>>,
    pub message_version: Option<RemoteWriteMessageVersion>,
    pub metadata_config: Option<MetadataConfig>,
    pub name: Option<String>,
    pub oauth2: Option<OAuth2>,
    pub queue_config: Option<QueueConfig>,
    pub remote_timeout: Option<Duration>,
    #[serde(rename = "roundRobinDNS")]
    pub round_robin_dns: Option<bool>,
    pub send_exemplars: Option<bool>,
    pub send_native_histograms: Option<bool>,
    pub sigv4: Option<Sigv4>,
    pub tls_config: Option<TlsConfig>,
    #[schemars(regex(pattern = r"^(http|https)://.+$"))]
    pub url: String,
    pub write_relabel_configs: Option<Vec<RelabelConfig>>,
}

/// Operator: monitoring/v1.QueueConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueConfig {
    pub batch_send_deadline: Option<Duration>,
    #[schemars(transform = unformatted)]
    pub capacity: Option<i64>,
    pub max_backoff: Option<Duration>,
    #[schemars(transform = unformatted)]
    pub max_retries: Option<i64>,
    #[schemars(transform = unformatted)]
    pub max_samples_per_send: Option<i64>,
    #[schemars(transform = unformatted)]
    pub max_shards: Option<i64>,
    pub min_backoff: Option<Duration>,
    #[schemars(transform = unformatted)]
    pub min_shards: Option<i64>,
    pub retry_on_rate_limit: Option<bool>,
    pub sample_age_limit: Option<Duration>,
}

/// Operator: monitoring/v1.MetadataConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetadataConfig {
    #[schemars(range(min = -1))]
    pub max_samples_per_send: Option<i32>,
    pub send: Option<bool>,
    pub send_interval: Option<Duration>,
}

string_enum! {
    /// One of the allowed values.
    pub enum RemoteWriteMessageVersion {
        /// `V1.0`.
        V1 = "V1.0",
        /// `V2.0`.
        V2 = "V2.0",
    }
}
