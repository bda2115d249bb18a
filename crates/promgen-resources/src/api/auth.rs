//! Authentication of clients and servers: TLS, basic authentication, tokens, OAuth2, clouds.

use std::collections::BTreeMap;

use promgen_derive::api;

use crate::api::core::{ConfigMapKeySelector, SecretKeySelector};
use crate::api::{rules, string_enum};
use promgen_text::yaml::StringMap;

/// The proxy of a client.
#[api(of = "monitoring/v1.ProxyConfig")]
pub struct ProxyConfig {
    /// Hosts to reach without the proxy, with commas.
    pub no_proxy: Option<String>,
    /// Headers for the proxy's CONNECT.
    pub proxy_connect_header: Option<BTreeMap<String, Vec<SecretKeySelector>>>,
    /// Whether the proxy is read from environment variables.
    pub proxy_from_environment: Option<bool>,
    /// The proxy: `http`, `https` or `socks5`.
    pub proxy_url: Option<String>,
}

/// A key of a Secret or of a ConfigMap: one of the two.
#[api(of = "monitoring/v1.SecretOrConfigMap")]
pub struct SecretOrConfigMap {
    /// In a ConfigMap.
    pub config_map: Option<ConfigMapKeySelector>,
    /// In a Secret.
    pub secret: Option<SecretKeySelector>,
}

/// TLS of a client, from Secrets and ConfigMaps only.
#[api(of = "monitoring/v1.SafeTLSConfig")]
pub struct SafeTlsConfig {
    /// The CA of the server's certificate.
    pub ca: Option<SecretOrConfigMap>,
    /// The certificate to show.
    pub cert: Option<SecretOrConfigMap>,
    /// Whether verification of the server's certificate is disabled.
    pub insecure_skip_verify: Option<bool>,
    /// The key of `cert`.
    pub key_secret: Option<SecretKeySelector>,
    /// The newest version of TLS.
    pub max_version: Option<TlsVersion>,
    /// The oldest version of TLS.
    pub min_version: Option<TlsVersion>,
    /// The name that the server's certificate must have.
    pub server_name: Option<String>,
}

/// TLS of a client, from Secrets, ConfigMaps or files of the container.
#[api(of = "monitoring/v1.TLSConfig")]
pub struct TlsConfig {
    /// What comes from Secrets and ConfigMaps.
    #[api(flatten)]
    pub safe: SafeTlsConfig,
    /// The file of the CA.
    pub ca_file: Option<String>,
    /// The file of the certificate.
    pub cert_file: Option<String>,
    /// The key of the certificate, as a file.
    pub key_file: Option<String>,
}

/// User name and password.
#[api(of = "monitoring/v1.BasicAuth")]
pub struct BasicAuth {
    /// The password.
    pub password: Option<SecretKeySelector>,
    /// The user name.
    pub username: Option<SecretKeySelector>,
}

/// An `Authorization` header, from a Secret only.
#[api(of = "monitoring/v1.SafeAuthorization")]
pub struct SafeAuthorization {
    /// The credentials after the type.
    pub credentials: Option<SecretKeySelector>,
    /// The type, such as `Bearer`, which is the default. Not `Basic`.
    pub r#type: Option<String>,
}

/// An `Authorization` header, from a Secret or a file of the container.
#[api(of = "monitoring/v1.Authorization")]
pub struct Authorization {
    /// The credentials after the type.
    pub credentials: Option<SecretKeySelector>,
    /// The file of the credentials.
    pub credentials_file: Option<String>,
    /// The type, such as `Bearer`, which is the default. Not `Basic`.
    pub r#type: Option<String>,
}

/// A token from an OAuth2 server, by client credentials.
#[api(of = "monitoring/v1.OAuth2")]
pub struct OAuth2 {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// The client.
    pub client_id: SecretOrConfigMap,
    /// Its secret.
    pub client_secret: SecretKeySelector,
    /// Further parameters of the request.
    pub endpoint_params: Option<StringMap>,
    /// The requested scopes.
    pub scopes: Option<Vec<String>>,
    /// TLS towards the token server.
    pub tls_config: Option<SafeTlsConfig>,
    /// The token server.
    pub token_url: String,
}

/// AWS Signature Version 4 for requests.
#[api(validations = rules::SIGV4)]
#[api(of = "monitoring/v1.Sigv4")]
pub struct Sigv4 {
    /// The access key; the environment's if absent.
    pub access_key: Option<SecretKeySelector>,
    /// The external id of the role; needs `roleArn`.
    pub external_id: Option<String>,
    /// The named profile.
    pub profile: Option<String>,
    /// The region; the environment's if absent.
    pub region: Option<String>,
    /// The role to take on.
    pub role_arn: Option<String>,
    /// The secret key; the environment's if absent.
    pub secret_key: Option<SecretKeySelector>,
    /// Whether the FIPS endpoint of STS is used.
    pub use_fips_sts_endpoint: Option<bool>,
}

/// Requests with a token of Azure: by one of the four ways.
#[api(of = "monitoring/v1.AzureAD")]
pub struct AzureAd {
    /// The cloud. Default `AzurePublic`.
    pub cloud: Option<AzureCloud>,
    /// By a managed identity.
    pub managed_identity: Option<ManagedIdentity>,
    /// By a client's secret.
    pub oauth: Option<AzureOAuth>,
    /// The requested scopes.
    pub scope: Option<String>,
    /// By what the SDK finds.
    pub sdk: Option<AzureSdk>,
    /// By workload identity.
    pub workload_identity: Option<AzureWorkloadIdentity>,
}

/// A managed identity of Azure.
#[api(of = "monitoring/v1.ManagedIdentity")]
pub struct ManagedIdentity {
    /// The user-assigned identity; the system's if absent.
    pub client_id: Option<String>,
}

/// A client of Azure with a secret.
#[api(of = "monitoring/v1.AzureOAuth")]
pub struct AzureOAuth {
    /// The client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: SecretKeySelector,
    /// The tenant.
    pub tenant_id: String,
}

/// Authentication by the Azure SDK.
#[api(of = "monitoring/v1.AzureSDK")]
pub struct AzureSdk {
    /// The tenant.
    pub tenant_id: Option<String>,
}

/// Workload identity of Azure.
#[api(of = "monitoring/v1.AzureWorkloadIdentity")]
pub struct AzureWorkloadIdentity {
    /// The client.
    pub client_id: String,
    /// The tenant.
    pub tenant_id: String,
}

string_enum! {
    /// Clouds of Azure.
    pub enum AzureCloud {
        /// The Azure cloud of China.
        AzureChina = "AzureChina",
        /// The Azure cloud of the US government.
        AzureGovernment = "AzureGovernment",
        /// The public one.
        AzurePublic = "AzurePublic",
    }
}

string_enum! {
    /// Versions of TLS.
    pub enum TlsVersion {
        /// 1.0.
        Tls10 = "TLS10",
        /// 1.1.
        Tls11 = "TLS11",
        /// 1.2.
        Tls12 = "TLS12",
        /// 1.3.
        Tls13 = "TLS13",
    }
}
