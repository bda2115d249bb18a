//! HTTP clients of Prometheus: TLS, authentication, proxies.
//!
//! In: the blocks of the API that scrape endpoints, API servers and remote systems have in common. Out: the
//! configuration's keys for them. Each caller has its own order of blocks, so each block is a function of its own.

use std::borrow::Cow;

use crate::cluster::assets::{tls_file, tls_file_of_secret};
use crate::lower::SettingsLowering;
use crate::lower::prometheus::sections::{OAUTH2, PROXY};
use crate::lower::prometheus::write;
use crate::section::{self, SectionEntry, ValueFate};
use promgen_resources::api::auth::{BasicAuth, OAuth2, ProxyConfig};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates::{self, Versions};
pub use promgen_resources::http_config::{Auth, Client, ClientPart, Tls, filled};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, StringMap, Value, emit};

/// Text as a value.
pub fn text(text: &str) -> Value {
    text.to_owned().into()
}

/// Texts as a list.
pub fn texts<T: AsRef<str>>(items: &[T]) -> Value {
    Value::Seq(items.iter().map(|t| text(t.as_ref())).collect())
}

/// A map in the order of its keys' bytes.
pub fn sorted(entries: &StringMap) -> Map {
    entries
        .iter()
        .map(|(key, value)| (key.clone(), Value::Str(value.clone().into())))
        .collect()
}

/// `scheme`.
pub fn scheme(out: &mut Map, fields: &SettingsLowering<'_>, scheme: Option<&str>) {
    out.push_some(
        "scheme",
        scheme.map(|scheme| cased(scheme, fields.versions)),
    );
}

/// A scheme. Older operators write it as the user did.
fn cased(scheme: &str, versions: &Versions) -> Value {
    if versions.has(&gates::LOWER_CASE_SCHEMES) {
        text(&scheme.to_lowercase())
    } else {
        text(scheme)
    }
}

pub(super) fn scheme_of(_: &SectionEntry<'_>, scheme: &Value, versions: &Versions) -> ValueFate {
    ValueFate::Written(cased(scheme.as_str().unwrap_or_default(), versions))
}

/// `proxy_url` and its companions. `connect_header` values are Secrets of the scope's namespace.
pub fn proxy(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    proxy: &ProxyConfig,
) {
    write::rows(out, fields, path, proxy, PROXY);
    let header = proxy.proxy_connect_header.as_ref();
    if let Some(header) = fields.gated(&gates::PROXY_SETTINGS, header, || {
        path.key("proxyConnectHeader").to_route()
    }) {
        let values = |selectors: &Vec<SecretKeySelector>| -> Value {
            Value::Seq(
                selectors
                    .iter()
                    .map(|s| Value::from(fields.secret(s)))
                    .collect(),
            )
        };
        let map: Map = header
            .iter()
            .map(|(name, s)| (Cow::Owned(name.clone()), values(s)))
            .collect();
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
        map.push(
            key,
            selector
                .as_ref()
                .map(|s| fields.secret(s))
                .unwrap_or_default(),
        );
    }
    out.push("basic_auth", map);
}

/// `bearer_token`.
pub fn bearer_token(
    out: &mut Map,
    fields: &SettingsLowering<'_>,
    selector: Option<&SecretKeySelector>,
) {
    out.push_some(
        "bearer_token",
        selector.and_then(|s| fields.secret_if_read(s)),
    );
}

/// `authorization`. Operator: the type is `Bearer` unless set.
pub fn authorization(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    auth: Option<Auth<'_>>,
) {
    let Some(auth) = fields.gated(&gates::AUTHORIZATION, auth, || {
        path.key("authorization").to_route()
    }) else {
        return;
    };
    let kind = filled(auth.kind).map_or("Bearer", str::trim);
    let mut map = Map::new().with("type", text(kind));
    map.push_some(
        "credentials",
        auth.credentials.and_then(|s| fields.secret_if_read(s)),
    );
    map.push_some("credentials_file", filled(auth.credentials_file).map(text));
    out.push("authorization", map);
}

/// `oauth2`, unless client or secret were not read.
pub fn oauth2(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    auth: Option<&OAuth2>,
) {
    let path = path.key("oauth2");
    let Some(auth) = fields.gated(&gates::OAUTH2, auth, || path.to_route()) else {
        return;
    };
    let id = fields.secret_or_config_map_if_read(&auth.client_id);
    let Some((id, secret)) = id.zip(fields.secret_if_read(&auth.client_secret)) else {
        return;
    };
    let mut map = Map::new();
    map.push("client_id", id);
    map.push("client_secret", secret);
    write::rows(&mut map, fields, &path, auth, OAUTH2);
    // The gate stands for proxy and TLS together; a newer gate inside decides about single fields.
    if fields.has(&gates::OAUTH2_CLIENT) {
        proxy(&mut map, fields, &path, &auth.proxy);
        tls(
            &mut map,
            fields,
            &path,
            auth.tls_config.as_ref().map(Tls::from),
        );
    } else {
        fields.dropped_if(&gates::OAUTH2_CLIENT, auth.tls_config.is_some(), || {
            path.key("tlsConfig").to_route()
        });
        fields.dropped_if(
            &gates::OAUTH2_CLIENT,
            auth.proxy.proxy_url.is_some(),
            || path.key("proxyUrl").to_route(),
        );
    }
    out.push("oauth2", map);
}

/// `tls_config`.
pub fn tls(
    out: &mut Map,
    fields: &mut SettingsLowering<'_>,
    path: &Path<'_>,
    tls: Option<Tls<'_>>,
) {
    let Some(tls) = tls else { return };
    let path = path.key("tlsConfig");
    let mut map = Map::new();
    map.push_some("insecure_skip_verify", tls.insecure_skip_verify);
    map.push_some(
        "ca_file",
        tls.ca
            .and_then(|s| tls_file(fields.namespace, s))
            .map(|file| mounted(&file)),
    );
    map.push_some(
        "cert_file",
        tls.cert
            .and_then(|s| tls_file(fields.namespace, s))
            .map(|file| mounted(&file)),
    );
    map.push_some(
        "key_file",
        tls.key
            .map(|s| mounted(&tls_file_of_secret(fields.namespace, s))),
    );
    map.push_some("server_name", filled(tls.server_name).map(text));
    let min = fields.gated(&gates::TLS_MIN_VERSION, tls.min_version, || {
        path.key("minVersion").to_route()
    });
    map.push_some("min_version", min.map(text));
    let max = fields.gated(&gates::TLS_MAX_VERSION, tls.max_version, || {
        path.key("maxVersion").to_route()
    });
    map.push_some("max_version", max.map(text));
    // The paths of the unsafe variant follow the whole safe block, where Secrets and ConfigMaps come first.
    map.push_some("ca_file", filled(tls.ca_file).map(text));
    map.push_some("cert_file", filled(tls.cert_file).map(text));
    map.push_some("key_file", filled(tls.key_file).map(text));
    // `{}` if nothing is set: the operator writes a block for every `tlsConfig` that is there.
    out.push("tls_config", map);
}

/// The place where the pods find a certificate or key.
fn mounted(file: &str) -> Value {
    format!("/etc/prometheus/certs/{file}").into()
}

/// A map that is a Go map in the operator, and so has the order of the YAML library.
pub(crate) fn go_map(mut map: Map) -> Map {
    emit::sort_natural(&mut map);
    map
}

pub(super) fn filled_map(value: &Value) -> Option<Value> {
    section::filled(value).as_ref().and_then(go_map_of)
}

pub(super) fn go_map_of(value: &Value) -> Option<Value> {
    Some(go_map(value.as_map()?.clone()).into())
}
