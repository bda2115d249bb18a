//! The web server of a workload: TLS and headers.

use promgen_derive::api;

use crate::api::auth::SecretOrConfigMap;
use crate::api::core::SecretKeySelector;
use crate::api::{string_choice, string_enum};

/// The web server of Prometheus.
#[api(of = "monitoring/v1.PrometheusWebSpec")]
pub struct PrometheusWebSpec {
    /// Headers and HTTP/2.
    pub http_config: Option<WebHttpConfig>,
    /// The most connections at a time.
    pub max_connections: Option<i32>,
    /// The title of the page.
    pub page_title: Option<String>,
    /// TLS.
    pub tls_config: Option<WebTlsConfig>,
}

/// The web server of Thanos Ruler.
#[api(of = "monitoring/v1.ThanosRulerWebSpec")]
pub struct ThanosRulerWebSpec {
    /// Headers and HTTP/2.
    pub http_config: Option<WebHttpConfig>,
    /// TLS.
    pub tls_config: Option<WebTlsConfig>,
}

/// The web server of Alertmanager.
#[api(of = "monitoring/v1.AlertmanagerWebSpec")]
pub struct AlertmanagerWebSpec {
    /// The most GET requests at a time. Default the larger of the number of processors and 8.
    pub get_concurrency: Option<i32>,
    /// Headers and HTTP/2.
    pub http_config: Option<WebHttpConfig>,
    /// The time-out of a request in seconds. Default no limit.
    pub timeout: Option<i32>,
    /// TLS.
    pub tls_config: Option<WebTlsConfig>,
}

/// The HTTP settings of a web server.
#[api(of = "monitoring/v1.WebHTTPConfig")]
pub struct WebHttpConfig {
    /// Headers of every answer.
    pub headers: Option<WebHttpHeaders>,
    /// Whether HTTP/2 is enabled, which requires TLS.
    pub http2: Option<bool>,
}

/// Security headers of every answer.
#[api(of = "monitoring/v1.WebHTTPHeaders")]
pub struct WebHttpHeaders {
    /// `Content-Security-Policy`.
    pub content_security_policy: Option<String>,
    /// `Strict-Transport-Security`, with TLS only.
    pub strict_transport_security: Option<String>,
    /// `X-Content-Type-Options`.
    pub x_content_type_options: Option<ContentTypeOptions>,
    /// `X-Frame-Options`.
    pub x_frame_options: Option<FrameOptions>,
    /// `X-XSS-Protection`.
    pub x_xss_protection: Option<String>,
}

/// TLS of a web server.
#[api(of = "monitoring/v1.WebTLSConfig")]
pub struct WebTlsConfig {
    /// The certificate, instead of `certFile`.
    pub cert: Option<SecretOrConfigMap>,
    /// The certificate's file in the container.
    pub cert_file: Option<String>,
    /// Allowed cipher suites up to TLS 1.2. Default Go's.
    pub cipher_suites: Option<Vec<String>>,
    /// The CA of clients' certificates, instead of `clientCAFile`.
    pub client_ca: Option<SecretOrConfigMap>,
    /// The verification of clients, by Go's names, such as `RequireAndVerifyClientCert`. Default `NoClientCert`.
    pub client_auth_type: Option<ClientAuthType>,
    /// The file of that authority in the container.
    pub client_ca_file: Option<String>,
    /// Curves by preference. Default Go's.
    pub curve_preferences: Option<Vec<String>>,
    /// The key's file in the container.
    pub key_file: Option<String>,
    /// The key, instead of `keyFile`.
    pub key_secret: Option<SecretKeySelector>,
    /// The newest version of TLS. Default `TLS13`.
    pub max_version: Option<String>,
    /// The oldest version of TLS. Default `TLS12`.
    pub min_version: Option<String>,
    /// Whether the server's order of cipher suites is preferred.
    pub prefer_server_cipher_suites: Option<bool>,
}

string_choice! {
    /// The verification of clients, by Go's names.
    pub struct ClientAuthType = ["NoClientCert", "RequestClientCert", "RequireAnyClientCert", "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"];
}

string_enum! {
    /// Values of `X-Content-Type-Options`.
    pub enum ContentTypeOptions {
        /// No header.
        Empty = "",
        /// `nosniff`.
        NoSniff = "NoSniff",
    }
}

string_enum! {
    /// Values of `X-Frame-Options`.
    pub enum FrameOptions {
        /// No header.
        Empty = "",
        /// `deny`.
        Deny = "Deny",
        /// `sameorigin`.
        SameOrigin = "SameOrigin",
    }
}
