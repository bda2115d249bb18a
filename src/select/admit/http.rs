//! Checks of the ways in which Prometheus talks to a target.

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SecretOrConfigMap};
use crate::api::core::SecretKeySelector;
use crate::client::{Tls, filled};
use crate::go::url::Url;
use crate::route::Path;
use crate::select::admit::{Admission, Check, Refusal, Within, tls};

/// The client settings of an endpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Http<'a> {
    pub(super) authorization: Option<&'a SafeAuthorization>,
    pub(super) basic_auth: Option<&'a BasicAuth>,
    pub(super) bearer_token: Option<&'a SecretKeySelector>,
    pub(super) oauth2: Option<&'a OAuth2>,
    pub(super) tls: Option<Tls<'a>>,
    pub(super) proxy: &'a ProxyConfig,
}

/// What can be told without looking at any Secret.
pub(super) fn valid(path: &Path<'_>, http: &Http<'_>) -> Check {
    one_way(path, http)?;
    if let Some(tls) = http.tls {
        tls::valid(&path.key("tlsConfig"), &tls).within("tlsConfig")?;
    }
    proxy(path, http.proxy)
}

/// Only one way to authenticate.
fn one_way(path: &Path<'_>, http: &Http<'_>) -> Check {
    let ways = [
        ("authorization", http.authorization.is_some()),
        ("basicAuth", http.basic_auth.is_some()),
        ("bearerTokenSecret", http.bearer_token.is_some_and(|s| !s.key.is_empty())),
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

/// Proxy settings that go together. Operator: `ProxyConfig.Validate`.
pub(super) fn proxy(path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let (url, from_environment) = (filled(proxy.proxy_url.as_deref()), proxy.proxy_from_environment.unwrap_or(false));
    let no_proxy = filled(proxy.no_proxy.as_deref()).is_some();
    let refuse = |key: &'static str, message: &str| Err(Refusal::new(&path.key(key), message));
    if let Some(Err(message)) = url.map(Url::parse) {
        return refuse("proxyUrl", &message);
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
    let header = proxy.proxy_connect_header.as_ref().is_some_and(|h| !h.is_empty());
    if header && !from_environment && url.is_none() {
        let message = "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured";
        return refuse("proxyConnectHeader", message);
    }
    Ok(())
}

/// The Secrets of a proxy's headers.
pub(super) fn proxy_headers(cx: &mut Admission<'_>, path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        let path = path.key(name);
        for (index, selector) in selectors.iter().enumerate() {
            secret(cx, &path.index(index), selector).within(&format!("header[{name}][{index}]"))?;
        }
    }
    Ok(())
}

/// The Secrets that an endpoint refers to, in the operator's order.
pub(super) fn assets(cx: &mut Admission<'_>, path: &Path<'_>, http: &Http<'_>) -> Check {
    if let Some(token) = http.bearer_token.filter(|s| !s.key.is_empty()) {
        secret(cx, &path.key("bearerTokenSecret"), token).within("bearerTokenSecret")?;
    }
    if let Some(auth) = http.basic_auth {
        basic_auth(cx, &path.key("basicAuth"), auth).within("basicAuth")?;
    }
    if let Some(tls) = http.tls {
        tls::assets(cx, &path.key("tlsConfig"), &tls).within("tlsConfig")?;
    }
    if let Some(auth) = http.oauth2 {
        oauth2(cx, &path.key("oauth2"), auth).within("oauth2")?;
    }
    if let Some(auth) = http.authorization {
        authorization(cx, &path.key("authorization"), auth).within("authorization")?;
    }
    Ok(())
}

/// A Secret's key.
pub(super) fn secret(cx: &mut Admission<'_>, path: &Path<'_>, selector: &SecretKeySelector) -> Check {
    let asset = cx.cx.assets.secret(cx.namespace, selector);
    cx.asset(path, ("Secret", &selector.name), asset).map(|_| ())
}

/// A Secret's or ConfigMap's key.
fn secret_or_config_map(cx: &mut Admission<'_>, path: &Path<'_>, selector: &SecretOrConfigMap) -> Check {
    if let Some(selector) = &selector.secret {
        return secret(cx, &path.key("secret"), selector);
    }
    let Some(selector) = &selector.config_map else { return Ok(()) };
    let asset = cx.cx.assets.config_map(cx.namespace, selector);
    cx.asset(&path.key("configMap"), ("ConfigMap", &selector.name), asset).map(|_| ())
}

fn basic_auth(cx: &mut Admission<'_>, path: &Path<'_>, auth: &BasicAuth) -> Check {
    for (key, word, selector) in [("username", "username", &auth.username), ("password", "password", &auth.password)] {
        if let Some(selector) = selector {
            failing(secret(cx, &path.key(key), selector), &format!("failed to get basic auth {word}"))?;
        }
    }
    Ok(())
}

fn authorization(cx: &mut Admission<'_>, path: &Path<'_>, auth: &SafeAuthorization) -> Check {
    let kind = auth.r#type.as_deref().unwrap_or_default();
    if kind.trim().eq_ignore_ascii_case("basic") {
        let message = "Authorization type cannot be set to \"basic\", use \"basicAuth\" instead";
        return Err(Refusal::new(&path.key("type"), message));
    }
    let Some(selector) = auth.credentials.as_ref().filter(|s| !s.name.is_empty()) else { return Ok(()) };
    let got = secret(cx, &path.key("credentials"), selector);
    failing(got, &format!("failed to get authorization token of type {kind:?}"))
}

fn oauth2(cx: &mut Admission<'_>, path: &Path<'_>, auth: &OAuth2) -> Check {
    let got = secret_or_config_map(cx, &path.key("clientId"), &auth.client_id);
    failing(got, "failed to get oauth2 client id")?;
    failing(secret(cx, &path.key("clientSecret"), &auth.client_secret), "failed to get oauth2 client secret")?;
    if let Some(tls) = auth.tls_config.as_ref().map(Tls::from) {
        let path = path.key("tlsConfig");
        let checked = tls::valid(&path, &tls).and_then(|()| tls::assets(cx, &path, &tls));
        failing(checked, "failed to get oauth2 tlsConfig")?;
    }
    let checked = proxy(path, &auth.proxy).and_then(|()| proxy_headers(cx, path, &auth.proxy));
    failing(checked, "failed to get oauth2 proxyConfig")
}

fn failing(check: Check, what: &str) -> Check {
    check.within(what)
}
