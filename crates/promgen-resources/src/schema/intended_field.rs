//! The intended field of an unknown one: another name, or another place.
//!
//! In: the name, and where it stands. Out: the field that other tools, other kinds or other versions call so, or the objects
//! around it that have a field of that name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::description;
use super::structural::Schema;
use crate::api::Kind;
use promgen_text::describe::{Field, ObjectType, Type};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::suggest;

/// In each line, names of one thing, in Prometheus, Alertmanager, Kubernetes and the kinds of the operator. The first is preferred.
const SYNONYMS: &str = include_str!("synonyms.txt");

/// Labels and annotations of alerts that people write beside them.
const OF_ALERTS: [(&str, &[&str]); 2] = [
    (
        "labels",
        &["severity", "team", "priority", "service", "owner"],
    ),
    (
        "annotations",
        &[
            "summary",
            "description",
            "message",
            "runbook",
            "runbook_url",
            "dashboard",
            "title",
        ],
    ),
];

/// Amounts that a container requests or is limited to.
const AMOUNTS: [&str; 4] = ["cpu", "memory", "storage", "ephemeral-storage"];

/// The fields of every object's metadata that people write below `spec`.
const METADATA: [&str; 4] = ["labels", "annotations", "name", "namespace"];

/// The most steps from an object to the one whose field is meant.
const MAX_STEPS: usize = 3;

/// The most places that a help names.
const MAX_PLACES: usize = 3;

/// A name of a field, as far as writers of another one tell it apart.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
}

/// Returns whether writers do not tell two names apart.
fn is_alike(a: &str, b: &str) -> bool {
    folded(a).eq(folded(b))
}

/// The field of an object that is called so elsewhere.
fn synonym(name: &str, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let mut names = SYNONYMS
        .lines()
        .map(|line| line.split(' '))
        .filter(|group| group.clone().any(|known| is_alike(known, name)))
        .flatten();
    names.find(|known| !is_alike(known, name) && has(known))
}

/// The field among these that is meant by a name: one that is called so elsewhere, or is spelled almost so.
#[must_use]
pub fn intended_field<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if let Some(same) = known.iter().find(|known| is_alike(known, name)) {
        return Some(same);
    }
    let found = synonym(name, &|meant| known.contains(&meant));
    let same = found.and_then(|found| known.iter().copied().find(|known| *known == found));
    same.or_else(|| suggest::closest(name, known.iter().copied()))
}

/// The type of a value, as the search for a field sees it.
pub(super) trait Fielded: Copy {
    /// Returns whether it is an object with that field.
    fn has(self, name: &str) -> bool;
    /// The type of a field, or of the items of one, and whether these are items.
    fn child(self, name: &str) -> Option<(Self, bool)>;
    /// Calls a function for the name and the type of each field, and whether it is that of its items.
    fn each_child(self, visit: &mut dyn FnMut(&str, Self, bool));
    /// Returns whether an object of any kind may have a field of that name.
    fn is_anywhere(self, name: &str) -> bool;
}

impl Fielded for &'static Type {
    fn has(self, name: &str) -> bool {
        object(self).is_some_and(|object| object.field(name).is_some())
    }

    fn child(self, name: &str) -> Option<(Self, bool)> {
        Some(items((object(self)?.field(name)?.of)()))
    }

    fn each_child(self, visit: &mut dyn FnMut(&str, Self, bool)) {
        if let Some(object) = object(self) {
            object.each(&mut |field: &Field| {
                let (of, is_list) = items((field.of)());
                visit(field.name, of, is_list);
            });
        }
    }

    fn is_anywhere(self, name: &str) -> bool {
        static NAMES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
            let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
            let mut todo: Vec<&'static Type> =
                Kind::ALL.iter().map(|kind| description(*kind)).collect();
            while let Some(of) = todo.pop() {
                if let Some(object) =
                    object(of).filter(|object| known.insert(std::ptr::from_ref(*object)))
                {
                    object.each(&mut |field: &Field| {
                        names.insert(field.name);
                        todo.push(items((field.of)()).0);
                    });
                }
            }
            names
        });
        NAMES.contains(name)
    }
}

/// A type, or that of the items of a list, and whether it is that.
fn items(of: &'static Type) -> (&'static Type, bool) {
    match of {
        Type::List(items) => (items(), true),
        _ => (of, false),
    }
}

const fn object(of: &'static Type) -> Option<&'static ObjectType> {
    match of {
        Type::Object(object) => Some(object),
        _ => None,
    }
}

impl Fielded for &Schema {
    fn has(self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    fn child(self, name: &str) -> Option<(Self, bool)> {
        let of = self.fields.get(name)?;
        Some(
            of.items
                .as_deref()
                .map_or((of, false), |items| (items, true)),
        )
    }

    fn each_child(self, visit: &mut dyn FnMut(&str, Self, bool)) {
        for (name, of) in &self.fields {
            visit(name, of.items.as_deref().unwrap_or(of), of.items.is_some());
        }
    }

    fn is_anywhere(self, _: &str) -> bool {
        true
    }
}

/// The help for a field of a Prometheus in the specification of an agent.
pub(super) fn of_server(object: &ObjectType, name: &str) -> Option<String> {
    let (spec, _) = description(Kind::Prometheus).child("spec")?;
    (object.name.ends_with("PrometheusAgentSpec") && spec.has(name)).then(|| {
        format!("only a Prometheus has `{name}`: an agent evaluates no rules and keeps no data, so remove it")
    })
}

/// The help for a field that another object of the kind has: where it belongs.
pub(super) fn elsewhere(root: impl Fielded, route: &ValueRoute) -> Option<String> {
    let (name, above) = route.0.split_last()?;
    let name = name.key()?;
    if METADATA.contains(&name) && matches!(above, [Segment::Key(spec)] if spec == "spec") {
        return Some(format!("`{name}` belongs below `metadata`"));
    }
    if !root.is_anywhere(name)
        && !OF_ALERTS.iter().any(|(_, names)| names.contains(&name))
        && !AMOUNTS.contains(&name)
    {
        return None;
    }
    let around = parents(root, above)?;
    if let Some((of, _)) = around.last().filter(|(of, _)| of.has("expr"))
        && let Some((field, _)) = OF_ALERTS
            .iter()
            .find(|(field, names)| of.has(field) && names.contains(&name))
    {
        return Some(format!("`{name}` belongs below `{field}` of the rule"));
    }
    let is_of_container = |of: &&(_, String)| {
        ["requests", "limits"]
            .iter()
            .all(|field| Fielded::has(of.0, field))
    };
    if AMOUNTS.contains(&name) && around.last().filter(is_of_container).is_some() {
        return Some(format!("`{name}` belongs below `requests` or `limits`"));
    }
    for steps in 1..=MAX_STEPS {
        let mut places: Vec<String> = Vec::new();
        for up in 0..=steps.min(around.len() - 1) {
            let (of, path) = &around[around.len() - 1 - up];
            if up != steps || !path.is_empty() {
                places.extend(below(*of, path, name, steps - up));
            }
        }
        places.sort_unstable();
        places.dedup();
        if !places.is_empty() {
            let shown: Vec<String> = places.iter().map(|place| format!("`{place}`")).collect();
            return (places.len() <= MAX_PLACES)
                .then(|| format!("`{name}` belongs below {}", shown.join(" or ")));
        }
    }
    None
}

/// The help for a field that stands in a part of a resource of a kind which does not have it, but that another part has.
#[must_use]
pub fn belongs(kind: Kind, part: &[&str], name: &str) -> Option<String> {
    let route = part
        .iter()
        .chain([&name])
        .fold(ValueRoute::root(), |route, key| {
            route.key((*key).to_owned())
        });
    elsewhere(description(kind), &route)
}

/// The types of the objects around a place, from the root, with their fields.
fn parents<F: Fielded>(root: F, above: &[Segment]) -> Option<Vec<(F, String)>> {
    let mut around = vec![(root, String::new())];
    for key in above.iter().filter_map(Segment::key) {
        let (of, path) = around.last()?;
        let (child, is_list) = of.child(key)?;
        around.push((child, step(path, key, is_list)));
    }
    Some(around)
}

fn step(path: &str, key: &str, is_list: bool) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{key}{}", if is_list { "[]" } else { "" })
}

/// The paths of the objects exactly that many steps below one that have a field of that name.
fn below<F: Fielded>(of: F, path: &str, name: &str, steps: usize) -> Vec<String> {
    if steps == 0 {
        return if of.has(name) {
            vec![path.to_owned()]
        } else {
            Vec::new()
        };
    }
    let mut found = Vec::new();
    of.each_child(&mut |field, child, is_list| {
        // Nobody writes a status.
        if field != "status" {
            found.extend(below(child, "", name, steps - 1).into_iter().map(|rest| {
                let own = step(path, field, is_list);
                if rest.is_empty() {
                    own
                } else {
                    format!("{own}.{rest}")
                }
            }));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values_of_the_chart_are_told_those_of_resources() {
        let known = ["retention", "scrapeInterval", "storage", "version"];
        assert_eq!(intended_field("storageSpec", &known), Some("storage"));
        assert_eq!(intended_field("storageSpec", &["retention"]), None);
    }

    fn belongs(kind: Kind, route: &[&'static str]) -> Option<String> {
        let route = route
            .iter()
            .fold(ValueRoute::root(), |route, key| match key.parse() {
                Ok(index) => route.index(index),
                Err(_) => route.key(*key),
            });
        elsewhere(description(kind), &route)
    }

    #[test]
    fn a_field_of_another_object_is_named_with_its_place() {
        for (kind, route, expected) in [
            (
                Kind::ServiceMonitor,
                &["spec", "labels"][..],
                "`labels` belongs below `metadata`",
            ),
            (
                Kind::PrometheusRule,
                &["spec", "rules"],
                "`rules` belongs below `spec.groups[]`",
            ),
            (
                Kind::ServiceMonitor,
                &["spec", "port"],
                "`port` belongs below `spec.endpoints[]`",
            ),
            (
                Kind::ServiceMonitor,
                &["spec", "endpoints", "0", "selector"],
                "`selector` belongs below `spec`",
            ),
            (
                Kind::ServiceMonitor,
                &["endpoints"],
                "`endpoints` belongs below `spec`",
            ),
        ] {
            assert_eq!(belongs(kind, route).as_deref(), Some(expected), "{route:?}");
        }
        assert_eq!(belongs(Kind::ServiceMonitor, &["spec", "nothing"]), None);
    }

    #[test]
    fn fields_of_a_server_are_no_slips_in_an_agent() {
        let spec = |kind: Kind| match description(kind).child("spec") {
            Some((Type::Object(object), _)) => object,
            _ => unreachable!("each has a specification"),
        };
        let agent = spec(Kind::PrometheusAgent);
        assert!(of_server(agent, "ruleSelector").is_some_and(|help| help.contains("no rules")));
        assert_eq!(of_server(agent, "ruleSelectors"), None);
        assert_eq!(of_server(spec(Kind::ThanosRuler), "retentionSize"), None);
    }

    #[test]
    fn other_names_of_a_field_are_known() {
        let has = |known: &'static str| move |name: &str| name == known;
        for (name, known) in [
            ("scrape_interval", "interval"),
            ("metrics_path", "path"),
            ("match_re", "matchers"),
            ("endpoints", "podMetricsEndpoints"),
            ("relabel_configs", "relabelings"),
        ] {
            assert_eq!(synonym(name, &has(known)), Some(known), "{name}");
        }
        assert_eq!(synonym("colour", &has("interval")), None);
    }
}
