//! Routes, inhibit rules and time intervals of AlertmanagerConfigs in Alertmanager's own form.

use crate::routes::{below, matcher_text};
use promgen_resources::api::notifying::alertmanager_config::route::{InhibitRule, Matcher, Route};
use promgen_resources::api::notifying::alertmanager_config::time::{
    MuteTimeInterval, TimeInterval,
};
use promgen_text::go::duration::PromDuration;
use promgen_text::yaml::{Map, Value};

/// The maximum depth of routes; deeper ones are dropped. Real configurations stay far below.
const MAX_DEPTH: usize = 64;

/// The AlertmanagerConfig of routes.
#[derive(Clone, Copy)]
pub(super) struct RouteOwner<'a> {
    /// The namespace of the AlertmanagerConfig.
    pub(super) namespace: &'a str,
    /// Its name.
    pub(super) name: &'a str,
    /// Alertmanager supports matchers, not only maps of labels.
    pub(super) has_matchers: bool,
}

impl RouteOwner<'_> {
    /// The name of one of its receivers or time intervals in the merged configuration.
    pub(super) fn qualified(&self, name: &str) -> String {
        match name {
            "" => String::new(),
            name => format!("{}/{}/{name}", self.namespace, self.name),
        }
    }

    /// A route and the routes below it.
    pub(super) fn route(&self, route: &Route) -> Map {
        self.route_at(route, 0)
    }

    fn route_at(&self, route: &Route, depth: usize) -> Map {
        let names = |names: &Option<Vec<String>>| {
            Value::Seq(
                names
                    .iter()
                    .flatten()
                    .map(|name| self.qualified(name).into())
                    .collect(),
            )
        };
        let mut out = Map::new().with(
            "receiver",
            self.qualified(route.receiver.as_deref().unwrap_or_default()),
        );
        out.push("group_by", list(route.group_by.as_deref()));
        self.matchers(&mut out, route.matchers.as_deref().unwrap_or_default(), "");
        out.push("continue", route.r#continue.unwrap_or(false));
        let below = if depth < MAX_DEPTH {
            below(route)
        } else {
            Vec::new()
        };
        let routes = below
            .iter()
            .map(|route| self.route_at(route, depth + 1).into());
        out.push("routes", Value::Seq(routes.collect()));
        out.push_some(
            "group_wait",
            route.group_wait.as_ref().map(|d| d.as_str().to_owned()),
        );
        out.push_some(
            "group_interval",
            route
                .group_interval
                .as_ref()
                .and_then(|d| interval(d.as_str())),
        );
        out.push_some(
            "repeat_interval",
            route
                .repeat_interval
                .as_ref()
                .and_then(|d| interval(d.as_str())),
        );
        out.push("mute_time_intervals", names(&route.mute_time_intervals));
        out.push("active_time_intervals", names(&route.active_time_intervals));
        let labels = route
            .labels
            .iter()
            .flatten()
            .map(|label| (label.key.clone(), label.value.clone().into()));
        out.push("labels", labels.collect::<Map>());
        out
    }

    /// Matchers, under keys with `prefix`. A version without matchers gets maps of labels, if these can express them.
    fn matchers(&self, out: &mut Map, matchers: &[Matcher], prefix: &str) {
        let (mut texts, mut equal, mut regex) = (Vec::new(), Map::new(), Map::new());
        for matcher in matchers {
            let value = matcher.value.clone().unwrap_or_default();
            match (
                self.has_matchers || matcher.match_type.is_some(),
                matcher.regex == Some(true),
            ) {
                // A `matchType` that the version lacks was refused at selection.
                (true, _) => texts.push(matcher_text(matcher).into()),
                (false, true) => regex.set(matcher.name.clone(), value),
                (false, false) => equal.set(matcher.name.clone(), value),
            }
        }
        out.push(format!("{prefix}match"), equal);
        out.push(format!("{prefix}match_re"), regex);
        out.push(format!("{prefix}matchers"), Value::Seq(texts));
    }

    /// An inhibit rule.
    pub(super) fn inhibit_rule(&self, rule: &InhibitRule) -> Map {
        let mut out = Map::new();
        self.matchers(
            &mut out,
            rule.target_match.as_deref().unwrap_or_default(),
            "target_",
        );
        self.matchers(
            &mut out,
            rule.source_match.as_deref().unwrap_or_default(),
            "source_",
        );
        out.push("equal", list(rule.equal.as_deref()));
        out
    }

    /// Has a part look only at the alerts of its namespace. `prefix` is what the keys of its matchers begin with.
    pub(super) fn confine(&self, part: &mut Map, prefix: &str) {
        if !self.has_matchers {
            let mut equal = part
                .get(&format!("{prefix}match"))
                .and_then(Value::as_map)
                .cloned()
                .unwrap_or_default();
            equal.set("namespace", self.namespace.to_owned());
            part.set(format!("{prefix}match"), equal);
            return;
        }
        let key = format!("{prefix}matchers");
        let own = format!("namespace=\"{}\"", self.namespace);
        let mut texts = part.items_of(&key).to_vec();
        // The user may have written it already.
        if !texts.iter().any(|text| text.as_str() == Some(&own)) {
            texts.push(own.into());
        }
        part.set(key, Value::Seq(texts));
    }

    /// A time interval. Operator: one without ranges loses its name.
    pub(super) fn time_interval(&self, interval: &MuteTimeInterval) -> Map {
        let ranges = interval.time_intervals.as_deref().unwrap_or_default();
        if ranges.is_empty() {
            return Map::new().with("name", "");
        }
        let ranges = ranges.iter().map(|range| Value::Map(time_range(range)));
        Map::new()
            .with("name", self.qualified(&interval.name))
            .with("time_intervals", Value::Seq(ranges.collect()))
    }
}

/// An interval; none of zero.
fn interval(text: &str) -> Option<String> {
    // Alertmanager refuses an interval of zero, and the operator leaves it to the default.
    let is_zero = PromDuration::parse(text).is_ok_and(|duration| duration.millis == 0);
    (!is_zero).then(|| text.to_owned())
}

fn list(texts: Option<&[String]>) -> Value {
    Value::Seq(
        texts
            .unwrap_or_default()
            .iter()
            .map(|text| text.clone().into())
            .collect(),
    )
}

fn time_range(range: &TimeInterval) -> Map {
    let texts = |texts: &Option<Vec<String>>| {
        Value::Seq(
            texts
                .iter()
                .flatten()
                .map(|text| text.clone().into())
                .collect(),
        )
    };
    let times = range.times.iter().flatten().map(|time| {
        let (start, end) = (time.start_time.clone(), time.end_time.clone());
        Map::new()
            .with("start_time", start.unwrap_or_default())
            .with("end_time", end.unwrap_or_default())
            .into()
    });
    let days = range.days_of_month.iter().flatten().map(|days| {
        let (start, end) = (days.start.unwrap_or_default(), days.end.unwrap_or_default());
        format!("{start}:{end}").into()
    });
    Map::new()
        .with("times", Value::Seq(times.collect()))
        .with("weekdays", texts(&range.weekdays))
        .with("days_of_month", Value::Seq(days.collect()))
        .with("months", texts(&range.months))
        .with("years", texts(&range.years))
}
