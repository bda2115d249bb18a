//! The Alertmanagers that a server reports to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::{BasicAuth, ProxyConfig, SafeAuthorization, Sigv4, TlsConfig};
use crate::api::scalar::{Duration, IntOrString};
use crate::api::scrape::{RelabelConfig, Scheme};
use crate::api::string_choice;

/// Operator: monitoring/v1.AlertingSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertingSpec {
    pub alertmanagers: Vec<AlertmanagerEndpoints>,
}

/// Operator: monitoring/v1.AlertmanagerEndpoints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertmanagerEndpoints {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub alert_relabelings: Option<Vec<RelabelConfig>>,
    pub api_version: Option<AlertmanagerApiVersion>,
    pub authorization: Option<SafeAuthorization>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer_token_file: Option<String>,
    pub enable_http2: Option<bool>,
    #[schemars(length(min = 1))]
    pub name: String,
    #[schemars(length(min = 1))]
    pub namespace: Option<String>,
    #[schemars(length(min = 1))]
    pub path_prefix: Option<String>,
    pub port: IntOrString,
    pub relabelings: Option<Vec<RelabelConfig>>,
    pub scheme: Option<Scheme>,
    pub sigv4: Option<Sigv4>,
    pub timeout: Option<Duration>,
    pub tls_config: Option<TlsConfig>,
}

string_choice! {
    /// One of the allowed texts, in the casing of the user.
    pub struct AlertmanagerApiVersion = ["v1", "V1", "v2", "V2"];
}
