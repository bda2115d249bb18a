//! Routes and matchers of AlertmanagerConfigs, as they are read and written.

use promgen_resources::api::notifying::alertmanager_config::route::{MatchType, Matcher, Route};
use promgen_text::yaml::de::Mismatch;
use promgen_text::yaml::decode;
use serde_json::Value;

/// The routes below a route. One that cannot be read is left out: its AlertmanagerConfig is refused before.
pub(crate) fn below(route: &Route) -> Vec<Route> {
    let raw = route.routes.iter().flatten();
    raw.filter_map(|raw| child(&raw.0).ok()).collect()
}

/// Returns whether a text is the type of a matcher.
pub(crate) fn is_match_type(text: &str) -> bool {
    matches!(text, "=" | "!=" | "=~" | "!~")
}

/// A child route. The schema says nothing of it, so a matcher may lack its name, and have any text as its type: one that is none is
/// left out.
///
/// # Errors
/// It is no route.
pub(crate) fn child(raw: &Value) -> Result<Route, Mismatch> {
    let mut raw = raw.clone();
    for matcher in raw
        .get_mut("matchers")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let Some(matcher) = matcher.as_object_mut() else {
            continue;
        };
        if matcher.get("name").is_none_or(Value::is_null) {
            matcher.insert("name".to_owned(), "".into());
        }
        matcher.retain(|key, value| key != "matchType" || value.as_str().is_none_or(is_match_type));
    }
    decode::from_json(&raw)
}

/// A matcher as Alertmanager's configuration has it.
pub(crate) fn matcher_text(matcher: &Matcher) -> String {
    let default = if matcher.regex == Some(true) {
        "=~"
    } else {
        "="
    };
    compared(
        matcher,
        if matcher.match_type.is_some() {
            match_type(matcher)
        } else {
            default
        },
    )
}

/// A matcher as the operator's messages have it: without a type that it lacks.
pub(crate) fn shown_matcher(matcher: &Matcher) -> String {
    compared(matcher, match_type(matcher))
}

fn match_type(matcher: &Matcher) -> &'static str {
    match matcher.match_type {
        Some(MatchType::NotEqual) => "!=",
        Some(MatchType::Equal) => "=",
        Some(MatchType::Regexp) => "=~",
        Some(MatchType::NotRegexp) => "!~",
        None => "",
    }
}

fn compared(matcher: &Matcher, operator: &str) -> String {
    let value = matcher.value.as_deref().unwrap_or_default();
    let value = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("{}{operator}\"{value}\"", matcher.name)
}
