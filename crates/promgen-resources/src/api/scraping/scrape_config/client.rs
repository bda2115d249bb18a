//! What discoveries share: how their API is talked to, and filters.

use promgen_derive::{Decode, Encode};

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};

/// The way to the API of a discovery.
///
/// Operator: fields that discoveries of monitoring/v1alpha1 share.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct SdTransport {
    /// The proxy in front of the other side.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// Whether HTTP/2 is spoken. Default Prometheus'.
    #[api(name = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Whether redirects are followed. Default true.
    pub follow_redirects: Option<bool>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
}

/// How the API of a discovery is talked to, without a user name.
///
/// Operator: fields that discoveries of monitoring/v1alpha1 share.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct SdTokenClient {
    /// The way to the API.
    #[api(flatten)]
    pub transport: SdTransport,
    /// The `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
}

/// How the API of a discovery is talked to.
///
/// Operator: fields that most discoveries of monitoring/v1alpha1 share.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct SdClient {
    /// The same, without a user name.
    #[api(flatten)]
    pub token: SdTokenClient,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
}

/// A filter of an API.
///
/// Operator: monitoring/v1alpha1.Filter.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Filter {
    /// What it looks at.
    #[api(min_length = 1)]
    pub name: String,
    /// What is let through. Each once.
    #[api(min_length = 1, items(min_length = 1), unique)]
    pub values: Vec<String>,
}
