//! Routes and matchers of AlertmanagerConfigs, as they are read and written.

use promgen_resources::api::notifying::alertmanager_config::route::{MatchType, Matcher, Route};
use promgen_text::yaml::decode;

/// The routes below a route. One that cannot be read is left out: its AlertmanagerConfig is refused before.
pub(crate) fn below(route: &Route) -> Vec<Route> {
    let raw = route.routes.iter().flatten();
    raw.filter_map(|raw| decode::from_json(&raw.0).ok()).collect()
}

/// A matcher as Alertmanager's configuration has it.
pub(crate) fn matcher_text(matcher: &Matcher) -> String {
    let operator = match (&matcher.match_type, matcher.regex) {
        (Some(MatchType::NotEqual), _) => "!=",
        (Some(MatchType::Equal), _) => "=",
        (Some(MatchType::Regexp), _) | (None, Some(true)) => "=~",
        (Some(MatchType::NotRegexp), _) => "!~",
        (None, _) => "=",
    };
    let value = matcher.value.as_deref().unwrap_or_default();
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{}{operator}\"{value}\"", matcher.name)
}
