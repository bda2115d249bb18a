//! Whether the operator takes the global settings that an Alertmanager has beside the AlertmanagerConfig that is its root.

use crate::cluster::assets::{Asset, ContentCheck, ContentFault};
use crate::lower::alertmanager::AlertmanagerContext;
use crate::paths::SPEC;
use crate::receivers::table::demand::GlobalCheck;
use crate::receivers::{GLOBAL_FIRST, GLOBAL_URLS};
use crate::section;
use crate::select::admit::alertmanager_config::url;
use crate::select::admit::{InField, ReferenceReader, Refusal, Refuse, http, tls};
use promgen_resources::api::auth::{OAuth2, ProxyConfig};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
use promgen_resources::gates::Versions;
use promgen_resources::http_config::{Client, Tls};
use promgen_text::diag::Sink;
use promgen_text::go::url::Url;
use promgen_text::route::Path;
use promgen_text::yaml::{self, Value};

type SettingCheck = Result<(), Refusal>;

/// Checks the global settings, and reads the Secrets that they name.
///
/// # Errors
/// The first reason against them, in the operator's words.
pub(super) fn admit_global(
    am: &AlertmanagerContext<'_>,
    global: &AlertmanagerGlobalConfig,
    sink: &mut Sink,
) -> SettingCheck {
    let mut cx = ReferenceReader {
        assets: am.assets,
        doc: am.doc,
        namespace: am.namespace(),
        versions: am.versions,
        sink,
    };
    let configuration = SPEC.key("alertmanagerConfiguration");
    let path = configuration.key("global");
    valid(am.versions, &path, global)?;
    let settings = yaml::to_value(global);
    let check_all = |cx: &mut ReferenceReader<'_>, checks: &[GlobalCheck]| {
        let mut checks = checks.iter();
        checks.try_for_each(|check| setting(cx, &path, &settings, check))
    };
    check_all(&mut cx, GLOBAL_FIRST)?;
    http_config(&mut cx, &path, global)?;
    check_all(&mut cx, GLOBAL_URLS)
}

/// The checks that need no Secret.
fn valid(versions: &Versions, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    let Some(config) = &global.http_config else {
        return Ok(());
    };
    let valid = http::valid(versions, &path.key("httpConfig"), &Client::from(config));
    valid.within("'httpConfig'")
}

/// A setting, by a row of the table.
fn setting(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    settings: &Value,
    check: &GlobalCheck,
) -> SettingCheck {
    let (GlobalCheck::Since(field, ..)
    | GlobalCheck::Secret(field, _)
    | GlobalCheck::Url(field, _)
    | GlobalCheck::Hook(field, _)) = *check;
    let (part, key) = field.split_once('.').unwrap_or((field, ""));
    let (part_path, of_part) = (path.key(part), settings.get(part));
    let key_path = part_path.key(key);
    let (path, value) = match key {
        "" => (&part_path, of_part),
        key => (&key_path, of_part.and_then(|part| part.get(key))),
    };
    let value = value.filter(|value| **value != Value::Null);
    let selector = || value.map(section::selector);
    match *check {
        GlobalCheck::Since(_, gate, words) if value.is_some() && !cx.versions.has(gate) => {
            let (since, current) = (&gate.since, &cx.versions.alertmanager);
            part_path.refuse(format!(
                "{words} Alertmanager >= {since} - current {current}"
            ))
        }
        GlobalCheck::Since(..) => Ok(()),
        GlobalCheck::Secret(_, words) => secret(cx, path, selector().as_ref(), words),
        GlobalCheck::Url(_, words) => content(cx, path, selector().as_ref(), |bytes| {
            parse_url(&String::from_utf8_lossy(bytes), words)
        }),
        GlobalCheck::Hook(_, words) => content(cx, path, selector().as_ref(), |bytes| {
            url::secret(String::from_utf8_lossy(bytes).trim()).within(words)
        }),
    }
}

fn http_config(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    global: &AlertmanagerGlobalConfig,
) -> SettingCheck {
    let Some(config) = &global.http_config else {
        return Ok(());
    };
    let path = path.key("httpConfig");
    let failed = |refusal: Refusal| refusal.within("invalid global httpConfig");
    proxy_headers(cx, &path, &config.proxy).map_err(failed)?;
    if let Some(basic) = &config.basic_auth {
        // Both are read, even one that is not named.
        let none = SecretKeySelector::default();
        for (key, words, selector) in [
            (
                "username",
                "failed to get BasicAuth username",
                &basic.username,
            ),
            (
                "password",
                "failed to get BasicAuth password",
                &basic.password,
            ),
        ] {
            let selector = selector.as_ref().unwrap_or(&none);
            secret(cx, &path.key("basicAuth").key(key), Some(selector), words).map_err(failed)?;
        }
    }
    let credentials = config
        .authorization
        .as_ref()
        .and_then(|a| a.credentials.as_ref());
    let place = path.key("authorization");
    secret(
        cx,
        &place.key("credentials"),
        credentials,
        "failed to get Authorization credentials",
    )
    .map_err(failed)?;
    let token = config.bearer_token_secret.as_ref();
    secret(
        cx,
        &path.key("bearerTokenSecret"),
        token,
        "failed to get bearer token",
    )
    .map_err(failed)?;
    if let Some(oauth2) = &config.oauth2 {
        self::oauth2(cx, &path.key("oauth2"), oauth2).map_err(failed)?;
    }
    tls::tls(cx, &path, config.tls_config.as_ref().map(Tls::from))?;
    let tls = config
        .oauth2
        .as_ref()
        .and_then(|oauth2| oauth2.tls_config.as_ref())
        .map(Tls::from);
    tls::tls(cx, &path.key("oauth2"), tls).within("failed to get oauth2 tlsConfig")
}

/// The Secrets of OAuth 2 but those of its `tlsConfig`.
fn oauth2(cx: &mut ReferenceReader<'_>, path: &Path<'_>, oauth2: &OAuth2) -> SettingCheck {
    let id = path.key("clientId");
    secret(
        cx,
        &id,
        oauth2.client_id.secret.as_ref(),
        "failed to get clientID",
    )?;
    if let (None, Some(map)) = (&oauth2.client_id.secret, &oauth2.client_id.config_map) {
        let asset = cx.assets.config_map(cx.namespace, map);
        let read = cx.asset(&id, "ConfigMap", &map.name, asset);
        read.within("failed to get clientID")?;
    }
    secret(
        cx,
        &path.key("clientSecret"),
        Some(&oauth2.client_secret),
        "failed to get client secret",
    )?;
    proxy_headers(cx, path, &oauth2.proxy)
}

fn proxy_headers(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    proxy: &ProxyConfig,
) -> SettingCheck {
    let path = path.key("proxyConnectHeader");
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        for selector in selectors {
            secret(
                cx,
                &path.key(name),
                Some(selector),
                "failed to get proxyConnectHeader secretKey",
            )?;
        }
    }
    Ok(())
}

/// Checks a key of a Secret, and prefixes its error.
fn secret(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
    words: &str,
) -> SettingCheck {
    let Some(selector) = selector else {
        return Ok(());
    };
    http::secret(cx, path, selector).map_err(|refusal| {
        if words.is_empty() {
            refusal
        } else {
            refusal.within(words)
        }
    })
}

/// Checks the content of a key, which was read before. The message hides the value.
fn content(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
    check: impl Fn(&[u8]) -> ContentCheck,
) -> SettingCheck {
    let Some(selector) = selector else {
        return Ok(());
    };
    let Ok(Asset::Content(bytes)) = cx.assets.secret(cx.namespace, selector) else {
        return Ok(());
    };
    bytes
        .check(check)
        .map_err(|message| Refusal::new(path, message))
}

/// Returns whether Go reads a text as a URL of any scheme.
fn parse_url(text: &str, invalid: &str) -> ContentCheck {
    match Url::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(ContentFault::new(error, "the value is not a URL").within(invalid)),
    }
}
