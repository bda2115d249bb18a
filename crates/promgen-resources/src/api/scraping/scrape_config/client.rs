//! Types that discoveries share: clients of their APIs, and filters.

use promgen_derive::api;

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};

/// The connection to the API of a discovery.
///
/// Operator: fields that discoveries of monitoring/v1alpha1 share.
#[api]
pub struct SdTransport {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    #[api(name = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
}

/// The client of the API of a discovery, without basic authentication.
///
/// Operator: fields that discoveries of monitoring/v1alpha1 share.
#[api]
pub struct SdTokenClient {
    /// The connection to the API.
    #[api(flatten)]
    pub transport: SdTransport,
    /// The `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
}

/// The client of the API of a discovery.
///
/// Operator: fields that most discoveries of monitoring/v1alpha1 share.
#[api]
pub struct SdClient {
    /// The client without basic authentication.
    #[api(flatten)]
    pub token: SdTokenClient,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
}

/// A filter of an API.
#[api(of = "monitoring/v1alpha1.Filter")]
pub struct Filter {
    /// The filtered property.
    pub name: String,
    /// The accepted values. Each once.
    pub values: Vec<String>,
}
