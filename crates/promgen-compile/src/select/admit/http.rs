//! Checks of the ways in which Prometheus talks to somebody, each with the Secrets that it reads.
//!
//! Each function mirrors one of the operator's; which of them a resource is put through, in which order and with which
//! words in front, is the caller's knowledge.

use crate::select::admit::{Check, Lookup, Refusal, Within, tls};
use promgen_resources::api::auth::{
    Authorization, BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SecretOrConfigMap,
};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::http_config::{Tls, filled};
use promgen_text::go::quote::quote;
use promgen_text::go::url::Url;
use promgen_text::route::Path;

/// The client settings of an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Http<'a> {
    /// `authorization`.
    pub authorization: Option<&'a SafeAuthorization>,
    /// `basicAuth`.
    pub basic_auth: Option<&'a BasicAuth>,
    /// `bearerTokenSecret`.
    pub bearer_token: Option<&'a SecretKeySelector>,
    /// `oauth2`.
    pub oauth2: Option<&'a OAuth2>,
    /// `tlsConfig`.
    pub tls: Option<Tls<'a>>,
    /// The proxy.
    pub proxy: &'a ProxyConfig,
}

/// What can be told of an endpoint without looking at any Secret. Operator: `HTTPConfigWithProxy.Validate`.
pub fn valid(path: &Path<'_>, http: &Http<'_>) -> Check {
    one_way(path, http)?;
    if let Some(auth) = http.authorization {
        authorization_valid(&path.key("authorization"), auth).within("authorization")?;
    }
    if let Some(auth) = http.oauth2 {
        oauth2_valid(&path.key("oauth2"), auth).within("oauth2")?;
    }
    if let Some(tls) = http.tls {
        tls::valid(&path.key("tlsConfig"), &tls).within("tlsConfig")?;
    }
    proxy_valid(path, http.proxy)
}

/// Only one way to authenticate.
fn one_way(path: &Path<'_>, http: &Http<'_>) -> Check {
    let ways = [
        ("authorization", http.authorization.is_some()),
        ("basicAuth", http.basic_auth.is_some()),
        ("bearerTokenSecret", http.bearer_token.is_some()),
        ("oauth2", http.oauth2.is_some()),
    ];
    let mut set = ways.iter().filter(|(_, set)| *set).map(|(name, _)| *name);
    match (set.next(), set.next()) {
        (Some(first), Some(second)) => {
            let message = format!("{first} and {second} cannot be configured at the same time");
            Err(Refusal::new(&path.key(second), message))
        }
        _ => Ok(()),
    }
}

/// Operator: `SafeAuthorization.Validate`.
fn authorization_valid(path: &Path<'_>, auth: &SafeAuthorization) -> Check {
    if is_basic(auth.r#type.as_deref()) {
        let message = "'authorization' type cannot be set to \"basic\", use \"basicAuth\" instead";
        return Err(Refusal::new(&path.key("type"), message));
    }
    match auth.credentials {
        Some(_) => Ok(()),
        None => Err(Refusal::new(path, "'authorization' credentials are required")),
    }
}

fn is_basic(kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("basic"))
}

/// Operator: `OAuth2.Validate`.
fn oauth2_valid(path: &Path<'_>, auth: &OAuth2) -> Check {
    if auth.token_url.is_empty() {
        return Err(Refusal::new(&path.key("tokenUrl"), "OAuth2 tokenURL must be specified"));
    }
    let id = path.key("clientId");
    match (&auth.client_id.secret, &auth.client_id.config_map) {
        (None, None) => return Err(Refusal::new(&id, "OAuth2 'clientID' must be specified")),
        (Some(_), Some(_)) => {
            let message = "invalid OAuth2 'clientID': cannot specify both Secret and ConfigMap";
            return Err(Refusal::new(&id, message));
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if let Some(tls) = &auth.tls_config {
        tls::valid(&path.key("tlsConfig"), &tls.into()).within("invalid OAuth2 'tlsConfig'")?;
    }
    proxy_valid(path, &auth.proxy).within("invalid OAuth2 proxyConfig")
}

/// Proxy settings that go together. Operator: `ProxyConfig.Validate`.
pub(crate) fn proxy_valid(path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let (url, from_environment) = (filled(proxy.proxy_url.as_deref()), proxy.proxy_from_environment.unwrap_or(false));
    let no_proxy = filled(proxy.no_proxy.as_deref()).is_some();
    let refuse = |key: &'static str, message: &str| Err(Refusal::new(&path.key(key), message));
    let header = proxy.proxy_connect_header.as_ref().is_some_and(|h| !h.is_empty());
    if header && !from_environment && url.is_none() {
        let message = "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured";
        return refuse("proxyConnectHeader", message);
    }
    if from_environment && url.is_some() {
        return refuse("proxyUrl", "if proxyFromEnvironment is configured, proxyUrl must not be configured");
    }
    if from_environment && no_proxy {
        return refuse("noProxy", "if proxyFromEnvironment is configured, noProxy must not be configured");
    }
    if no_proxy && url.is_none() {
        return refuse("noProxy", "if noProxy is configured, proxyUrl must also be configured");
    }
    proxy_selectors(path, proxy)?;
    match url.map(Url::parse) {
        Some(Err(message)) => refuse("proxyUrl", &message),
        Some(Ok(_)) | None => Ok(()),
    }
}

/// Headers name their Secrets. The operator looks at them in random order, we by name.
fn proxy_selectors(path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        let path = path.key(name);
        if selectors.is_empty() {
            // The operator's own spelling.
            return Err(Refusal::new(&path, format!("proxyConnetHeader[{name}]: selector must not be empty")));
        }
        if let Some(index) =
            selectors.iter().position(|s| s.name.is_empty() && s.key.is_empty() && s.optional.is_none())
        {
            let message = format!("proxyConnectHeader[{name}][{index}]: selector must be defined");
            return Err(Refusal::new(&path.index(index), message));
        }
    }
    Ok(())
}

/// A proxy, and the Secrets of its headers. Operator: `addProxyConfigToStore`.
pub fn proxy(cx: &mut impl Lookup, path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    proxy_valid(path, proxy)?;
    proxy_headers(cx, path, proxy)
}

/// The Secrets of a proxy's headers. Operator: `AddProxyConfig`.
pub(crate) fn proxy_headers(cx: &mut impl Lookup, path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        let path = path.key(name);
        for (index, selector) in selectors.iter().enumerate() {
            secret(cx, &path.index(index), selector).within(&format!("header[{name}][{index}]"))?;
        }
    }
    Ok(())
}

/// The Secrets that an endpoint refers to, in the order that ServiceMonitors and PodMonitors share.
pub fn assets(cx: &mut impl Lookup, path: &Path<'_>, http: &Http<'_>) -> Check {
    basic_auth(cx, path, http.basic_auth).within("basicAuth")?;
    tls::tls(cx, path, http.tls).within("tlsConfig")?;
    oauth2(cx, path, http.oauth2).within("oauth2")?;
    safe_authorization(cx, path, http.authorization).within("authorization")
}

/// A Secret's key.
pub fn secret(cx: &mut impl Lookup, path: &Path<'_>, selector: &SecretKeySelector) -> Check {
    let asset = cx.store().secret(cx.namespace(), selector);
    cx.asset(path, ("Secret", &selector.name), asset).map(|_| ())
}

/// A Secret's key, if one is named.
pub(crate) fn optional_secret(cx: &mut impl Lookup, path: &Path<'_>, selector: Option<&SecretKeySelector>) -> Check {
    selector.map_or(Ok(()), |selector| secret(cx, path, selector))
}

/// `basicAuth`. Both keys are read, even one that is not named: that one is not found. Operator: `AddBasicAuth`.
pub fn basic_auth(cx: &mut impl Lookup, path: &Path<'_>, auth: Option<&BasicAuth>) -> Check {
    let Some(auth) = auth else { return Ok(()) };
    let path = path.key("basicAuth");
    for (key, selector) in [("username", &auth.username), ("password", &auth.password)] {
        let none = SecretKeySelector::default();
        let got = secret(cx, &path.key(key), selector.as_ref().unwrap_or(&none));
        got.within(&format!("failed to get basic auth {key}"))?;
    }
    Ok(())
}

/// `authorization` that names no file. Operator: `AddSafeAuthorizationCredentials`.
pub(crate) fn safe_authorization(cx: &mut impl Lookup, path: &Path<'_>, auth: Option<&SafeAuthorization>) -> Check {
    let Some(auth) = auth.filter(|a| a.credentials.is_some()) else { return Ok(()) };
    let path = path.key("authorization");
    authorization_valid(&path, auth)?;
    credentials(cx, &path, auth.credentials.as_ref(), auth.r#type.as_deref())
}

/// `authorization` that may name a file. Operator: `AddAuthorizationCredentials`.
pub fn authorization(cx: &mut impl Lookup, path: &Path<'_>, auth: Option<&Authorization>) -> Check {
    let Some(auth) = auth.filter(|a| a.credentials.is_some()) else { return Ok(()) };
    let path = path.key("authorization");
    file_authorization_valid(&path, auth)?;
    credentials(cx, &path, auth.credentials.as_ref(), auth.r#type.as_deref())
}

/// What can be told of an `authorization` that may name a file without looking at any Secret. Operator:
/// `Authorization.Validate`.
pub(crate) fn file_authorization_valid(path: &Path<'_>, auth: &Authorization) -> Check {
    if auth.credentials.is_some() && filled(auth.credentials_file.as_deref()).is_some() {
        let message = "authorization can not specify both \"credentials\" and \"credentialsFile\"";
        return Err(Refusal::new(&path.key("credentialsFile"), message));
    }
    if is_basic(auth.r#type.as_deref()) {
        let message = "authorization type cannot be set to \"basic\", use \"basicAuth\" instead";
        return Err(Refusal::new(&path.key("type"), message));
    }
    Ok(())
}

fn credentials(
    cx: &mut impl Lookup,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
    kind: Option<&str>,
) -> Check {
    let selector = selector.filter(|s| !s.name.is_empty());
    let got = optional_secret(cx, &path.key("credentials"), selector);
    got.within(&format!("failed to get authorization token of type {}", quote(kind.unwrap_or_default())))
}

/// `oauth2`. Operator: `AddOAuth2`.
pub fn oauth2(cx: &mut impl Lookup, path: &Path<'_>, auth: Option<&OAuth2>) -> Check {
    let Some(auth) = auth else { return Ok(()) };
    let path = path.key("oauth2");
    oauth2_valid(&path, auth)?;
    let id = client_id(cx, &path.key("clientId"), &auth.client_id);
    id.within("failed to get oauth2 client id")?;
    let got = secret(cx, &path.key("clientSecret"), &auth.client_secret);
    got.within("failed to get oauth2 client secret")?;
    proxy_headers(cx, &path, &auth.proxy).within("failed to get oauth2 proxyConfig")?;
    tls::tls(cx, &path, auth.tls_config.as_ref().map(Tls::from)).within("failed to get oauth2 tlsConfig")
}

fn client_id(cx: &mut impl Lookup, path: &Path<'_>, selector: &SecretOrConfigMap) -> Check {
    if let Some(selector) = &selector.secret {
        return secret(cx, &path.key("secret"), selector);
    }
    let Some(selector) = &selector.config_map else { return Ok(()) };
    let asset = cx.store().config_map(cx.namespace(), selector);
    cx.asset(&path.key("configMap"), ("ConfigMap", &selector.name), asset).map(|_| ())
}
