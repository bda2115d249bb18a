//! Settings that receivers leave to the global settings, where these lack them.

use crate::receivers;
use crate::receivers::table::demand::GlobalNeed;
use promgen_text::yaml::Value;

/// The first unmet requirement of a receiver: its list and item, and Alertmanager's message.
pub(super) fn unmet(
    config: &Value,
    receiver: &Value,
) -> Option<(&'static str, usize, &'static str)> {
    let global = config.get("global").unwrap_or(&Value::Null);
    receivers::ordered(receivers::NEEDING_FIRST).find_map(|kind| {
        kind.global_needs.iter().find_map(|need| {
            let lacks =
                |item: &Value| !is_set(need, item, need.own) && !is_set(need, global, need.global);
            let index = receiver.items_of(kind.list).iter().position(lacks)?;
            Some((kind.list, index, need.message))
        })
    })
}

/// Returns whether a part has one of the keys of a requirement.
fn is_set(need: &GlobalNeed, part: &Value, keys: &[&str]) -> bool {
    let is_there = |key: &str| {
        !key.ends_with("_file") && part.get(key).is_some_and(|value| *value != Value::Null)
    };
    keys.iter()
        .any(|key| !part.text_or_empty(key).is_empty() || need.takes_empty && is_there(key))
}
