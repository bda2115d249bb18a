//! Settings that receivers leave to the global settings, where these lack them.

use crate::lower::alertmanager::upstream::{items, text};
use promgen_text::yaml::Value;

/// A requirement of a receiver: its own keys, the global keys that replace them, and Alertmanager's message if both are
/// missing.
struct Need {
    family: &'static str,
    own: &'static [&'static str],
    global: &'static [&'static str],
    message: &'static str,
}

const fn need(
    family: &'static str,
    own: &'static [&'static str],
    global: &'static [&'static str],
    message: &'static str,
) -> Need {
    Need { family, own, global, message }
}

/// In Alertmanager's order.
static NEEDS: &[Need] = &[
    need("email_configs", &["smarthost"], &["smtp_smarthost"], "no global SMTP smarthost set"),
    need("email_configs", &["from"], &["smtp_from"], "no global SMTP from set"),
    need(
        "slack_configs",
        &["api_url", "api_url_file", "app_token", "app_token_file"],
        &["slack_api_url", "slack_api_url_file", "slack_app_token", "slack_app_token_file"],
        "no Slack API URL nor App token set either inline or in a file",
    ),
    need(
        "opsgenie_configs",
        &["api_key", "api_key_file"],
        &["opsgenie_api_key", "opsgenie_api_key_file"],
        "no global OpsGenie API Key set either inline or in a file",
    ),
    need(
        "wechat_configs",
        &["api_secret", "api_secret_file"],
        &["wechat_api_secret", "wechat_api_secret_file"],
        "no global Wechat Api Secret set either inline or in a file",
    ),
    need("wechat_configs", &["corp_id"], &["wechat_api_corp_id"], "no global Wechat CorpID set"),
    need(
        "victorops_configs",
        &["api_key", "api_key_file"],
        &["victorops_api_key", "victorops_api_key_file"],
        "no global VictorOps API Key set",
    ),
    need(
        "telegram_configs",
        &["bot_token", "bot_token_file"],
        &["telegram_bot_token", "telegram_bot_token_file"],
        "missing bot_token or bot_token_file on telegram_config",
    ),
    need("jira_configs", &["api_url"], &["jira_api_url"], "no global Jira Cloud URL set"),
    need(
        "rocketchat_configs",
        &["token_id", "token_id_file"],
        &["rocketchat_token_id", "rocketchat_token_id_file"],
        "no global Rocketchat TokenID set either inline or in a file",
    ),
    need(
        "rocketchat_configs",
        &["token", "token_file"],
        &["rocketchat_token", "rocketchat_token_file"],
        "no global Rocketchat Token set either inline or in a file",
    ),
    need(
        "mattermost_configs",
        &["webhook_url", "webhook_url_file"],
        &["mattermost_webhook_url", "mattermost_webhook_url_file"],
        "missing webhook_url or webhook_url_file on mattermost_config",
    ),
];

/// The first unmet requirement of a receiver: its list and item, and Alertmanager's message.
pub(super) fn unmet(config: &Value, receiver: &Value) -> Option<(&'static str, usize, &'static str)> {
    let global = config.get("global").unwrap_or(&Value::Null);
    // Alertmanager: an empty token of Rocket.Chat is one.
    let is_token = |key: &str| matches!(key, "token" | "token_id" | "rocketchat_token" | "rocketchat_token_id");
    let is_set = |part: &Value, keys: &[&str]| {
        keys.iter().any(|key| {
            !text(part, key).is_empty() || is_token(key) && part.get(key).is_some_and(|value| *value != Value::Null)
        })
    };
    NEEDS.iter().find_map(|need| {
        let lacks = |item: &Value| !is_set(item, need.own) && !is_set(global, need.global);
        let index = items(receiver, need.family).iter().position(lacks)?;
        Some((need.family, index, need.message))
    })
}
