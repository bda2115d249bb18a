//! Settings that receivers leave to the global settings, where these lack them.

use crate::lower::alertmanager::receivers;
use crate::lower::alertmanager::upstream::{items, text};
use promgen_text::yaml::Value;

/// A requirement of a receiver: its own keys, the global keys that replace them, and Alertmanager's message if both are
/// missing.
pub(in crate::lower::alertmanager) struct GlobalNeed {
    own: &'static [&'static str],
    global: &'static [&'static str],
    message: &'static str,
}

/// A requirement.
pub(in crate::lower::alertmanager) const fn need(
    own: &'static [&'static str],
    global: &'static [&'static str],
    message: &'static str,
) -> GlobalNeed {
    GlobalNeed { own, global, message }
}

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
    receivers::global_needs().find_map(|(family, need)| {
        let lacks = |item: &Value| !is_set(item, need.own) && !is_set(global, need.global);
        let index = items(receiver, family).iter().position(lacks)?;
        Some((family, index, need.message))
    })
}
