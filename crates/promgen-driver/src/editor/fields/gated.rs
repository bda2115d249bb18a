//! The gates of a field: those whose summary names it, in the place that it has.
//!
//! A gate names settings as configurations spell them, in backticks, and where they stand: `` `min_version` of `tls_config` ``.

use promgen_resources::api::Kind;
use promgen_resources::gates::{Axis, GATES, Gate, Unsupported};
use promgen_text::route::ValueRoute;

/// The gates of the field at the end of a route.
pub(super) fn gates(kind: Kind, route: &ValueRoute) -> impl Iterator<Item = &'static Gate> {
    let names: Vec<String> = route.0.iter().filter_map(|step| step.key().map(snake)).collect();
    let is_in_spec = names.first().is_some_and(|first| first == "spec");
    let is_its = move |gate: &&'static Gate| is_in_spec && fits(gate, kind, &names);
    GATES.iter().copied().filter(is_its)
}

/// The requirement of a gate, as a sentence.
pub(super) fn sentence(gate: &Gate) -> String {
    let without = match gate.miss {
        Unsupported::Drop => "the operator omits it for others",
        Unsupported::Reject => "the operator refuses the resource for others",
        Unsupported::Fallback => "the operator writes an older form for others",
    };
    let (product, since) = (gate.axis.product(), &gate.since);
    let until = gate.until.as_ref().map(|until| format!(", before {until}")).unwrap_or_default();
    format!("Requires {product} {since} or later{until}; {without}: {}", gate.summary.trim())
}

fn fits(gate: &Gate, kind: Kind, names: &[String]) -> bool {
    let Some((own, above)) = names.split_last() else { return false };
    let summary = gate.summary.trim().trim_end_matches('.');
    let Some((subject, place)) = split(summary) else { return false };
    subject.contains(&own.as_str())
        && is_of(gate.axis, kind, summary)
        && place.is_none_or(|place| stands(place, kind, above))
}

/// The section that jobs inherit from, as summaries name it.
const GLOBAL: &str = "the global section";

/// The settings that a summary begins with, and their place. `None` if it does not begin with settings.
fn split(summary: &str) -> Option<(Vec<&str>, Option<&str>)> {
    let place = [" of ", " in "].iter().filter_map(|word| summary.find(word).map(|at| (at, word.len()))).min();
    let (subject, place) = match place {
        Some(_) if summary.contains(GLOBAL) => (summary, Some(GLOBAL)),
        Some((at, length)) => (summary.get(..at)?, summary.get(at + length..)),
        None => (summary, None),
    };
    let parts = subject.split(" and ").flat_map(|part| part.split(", "));
    let settings: Vec<&str> = parts.filter_map(|part| Some(part.strip_prefix('`')?.split_once('`')?.0)).collect();
    (summary.starts_with('`') && !settings.is_empty()).then_some((settings, place))
}

/// Whether objects of a kind are for that product.
fn is_of(axis: Axis, kind: Kind, summary: &str) -> bool {
    let is_for_thanos = summary.contains("Thanos");
    match kind {
        Kind::Alertmanager | Kind::AlertmanagerConfig => axis == Axis::Alertmanager,
        Kind::ThanosRuler => axis == Axis::Thanos && is_for_thanos,
        Kind::PrometheusRule => matches!(axis, Axis::Prometheus | Axis::Thanos),
        _ => axis == Axis::Prometheus,
    }
}

/// Whether the fields above one are the place that a summary names.
fn stands(place: &str, kind: Kind, above: &[String]) -> bool {
    let has = |name: &str| above.iter().any(|field| field == name || field.trim_end_matches('s') == name);
    let is_server = matches!(kind, Kind::Prometheus | Kind::PrometheusAgent);
    let is_global = is_server && above.len() == 1;
    let place = place.split([',', '.']).next().unwrap_or_default();
    if let Some(rest) = place.strip_prefix('`') {
        let named = rest.split('`').next().unwrap_or_default();
        // The TLS of a web server has versions of its own.
        return !has("web") && above.last().is_some_and(|last| last == named || last.trim_end_matches('s') == named);
    }
    if let Some(receiver) = place.strip_suffix(" receivers") {
        let start = receiver.to_lowercase().replace(' ', "");
        let direct = above.iter().rev().find(|field| *field != "sigv4");
        return direct.is_some_and(|field| field.replace('_', "").starts_with(&start));
    }
    match place {
        "a job" => !has("receiver") && !is_global,
        "a client" => !has("receiver"),
        "a rule group" => above.last().is_some_and(|last| last == "groups"),
        "an alerting rule" => has("rule"),
        GLOBAL => is_global,
        "an Alertmanager" => has("alertmanager"),
        "the TSDB" => has("tsdb"),
        "a receiver" => has("receiver"),
        "webhooks" => above.last().is_some_and(|field| field.starts_with("webhook")),
        _ => false,
    }
}

/// `minVersion` as a configuration spells it: `min_version`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gates_of(kind: Kind, route: &str) -> Vec<&'static str> {
        let route = route.split('.').fold(ValueRoute::root(), |route, key| route.key(key.to_owned()));
        gates(kind, &route).map(|gate| gate.name).collect()
    }

    #[test]
    fn a_field_has_the_gates_that_name_it_in_its_place() {
        let monitor = |route| gates_of(Kind::ServiceMonitor, route);
        assert_eq!(monitor("spec.endpoints.tlsConfig.minVersion"), ["TLS_MIN_VERSION"]);
        assert_eq!(monitor("spec.endpoints.followRedirects"), ["FOLLOW_REDIRECTS"]);
        assert_eq!(monitor("spec.targetLimit"), ["TARGET_LIMIT"]);
        assert_eq!(monitor("spec.selector"), [""; 0]);
        assert_eq!(monitor("metadata.labels"), [""; 0]);
        assert_eq!(
            gates_of(Kind::PrometheusRule, "spec.groups.labels"),
            ["RULE_GROUP_LABELS", "THANOS_RULE_GROUP_LABELS"]
        );
        assert_eq!(gates_of(Kind::PrometheusRule, "spec.groups.rules.labels"), [""; 0]);
        assert_eq!(gates_of(Kind::Prometheus, "spec.remoteWrite.sendExemplars"), ["SEND_EXEMPLARS"]);
        assert_eq!(
            gates_of(Kind::AlertmanagerConfig, "spec.receivers.slackConfigs.updateMessage"),
            ["AM_SLACK_UPDATES"]
        );
        assert_eq!(gates_of(Kind::Alertmanager, "spec.tlsConfig"), [""; 0]);
        assert_eq!(gates_of(Kind::Prometheus, "spec.bodySizeLimit"), ["GLOBAL_LIMITS"]);
        assert_eq!(
            gates_of(Kind::Prometheus, "spec.scrapeClasses.fallbackScrapeProtocol"),
            ["FALLBACK_SCRAPE_PROTOCOL"]
        );
        assert_eq!(gates_of(Kind::Prometheus, "spec.web.tlsConfig.minVersion"), [""; 0]);
        assert_eq!(monitor("spec.convertClassicHistogramsToNHCB"), ["CONVERT_CLASSIC_HISTOGRAMS"]);
        let receiver = |route: &str| gates_of(Kind::AlertmanagerConfig, &format!("spec.receivers.{route}"));
        assert_eq!(receiver("discordConfigs.username"), ["AM_DISCORD_SENDER"]);
        assert_eq!(receiver("discordConfigs.httpConfig.basicAuth.username"), [""; 0]);
        assert_eq!(receiver("snsConfigs.sigv4.externalId"), ["AM_SNS_EXTERNAL_ID"]);
    }
}
