//! Whether the operator takes the global settings that an Alertmanager has beside the AlertmanagerConfig that is its root.

use crate::cluster::assets::{Asset, ContentFault};
use crate::lower::alertmanager::Am;
use crate::select::admit::http;
use crate::select::admit::{AssetLookup, ReferenceReader, Refusal, tls};
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
pub(super) fn admit_global(am: &Am<'_>, global: &AlertmanagerGlobalConfig, sink: &mut Sink) -> SettingCheck {
    let mut cx =
        ReferenceReader { assets: am.assets, doc: am.doc, namespace: am.namespace(), versions: am.versions, sink };
    let root = Path::root();
    let spec = root.key("spec");
    let configuration = spec.key("alertmanagerConfiguration");
    let path = configuration.key("global");
    valid(am.versions, &path, global)?;
    if let Some(wechat) = &global.wechat {
        secret(&mut cx, &path.key("wechat").key("apiSecret"), wechat.api_secret.as_ref(), "")?;
    }
    known(am, &path, global)?;
    http_config(&mut cx, &path, global)?;
    read(&mut cx, &path, global)
}

/// The checks that need no Secret.
fn valid(versions: &Versions, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    let Some(config) = &global.http_config else { return Ok(()) };
    let valid = http::valid(versions, &path.key("httpConfig"), &Client::from(config));
    valid.map_err(|refusal| refusal.within("'httpConfig'"))
}

/// Checks that the version supports the set fields.
fn known(am: &Am<'_>, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    let implicit = global.smtp.as_ref().is_some_and(|smtp| smtp.force_implicit_tls.is_some());
    let fields: [(&str, &str, bool, &Gate); 6] = [
        ("smtp", "'forceImplicitTLS' integration requires", implicit, &gates::AM_IMPLICIT_TLS),
        ("telegram", "'telegram' integration requires", global.telegram.is_some(), &gates::AM_TELEGRAM),
        ("jira", "'jira' integration requires", global.jira.is_some(), &gates::AM_JIRA),
        ("rocketChat", "'rocketChat' integration requires", global.rocket_chat.is_some(), &gates::AM_ROCKETCHAT),
        ("webex", "'webex' integration requires", global.webex.is_some(), &gates::AM_WEBEX),
        (
            "mattermost",
            "'mattermost' global parameters require",
            global.mattermost.is_some(),
            &gates::AM_GLOBAL_MATTERMOST,
        ),
    ];
    match fields.iter().find(|(_, _, set, gate)| *set && !am.has(gate)) {
        Some((field, words, _, gate)) => {
            let message = format!("{words} Alertmanager >= {} - current {}", gate.since, am.versions.alertmanager);
            Err(Refusal::new(&path.key(field), message))
        }
        None => Ok(()),
    }
}

fn http_config(cx: &mut ReferenceReader<'_>, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    let Some(config) = &global.http_config else { return Ok(()) };
    let path = path.key("httpConfig");
    let failed = |refusal: Refusal| refusal.within("invalid global httpConfig");
    let basic = config.basic_auth.as_ref();
    let basic = [
        ("username", "failed to get BasicAuth username", basic.and_then(|b| b.username.as_ref())),
        ("password", "failed to get BasicAuth password", basic.and_then(|b| b.password.as_ref())),
    ];
    let proxy = path.key("proxyConnectHeader");
    for (name, selectors) in config.proxy.proxy_connect_header.iter().flatten() {
        for selector in selectors {
            let read = secret(cx, &proxy.key(name), Some(selector), "failed to get proxyConnectHeader secretKey");
            read.map_err(failed)?;
        }
    }
    for (key, words, selector) in basic {
        secret(cx, &path.key("basicAuth").key(key), selector, words).map_err(failed)?;
    }
    let credentials = config.authorization.as_ref().and_then(|a| a.credentials.as_ref());
    let place = path.key("authorization");
    secret(cx, &place.key("credentials"), credentials, "failed to get Authorization credentials").map_err(failed)?;
    tls::tls(cx, &path, config.tls_config.as_ref().map(Tls::from)).map_err(failed)?;
    let token = config.bearer_token_secret.as_ref();
    secret(cx, &path.key("bearerTokenSecret"), token, "failed to get bearer token").map_err(failed)?;
    let Some(oauth2) = &config.oauth2 else { return Ok(()) };
    let path = path.key("oauth2");
    let id = path.key("clientId");
    secret(cx, &id, oauth2.client_id.secret.as_ref(), "failed to get clientID").map_err(failed)?;
    if let (None, Some(map)) = (&oauth2.client_id.secret, &oauth2.client_id.config_map) {
        let asset = cx.assets.config_map(cx.namespace, map);
        let read = cx.asset(&id, ("ConfigMap", &map.name), asset);
        read.map_err(|refusal| failed(refusal.within("failed to get clientID")))?;
    }
    let read = secret(cx, &path.key("clientSecret"), Some(&oauth2.client_secret), "failed to get client secret");
    read.map_err(failed)?;
    let tls = oauth2.tls_config.as_ref().map(Tls::from);
    tls::tls(cx, &path, tls).map_err(|refusal| failed(refusal.within("failed to get oauth2 tlsConfig")))
}

/// The Secrets of the settings, in the operator's order.
fn read(cx: &mut ReferenceReader<'_>, path: &Path<'_>, global: &AlertmanagerGlobalConfig) -> SettingCheck {
    if let Some(smtp) = &global.smtp {
        let path = path.key("smtp");
        secret(cx, &path.key("authPassword"), smtp.auth_password.as_ref(), "")?;
        secret(cx, &path.key("authSecret"), smtp.auth_secret.as_ref(), "")?;
        tls::tls(cx, &path, smtp.tls_config.as_ref().map(Tls::from))?;
    }
    url(cx, &path.key("slackApiUrl"), global.slack_api_url.as_ref(), ("", "parse slack API URL"))?;
    url(cx, &path.key("opsGenieApiUrl"), global.ops_genie_api_url.as_ref(), ("", "parse OpsGenie API URL"))?;
    secret(cx, &path.key("opsGenieApiKey"), global.ops_genie_api_key.as_ref(), "")?;
    if let Some(chat) = &global.rocket_chat {
        let path = path.key("rocketChat");
        secret(cx, &path.key("token"), chat.token.as_ref(), "")?;
        secret(cx, &path.key("tokenID"), chat.token_id.as_ref(), "")?;
    }
    if let Some(victorops) = &global.victorops {
        secret(cx, &path.key("victorops").key("apiKey"), victorops.api_key.as_ref(), "")?;
    }
    let hook = global.mattermost.as_ref().and_then(|m| m.webhook_url.as_ref());
    let words =
        ("failed to retrieve Mattermost Webhook URL", "invalid global mattermost config: failed to parse Webhook URL");
    url(cx, &path.key("mattermost").key("webhookURL"), hook, words)
}

/// Checks a key of a Secret, and prefixes its error.
fn secret(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
    words: &str,
) -> SettingCheck {
    let Some(selector) = selector else { return Ok(()) };
    http::secret(cx, path, selector).map_err(|refusal| if words.is_empty() { refusal } else { refusal.within(words) })
}

/// Checks a key of a Secret that contains a URL. The message hides the value.
fn url(
    cx: &mut ReferenceReader<'_>,
    path: &Path<'_>,
    selector: Option<&SecretKeySelector>,
    (missing, invalid): (&str, &str),
) -> SettingCheck {
    secret(cx, path, selector, missing)?;
    let Some(selector) = selector else { return Ok(()) };
    let Ok(Asset::Content(bytes)) = cx.assets.secret(cx.namespace, selector) else { return Ok(()) };
    let parsed = bytes.check(|bytes| match Url::parse(&String::from_utf8_lossy(bytes)) {
        Ok(_) => Ok(()),
        Err(error) => Err(ContentFault::new(error, "the value is not a URL").within(invalid)),
    });
    parsed.map_err(|message| Refusal::new(path, message))
}
