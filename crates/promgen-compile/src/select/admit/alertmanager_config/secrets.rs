//! The Secrets and ConfigMaps that receivers read, in the operator's order.

use crate::cluster::assets::{Asset, Fault};
use crate::select::admit::alertmanager_config::valid_url;
use crate::select::admit::{Check, Lookup, ReferenceReader, Refusal, http, tls};
use promgen_resources::api::auth::Sigv4;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::notifying::alertmanager_config::message::EmailConfig;
use promgen_resources::api::notifying::alertmanager_config::receiver::{HttpConfig, Receiver};
use promgen_resources::api::notifying::alertmanager_config::slack::SlackConfig;
use promgen_resources::http_config::{Client, ClientPart, Tls};
use promgen_text::route::Path;

/// A field of an item, and the Secret that it names.
type SecretField<'a> = (&'static str, Option<&'a SecretKeySelector>);

/// Reads what a receiver names.
///
/// # Errors
/// The first that is not there, or is not what it should be.
pub(super) fn read(cx: &mut ReferenceReader<'_>, receiver: &Path<'_>, of: &Receiver) -> Check {
    macro_rules! family {
        ($family:literal $configs:ident $config:ident: $($field:literal $secret:expr),*) => {
            let list = receiver.key($family);
            for (index, $config) in of.$configs.iter().flatten().enumerate() {
                let path = list.index(index);
                secrets(cx, &path, $family, &[$(($field, $secret)),*])?;
                http_config(cx, &path, $config.http_config.as_ref())?;
            }
        };
    }
    family!("pagerdutyConfigs" pagerduty_configs c: "routingKey" c.routing_key.as_ref(), "serviceKey" c.service_key.as_ref());
    family!("opsgenieConfigs" opsgenie_configs c: "apiKey" c.api_key.as_ref());
    family!("discordConfigs" discord_configs c: "apiURL" Some(&c.api_url));
    let list = receiver.key("slackConfigs");
    for (index, config) in of.slack_configs.iter().flatten().enumerate() {
        slack(cx, &list.index(index), config)?;
    }
    family!("webhookConfigs" webhook_configs c: "urlSecret" c.url_secret.as_ref());
    family!("wechatConfigs" wechat_configs c: "apiSecret" c.api_secret.as_ref());
    let list = receiver.key("emailConfigs");
    for (index, config) in of.email_configs.iter().flatten().enumerate() {
        email(cx, &list.index(index), config)?;
    }
    family!("victoropsConfigs" victorops_configs c: "apiKey" c.api_key.as_ref());
    family!("pushoverConfigs" pushover_configs c: "userKey" c.user_key.as_ref(), "token" c.token.as_ref());
    let list = receiver.key("snsConfigs");
    for (index, config) in of.sns_configs.iter().flatten().enumerate() {
        let path = list.index(index);
        http_config(cx, &path, config.http_config.as_ref())?;
        sigv4(cx, &path.key("sigv4"), config.sigv4.as_ref())?;
    }
    family!("telegramConfigs" telegram_configs c: "botToken" c.bot_token.as_ref());
    family!("webexConfigs" webex_configs c:);
    family!("msteamsConfigs" msteams_configs c: "webhookUrl" Some(&c.webhook_url));
    family!("msteamsv2Configs" msteamsv2_configs c: "webhookURL" c.webhook_url.as_ref());
    family!("rocketchatConfigs" rocketchat_configs c: "token" Some(&c.token), "tokenID" Some(&c.token_id));
    Ok(())
}

fn secrets(cx: &mut ReferenceReader<'_>, path: &Path<'_>, family: &str, fields: &[SecretField<'_>]) -> Check {
    for (field, selector) in fields {
        let Some(selector) = selector else { continue };
        let path = path.key(field);
        let asset = cx.assets.secret(cx.namespace, selector);
        let asset = cx.asset(&path, ("Secret", &selector.name), asset)?;
        if let Asset::Content(bytes) = &asset {
            bytes.check(|bytes| content(family, bytes)).map_err(|message| Refusal::new(&path, message))?;
        }
    }
    Ok(())
}

/// Checks a URL from a Secret. The operator hides the URL itself, but neither its port nor its scheme.
fn content(family: &str, bytes: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(bytes);
    let what = match family {
        "webhookConfigs" => "URL",
        "slackConfigs" => "API URL",
        _ => return Ok(()),
    };
    let hidden = |message: &str| match message.split_once(": parse ").and_then(|(_, rest)| rest.rsplit_once("\": ")) {
        Some((_, why)) => format!("validate url from string failed with error: parse [REDACTED]: {why}"),
        None => message.to_owned(),
    };
    valid_url(text.trim()).map_err(|fault| fault.with_full(hidden).within(&format!("failed to validate {what}")))
}

/// Only bots can change a message.
fn slack(cx: &mut ReferenceReader<'_>, path: &Path<'_>, config: &SlackConfig) -> Check {
    const BOT_URL: &str = "https://slack.com/api/chat.postMessage";
    secrets(cx, path, "slackConfigs", &[("apiURL", config.api_url.as_ref())])?;
    if let Some(selector) = config.api_url.as_ref().filter(|_| config.update_message == Some(true)) {
        let asset = cx.assets.secret(cx.namespace, selector);
        let is_bot = |bytes: &[u8]| Ok(String::from_utf8_lossy(bytes).trim() == BOT_URL);
        if matches!(asset, Ok(Asset::Content(bytes)) if bytes.check(is_bot) == Ok(false)) {
            let message = format!("updateMessage' can only be used with bot tokens. API URL must be set to {BOT_URL}");
            return Err(Refusal::new(&path.key("updateMessage"), message));
        }
    }
    http_config(cx, path, config.http_config.as_ref())
}

fn email(cx: &mut ReferenceReader<'_>, path: &Path<'_>, config: &EmailConfig) -> Check {
    let fields = [("authPassword", config.auth_password.as_ref()), ("authSecret", config.auth_secret.as_ref())];
    secrets(cx, path, "emailConfigs", &fields)?;
    tls::tls(cx, path, config.tls_config.as_ref().map(Tls::from))
}

/// Both keys are read only if both are named.
fn sigv4(cx: &mut ReferenceReader<'_>, path: &Path<'_>, config: Option<&Sigv4>) -> Check {
    let Some(config) = config else { return Ok(()) };
    secrets(
        cx,
        path,
        "snsConfigs",
        &[("accessKey", config.access_key.as_ref()), ("secretKey", config.secret_key.as_ref())],
    )
}

/// Checks the HTTP client of a receiver.
fn http_config(cx: &mut ReferenceReader<'_>, path: &Path<'_>, config: Option<&HttpConfig>) -> Check {
    let Some(config) = config else { return Ok(()) };
    let path = path.key("httpConfig");
    let client = Client::from(config);
    http::optional_secret(cx, &path.key("bearerTokenSecret"), client.bearer_token_secret)?;
    http::client(
        cx,
        &path,
        &client,
        &[ClientPart::Authorization, ClientPart::BasicAuth, ClientPart::Tls, ClientPart::OAuth2],
    )?;
    http::proxy_headers(cx, &path, &config.proxy)
}
