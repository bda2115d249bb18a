//! Alertmanager's checks of a whole configuration: routes refer to existing receivers, and receivers have all required
//! settings.

mod receivers;

use std::collections::BTreeSet;

use crate::receivers::GLOBAL;
use crate::receivers::table::shape::ShapeKey;
use promgen_text::go::quote::quote;
use promgen_text::route::ValueRoute;
use promgen_text::yaml::{Map, Value};

/// The maximum depth of checked routes; deeper ones are not checked. Real configurations stay far below.
const MAX_DEPTH: usize = 64;

/// What the root route must not have, by its key.
const NOT_IN_ROOT: [(&str, &str); 5] = [
    ("match", "matchers"),
    ("match_re", "matchers"),
    ("matchers", "matchers"),
    ("mute_time_intervals", "mute time intervals"),
    ("active_time_intervals", "active time intervals"),
];

/// The reason why Alertmanager does not load a configuration.
#[derive(Debug)]
pub(super) struct LoadFault {
    /// The place of it in the configuration.
    pub route: ValueRoute,
    /// Alertmanager's message.
    pub message: String,
}

impl LoadFault {
    /// The fix, if the message says enough.
    pub(super) fn help(&self) -> Option<String> {
        let star = "missing argument to repetition operator: `*`";
        self.message
            .contains(star)
            .then(|| "`*` repeats what stands before it: write `.*` for any text".to_owned())
    }
}

fn fault(route: ValueRoute, message: impl Into<String>) -> LoadFault {
    LoadFault {
        route,
        message: message.into(),
    }
}

type UpstreamCheck = Result<(), LoadFault>;

/// Alertmanager's checks before those of receivers. `shown` returns the printable form of a name: the configuration
/// comes from a Secret.
///
/// # Errors
/// The first thing that is wrong, in Alertmanager's words.
pub(super) fn check(config: &Value, shown: &dyn Fn(&str) -> String) -> UpstreamCheck {
    global(config)?;
    slack(config)?;
    let names = receiver_names(config, shown)?;
    let path = ValueRoute::root().key("route");
    let Some(route) = config.get("route").filter(|r| !matches!(r, Value::Null)) else {
        let is_empty = config.as_map().is_none_or(Map::is_empty);
        let message = if is_empty {
            "no route provided in config"
        } else {
            "no routes provided"
        };
        return Err(fault(path, message));
    };
    if route.text_or_empty("receiver").is_empty() {
        return Err(fault(path, "root route must specify a default receiver"));
    }
    let has = |key: &str| match key {
        "matchers" => route
            .items_of(key)
            .iter()
            .any(|matcher| matcher.as_str().is_none_or(|text| !text.trim().is_empty())),
        key => is_filled(route, key),
    };
    if let Some((key, what)) = NOT_IN_ROOT.into_iter().find(|(key, _)| has(key)) {
        let message = format!("root route must not have any {what}");
        return Err(fault(path.key(key), message));
    }
    if route.get("continue") == Some(&Value::Bool(true)) {
        return Err(fault(
            path.key("continue"),
            "cannot have continue in root route",
        ));
    }
    check_routes(&path, route, 0, &|path, route| {
        check_receiver(path, route, &names, shown)
    })?;
    let intervals = interval_names(config, shown)?;
    check_routes(&path, route, 0, &|path, route| {
        check_intervals(path, route, &intervals, shown)
    })
}

/// Checks a route, after those below it.
fn check_routes(
    path: &ValueRoute,
    route: &Value,
    depth: usize,
    check: &dyn Fn(&ValueRoute, &Value) -> UpstreamCheck,
) -> UpstreamCheck {
    if depth < MAX_DEPTH {
        for (index, route) in route.items_of("routes").iter().enumerate() {
            let path = path.clone().key("routes").index(index);
            check_routes(&path, route, depth + 1, check)?;
        }
    }
    check(path, route)
}

/// A secret of the global settings is in the configuration or in a file, not in both.
fn global(config: &Value) -> UpstreamCheck {
    let Some(global) = config.get("global") else {
        return Ok(());
    };
    for ShapeKey { key, .. } in GLOBAL.keys {
        let file = format!("{key}_file");
        if GLOBAL.field(&file).is_some() && is_filled(global, key) && is_filled(global, &file) {
            let message = format!("at most one of {key} & {file} must be configured");
            return Err(fault(ValueRoute::root().key("global"), message));
        }
    }
    Ok(())
}

/// The global settings of Slack have at most one way to authenticate, unless both refer to the same place.
fn slack(config: &Value) -> UpstreamCheck {
    let Some(global) = config.get("global") else {
        return Ok(());
    };
    let is_set = |key: &str| !global.text_or_empty(key).is_empty();
    let has_app = is_set("slack_app_token") || is_set("slack_app_token_file");
    let has_url = is_set("slack_api_url") || is_set("slack_api_url_file");
    let is_same = is_set("slack_app_url")
        && global.text_or_empty("slack_api_url") == global.text_or_empty("slack_app_url");
    if has_app && has_url && !is_same {
        let message = "at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be \
                       configured";
        return Err(fault(ValueRoute::root().key("global"), message));
    }
    Ok(())
}

type Shown<'s> = &'s dyn Fn(&str) -> String;

fn receiver_names<'v>(config: &'v Value, shown: Shown<'_>) -> Result<BTreeSet<&'v str>, LoadFault> {
    let mut names = BTreeSet::new();
    for (index, receiver) in config.items_of("receivers").iter().enumerate() {
        let path = ValueRoute::root().key("receivers").index(index);
        let name = receiver.text_or_empty("name");
        if !names.insert(name) {
            let message = format!(
                "notification config name {} is not unique",
                quote(&shown(name))
            );
            return Err(fault(path.key("name"), message));
        }
        if let Some((family, item, message)) = receivers::unmet(config, receiver) {
            return Err(fault(path.key(family).index(item), message));
        }
    }
    Ok(names)
}

/// Checks that the receiver of a route exists.
fn check_receiver(
    path: &ValueRoute,
    route: &Value,
    known: &BTreeSet<&str>,
    shown: Shown<'_>,
) -> UpstreamCheck {
    let name = route.text_or_empty("receiver");
    if name.is_empty() || known.contains(name) {
        return Ok(());
    }
    let message = format!("undefined receiver {} used in route", quote(&shown(name)));
    Err(fault(path.clone().key("receiver"), message))
}

fn interval_names<'v>(config: &'v Value, shown: Shown<'_>) -> Result<BTreeSet<&'v str>, LoadFault> {
    let mut names = BTreeSet::new();
    // The two lists share one set of names, which routes refer to.
    for (list, what) in [
        ("mute_time_intervals", "mute time interval"),
        ("time_intervals", "time interval"),
    ] {
        for (index, interval) in config.items_of(list).iter().enumerate() {
            let name = interval.text_or_empty("name");
            if name.is_empty() {
                return Err(fault(
                    ValueRoute::root().key(list).index(index),
                    format!("missing name in {what}"),
                ));
            }
            if !names.insert(name) {
                let message = format!("{what} {} is not unique", quote(&shown(name)));
                return Err(fault(ValueRoute::root().key(list).index(index), message));
            }
        }
    }
    Ok(names)
}

fn check_intervals(
    path: &ValueRoute,
    route: &Value,
    known: &BTreeSet<&str>,
    shown: Shown<'_>,
) -> UpstreamCheck {
    for list in ["mute_time_intervals", "active_time_intervals"] {
        let mut names = route
            .items_of(list)
            .iter()
            .filter_map(Value::as_str)
            .enumerate();
        if let Some((index, name)) = names.find(|(_, name)| !known.contains(name)) {
            let message = format!(
                "undefined time interval {} used in route",
                quote(&shown(name))
            );
            return Err(fault(path.clone().key(list).index(index), message));
        }
    }
    Ok(())
}

/// Returns whether there is something that Go's `omitempty` does not leave out.
fn is_filled(part: &Value, key: &str) -> bool {
    match part.get(key) {
        None | Some(Value::Null) => false,
        Some(Value::Str(text) | Value::StandIn(text) | Value::Binary(text)) => !text.is_empty(),
        Some(Value::Seq(items)) => !items.is_empty(),
        Some(Value::Map(map)) => !map.is_empty(),
        Some(Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_)) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    fn config(text: &str) -> Value {
        read_slices(text).unwrap().unwrap().to_value()
    }

    #[test]
    fn what_alertmanager_refuses_is_refused_in_its_words() {
        let error = |text: &str| {
            let fault = check(&config(text), &str::to_owned).unwrap_err();
            format!("{}: {}", fault.route, fault.message)
        };
        assert_eq!(error("receivers: []"), "route: no routes provided");
        assert_eq!(
            error("route: {}"),
            "route: root route must specify a default receiver"
        );
        assert_eq!(
            error("route: {receiver: a}"),
            "route.receiver: undefined receiver \"a\" used in route"
        );
        let twice = "receivers: [{name: a}, {name: a}]";
        assert_eq!(
            error(twice),
            "receivers[1].name: notification config name \"a\" is not unique"
        );
        let hidden = check(&config("route: {receiver: a}"), &|_| {
            "<redacted>".to_owned()
        });
        assert_eq!(
            hidden.unwrap_err().message,
            "undefined receiver \"<redacted>\" used in route"
        );
        let matching = "receivers: [{name: a}]\nroute: {receiver: a, match: {x: y}}";
        assert_eq!(
            error(matching),
            "route.match: root route must not have any matchers"
        );
        let silent =
            "receivers: [{name: a}]\nroute: {receiver: a, routes: [{mute_time_intervals: [x]}]}";
        assert_eq!(
            error(silent),
            "route.routes[0].mute_time_intervals[0]: undefined time interval \"x\" used in route"
        );
        let slack = "receivers: [{name: a, slack_configs: [{}]}]\nroute: {receiver: a}";
        assert_eq!(
            error(slack),
            "receivers[0].slack_configs[0]: no Slack API URL nor App token set either inline or in a file"
        );
    }

    /// The answers of `amtool check-config` 0.33.1.
    #[test]
    fn what_alertmanager_accepts_is_accepted() {
        let of = |global: &str, receiver: &str, route: &str| {
            let text = format!(
                "global: {{{global}}}\nreceivers: [{{name: a{receiver}}}]\nroute: {{receiver: a{route}}}"
            );
            check(&config(&text), &str::to_owned)
                .err()
                .map(|fault| fault.message)
        };
        assert_eq!(of("", "", ", matchers: ['', ' ']"), None);
        assert_eq!(
            of("", "", ", matchers: ['b=c']").as_deref(),
            Some("root route must not have any matchers")
        );
        let slack = |others: &str| of(&format!("slack_api_url: 'http://a'{others}"), "", "");
        let two_ways = "at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be \
                        configured";
        assert_eq!(slack(""), None);
        assert_eq!(slack(", slack_app_url: 'http://b'"), None);
        assert_eq!(
            slack(", slack_app_token: b, slack_app_url: 'http://a'"),
            None
        );
        assert_eq!(slack(", slack_app_token: b").as_deref(), Some(two_ways));
        assert_eq!(
            slack(", slack_app_token: b, slack_app_url: 'http://b'").as_deref(),
            Some(two_ways)
        );
        let chat = |keys: &str| of("", &format!(", rocketchat_configs: [{{{keys}}}]"), "");
        assert_eq!(chat("token: '', token_id: ''"), None);
        let no_token = "no global Rocketchat Token set either inline or in a file";
        assert_eq!(chat("token: null, token_id: a").as_deref(), Some(no_token));
        let no_id = "no global Rocketchat TokenID set either inline or in a file";
        assert_eq!(chat("token: a").as_deref(), Some(no_id));
    }

    #[test]
    fn routes_are_checked_to_a_depth() {
        let nested = |depth: usize, innermost: Value| {
            (0..depth).fold(innermost, |route, _| {
                Map::new().with("routes", vec![route]).into()
            })
        };
        let is_refused = |depth, innermost: &Value, check: fn(&ValueRoute, &Value) -> _| {
            let route = nested(depth, innermost.clone());
            check_routes(&ValueRoute::root(), &route, 0, &check).is_err()
        };
        let nobody: Value = Map::new().with("receiver", "nobody").into();
        let receivers = |depth| {
            is_refused(depth, &nobody, |path, route| {
                check_receiver(path, route, &BTreeSet::new(), &str::to_owned)
            })
        };
        assert!(receivers(MAX_DEPTH) && !receivers(MAX_DEPTH + 1));
        let never: Value = Map::new()
            .with("mute_time_intervals", vec![Value::from("never")])
            .into();
        let intervals = |depth| {
            is_refused(depth, &never, |path, route| {
                check_intervals(path, route, &BTreeSet::new(), &str::to_owned)
            })
        };
        assert!(intervals(MAX_DEPTH) && !intervals(MAX_DEPTH + 1));
    }
}
