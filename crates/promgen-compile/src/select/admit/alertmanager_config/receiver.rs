//! Receivers: the checks that need no Secret, and the Secrets that receivers refer to.

use crate::cluster::assets::{Fault, REDACTED};
use crate::select::admit::{Check, Refusal, Within};
use promgen_resources::api::notifying::alertmanager_config::incident::ResponderType;
use promgen_resources::api::notifying::alertmanager_config::message::{EmailConfig, PushoverConfig, SnsConfig};
use promgen_resources::api::notifying::alertmanager_config::receiver::Receiver;
use promgen_resources::gates::{self, Versions};
use promgen_text::go::quote::without_quoted;
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::go::url::Url;
use promgen_text::route::Path;

/// Operator: `validateReceivers`.
pub(super) fn valid(path: &Path<'_>, receiver: &Receiver) -> Check {
    each(path, "pagerdutyConfigs", receiver.pagerduty_configs.as_ref(), |config| {
        url("url", config.url.as_deref())?;
        let has_key = config.routing_key.is_some() || config.service_key.is_some();
        demand(has_key, "one of 'routingKey' or 'serviceKey' is required")
    })?;
    each(path, "opsgenieConfigs", receiver.opsgenie_configs.as_ref(), |c| url("apiURL", c.api_url.as_deref()))?;
    each(path, "slackConfigs", receiver.slack_configs.as_ref(), |config| {
        let named = |name: Option<&str>, url: Option<&str>| {
            name.is_some_and(|n| !n.is_empty()) || url.is_some_and(|u| !u.is_empty())
        };
        let actions = config.actions.iter().flatten();
        let all = actions.into_iter().all(|action| named(action.name.as_deref(), action.url.as_deref()));
        demand(all, "missing 'name' or 'url' in Slack action configuration")
    })?;
    each(path, "webhookConfigs", receiver.webhook_configs.as_ref(), |config| {
        let has_url = config.url.is_some() || config.url_secret.is_some();
        demand(has_url, "one of 'url' or 'urlSecret' must be specified")?;
        url("url", config.url.as_deref())
    })?;
    each(path, "wechatConfigs", receiver.wechat_configs.as_ref(), |c| url("apiURL", c.api_url.as_deref()))?;
    each(path, "emailConfigs", receiver.email_configs.as_ref(), email)?;
    each(path, "pushoverConfigs", receiver.pushover_configs.as_ref(), pushover)?;
    each(path, "snsConfigs", receiver.sns_configs.as_ref(), sns)?;
    each(path, "telegramConfigs", receiver.telegram_configs.as_ref(), |config| {
        let file = config.bot_token_file.as_deref().is_some_and(|f| !f.is_empty());
        let token = config.bot_token.is_some();
        demand(!(token && file), "only one of 'botToken' or 'botTokenfile' must be configured")?;
        demand(token || file, "mandatory field botToken or botTokenfile is empty")?;
        demand(config.chat_id != 0, "mandatory field 'chatID' is empty")?;
        url("apiURL", config.api_url.as_deref())
    })?;
    each(path, "webexConfigs", receiver.webex_configs.as_ref(), |c| url("apiURL", c.api_url.as_deref()))?;
    each(path, "rocketchatConfigs", receiver.rocketchat_configs.as_ref(), |c| url("apiURL", c.api_url.as_deref()))
}

/// Checks the items of a family. Prefixes the first error with its index.
fn each<T>(
    receiver: &Path<'_>,
    family: &'static str,
    configs: Option<&Vec<T>>,
    check: impl Fn(&T) -> Result<(), String>,
) -> Check {
    let list = receiver.key(family);
    for (index, config) in configs.into_iter().flatten().enumerate() {
        let checked = check(config).map_err(|message| Refusal::new(&list.index(index), message));
        checked.within(&format!("'{family}'[{index}]"))?;
    }
    Ok(())
}

fn demand(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn email(config: &EmailConfig) -> Result<(), String> {
    demand(config.to.as_deref().is_some_and(|to| !to.is_empty()), "missing 'to' address")?;
    let mut names: Vec<String> = Vec::new();
    for header in config.headers.iter().flatten() {
        let name = header.key.to_lowercase();
        demand(!names.contains(&name), &format!("duplicate header \"{name}\""))?;
        names.push(name);
    }
    Ok(())
}

fn pushover(config: &PushoverConfig) -> Result<(), String> {
    demand(
        config.user_key.is_some() || config.user_key_file.is_some(),
        "one of userKey or userKeyFile must be configured",
    )?;
    demand(config.token.is_some() || config.token_file.is_some(), "one of token or tokenFile must be configured")?;
    let both = config.html == Some(true) && config.monospace == Some(true);
    demand(!both, "'html' and 'monospace' options are mutually exclusive")
}

fn sns(config: &SnsConfig) -> Result<(), String> {
    let set = |field: &Option<String>| field.as_deref().is_some_and(|f| !f.is_empty());
    let targets = [&config.target_arn, &config.topic_arn, &config.phone_number];
    let n_set = targets.into_iter().filter(|field| set(field)).count();
    // Operator: an odd number of them passes.
    demand(n_set % 2 == 1, "must provide one of 'targetARN', 'topicARN', or 'phoneNumber'")?;
    url("apiURL", config.api_url.as_deref())
}

/// Checks a URL, or a template of one. Operator: `ValidateTemplateURL`, `ValidateURL`.
fn url(field: &str, text: Option<&str>) -> Result<(), String> {
    let Some(text) = text.filter(|t| !t.is_empty()) else { return Ok(()) };
    valid_url(text).map_err(|fault| format!("invalid '{field}': {}", fault.message(true)))
}

/// Checks a URL, or a template of one.
///
/// # Errors
/// It is none, in the operator's words.
pub(crate) fn valid_url(text: &str) -> Result<(), Fault> {
    const FAILED: &str = "validate url from string failed";
    if text.contains("{{") {
        let scope = TemplateScope { functions: &[], variables: &[] };
        let invalid = |error| Fault::new(error, format!("invalid template {REDACTED}")).within("template: :1");
        return template::check(text, scope).map_err(invalid);
    }
    let url = Url::parse(text).map_err(|e| {
        let redacted = without_quoted(&e, "[REDACTED]");
        Fault::new(format!("{FAILED} for {text}: {e}"), format!("{FAILED} with error: {redacted}"))
    })?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        let error = format!("{FAILED} with error: unsupported scheme \"{}\" for URL", url.scheme);
        return Err(Fault::quoting(error));
    }
    if url.host.is_empty() {
        return Err(Fault::plain(format!("{FAILED} with error: missing host for URL")));
    }
    Ok(())
}

/// Whether the version supports the fields of a receiver. The missing apostrophe is the operator's.
///
/// # Errors
/// It does not, in the operator's words.
pub(super) fn known(receiver: &Receiver, versions: &Versions) -> Result<(), String> {
    let responders = receiver.opsgenie_configs.iter().flatten().flat_map(|c| c.responders.iter().flatten());
    let teams = responders.into_iter().any(|r| r.r#type == ResponderType::Teams);
    if teams && !versions.has(&gates::AM_OPSGENIE_TEAMS) {
        let since = &gates::AM_OPSGENIE_TEAMS.since;
        return Err(format!("'teams' set in 'opsgenieResponder' but supported in Alertmanager >= {since} only"));
    }
    let slack = receiver.slack_configs.as_ref();
    let fields = [
        ("messageText", &gates::AM_MESSAGE_TEXT, any(slack, |c| c.message_text.is_some())),
        ("updateMessage", &gates::AM_UPDATE_MESSAGE, any(slack, |c| c.update_message.is_some())),
        ("payload", &gates::AM_PAYLOAD, any(receiver.webhook_configs.as_ref(), |c| c.payload.is_some())),
        (
            "forceImplicitTLS",
            &gates::AM_IMPLICIT_TLS,
            any(receiver.email_configs.as_ref(), |c| c.force_implicit_tls.is_some()),
        ),
        ("threading", &gates::AM_THREADING, any(receiver.email_configs.as_ref(), |c| c.threading.is_some())),
        (
            "useAWSHTTPClient",
            &gates::AM_AWS_HTTP_CLIENT,
            any(receiver.sns_configs.as_ref(), |c| c.use_aws_http_client.is_some()),
        ),
        (
            "botTokenFile",
            &gates::AM_BOT_TOKEN_FILE,
            any(receiver.telegram_configs.as_ref(), |c| c.bot_token_file.as_deref().is_some_and(|f| !f.is_empty())),
        ),
    ];
    match fields.iter().find(|(_, gate, set)| *set && !versions.has(gate)) {
        Some((field, gate, _)) => {
            let current = &versions.alertmanager;
            Err(format!("{field}' is available in Alertmanager >= {} only - current {current}", gate.since))
        }
        None => Ok(()),
    }
}

fn any<T>(configs: Option<&Vec<T>>, holds: impl Fn(&T) -> bool) -> bool {
    configs.into_iter().flatten().any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_checked_in_the_operators_words() {
        let error = |text: &str| valid_url(text).unwrap_err().message(true);
        assert_eq!(error("http://"), "validate url from string failed with error: missing host for URL");
        assert_eq!(error("a"), "validate url from string failed with error: unsupported scheme \"\" for URL");
        assert_eq!(error("{{ .labels.url"), "template: :1: unclosed action");
        assert_eq!(valid_url("https://{{ .a }}"), Ok(()));
    }
}
