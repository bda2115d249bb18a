//! Whether the operator takes the global settings that an Alertmanager has beside the AlertmanagerConfig that is its root.

use crate::cluster::assets::{Asset, ContentCheck, ContentFault};
use crate::lower::alertmanager::AlertmanagerContext;
use crate::paths::SPEC;
use crate::select::admit::InField;
use crate::select::admit::Refuse;
use crate::select::admit::alertmanager_config::url;
use crate::select::admit::http;
use crate::select::admit::{AssetLookup, ReferenceReader, Refusal, tls};
use promgen_resources::api::auth::{OAuth2, ProxyConfig};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::{Client, Tls};
use promgen_text::diag::Sink;
use promgen_text::go::url::Url;
use promgen_text::route::Path;

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
    integrations(&mut cx, am, &path, global)?;
    smtp(&mut cx, &path, global)?;
    http_config(&mut cx, &path, global)?;
    urls(&mut cx, &path, global)
}

/// The checks that need no Secret.
fn valid(versions: &Versions, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    let Some(config) = &global.http_config else {
        return Ok(());
    };
    let valid = http::valid(versions, &path.key("httpConfig"), &Client::from(config));
    valid.within("'httpConfig'")
}

/// The settings of receivers, each with its version before its Secrets, in the operator's order.
fn integrations(
    cx: &mut ReferenceReader<'_>,
    am: &AlertmanagerContext<'_>,
    path: &Path<'_>,
    global: &AlertmanagerGlobalConfig,
) -> SettingCheck {
    let since = |field: &str, words: &str, is_set: bool, gate: &Gate| match is_set && !am.has(gate)
    {
        true => {
            let message = format!(
                "{words} Alertmanager >= {} - current {}",
                gate.since, am.versions.alertmanager
            );
            path.key(field).refuse(message)
        }
        false => Ok(()),
    };
    let implicit = global
        .smtp
        .as_ref()
        .is_some_and(|smtp| smtp.force_implicit_tls.is_some());
    since(
        "smtp",
        "'forceImplicitTLS' integration requires",
        implicit,
        &gates::AM_IMPLICIT_TLS,
    )?;
    since(
        "telegram",
        "'telegram' integration requires",
        global.telegram.is_some(),
        &gates::AM_TELEGRAM,
    )?;
    if let Some(telegram) = &global.telegram {
        secret(
            cx,
            &path.key("telegram").key("botToken"),
            telegram.bot_token.as_ref(),
            "",
        )?;
    }
    since(
        "jira",
        "'jira' integration requires",
        global.jira.is_some(),
        &gates::AM_JIRA,
    )?;
    if let Some(victorops) = &global.victorops {
        secret(
            cx,
            &path.key("victorops").key("apiKey"),
            victorops.api_key.as_ref(),
            "",
        )?;
    }
    since(
        "rocketChat",
        "'rocketChat' integration requires",
        global.rocket_chat.is_some(),
        &gates::AM_ROCKETCHAT,
    )?;
    if let Some(chat) = &global.rocket_chat {
        let path = path.key("rocketChat");
        secret(cx, &path.key("token"), chat.token.as_ref(), "")?;
        secret(cx, &path.key("tokenID"), chat.token_id.as_ref(), "")?;
    }
    since(
        "webex",
        "'webex' integration requires",
        global.webex.is_some(),
        &gates::AM_WEBEX,
    )?;
    if let Some(wechat) = &global.wechat {
        secret(
            cx,
            &path.key("wechat").key("apiSecret"),
            wechat.api_secret.as_ref(),
            "",
        )?;
    }
    let (mattermost, gate) = (global.mattermost.as_ref(), &gates::AM_GLOBAL_MATTERMOST);
    since(
        "mattermost",
        "'mattermost' global parameters require",
        mattermost.is_some(),
        gate,
    )?;
    let hook = mattermost.and_then(|mattermost| mattermost.webhook_url.as_ref());
    let path = path.key("mattermost");
    let path = path.key("webhookURL");
    secret(cx, &path, hook, "failed to retrieve Mattermost Webhook URL")?;
    // Checked without the blanks around it, and read with them later.
    let valid = |bytes: &[u8]| url::secret(String::from_utf8_lossy(bytes).trim());
    content(cx, &path, hook, |bytes| {
        valid(bytes).within("failed to validate Mattermost Webhook URL")
    })
}

/// The Secrets of mails. Those of `tlsConfig` are not read.
fn smtp(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    global: &AlertmanagerGlobalConfig,
) -> SettingCheck {
    const FAILED: &str = "invalid global smtpConfig";
    let Some(smtp) = &global.smtp else {
        return Ok(());
    };
    let path = path.key("smtp");
    secret(
        cx,
        &path.key("authPassword"),
        smtp.auth_password.as_ref(),
        FAILED,
    )?;
    secret(
        cx,
        &path.key("authSecret"),
        smtp.auth_secret.as_ref(),
        FAILED,
    )
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
        let read = cx.asset(&id, ("ConfigMap", &map.name), asset);
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

/// The URLs, and the key of OpsGenie, which the operator reads last.
fn urls(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    global: &AlertmanagerGlobalConfig,
) -> SettingCheck {
    let (slack, opsgenie) = (
        global.slack_api_url.as_ref(),
        global.ops_genie_api_url.as_ref(),
    );
    let place = path.key("slackApiUrl");
    secret(cx, &place, slack, "failed to get Slack API URL")?;
    content(cx, &place, slack, |bytes| {
        parse_url(&String::from_utf8_lossy(bytes), "parse slack API URL")
    })?;
    let place = path.key("opsGenieApiUrl");
    secret(cx, &place, opsgenie, "failed to get OpsGenie API URL")?;
    content(cx, &place, opsgenie, |bytes| {
        parse_url(&String::from_utf8_lossy(bytes), "parse OpsGenie API URL")
    })?;
    secret(
        cx,
        &path.key("opsGenieApiKey"),
        global.ops_genie_api_key.as_ref(),
        "failed to get OpsGenie API KEY",
    )?;
    let hook = global
        .mattermost
        .as_ref()
        .and_then(|mattermost| mattermost.webhook_url.as_ref());
    let invalid = "invalid global mattermost config: failed to parse Webhook URL";
    let path = path.key("mattermost");
    content(cx, &path.key("webhookURL"), hook, |bytes| {
        parse_url(&String::from_utf8_lossy(bytes), invalid)
    })
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
