//! Settings that receivers leave to the global settings, where these lack them.

use crate::lower::alertmanager::upstream::{items, text};
use crate::receivers;
use promgen_text::yaml::Value;

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
    receivers::needing().find_map(|kind| {
        kind.global_needs.iter().find_map(|need| {
            let lacks = |item: &Value| !is_set(item, need.own) && !is_set(global, need.global);
            let index = items(receiver, kind.list).iter().position(lacks)?;
            Some((kind.list, index, need.message))
        })
    })
}
