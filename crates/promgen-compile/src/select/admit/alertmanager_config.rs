//! Checks selected AlertmanagerConfigs: routes, receivers, and the Secrets that receivers refer to.

mod child;
mod client;
pub(crate) mod files;
mod inhibit;
mod intervals;
mod receiver;
pub(crate) mod url;

use std::collections::BTreeSet;

use crate::cluster::Object;
use crate::cluster::assets::AssetStore;
use crate::paths::SPEC;
use crate::routes;
use crate::select::admit::{Check, InField, ReferenceReader, Refusal, Refuse};
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfig;
use promgen_resources::api::notifying::alertmanager_config::route::{Matcher, Route};
use promgen_resources::gates::{self, Versions};
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::go::quote::quote;
use promgen_text::route::Path;
use serde_json::Value;

/// The maximum depth of checked routes; deeper ones are not checked. Real configurations stay far below.
const MAX_DEPTH: usize = 64;

/// Checks an AlertmanagerConfig. Operator: `checkAlertmanagerConfigResource`.
///
/// # Errors
/// The first reason against it.
pub fn admit(
    config: &Object<AlertmanagerConfig>,
    assets: &AssetStore<'_>,
    versions: &Versions,
    sink: &mut Sink,
) -> Check {
    let spec = &config.value.spec;
    let path = SPEC;
    let receivers = spec.receivers.as_deref().unwrap_or_default();
    let list = path.key("receivers");
    for (index, of) in receivers.iter().enumerate() {
        // The first of two is valid by then: the operator reports the second one.
        if receivers[..index].iter().any(|other| other.name == of.name) {
            let message = format!("{} receiver is not unique", quote(&of.name));
            return list.index(index).key("name").refuse(message);
        }
        let valid = receiver::valid(versions, &list.index(index), of);
        valid.within(&format!("failed to validate receiver {}", quote(&of.name)))?;
    }
    intervals::valid(
        &path,
        spec.mute_time_intervals.as_deref().unwrap_or_default(),
    )?;
    let names = RouteNames {
        receivers: receivers.iter().map(|r| r.name.as_str()).collect_set(),
        intervals: spec
            .mute_time_intervals
            .iter()
            .flatten()
            .map(|i| i.name.as_str())
            .collect_set(),
    };
    // A resource without a route is valid: it contributes inhibit rules only.
    if let Some(route) = &spec.route {
        let path = path.key("route");
        if route.receiver.as_deref().unwrap_or_default().is_empty() {
            return path.refuse("root route must define a receiver");
        }
        self::route(&path, route, &names, None, 0)?;
    }
    for (index, of) in receivers.iter().enumerate() {
        let path = list.index(index);
        let mut cx = ReferenceReader {
            assets,
            doc: config.doc,
            namespace: config.namespace(),
            versions,
            sink,
        };
        receiver::read(&mut cx, versions, &path, of)?;
    }
    if let Some(route) = &spec.route {
        matchers(&path.key("route"), route, versions, 0)?;
    }
    inhibit::admit(&path.key("inhibitRules"), config, versions)
}

/// Fields that the root route of a configuration must not have.
///
/// # Errors
/// The first reason against it.
pub(crate) fn valid_root(config: &Object<AlertmanagerConfig>) -> Check {
    let path = SPEC.key("route");
    let Some(route) = &config.value.spec.route else {
        return path.refuse("root route must exist");
    };
    let refuse = |key: &str, message: &str| path.key(key).refuse(message);
    let is_filled = |list: Option<&Vec<String>>| list.is_some_and(|names| !names.is_empty());
    if route.r#continue == Some(true) {
        return refuse("continue", "cannot have continue in root route");
    }
    if route
        .matchers
        .as_ref()
        .is_some_and(|matchers| !matchers.is_empty())
    {
        return refuse("matchers", "'matchers' not permitted on root route");
    }
    if is_filled(route.mute_time_intervals.as_ref()) {
        return refuse(
            "muteTimeIntervals",
            "'mute_time_intervals' not permitted on root route",
        );
    }
    if is_filled(route.active_time_intervals.as_ref()) {
        return refuse(
            "activeTimeIntervals",
            "'active_time_intervals' not permitted on root route",
        );
    }
    Ok(())
}

/// The names that routes can refer to.
struct RouteNames<'a> {
    receivers: BTreeSet<&'a str>,
    intervals: BTreeSet<&'a str>,
}

/// `raw` is the text of a child route.
fn route(
    path: &Path<'_>,
    route: &Route,
    names: &RouteNames<'_>,
    raw: Option<&Value>,
    depth: usize,
) -> Check {
    let receiver = route.receiver.as_deref().unwrap_or_default();
    if !receiver.is_empty() && !names.receivers.contains(receiver) {
        let refusal = Refusal::new(
            &path.key("receiver"),
            format!("receiver {} not found", quote(receiver)),
        );
        return Err(refusal.near(receiver, names.receivers.iter().copied()));
    }
    group_by(path, route)?;
    let missing = |of: &Option<Vec<String>>| {
        of.iter()
            .flatten()
            .find(|i| !names.intervals.contains(i.as_str()))
            .cloned()
    };
    if let Some(name) = missing(&route.mute_time_intervals) {
        let message = format!("mute time interval {} not found", quote(&name));
        let refusal = Refusal::new(&path.key("muteTimeIntervals"), message);
        return Err(refusal.near(&name, names.intervals.iter().copied()));
    }
    if let Some(name) = missing(&route.active_time_intervals) {
        let message = format!("time interval {} not found", quote(&name));
        let refusal = Refusal::new(&path.key("activeTimeIntervals"), message);
        return Err(refusal.near(&name, names.intervals.iter().copied()));
    }
    let nameless = route
        .matchers
        .iter()
        .flatten()
        .position(is_nameless)
        .map(|index| (index, NAMELESS.to_owned(), None));
    let unknown = raw.and_then(child::unknown_type).map(|(index, text)| {
        let help = "use `=`, `!=`, `=~` or `!~`".to_owned();
        (
            index,
            format!("invalid 'matchType' '{text}' provided'"),
            Some(help),
        )
    });
    if let Some((index, message, help)) = nameless.into_iter().chain(unknown).min() {
        let refusal = Refusal::new(
            &path.key("matchers").index(index),
            format!("matcher[{index}]: {message}"),
        );
        return Err(Refusal { help, ..refusal });
    }
    if depth < MAX_DEPTH {
        sub_routes(path, route, names, depth)
    } else {
        Ok(())
    }
}

/// The operator's message about a matcher without a name.
const NAMELESS: &str = "matcher 'name' is required";

/// Returns whether a matcher lacks its name. The operator does not check one of the older form, without `matchType`.
fn is_nameless(matcher: &Matcher) -> bool {
    matcher.match_type.is_some() && matcher.name.trim().is_empty()
}

fn group_by(path: &Path<'_>, route: &Route) -> Check {
    let labels = route.group_by.as_deref().unwrap_or_default();
    let refuse = |message: &str| {
        path.key("groupBy").refuse(format!(
            "{message} in route 'groupBy': [{}]",
            labels.join(" ")
        ))
    };
    if labels.iter().collect_set().len() < labels.len() {
        return refuse("duplicate values not permitted");
    }
    // `...` stands for all labels.
    if labels.len() > 1 && labels.iter().any(|label| label == "...") {
        return refuse("'...' must be a sole value");
    }
    Ok(())
}

/// The child routes of a route. The API server accepts any content there, so all of them are parsed before the first
/// check.
fn sub_routes(path: &Path<'_>, route: &Route, names: &RouteNames<'_>, depth: usize) -> Check {
    let list = path.key("routes");
    let mut routes = Vec::new();
    for (index, raw) in route.routes.iter().flatten().enumerate() {
        let read = child::read(&raw.0).map_err(|fault| {
            let mut refusal = Refusal::new(&list.index(index), fault.message);
            refusal.route.0.extend(fault.route);
            Refusal {
                help: fault.help,
                ..refusal
            }
        });
        routes.push((read.within(&format!("route[{index}]"))?, &raw.0));
    }
    for (index, (route, raw)) in routes.iter().enumerate() {
        self::route(&list.index(index), route, names, Some(raw), depth + 1)
            .within(&format!("route[{index}]"))?;
    }
    Ok(())
}

/// The matchers of a route and of those below it. A version without matchers knows no comparison. Operator: `checkRoute`.
fn matchers(path: &Path<'_>, route: &Route, versions: &Versions, depth: usize) -> Check {
    let matchers = route.matchers.as_deref().unwrap_or_default();
    let place = path.key("matchers");
    if !versions.has(&gates::AM_MATCHERS)
        && matchers.iter().any(|matcher| matcher.match_type.is_some())
    {
        let texts: Vec<String> = matchers.iter().map(routes::shown_matcher).collect();
        let message = format!(
            "invalid syntax in route config for 'matchers' comparison based matching is supported in Alertmanager >= {} \
             only (matchers=[{}]) (receiver={})",
            gates::AM_MATCHERS.since,
            texts.join(" "),
            route.receiver.as_deref().unwrap_or_default()
        );
        return place.refuse(message);
    }
    let list = path.key("routes");
    let below = if depth < MAX_DEPTH {
        routes::below(route)
    } else {
        Vec::new()
    };
    let mut below = below.iter().enumerate();
    below.try_for_each(|(index, route)| {
        self::matchers(&list.index(index), route, versions, depth + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::scalar::Json;
    use promgen_resources::gates::Target;
    use promgen_text::version::Version;
    use serde_json::json;

    /// A route, with that one at that depth below it.
    fn nested(depth: usize, innermost: Value) -> Route {
        let mut raw = innermost;
        for _ in 1..depth {
            raw = json!({ "routes": [raw] });
        }
        Route {
            routes: Some(vec![Json(raw)]),
            ..Route::default()
        }
    }

    #[test]
    fn routes_are_checked_to_a_depth() {
        let names = RouteNames {
            receivers: BTreeSet::new(),
            intervals: BTreeSet::new(),
        };
        let check = |depth| {
            route(
                &Path::root(),
                &nested(depth, json!({"receiver": "nobody"})),
                &names,
                None,
                0,
            )
        };
        assert!(
            check(1)
                .unwrap_err()
                .message
                .ends_with("route[0]: receiver \"nobody\" not found")
        );
        assert!(check(MAX_DEPTH).is_err());
        assert!(check(MAX_DEPTH + 1).is_ok());
    }

    #[test]
    fn matchers_are_checked_to_a_depth() {
        let versions = Versions {
            alertmanager: Version::new(0, 21, 0),
            ..Versions::of_target(&Target::default())
        };
        let typed = json!({"matchers": [{"name": "a", "value": "b", "matchType": "="}, {"name": "c", "regex": true}]});
        let check = |depth| matchers(&Path::root(), &nested(depth, typed.clone()), &versions, 0);
        assert!(
            check(1)
                .unwrap_err()
                .message
                .ends_with("only (matchers=[a=\"b\" c\"\"]) (receiver=)")
        );
        assert!(check(MAX_DEPTH).is_err());
        assert!(check(MAX_DEPTH + 1).is_ok());
    }

    #[test]
    fn only_a_typed_matcher_requires_a_name() {
        let names = RouteNames {
            receivers: BTreeSet::new(),
            intervals: BTreeSet::new(),
        };
        let check = |matcher: Value| {
            let route = nested(1, json!({ "matchers": [{"name": "a"}, matcher] }));
            super::route(&Path::root(), &route, &names, None, 0).map_err(|refusal| refusal.message)
        };
        let nameless = "route[0]: matcher[1]: matcher 'name' is required";
        assert_eq!(
            check(json!({"name": " ", "matchType": "="})).unwrap_err(),
            nameless
        );
        assert_eq!(check(json!({"matchType": "=~"})).unwrap_err(), nameless);
        for matcher in [
            json!({"value": "b"}),
            json!({"name": null}),
            json!({"name": " ", "matchType": ""}),
        ] {
            assert_eq!(check(matcher.clone()), Ok(()), "{matcher}");
        }
    }

    #[test]
    fn labels_of_a_group_differ_and_all_labels_stand_alone() {
        let check = |labels: &[&str]| {
            let labels = labels.iter().map(|&label| label.to_owned()).collect();
            let route = Route {
                group_by: Some(labels),
                ..Route::default()
            };
            group_by(&Path::root(), &route).map_err(|refusal| refusal.message)
        };
        for labels in [&[][..], &["job"], &["job", "namespace"], &["..."]] {
            assert_eq!(check(labels), Ok(()), "{labels:?}");
        }
        let message = "duplicate values not permitted in route 'groupBy': [job namespace job]";
        assert_eq!(check(&["job", "namespace", "job"]).unwrap_err(), message);
        let message = "'...' must be a sole value in route 'groupBy': [job ...]";
        assert_eq!(check(&["job", "..."]).unwrap_err(), message);
    }
}
