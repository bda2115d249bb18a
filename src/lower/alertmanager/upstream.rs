//! What Alertmanager asks of a configuration as a whole: that routes lead to receivers.

use std::collections::BTreeSet;

use crate::go::quote::quote;
use crate::yaml::Value;

/// How deep routes may be nested; those below are not looked at. Nobody has more.
const MAX_DEPTH: usize = 64;

/// What Alertmanager asks of a configuration before it looks at receivers. `shown` makes of a name what may be printed of
/// it: the configuration comes from a Secret.
///
/// # Errors
/// The first thing that is wrong, in Alertmanager's words.
pub(super) fn check(config: &Value, shown: &dyn Fn(&str) -> String) -> Result<(), String> {
    let names = receiver_names(config, shown)?;
    let Some(route) = config.get("route").filter(|r| !matches!(r, Value::Null)) else {
        return Err("no route provided in config".to_owned());
    };
    if text(route, "receiver").is_empty() {
        return Err("root route must specify a default receiver".to_owned());
    }
    if ["match", "match_re", "matchers"].iter().any(|key| route.get(key).is_some_and(|v| !is_empty(v))) {
        return Err("root route must not have any matchers".to_owned());
    }
    if route.get("mute_time_intervals").is_some_and(|v| !is_empty(v)) {
        return Err("root route must not have any mute time intervals".to_owned());
    }
    if route.get("active_time_intervals").is_some_and(|v| !is_empty(v)) {
        return Err("root route must not have any active time intervals".to_owned());
    }
    check_receivers(route, &names, 0)
        .map_err(|name| format!("undefined receiver {} used in route", quote(&shown(name))))
}

fn receiver_names<'v>(config: &'v Value, shown: &dyn Fn(&str) -> String) -> Result<BTreeSet<&'v str>, String> {
    let mut names = BTreeSet::new();
    for receiver in items(config, "receivers") {
        let name = text(receiver, "name");
        if name.is_empty() {
            return Err("missing name in receiver".to_owned());
        }
        if !names.insert(name) {
            return Err(format!("notification config name {} is not unique", quote(&shown(name))));
        }
    }
    Ok(names)
}

/// Every receiver that routes name exists, else the name of the first that does not; those of sub-routes are looked at
/// first.
fn check_receivers<'v>(route: &'v Value, names: &BTreeSet<&str>, depth: usize) -> Result<(), &'v str> {
    if depth < MAX_DEPTH {
        items(route, "routes").iter().try_for_each(|route| check_receivers(route, names, depth + 1))?;
    }
    let name = text(route, "receiver");
    if name.is_empty() || names.contains(name) {
        return Ok(());
    }
    Err(name)
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    match value.get(key) {
        Some(Value::Seq(items)) => items,
        Some(
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Map(_),
        )
        | None => &[],
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What Go's `omitempty` leaves out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) => text.is_empty(),
        Value::Seq(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read::read_slices;

    fn config(text: &str) -> Value {
        read_slices(text).unwrap().unwrap().to_value()
    }

    #[test]
    fn what_alertmanager_refuses_is_refused_in_its_words() {
        let error = |text: &str| check(&config(text), &str::to_owned).unwrap_err();
        assert_eq!(error("receivers: []"), "no route provided in config");
        assert_eq!(error("route: {}"), "root route must specify a default receiver");
        assert_eq!(error("route: {receiver: a}"), "undefined receiver \"a\" used in route");
        assert_eq!(error("receivers: [{}]"), "missing name in receiver");
        let twice = "receivers: [{name: a}, {name: a}]";
        assert_eq!(error(twice), "notification config name \"a\" is not unique");
        let hidden = check(&config("route: {receiver: a}"), &|_| "<redacted>".to_owned());
        assert_eq!(hidden.unwrap_err(), "undefined receiver \"<redacted>\" used in route");
        let matching = "receivers: [{name: a}]\nroute: {receiver: a, match: {x: y}}";
        assert_eq!(error(matching), "root route must not have any matchers");
    }
}
