//! Checks of the ways in which Prometheus talks to somebody, each with the Secrets that it reads.
//!
//! Each function mirrors one of the operator's. The caller decides which of them apply to a resource, in which order
//! and with which prefix.

use crate::select::admit::{Check, InField, ReferenceReader, Refuse, tls};
use promgen_resources::api::auth::{BasicAuth, OAuth2, ProxyConfig, SecretOrConfigMap};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates::{self, Versions};
use promgen_resources::http_config::{Auth, Client, ClientPart, Tls, filled};
use promgen_text::go::quote::quote;
use promgen_text::go::url::Url;
use promgen_text::route::Path;

/// Checks parts of a client in order, and reads the Secrets that they refer to.
pub fn client(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    client: &Client<'_>,
    parts: &[ClientPart],
) -> Check {
    parts.iter().try_for_each(|of| part(cx, path, client, *of))
}

/// Checks parts of a client, and prefixes messages with the name of the part.
pub(crate) fn named(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    client: &Client<'_>,
    parts: &[ClientPart],
) -> Check {
    parts.iter().try_for_each(|of| {
        let name = match of {
            ClientPart::BasicAuth => "basicAuth",
            ClientPart::Authorization => "authorization",
            ClientPart::OAuth2 => "oauth2",
            ClientPart::Tls => "tlsConfig",
            ClientPart::Proxy => "proxyConfig",
        };
        part(cx, path, client, *of).within(name)
    })
}

fn part(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    client: &Client<'_>,
    part: ClientPart,
) -> Check {
    match part {
        ClientPart::BasicAuth => basic_auth(cx, path, client.basic_auth),
        ClientPart::Authorization => authorization(cx, path, client.authorization),
        ClientPart::OAuth2 => oauth2(cx, path, client.oauth2),
        ClientPart::Tls => tls::tls(cx, path, client.tls_config),
        ClientPart::Proxy => client
            .proxy
            .map_or(Ok(()), |settings| proxy(cx, path, settings)),
    }
}

/// The checks of an endpoint that need no Secret. Operator: `HTTPConfigWithProxy.Validate`.
pub fn valid(versions: &Versions, path: &Path<'_>, client: &Client<'_>) -> Check {
    if versions.has(&gates::ONE_WAY_CHECK) {
        one_way(path, client)?;
    }
    if let Some(auth) = &client.authorization {
        authorization_valid(&path.key("authorization"), auth).within("authorization")?;
    }
    if let Some(auth) = client.oauth2 {
        oauth2_valid(versions, &path.key("oauth2"), auth).within("oauth2")?;
    }
    if let Some(tls) = &client.tls_config {
        tls::valid(versions, &path.key("tlsConfig"), tls).within("tlsConfig")?;
    }
    client
        .proxy
        .map_or(Ok(()), |proxy| proxy_valid(path, proxy))
}

/// Checks that there is at most one way to authenticate.
fn one_way(path: &Path<'_>, client: &Client<'_>) -> Check {
    let ways = [
        ("authorization", client.authorization.is_some()),
        ("basicAuth", client.basic_auth.is_some()),
        ("bearerTokenSecret", client.bearer_token_secret.is_some()),
        ("oauth2", client.oauth2.is_some()),
    ];
    let mut set = ways.iter().filter(|(_, set)| *set).map(|(name, _)| *name);
    match (set.next(), set.next()) {
        (Some(first), Some(second)) => {
            let message = format!("{first} and {second} cannot be configured at the same time");
            path.key(second).refuse(message)
        }
        _ => Ok(()),
    }
}

/// The checks of an `authorization` that need no Secret. Operator: `Authorization.Validate`,
/// `SafeAuthorization.Validate`.
pub(crate) fn authorization_valid(path: &Path<'_>, auth: &Auth<'_>) -> Check {
    if auth.credentials.is_some() && filled(auth.credentials_file).is_some() {
        let message = "authorization can not specify both \"credentials\" and \"credentialsFile\"";
        return path.key("credentialsFile").refuse(message);
    }
    if auth
        .kind
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("basic"))
    {
        let name = if auth.with_file {
            "authorization"
        } else {
            "'authorization'"
        };
        let message = format!("{name} type cannot be set to \"basic\", use \"basicAuth\" instead");
        return path.key("type").refuse(message);
    }
    if auth.credentials.is_none() && !auth.with_file {
        return path.refuse("'authorization' credentials are required");
    }
    Ok(())
}

/// Operator: `OAuth2.Validate`.
pub(crate) fn oauth2_valid(versions: &Versions, path: &Path<'_>, auth: &OAuth2) -> Check {
    if auth.token_url.is_empty() {
        return path
            .key("tokenUrl")
            .refuse("OAuth2 tokenURL must be specified");
    }
    let id = path.key("clientId");
    match (&auth.client_id.secret, &auth.client_id.config_map) {
        (None, None) => return id.refuse("OAuth2 'clientID' must be specified"),
        (Some(_), Some(_)) => {
            let message = "invalid OAuth2 'clientID': cannot specify both Secret and ConfigMap";
            return id.refuse(message);
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if let Some(tls) = &auth.tls_config {
        tls::valid(versions, &path.key("tlsConfig"), &tls.into())
            .within("invalid OAuth2 'tlsConfig'")?;
    }
    if !versions.has(&gates::OAUTH2_PROXY_CHECK) {
        return Ok(());
    }
    proxy_valid(path, &auth.proxy).within("invalid OAuth2 proxyConfig")
}

/// Proxy settings that go together. Operator: `ProxyConfig.Validate`.
pub(crate) fn proxy_valid(path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let (url, from_environment) = (
        filled(proxy.proxy_url.as_deref()),
        proxy.proxy_from_environment.unwrap_or(false),
    );
    let no_proxy = filled(proxy.no_proxy.as_deref()).is_some();
    let refuse = |key: &'static str, message: &str| path.key(key).refuse(message);
    let header = proxy
        .proxy_connect_header
        .as_ref()
        .is_some_and(|h| !h.is_empty());
    if header && !from_environment && url.is_none() {
        let message = "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured";
        return refuse("proxyConnectHeader", message);
    }
    if from_environment && url.is_some() {
        return refuse(
            "proxyUrl",
            "if proxyFromEnvironment is configured, proxyUrl must not be configured",
        );
    }
    if from_environment && no_proxy {
        return refuse(
            "noProxy",
            "if proxyFromEnvironment is configured, noProxy must not be configured",
        );
    }
    if no_proxy && url.is_none() {
        return refuse(
            "noProxy",
            "if noProxy is configured, proxyUrl must also be configured",
        );
    }
    proxy_selectors(path, proxy)?;
    match url.map(Url::parse) {
        Some(Err(message)) => refuse("proxyUrl", &message),
        Some(Ok(_)) | None => Ok(()),
    }
}

/// Checks the Secrets of headers. The operator checks them in random order; promgen sorts them by name.
fn proxy_selectors(path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        let path = path.key(name);
        if selectors.is_empty() {
            // The operator's own spelling.
            return path.refuse(format!(
                "proxyConnetHeader[{name}]: selector must not be empty"
            ));
        }
        if let Some(index) = selectors
            .iter()
            .position(|s| s.name.is_empty() && s.key.is_empty() && s.optional.is_none())
        {
            let message = format!("proxyConnectHeader[{name}][{index}]: selector must be defined");
            return path.index(index).refuse(message);
        }
    }
    Ok(())
}

/// A proxy, and the Secrets of its headers. Operator: `addProxyConfigToStore`.
pub fn proxy(cx: &mut ReferenceReader<'_>, path: &Path<'_>, proxy: &ProxyConfig) -> Check {
    proxy_valid(path, proxy)?;
    proxy_headers(cx, path, proxy)
}

/// The Secrets of a proxy's headers. Operator: `AddProxyConfig`.
pub(crate) fn proxy_headers(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    proxy: &ProxyConfig,
) -> Check {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        let path = path.key(name);
        for (index, selector) in selectors.iter().enumerate() {
            secret(cx, &path.index(index), selector).within(&format!("header[{name}][{index}]"))?;
        }
    }
    Ok(())
}

/// A Secret's key.
pub fn secret(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: &SecretKeySelector,
) -> Check {
    let asset = cx.assets.secret(cx.namespace, selector);
    cx.asset(path, "Secret", &selector.name, asset).map(|_| ())
}

/// A Secret's key, if one is named.
pub(crate) fn optional_secret(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
) -> Check {
    selector.map_or(Ok(()), |selector| secret(cx, path, selector))
}

/// `basicAuth`. Both keys are read, even one that is not named: that one is not found. Operator: `AddBasicAuth`.
fn basic_auth(cx: &mut ReferenceReader<'_>, path: &Path<'_>, auth: Option<&BasicAuth>) -> Check {
    let Some(auth) = auth else { return Ok(()) };
    let path = path.key("basicAuth");
    for (key, selector) in [("username", &auth.username), ("password", &auth.password)] {
        let none = SecretKeySelector::default();
        let got = secret(cx, &path.key(key), selector.as_ref().unwrap_or(&none));
        got.within(&format!("failed to get basic auth {key}"))?;
    }
    Ok(())
}

/// `authorization`. Operator: `AddAuthorizationCredentials`, `AddSafeAuthorizationCredentials`.
fn authorization(cx: &mut ReferenceReader<'_>, path: &Path<'_>, auth: Option<Auth<'_>>) -> Check {
    let Some(auth) = auth.filter(|auth| auth.credentials.is_some()) else {
        return Ok(());
    };
    let path = path.key("authorization");
    authorization_valid(&path, &auth)?;
    let selector = auth
        .credentials
        .filter(|selector| !selector.name.is_empty());
    let got = optional_secret(cx, &path.key("credentials"), selector);
    got.within(&format!(
        "failed to get authorization token of type {}",
        quote(auth.kind.unwrap_or_default())
    ))
}

/// `oauth2`. Operator: `AddOAuth2`.
fn oauth2(cx: &mut ReferenceReader<'_>, path: &Path<'_>, auth: Option<&OAuth2>) -> Check {
    let Some(auth) = auth else { return Ok(()) };
    let path = path.key("oauth2");
    oauth2_valid(cx.versions, &path, auth)?;
    let id = client_id(cx, &path.key("clientId"), &auth.client_id);
    id.within("failed to get oauth2 client id")?;
    let got = secret(cx, &path.key("clientSecret"), &auth.client_secret);
    got.within("failed to get oauth2 client secret")?;
    proxy_headers(cx, &path, &auth.proxy).within("failed to get oauth2 proxyConfig")?;
    tls::tls(cx, &path, auth.tls_config.as_ref().map(Tls::from))
        .within("failed to get oauth2 tlsConfig")
}

fn client_id(cx: &mut ReferenceReader<'_>, path: &Path<'_>, selector: &SecretOrConfigMap) -> Check {
    if let Some(selector) = &selector.secret {
        return secret(cx, &path.key("secret"), selector);
    }
    let Some(selector) = &selector.config_map else {
        return Ok(());
    };
    let asset = cx.assets.config_map(cx.namespace, selector);
    cx.asset(&path.key("configMap"), "ConfigMap", &selector.name, asset)
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::gates::Target;
    use promgen_text::version::Version;
    use std::collections::BTreeMap;

    fn header(
        selectors: &[(&str, &str, Option<bool>)],
    ) -> Option<BTreeMap<String, Vec<SecretKeySelector>>> {
        let selector = |&(name, key, optional): &(&str, &str, Option<bool>)| SecretKeySelector {
            name: name.to_owned(),
            key: key.to_owned(),
            optional,
        };
        Some(BTreeMap::from([(
            "X-Tenant".to_owned(),
            selectors.iter().map(selector).collect(),
        )]))
    }

    fn refused(proxy: &ProxyConfig) -> Option<String> {
        proxy_valid(&Path::root(), proxy)
            .err()
            .map(|refusal| refusal.message)
    }

    /// A proxy with an URL, from the environment, with exceptions.
    fn settings(url: &str, environment: bool, exceptions: &str) -> ProxyConfig {
        ProxyConfig {
            proxy_url: Some(url.to_owned()),
            proxy_from_environment: Some(environment),
            no_proxy: Some(exceptions.to_owned()),
            proxy_connect_header: None,
        }
    }

    #[test]
    fn settings_of_a_proxy_go_together() {
        let url = "http://proxy:3128";
        for sound in [
            settings("", false, ""),
            settings(url, false, "localhost"),
            settings("", true, ""),
        ] {
            assert_eq!(refused(&sound), None, "{sound:?}");
        }
        let unsound = [
            (
                settings(url, true, ""),
                "if proxyFromEnvironment is configured, proxyUrl must not be configured",
            ),
            (
                settings("", true, "localhost"),
                "if proxyFromEnvironment is configured, noProxy must not be configured",
            ),
            (
                settings("", false, "localhost"),
                "if noProxy is configured, proxyUrl must also be configured",
            ),
        ];
        for (proxy, message) in unsound {
            assert_eq!(refused(&proxy).as_deref(), Some(message), "{proxy:?}");
        }
        assert!(refused(&settings("http://proxy:port", false, "")).is_some());
    }

    #[test]
    fn headers_of_a_proxy_name_secrets() {
        let with = |selectors| ProxyConfig {
            proxy_connect_header: header(selectors),
            ..settings("http://proxy:3128", false, "")
        };
        let named: [&[(&str, &str, Option<bool>)]; 4] = [
            &[("a", "b", None)],
            &[("a", "", None)],
            &[("", "b", None)],
            &[("", "", Some(true))],
        ];
        for selectors in named {
            assert_eq!(refused(&with(selectors)), None, "{selectors:?}");
        }
        let none = "proxyConnetHeader[X-Tenant]: selector must not be empty";
        assert_eq!(refused(&with(&[])).as_deref(), Some(none));
        let undefined = "proxyConnectHeader[X-Tenant][1]: selector must be defined";
        assert_eq!(
            refused(&with(&[("a", "b", None), ("", "", None)])).as_deref(),
            Some(undefined)
        );
        let alone = ProxyConfig {
            proxy_connect_header: header(&[("a", "b", None)]),
            ..ProxyConfig::default()
        };
        let message = "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured";
        assert_eq!(refused(&alone).as_deref(), Some(message));
        assert_eq!(
            refused(&ProxyConfig {
                proxy_from_environment: Some(true),
                ..alone
            }),
            None
        );
        let empty = ProxyConfig {
            proxy_connect_header: Some(BTreeMap::default()),
            ..ProxyConfig::default()
        };
        assert_eq!(refused(&empty), None);
    }

    #[test]
    fn older_operators_do_not_check_the_proxy_of_oauth2() {
        let auth = OAuth2 {
            token_url: "https://login.example.com/token".to_owned(),
            client_id: SecretOrConfigMap {
                secret: Some(SecretKeySelector::default()),
                config_map: None,
            },
            proxy: settings("", false, "localhost"),
            ..OAuth2::default()
        };
        let refused = |operator: u64| {
            let versions = Versions {
                operator: Version::new(0, operator, 0),
                ..Versions::of_target(&Target::default())
            };
            oauth2_valid(&versions, &Path::root(), &auth)
                .err()
                .map(|refusal| refusal.message)
        };
        let message = "invalid OAuth2 proxyConfig: if noProxy is configured, proxyUrl must also be configured";
        assert_eq!(refused(92).as_deref(), Some(message));
        assert_eq!(refused(91), None);
    }
}
