//! The HTTP client of a receiver: `httpConfig`.

use crate::select::admit::{Check, ReferenceReader, Refuse, http, tls};
use promgen_resources::api::notifying::alertmanager_config::receiver::HttpConfig;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::{Client, ClientPart, filled};
use promgen_text::route::Path;

/// The checks that need no Secret. Operator: `HTTPConfig.Validate`.
pub(super) fn valid(versions: &Versions, path: &Path<'_>, config: &HttpConfig) -> Check {
    let client = Client::from(config);
    one_way(path, &client)?;
    if let Some(auth) = &client.authorization {
        http::authorization_valid(&path.key("authorization"), auth)?;
    }
    if let Some(auth) = client.oauth2 {
        http::oauth2_valid(versions, &path.key("oauth2"), auth)?;
    }
    if let Some(settings) = &client.tls_config {
        tls::valid(versions, &path.key("tlsConfig"), settings)?;
    }
    client
        .proxy
        .map_or(Ok(()), |proxy| http::proxy_valid(path, proxy))
}

/// There is at most one way to authenticate.
fn one_way(path: &Path<'_>, client: &Client<'_>) -> Check {
    let (basic, oauth2) = (client.basic_auth.is_some(), client.oauth2.is_some());
    let (token, header) = (
        client.bearer_token_secret.is_some(),
        client.authorization.is_some(),
    );
    let refuse = |key: &str, message: &str| path.key(key).refuse(message);
    // Each pair has a message of its own, and the order decides which one a user sees.
    if token && (basic || oauth2) {
        let message =
            "at most one of 'basicAuth', 'oauth2' and 'bearerTokenSecret' must be configured";
        return refuse("bearerTokenSecret", message);
    }
    if token && header {
        return refuse(
            "authorization",
            "'authorization' is not compatible with 'bearerTokenSecret'",
        );
    }
    if header && (basic || oauth2) || basic && oauth2 {
        let message = "at most one of 'basicAuth', 'oauth2' and 'authorization' must be configured";
        return refuse(if header { "authorization" } else { "oauth2" }, message);
    }
    Ok(())
}

/// The version has what is set. Operator: `checkHTTPConfig`.
pub(super) fn known(path: &Path<'_>, config: &HttpConfig, versions: &Versions) -> Check {
    let proxy = &config.proxy;
    // Every version has `proxyUrl`.
    let has_proxy = filled(proxy.no_proxy.as_deref()).is_some()
        || proxy.proxy_from_environment.is_some()
        || proxy.proxy_connect_header.is_some();
    let fields: [(&str, bool, &Gate); 3] = [
        (
            "authorization",
            config.authorization.is_some(),
            &gates::AM_HTTP_AUTHORIZATION,
        ),
        (
            "oauth2",
            config.oauth2.is_some(),
            &gates::AM_HTTP_AUTHORIZATION,
        ),
        // The operator names the Go type here, and not a field.
        ("ProxyConfig", has_proxy, &gates::AM_RECEIVER_PROXY),
    ];
    match fields
        .into_iter()
        .find(|(_, set, gate)| *set && !versions.has(gate))
    {
        None => Ok(()),
        Some((field, _, gate)) => {
            let message = format!(
                "'{field}' config set in 'httpConfig' but supported in Alertmanager >= {} only - current {}",
                gate.since, versions.alertmanager
            );
            path.refuse(message)
        }
    }
}

/// Reads the Secrets.
pub(super) fn read(cx: &mut ReferenceReader<'_>, path: &Path<'_>, client: &Client<'_>) -> Check {
    const PARTS: [ClientPart; 4] = [
        ClientPart::Authorization,
        ClientPart::BasicAuth,
        ClientPart::Tls,
        ClientPart::OAuth2,
    ];
    http::optional_secret(
        cx,
        &path.key("bearerTokenSecret"),
        client.bearer_token_secret,
    )?;
    http::client(cx, path, client, &PARTS)?;
    client
        .proxy
        .map_or(Ok(()), |proxy| http::proxy_headers(cx, path, proxy))
}
