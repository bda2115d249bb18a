//! The fields that gates are about, and the gates of a field.
//!
//! A pattern is `KINDS PATH`: the kinds with commas, and the names of the fields with dots, without items and indices. `*` stands
//! for any letters of a name, `**` for any fields. In the place of kinds may stand a name of [`PLACES`]: the path then goes on below
//! each of these.

use std::sync::OnceLock;

use crate::api::Kind;
use crate::gates::{GATES, Gate, GateSubject};
use promgen_text::route::ValueRoute;

/// Places that have the same settings.
#[derive(Debug)]
pub struct GatePlaces {
    /// Their name in patterns.
    pub name: &'static str,
    /// Each of them, as a pattern.
    pub patterns: &'static [&'static str],
}

const fn places(name: &'static str, patterns: &'static [&'static str]) -> GatePlaces {
    GatePlaces { name, patterns }
}

/// All places with a name.
pub static PLACES: [GatePlaces; 5] = [
    places("servers", &["Prometheus,PrometheusAgent spec"]),
    places(
        "jobs",
        &[
            "ServiceMonitor spec",
            "ServiceMonitor spec.endpoints",
            "PodMonitor spec",
            "PodMonitor spec.podMetricsEndpoints",
            "Probe,ScrapeConfig spec",
            "Prometheus,PrometheusAgent spec.scrapeClasses",
        ],
    ),
    places(
        "clients",
        &[
            "ServiceMonitor,PodMonitor,Probe,ScrapeConfig spec.**",
            "Prometheus,PrometheusAgent spec.scrapeClasses.**",
            "Prometheus,PrometheusAgent spec.remoteWrite.**",
            "Prometheus spec.remoteRead.**",
            "Prometheus spec.alerting.alertmanagers.**",
            "Prometheus,PrometheusAgent spec.apiserverConfig.**",
        ],
    ),
    places(
        "receivers",
        &[
            "AlertmanagerConfig spec.receivers.*.httpConfig",
            "Alertmanager spec.alertmanagerConfiguration.global.httpConfig",
        ],
    ),
    places(
        "relabelings",
        &[
            "ServiceMonitor,PodMonitor,Probe,ScrapeConfig spec.**.*elabelings",
            "Probe spec.targets.*.relabelingConfigs",
            "Prometheus,PrometheusAgent spec.**.*elabelings",
            "Prometheus,PrometheusAgent spec.remoteWrite.writeRelabelConfigs",
        ],
    ),
];

impl Gate {
    /// The patterns of its fields.
    #[must_use]
    pub const fn fields(&self) -> &'static [&'static str] {
        match self.subject {
            GateSubject::Fields(patterns) => patterns,
            GateSubject::Other(_) => &[],
        }
    }
}

/// The gates of the field at the end of a route, in the order of the table.
pub fn of_field(kind: Kind, route: &ValueRoute) -> impl Iterator<Item = &'static Gate> {
    let names: Vec<String> = route
        .0
        .iter()
        .filter_map(|step| step.key().map(str::to_owned))
        .collect();
    let is_its = move |gate: &&'static Gate| {
        gate.fields()
            .iter()
            .any(|pattern| is_at(pattern, kind, &names))
    };
    GATES.iter().copied().filter(is_its)
}

/// A field that is written to a section as it is.
#[derive(Debug)]
pub struct WrittenField {
    kind: &'static str,
    /// The path that it stands below: `spec.endpoints`.
    place: String,
    /// Its name.
    pub name: String,
    /// The key that it becomes.
    pub key: &'static str,
    /// The gate that says so.
    pub gate: &'static Gate,
}

/// The fields of an object at that place that are written to a section as they are, in the order of the table.
pub fn written(kind: Kind, place: &str) -> impl Iterator<Item = &'static WrittenField> {
    static ALL: OnceLock<Vec<WrittenField>> = OnceLock::new();
    let all = ALL.get_or_init(|| GATES.iter().copied().flat_map(of_gate).collect());
    all.iter()
        .filter(move |field| field.place == place && field.kind == kind.as_str())
}

fn of_gate(gate: &'static Gate) -> Vec<WrittenField> {
    let mut found = Vec::new();
    for (key, pattern) in gate
        .writes
        .iter()
        .flat_map(|key| gate.fields().iter().map(move |pattern| (*key, *pattern)))
    {
        for (kinds, path) in expanded(pattern) {
            let Some((place, name)) = path.rsplit_once('.') else {
                continue;
            };
            let field = |kind| WrittenField {
                kind,
                place: place.to_owned(),
                name: name.to_owned(),
                key,
                gate,
            };
            found.extend(kinds.split(',').map(field));
        }
    }
    found
}

/// Returns whether a field stands where a pattern says.
fn is_at(pattern: &str, kind: Kind, names: &[String]) -> bool {
    let is_there = |(kinds, path): (&str, String)| {
        is_of(kinds, kind) && fits(&path.split('.').collect::<Vec<_>>(), names)
    };
    expanded(pattern).any(is_there)
}

/// The kinds and the path of a pattern: one for each of its places.
fn expanded(pattern: &str) -> impl Iterator<Item = (&str, String)> {
    let (head, path) = pattern.split_once(' ').unwrap_or_default();
    let places = PLACES.iter().find(|places| places.name == head);
    let below = places
        .into_iter()
        .flat_map(|places| places.patterns)
        .filter_map(|place| place.split_once(' '));
    let below = below.map(move |(kinds, place)| (kinds, format!("{place}.{path}")));
    below.chain(places.is_none().then(|| (head, path.to_owned())))
}

fn is_of(kinds: &str, kind: Kind) -> bool {
    kinds.split(',').any(|name| name == kind.as_str())
}

fn fits(pattern: &[&str], names: &[String]) -> bool {
    match (pattern, names) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=names.len()).any(|n_passed| fits(rest, &names[n_passed..])),
        ([first, rest @ ..], [name, below @ ..]) => is_like(first, name) && fits(rest, below),
        ([], _) | (_, []) => false,
    }
}

/// Returns whether a name is as a pattern with at most one `*` says.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name
            .strip_prefix(start)
            .is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::types::{FactTypes, TypeRow};
    use crate::facts::{FactTable, WHOLE};
    use crate::gates::{Axis, UnsupportedEffect};
    use promgen_text::version::Version;

    fn gates_of(kind: Kind, route: &str) -> Vec<&'static str> {
        let route = route
            .split('.')
            .fold(ValueRoute::root(), |route, key| route.key(key.to_owned()));
        of_field(kind, &route).map(|gate| gate.name).collect()
    }

    #[test]
    fn a_field_has_the_gates_of_its_place() {
        let monitor = |route| gates_of(Kind::ServiceMonitor, route);
        assert_eq!(
            monitor("spec.endpoints.tlsConfig.minVersion"),
            ["TLS_MIN_VERSION"]
        );
        assert_eq!(
            monitor("spec.endpoints.oauth2.tlsConfig"),
            ["OAUTH2_CLIENT"]
        );
        assert_eq!(
            monitor("spec.endpoints.followRedirects"),
            ["FOLLOW_REDIRECTS"]
        );
        assert_eq!(monitor("spec.targetLimit"), ["TARGET_LIMIT"]);
        assert_eq!(monitor("spec.selector"), [""; 0]);
        assert_eq!(
            gates_of(Kind::PrometheusRule, "spec.groups.labels"),
            [
                "UTF8_LABEL_NAMES",
                "RULE_GROUP_LABELS",
                "THANOS_RULE_GROUP_LABELS",
                "THANOS_UTF8_LABEL_NAMES"
            ]
        );
        assert_eq!(
            gates_of(Kind::Prometheus, "spec.bodySizeLimit"),
            ["GLOBAL_LIMITS"]
        );
        assert_eq!(
            gates_of(Kind::Prometheus, "spec.web.tlsConfig.minVersion"),
            [""; 0]
        );
        assert_eq!(gates_of(Kind::Prometheus, "spec.logFormat"), ["LOG_FORMAT"]);
        let receiver =
            |route: &str| gates_of(Kind::AlertmanagerConfig, &format!("spec.receivers.{route}"));
        assert_eq!(receiver("discordConfigs.username"), ["AM_DISCORD_SENDER"]);
        assert_eq!(
            receiver("discordConfigs.httpConfig.basicAuth.username"),
            [""; 0]
        );
        assert_eq!(
            receiver("snsConfigs.sigv4.externalId"),
            ["AM_SNS_EXTERNAL_ID"]
        );
    }

    #[test]
    fn what_is_written_as_it_is_has_a_key() {
        let written = |kind, place| {
            written(kind, place)
                .map(|field| (field.key, field.name.as_str()))
                .collect::<Vec<_>>()
        };
        let of_spec = [
            (
                "convert_classic_histograms_to_nhcb",
                "convertClassicHistogramsToNHCB",
            ),
            ("extra_scrape_metrics", "extraScrapeMetrics"),
        ];
        assert_eq!(written(Kind::ServiceMonitor, "spec"), of_spec);
        assert_eq!(written(Kind::Probe, "spec"), of_spec);
        assert_eq!(written(Kind::ServiceMonitor, "spec.selector"), []);
        // A path may go on below a place, and a pattern without places names one field.
        static GATE: Gate = Gate {
            name: "",
            summary: "",
            axis: Axis::Prometheus,
            since: Version::new(3, 14, 0),
            until: None,
            by: Version::new(0, 0, 0),
            was: None,
            miss: UnsupportedEffect::Drop,
            subject: GateSubject::Fields(&[
                "ServiceMonitor spec.endpoints.scrapeFoo",
                "servers remoteWrite.scrapeFoo",
            ]),
            writes: Some("scrape_foo"),
        };
        let found = of_gate(&GATE);
        let found: Vec<_> = found
            .iter()
            .map(|field| (field.kind, &*field.place, &*field.name, field.key))
            .collect();
        let expected = [
            ("ServiceMonitor", "spec.endpoints"),
            ("Prometheus", "spec.remoteWrite"),
            ("PrometheusAgent", "spec.remoteWrite"),
        ];
        assert_eq!(
            found,
            expected.map(|(kind, place)| (kind, place, "scrapeFoo", "scrape_foo"))
        );
    }

    /// Visits all fields of a type, each with the names that lead to it.
    fn visit(
        types: &FactTypes<'_>,
        of: &str,
        way: &mut Vec<String>,
        seen: &mut dyn FnMut(&[String]),
    ) {
        let of = of.trim_start_matches(['[', ']', '{', '}']);
        for row in types.rows.get(of).into_iter().flatten() {
            match row {
                TypeRow::Inline(other) => visit(types, other, way, seen),
                TypeRow::Field(field) => {
                    way.push(field.name.to_owned());
                    seen(way);
                    visit(types, field.of, way, seen);
                    way.pop();
                }
            }
        }
    }

    /// Every pattern names a field that is there, each of the places too.
    #[test]
    fn patterns_name_fields() {
        let types = FactTable::read(WHOLE).unwrap().types;
        let mut missing: Vec<String> = GATES
            .iter()
            .flat_map(|gate| gate.fields())
            .map(|pattern| (*pattern).to_owned())
            .collect();
        for places in &PLACES {
            missing.extend(places.patterns.iter().map(|place| format!("{place}.*")));
        }
        for kind in &types.kinds {
            let of = *Kind::ALL
                .iter()
                .find(|known| known.as_str() == kind.name)
                .unwrap();
            visit(&types, kind.field.of, &mut Vec::new(), &mut |names| {
                missing.retain(|pattern| !is_at(pattern, of, names));
            });
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// A gate that no field shows says what it is about.
    #[test]
    fn gates_without_a_field_are_few() {
        let n_others = GATES.iter().filter(|gate| gate.fields().is_empty()).count();
        assert!(
            n_others <= 41,
            "{n_others} of {} gates reach no hover",
            GATES.len()
        );
    }
}
