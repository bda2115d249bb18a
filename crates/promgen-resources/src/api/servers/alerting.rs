//! The Alertmanagers that a server reports to.

use promgen_derive::api;

use crate::api::auth::{BasicAuth, ProxyConfig, SafeAuthorization, Sigv4, TlsConfig};
use crate::api::scalar::{Duration, IntOrString};
use crate::api::scraping::scrape::{RelabelConfig, Scheme};
use crate::api::string_choice;

/// The Alertmanagers that alerts go to.
#[api(of = "monitoring/v1.AlertingSpec")]
pub struct AlertingSpec {
    /// Services of Alertmanagers.
    pub alertmanagers: Vec<AlertmanagerEndpoints>,
}

/// A service of Alertmanagers.
#[api(of = "monitoring/v1.AlertmanagerEndpoints")]
pub struct AlertmanagerEndpoints {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// Relabeling of alerts.
    pub alert_relabelings: Option<Vec<RelabelConfig>>,
    /// The version of their API: `v1` or `v2`.
    pub api_version: Option<AlertmanagerApiVersion>,
    /// The `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
    /// A token, as a file of the container; rather use `authorization`.
    pub bearer_token_file: Option<String>,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    pub enable_http2: Option<bool>,
    /// The service.
    pub name: String,
    /// Its namespace. Default that of the server.
    pub namespace: Option<String>,
    /// The prefix before `/api` in their paths.
    pub path_prefix: Option<String>,
    /// Its port, by name or number.
    pub port: IntOrString,
    /// Relabeling of the Alertmanagers found.
    pub relabelings: Option<Vec<RelabelConfig>>,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// Requests signed for AWS.
    pub sigv4: Option<Sigv4>,
    /// The time-out of a request. Default 10s.
    pub timeout: Option<Duration>,
    /// TLS.
    pub tls_config: Option<TlsConfig>,
}

string_choice! {
    /// A version of Alertmanager's API, in the user's casing.
    pub struct AlertmanagerApiVersion = ["v1", "V1", "v2", "V2"];
}
