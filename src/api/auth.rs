//! How one side proves to the other who it is: TLS, basic authentication, tokens, OAuth2, clouds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::{ConfigMapKeySelector, SecretKeySelector};
use crate::api::{rules, string_enum};

/// Operator: monitoring/v1.ProxyConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProxyConfig {
    pub no_proxy: Option<String>,
    pub proxy_connect_header: Option<BTreeMap<String, Vec<SecretKeySelector>>>,
    pub proxy_from_environment: Option<bool>,
    #[schemars(regex(pattern = r"^(http|https|socks5)://.+$"))]
    pub proxy_url: Option<String>,
}

/// Operator: monitoring/v1.SecretOrConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretOrConfigMap {
    pub config_map: Option<ConfigMapKeySelector>,
    pub secret: Option<SecretKeySelector>,
}

/// Operator: monitoring/v1.SafeTLSConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SafeTlsConfig {
    pub ca: Option<SecretOrConfigMap>,
    pub cert: Option<SecretOrConfigMap>,
    pub insecure_skip_verify: Option<bool>,
    pub key_secret: Option<SecretKeySelector>,
    pub max_version: Option<TlsVersion>,
    pub min_version: Option<TlsVersion>,
    pub server_name: Option<String>,
}

/// Operator: monitoring/v1.TLSConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TlsConfig {
    pub ca: Option<SecretOrConfigMap>,
    pub ca_file: Option<String>,
    pub cert: Option<SecretOrConfigMap>,
    pub cert_file: Option<String>,
    pub insecure_skip_verify: Option<bool>,
    pub key_file: Option<String>,
    pub key_secret: Option<SecretKeySelector>,
    pub max_version: Option<TlsVersion>,
    pub min_version: Option<TlsVersion>,
    pub server_name: Option<String>,
}

/// Operator: monitoring/v1.BasicAuth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BasicAuth {
    pub password: Option<SecretKeySelector>,
    pub username: Option<SecretKeySelector>,
}

/// Operator: monitoring/v1.SafeAuthorization.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SafeAuthorization {
    pub credentials: Option<SecretKeySelector>,
    pub r#type: Option<String>,
}

/// Operator: monitoring/v1.Authorization.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Authorization {
    pub credentials: Option<SecretKeySelector>,
    pub credentials_file: Option<String>,
    pub r#type: Option<String>,
}

/// Operator: monitoring/v1.OAuth2.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OAuth2 {
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    pub client_id: SecretOrConfigMap,
    pub client_secret: SecretKeySelector,
    pub endpoint_params: Option<BTreeMap<String, String>>,
    pub scopes: Option<Vec<String>>,
    pub tls_config: Option<SafeTlsConfig>,
    #[schemars(regex(pattern = r"^(http|https)://.+$"))]
    pub token_url: String,
}

/// Operator: monitoring/v1.Sigv4.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules::SIGV4))]
pub struct Sigv4 {
    pub access_key: Option<SecretKeySelector>,
    #[schemars(length(min = 1))]
    pub external_id: Option<String>,
    pub profile: Option<String>,
    pub region: Option<String>,
    pub role_arn: Option<String>,
    pub secret_key: Option<SecretKeySelector>,
    #[serde(rename = "useFIPSSTSEndpoint")]
    pub use_fipssts_endpoint: Option<bool>,
}

/// Operator: monitoring/v1.AzureAD.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureAd {
    pub cloud: Option<AzureCloud>,
    pub managed_identity: Option<ManagedIdentity>,
    pub oauth: Option<AzureOAuth>,
    #[schemars(regex(pattern = r"^[\w\s:/.\\-]+$"))]
    pub scope: Option<String>,
    pub sdk: Option<AzureSdk>,
    pub workload_identity: Option<AzureWorkloadIdentity>,
}

/// Operator: monitoring/v1.ManagedIdentity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManagedIdentity {
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
}

/// Operator: monitoring/v1.AzureOAuth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureOAuth {
    #[schemars(length(min = 1))]
    pub client_id: String,
    pub client_secret: SecretKeySelector,
    #[schemars(regex(pattern = r"^[0-9a-zA-Z-.]+$"), length(min = 1))]
    pub tenant_id: String,
}

/// Operator: monitoring/v1.AzureSDK.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureSdk {
    #[schemars(regex(pattern = r"^[0-9a-zA-Z-.]+$"))]
    pub tenant_id: Option<String>,
}

/// Operator: monitoring/v1.AzureWorkloadIdentity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureWorkloadIdentity {
    #[schemars(length(min = 1))]
    pub client_id: String,
    #[schemars(length(min = 1))]
    pub tenant_id: String,
}

string_enum! {
    /// One of the allowed values.
    pub enum AzureCloud {
        /// `AzureChina`.
        AzureChina = "AzureChina",
        /// `AzureGovernment`.
        AzureGovernment = "AzureGovernment",
        /// `AzurePublic`.
        AzurePublic = "AzurePublic",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum TlsVersion {
        /// `TLS10`.
        Tls10 = "TLS10",
        /// `TLS11`.
        Tls11 = "TLS11",
        /// `TLS12`.
        Tls12 = "TLS12",
        /// `TLS13`.
        Tls13 = "TLS13",
    }
}
