//! Client settings of the API, as views: TLS and authorization come in several types that differ in a field or two.

use crate::api::auth::{
    Authorization, BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig,
    SecretOrConfigMap, TlsConfig,
};
use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::HttpConfig;
use crate::api::notifying::alertmanager_global::HttpConfigWithProxyAndTls;
use crate::api::scraping::pod_monitor::PodMetricsEndpoint;
use crate::api::scraping::probe::ProbeSpec;
use crate::api::scraping::scrape_config::ScrapeConfigSpec;
use crate::api::scraping::scrape_config::client::{SdClient, SdTokenClient, SdTransport};
use crate::api::scraping::service_monitor::Endpoint;
use crate::api::servers::alerting::AlertmanagerEndpoints;
use crate::api::servers::remote::{RemoteReadSpec, RemoteWriteSpec};
use crate::api::servers::settings::ApiServerConfig;

/// A TLS block, whichever type of the API it came from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tls<'a> {
    /// It may name files of the container.
    pub with_files: bool,
    /// `ca`.
    pub ca: Option<&'a SecretOrConfigMap>,
    /// `cert`.
    pub cert: Option<&'a SecretOrConfigMap>,
    /// `keySecret`.
    pub key: Option<&'a SecretKeySelector>,
    /// `insecureSkipVerify`.
    pub insecure_skip_verify: Option<bool>,
    /// `serverName`.
    pub server_name: Option<&'a str>,
    /// `minVersion`.
    pub min_version: Option<&'a str>,
    /// `maxVersion`.
    pub max_version: Option<&'a str>,
    /// `caFile`.
    pub ca_file: Option<&'a str>,
    /// `certFile`.
    pub cert_file: Option<&'a str>,
    /// `keyFile`.
    pub key_file: Option<&'a str>,
}

/// A selector that names something: `{}` is none.
fn named(selector: Option<&SecretOrConfigMap>) -> Option<&SecretOrConfigMap> {
    selector.filter(|s| s.secret.is_some() || s.config_map.is_some())
}

impl<'a> From<&'a SafeTlsConfig> for Tls<'a> {
    fn from(tls: &'a SafeTlsConfig) -> Self {
        Self {
            ca: named(tls.ca.as_ref()),
            cert: named(tls.cert.as_ref()),
            key: tls.key_secret.as_ref(),
            insecure_skip_verify: tls.insecure_skip_verify,
            server_name: tls.server_name.as_deref(),
            min_version: tls.min_version.as_ref().map(|v| v.as_str()),
            max_version: tls.max_version.as_ref().map(|v| v.as_str()),
            ..Self::default()
        }
    }
}

impl<'a> From<&'a TlsConfig> for Tls<'a> {
    fn from(tls: &'a TlsConfig) -> Self {
        Self {
            with_files: true,
            ca_file: tls.ca_file.as_deref(),
            cert_file: tls.cert_file.as_deref(),
            key_file: tls.key_file.as_deref(),
            ..Self::from(&tls.safe)
        }
    }
}

/// An authorization block, with or without a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auth<'a> {
    /// It may name a file of the container.
    pub with_file: bool,
    /// `type`.
    pub kind: Option<&'a str>,
    /// `credentials`.
    pub credentials: Option<&'a SecretKeySelector>,
    /// `credentialsFile`.
    pub credentials_file: Option<&'a str>,
}

impl<'a> From<&'a SafeAuthorization> for Auth<'a> {
    fn from(auth: &'a SafeAuthorization) -> Self {
        Self {
            kind: auth.r#type.as_deref(),
            credentials: auth.credentials.as_ref(),
            ..Self::default()
        }
    }
}

impl<'a> From<&'a Authorization> for Auth<'a> {
    fn from(auth: &'a Authorization) -> Self {
        Self {
            with_file: true,
            kind: auth.r#type.as_deref(),
            credentials: auth.credentials.as_ref(),
            credentials_file: auth.credentials_file.as_deref(),
        }
    }
}

/// How Prometheus or Alertmanager talks to somebody else, as far as the type of the API lets the user say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client<'a> {
    /// `authorization`.
    pub authorization: Option<Auth<'a>>,
    /// `basicAuth`.
    pub basic_auth: Option<&'a BasicAuth>,
    /// `bearerTokenSecret`.
    pub bearer_token_secret: Option<&'a SecretKeySelector>,
    /// `oauth2`.
    pub oauth2: Option<&'a OAuth2>,
    /// `tlsConfig`.
    pub tls_config: Option<Tls<'a>>,
    /// The proxy.
    pub proxy: Option<&'a ProxyConfig>,
}

/// A part of a [`Client`]. The operator reads and writes them in another order nearly everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientPart {
    /// `basicAuth`.
    BasicAuth,
    /// `authorization`.
    Authorization,
    /// `oauth2`.
    OAuth2,
    /// `tlsConfig`.
    Tls,
    /// The proxy.
    Proxy,
}

/// Types of the API with the settings of a client: their fields, those in a box, then that of the proxy.
macro_rules! clients {
    ($($type:ty: $($field:ident)* $(, $($boxed:ident)+)? $(; $proxy:ident)?.)+) => {
        $(impl<'a> From<&'a $type> for Client<'a> {
            #[allow(clippy::needless_update, reason = "some of the types have all fields")]
            fn from(of: &'a $type) -> Self {
                Self {
                    $($field: of.$field.as_ref().map(Into::into),)*
                    $($($boxed: of.$boxed.as_deref().map(Into::into),)+)?
                    $(proxy: Some(&of.$proxy),)?
                    ..Self::default()
                }
            }
        })+
    };
}

#[rustfmt::skip]
clients! {
    Endpoint:, authorization basic_auth bearer_token_secret oauth2 tls_config; proxy.
    PodMetricsEndpoint:, authorization basic_auth bearer_token_secret oauth2 tls_config; proxy.
    ProbeSpec: authorization basic_auth bearer_token_secret oauth2 tls_config.
    ScrapeConfigSpec: authorization basic_auth oauth2 tls_config; proxy.
    RemoteReadSpec: authorization basic_auth oauth2 tls_config; proxy.
    RemoteWriteSpec: authorization basic_auth oauth2 tls_config; proxy.
    ApiServerConfig: authorization basic_auth tls_config; proxy.
    AlertmanagerEndpoints: authorization basic_auth tls_config; proxy.
    HttpConfig: authorization basic_auth bearer_token_secret oauth2 tls_config; proxy.
    HttpConfigWithProxyAndTls: authorization basic_auth bearer_token_secret oauth2 tls_config; proxy.
    SdTransport: tls_config; proxy.
}

impl<'a> From<&'a SdTokenClient> for Client<'a> {
    fn from(client: &'a SdTokenClient) -> Self {
        let authorization = client.authorization.as_ref().map(Auth::from);
        Self {
            authorization,
            oauth2: client.oauth2.as_ref(),
            ..Self::from(&client.transport)
        }
    }
}

impl<'a> From<&'a SdClient> for Client<'a> {
    fn from(client: &'a SdClient) -> Self {
        Self {
            basic_auth: client.basic_auth.as_ref(),
            ..Self::from(&client.token)
        }
    }
}

/// The text unless it is empty: the operator leaves empty texts out.
pub fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|t| !t.is_empty())
}
