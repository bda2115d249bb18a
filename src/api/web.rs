//! The web server of a workload: TLS and headers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::auth::SecretOrConfigMap;
use crate::api::core::SecretKeySelector;
use crate::api::string_enum;

/// Operator: monitoring/v1.PrometheusWebSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusWebSpec {
    pub http_config: Option<WebHttpConfig>,
    #[schemars(range(min = 0))]
    pub max_connections: Option<i32>,
    pub page_title: Option<String>,
    pub tls_config: Option<WebTlsConfig>,
}

/// Operator: monitoring/v1.WebHTTPConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebHttpConfig {
    pub headers: Option<WebHttpHeaders>,
    pub http2: Option<bool>,
}

/// Operator: monitoring/v1.WebHTTPHeaders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebHttpHeaders {
    pub content_security_policy: Option<String>,
    pub strict_transport_security: Option<String>,
    pub x_content_type_options: Option<ContentTypeOptions>,
    pub x_frame_options: Option<FrameOptions>,
    #[serde(rename = "xXSSProtection")]
    pub x_xss_protection: Option<String>,
}

/// Operator: monitoring/v1.WebTLSConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebTlsConfig {
    pub cert: Option<SecretOrConfigMap>,
    pub cert_file: Option<String>,
    pub cipher_suites: Option<Vec<String>>,
    #[serde(rename = "client_ca")]
    pub client_ca: Option<SecretOrConfigMap>,
    pub client_auth_type: Option<String>,
    #[serde(rename = "clientCAFile")]
    pub client_ca_file: Option<String>,
    pub curve_preferences: Option<Vec<String>>,
    pub key_file: Option<String>,
    pub key_secret: Option<SecretKeySelector>,
    pub max_version: Option<String>,
    pub min_version: Option<String>,
    pub prefer_server_cipher_suites: Option<bool>,
}

string_enum! {
    /// One of the allowed values.
    pub enum ContentTypeOptions {
        /// ``.
        Empty = "",
        /// `NoSniff`.
        NoSniff = "NoSniff",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum FrameOptions {
        /// ``.
        Empty = "",
        /// `Deny`.
        Deny = "Deny",
        /// `SameOrigin`.
        SameOrigin = "SameOrigin",
    }
}
