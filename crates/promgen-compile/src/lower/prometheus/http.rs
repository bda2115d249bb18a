//! HTTP clients of Prometheus: TLS, authentication, proxies.
//!
//! In: the blocks of the API that scrape endpoints, API servers and remote systems have in common. Out: the
//! configuration's keys for them. Each caller has its own order of blocks, so each block is a function of its own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::cluster::assets::{tls_file, tls_file_of_secret};
use crate::lower::SettingsLowering;
use promgen_resources::api::auth::{BasicAuth, OAuth2, ProxyConfig, Sigv4};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates;
pub use promgen_resources::http_config::{Auth, Client, ClientPart, Tls, filled};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value, emit};

/// Text as a value.
pub fn text(text: &str) -> Value {
    Value::Str(Cow::Owned(text.to_owned()))
}

/// Texts as a list.
pub fn texts<T: AsRef<str>>(items: &[T]) -> Value {
    Value::Seq(items.iter().map(|t| text(t.as_ref())).collect())
}

/// A map in the order of its keys' bytes.
pub fn sorted(entries: &BTreeMap<String, String>) -> Map {
    entries.iter().map(|(key, value)| (Cow::Owned(key.clone()), text(value))).collect()
}

/// `scheme`.
pub fn scheme(out: &mut Map, fields: &SettingsLowering<'_>, scheme: Option<&str>) {
    let is_lower = fields.has(&gates::LOWER_CASE_SCHEMES);
    // Older operators write the scheme as the user did.
    out.push_some("scheme", scheme.map(|scheme| if is_lower { text(&scheme.to_lowercase()) } else { text(scheme) }));
}

/// `follow_redirects`.
pub fn follow_redirects(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, follow: Option<bool>) {
    out.push_some(
        "follow_redirects",
        fields.gated(&gates::FOLLOW_REDIRECTS, follow, || path.key("followRedirects").to_route()),
    );
}

/// `enable_http2`.
pub fn enable_http2(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, enable: Option<bool>) {
    out.push_some("enable_http2", fields.gated(&gates::ENABLE_HTTP2, enable, || path.key("enableHttp2").to_route()));
}

/// `proxy_url` and its companions. `connect_header` values are Secrets of the scope's namespace.
pub fn proxy(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, proxy: &ProxyConfig) {
    let at = |key: &'static str| path.key(key).to_route();
    out.push_some("proxy_url", proxy.proxy_url.as_deref().map(text));
    // `proxy_url` is older than its companions, and has no gate.
    let gate = &gates::PROXY_SETTINGS;
    out.push_some("no_proxy", fields.gated(gate, proxy.no_proxy.as_deref(), || at("noProxy")).map(text));
    out.push_some(
        "proxy_from_environment",
        fields.gated(gate, proxy.proxy_from_environment, || at("proxyFromEnvironment")),
    );
    let header = proxy.proxy_connect_header.as_ref();
    if let Some(header) = fields.gated(gate, header, || at("proxyConnectHeader")) {
        let values = |selectors: &Vec<SecretKeySelector>| -> Value {
            Value::Seq(selectors.iter().map(|s| Value::from(fields.secret(s))).collect())
        };
        let map: Map = header.iter().map(|(name, s)| (Cow::Owned(name.clone()), values(s))).collect();
        out.push("proxy_connect_header", map);
    }
}

/// Writes parts of a client one after the other.
pub(crate) fn client(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    client: &Client<'_>,
    parts: &[ClientPart],
) {
    for part in parts {
        match part {
            ClientPart::BasicAuth => basic_auth(out, fields, client.basic_auth),
            ClientPart::Authorization => authorization(out, fields, path, client.authorization),
            ClientPart::OAuth2 => oauth2(out, fields, path, client.oauth2),
            ClientPart::Tls => tls(out, fields, path, client.tls_config),
            ClientPart::Proxy => {
                if let Some(settings) = client.proxy {
                    proxy(out, fields, path, settings);
                }
            }
        }
    }
}

/// `basic_auth`: both keys, whatever is set.
pub fn basic_auth(out: &mut Map, fields: &SettingsLowering<'_>, auth: Option<&BasicAuth>) {
    let Some(auth) = auth else { return };
    let mut map = Map::new();
    for (key, selector) in [("username", &auth.username), ("password", &auth.password)] {
        map.push(key, selector.as_ref().map(|s| fields.secret(s)).unwrap_or_default());
    }
    out.push("basic_auth", map);
}

/// `bearer_token`.
pub fn bearer_token(out: &mut Map, fields: &SettingsLowering<'_>, selector: Option<&SecretKeySelector>) {
    out.push_some("bearer_token", selector.and_then(|s| fields.secret_if_read(s)));
}

/// `authorization`. Operator: the type is `Bearer` unless set.
pub fn authorization(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, auth: Option<Auth<'_>>) {
    let Some(auth) = fields.gated(&gates::AUTHORIZATION, auth, || path.key("authorization").to_route()) else {
        return;
    };
    let kind = filled(auth.kind).map_or("Bearer", str::trim);
    let mut map = Map::new().with("type", text(kind));
    map.push_some("credentials", auth.credentials.and_then(|s| fields.secret_if_read(s)));
    map.push_some("credentials_file", filled(auth.credentials_file).map(text));
    out.push("authorization", map);
}

/// `sigv4`.
pub fn sigv4(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, sigv4: Option<&Sigv4>) {
    let Some(sigv4) = sigv4 else { return };
    let mut map = Map::new();
    map.push_some("region", filled(sigv4.region.as_deref()).map(text));
    if let (Some(access), Some(secret)) = (&sigv4.access_key, &sigv4.secret_key) {
        let (access, secret) = (fields.secret(access), fields.secret(secret));
        // Both or neither: one alone would be no credential.
        if !access.is_empty() && !secret.is_empty() {
            map.push("access_key", access);
            map.push("secret_key", secret);
        }
    }
    map.push_some("profile", filled(sigv4.profile.as_deref()).map(text));
    map.push_some("role_arn", filled(sigv4.role_arn.as_deref()).map(text));
    let id = filled(sigv4.external_id.as_deref());
    let id = fields.gated(&gates::SIGV4_EXTERNAL_ID, id, || path.key("externalId").to_route());
    map.push_some("external_id", id.map(text));
    let fips = sigv4.use_fips_sts_endpoint;
    map.push_some(
        "use_fips_sts_endpoint",
        fields.gated(&gates::SIGV4_FIPS, fips, || path.key("useFIPSSTSEndpoint").to_route()),
    );
    out.push("sigv4", map);
}

/// `oauth2`, unless client or secret were not read.
pub fn oauth2(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, auth: Option<&OAuth2>) {
    let path = path.key("oauth2");
    let Some(auth) = fields.gated(&gates::OAUTH2, auth, || path.to_route()) else { return };
    let id = fields.secret_or_config_map_if_read(&auth.client_id);
    let Some((id, secret)) = id.zip(fields.secret_if_read(&auth.client_secret)) else { return };
    let mut map = Map::new();
    map.push("client_id", id);
    map.push("client_secret", secret);
    map.push("token_url", text(&auth.token_url));
    map.push_some("scopes", auth.scopes.as_ref().filter(|s| !s.is_empty()).map(|s| texts(s)));
    if let Some(params) = auth.endpoint_params.as_ref().filter(|p| !p.is_empty()) {
        // A Go map in the operator, so its order is that of the YAML library.
        map.push("endpoint_params", go_map(params.iter().map(|(k, v)| (k.clone(), text(v)))));
    }
    // The gate stands for proxy and TLS together; a newer gate inside decides about single fields.
    if fields.has(&gates::OAUTH2_CLIENT) {
        proxy(&mut map, fields, &path, &auth.proxy);
        tls(&mut map, fields, &path, auth.tls_config.as_ref().map(Tls::from));
    } else {
        fields.dropped_if(&gates::OAUTH2_CLIENT, auth.tls_config.is_some(), || path.key("tlsConfig").to_route());
        fields.dropped_if(&gates::OAUTH2_CLIENT, auth.proxy.proxy_url.is_some(), || path.key("proxyUrl").to_route());
    }
    out.push("oauth2", map);
}

/// `tls_config`.
pub fn tls(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, tls: Option<Tls<'_>>) {
    let Some(tls) = tls else { return };
    let path = path.key("tlsConfig");
    let mut map = Map::new();
    map.push_some("insecure_skip_verify", tls.insecure_skip_verify);
    map.push_some("ca_file", tls.ca.and_then(|s| tls_file(fields.namespace, s)).map(|file| mounted(&file)));
    map.push_some("cert_file", tls.cert.and_then(|s| tls_file(fields.namespace, s)).map(|file| mounted(&file)));
    map.push_some("key_file", tls.key.map(|s| mounted(&tls_file_of_secret(fields.namespace, s))));
    map.push_some("server_name", filled(tls.server_name).map(text));
    let min = fields.gated(&gates::TLS_MIN_VERSION, tls.min_version, || path.key("minVersion").to_route());
    map.push_some("min_version", min.map(text));
    let max = fields.gated(&gates::TLS_MAX_VERSION, tls.max_version, || path.key("maxVersion").to_route());
    map.push_some("max_version", max.map(text));
    // The paths of the unsafe variant follow the whole safe block, where Secrets and ConfigMaps come first.
    map.push_some("ca_file", filled(tls.ca_file).map(text));
    map.push_some("cert_file", filled(tls.cert_file).map(text));
    map.push_some("key_file", filled(tls.key_file).map(text));
    // `{}` if nothing is set: the operator writes a block for every `tlsConfig` that is there.
    out.push("tls_config", map);
}

/// Where the pods find a certificate or key.
fn mounted(file: &str) -> Value {
    format!("/etc/prometheus/certs/{file}").into()
}

/// A map that is a Go map in the operator, and so has the order of the YAML library.
pub(crate) fn go_map(entries: impl IntoIterator<Item = (String, Value)>) -> Map {
    let mut map: Map = entries.into_iter().map(|(k, v)| (Cow::Owned(k), v)).collect();
    emit::sort_natural(&mut map);
    map
}
