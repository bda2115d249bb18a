//! Which field of a resource changes which field of an object.
//!
//! In: a workload's manifest on both sides. Out: [`Causes`], found by trial: the base is compiled with one field of the head
//! at a time. What no field changes alone has no known cause. Equal values prove nothing.

use promgen_model::words;
use std::collections::BTreeMap;

use crate::diff::value::{self, Change, Delta, ValueStep, path_text};
use promgen_compile::output::Workload;
use promgen_model::Model;
use promgen_text::CollectOrdered;
use promgen_text::parallel;
use promgen_text::yaml::{Map, Value};

/// The maximum number of fields that are tried.
const MAX_TRIALS: usize = 48;

/// The maximum number of fields that are named.
const MAX_NAMED: usize = 3;

/// Kind and name of an object.
type CauseKey = (String, String);

/// The base with one field of the head.
struct Trial {
    /// The field.
    cause: String,
    /// The sets of pods.
    sets: BTreeMap<CauseKey, Value>,
}

/// The trials of a workload.
#[derive(Default)]
pub(crate) struct Causes(Vec<Trial>);

impl Causes {
    /// Tries every field that differs.
    pub(crate) fn of(model: &Model, old: &Workload, new: &Workload) -> Self {
        let mut edits: Vec<(Vec<ValueStep>, Vec<&Delta<'_>>)> = Vec::new();
        let deltas = value::diff(&old.resource, &new.resource);
        let in_spec = |delta: &&Delta<'_>| matches!(delta.path.first(), Some(ValueStep::Key(key)) if key == "spec");
        for delta in deltas.iter().filter(in_spec) {
            // A list is taken as a whole: its items depend on each other.
            let is_key = |step: &&ValueStep| matches!(step, ValueStep::Key(_));
            let path: Vec<ValueStep> = delta.path.iter().take_while(is_key).cloned().collect();
            match edits.iter_mut().find(|(known, _)| *known == path) {
                Some((_, deltas)) => deltas.push(delta),
                None => edits.push((path, vec![delta])),
            }
        }
        if edits.len() > MAX_TRIALS {
            return Self::default();
        }
        let trial = |(path, deltas): &(Vec<ValueStep>, Vec<&Delta<'_>>)| {
            let mut manifest = old.resource.clone();
            set(&mut manifest, path, find(&new.resource, path));
            let cause = match deltas.as_slice() {
                [delta] => delta.to_string(),
                _ => path_text(path),
            };
            let workload = model.edited(&old.id, &manifest)?;
            Some(Trial {
                cause,
                sets: sets(&workload),
            })
        };
        Self(
            parallel::map(&edits, 1, trial)
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    /// The fields that cause a difference between two versions of an object.
    pub(crate) fn cause(
        &self,
        object: &CauseKey,
        base: &Value,
        delta: &Delta<'_>,
    ) -> Option<String> {
        let is_cause = |trial: &&Trial| {
            trial
                .sets
                .get(object)
                .is_some_and(|tried| is_changed(base, tried, delta))
        };
        let causes: Vec<&str> = self
            .0
            .iter()
            .filter(is_cause)
            .map(|trial| trial.cause.as_str())
            .collect();
        (!causes.is_empty()).then(|| words::first(&causes, MAX_NAMED))
    }
}

/// The sets of pods of a workload.
fn sets(workload: &Workload) -> BTreeMap<CauseKey, Value> {
    let objects = workload
        .objects
        .iter()
        .map(|object| object.value().into_owned());
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let keyed = objects.map(|object| {
        (
            (text(object.text_of("kind")), text(object.object_name())),
            object,
        )
    });
    keyed
        .filter(|((kind, _), _)| matches!(kind.as_str(), "StatefulSet" | "DaemonSet"))
        .collect_map()
}

/// Returns whether a trial changes what differs. The items of a list are known by what they are, not by their places.
fn is_changed(base: &Value, tried: &Value, delta: &Delta<'_>) -> bool {
    if let Some((ValueStep::Index(_), list)) = delta.path.split_last() {
        let items = |value| {
            find(value, list)
                .and_then(Value::as_seq)
                .unwrap_or_default()
        };
        let (base, tried) = (items(base), items(tried));
        let count =
            |items: &[Value], item: &Value| items.iter().filter(|other| *other == item).count();
        let is_less = |item: &Value| count(tried, item) < count(base, item);
        let is_more = |item: &Value| count(tried, item) > count(base, item);
        return delta.from.is_some_and(is_less) || delta.to.is_some_and(is_more);
    }
    delta.change != Change::Moved && find(base, &delta.path) != find(tried, &delta.path)
}

pub(crate) fn find<'v>(value: &'v Value, path: &[ValueStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| step.of(value))
}

/// Sets or removes an entry of maps, which are created on the way.
fn set(value: &mut Value, path: &[ValueStep], to: Option<&Value>) {
    let Some((ValueStep::Key(key), rest)) = path.split_first() else {
        if let Some(to) = to {
            *value = to.clone();
        }
        return;
    };
    let Some(map) = value.as_map_mut() else {
        return;
    };
    if rest.is_empty() && to.is_none() {
        map.remove(key);
        return;
    }
    if map.get(key).is_none() {
        map.entries_mut()
            .push((key.clone().into(), Value::Map(Map::default())));
    }
    let entry = map
        .entries_mut()
        .iter_mut()
        .find(|(other, _)| other == key.as_str());
    if let Some((_, inner)) = entry {
        set(inner, rest, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn value(text: &str) -> Value {
        read(FileId::new(0), text, &mut Sink::default())[0]
            .root
            .to_value()
    }

    #[test]
    fn one_field_is_taken_from_the_other_side() {
        let path = [
            ValueStep::Key("a".to_owned()),
            ValueStep::Key("b".to_owned()),
        ];
        for (before, to, after) in [
            ("{a: {b: 1}}", Some("2"), "{a: {b: 2}}"),
            ("{a: {b: 1}}", None, "{a: {}}"),
            ("{}", Some("x"), "{a: {b: x}}"),
        ] {
            let mut tried = value(before);
            set(&mut tried, &path, to.map(value).as_ref());
            assert_eq!(tried, value(after));
        }
    }

    #[test]
    fn items_are_known_by_what_they_are() {
        let (base, head, tried) = (
            value("{args: [a, b=1]}"),
            value("{args: [x, a, b=2]}"),
            value("{args: [a, b=2]}"),
        );
        let found: Vec<(String, bool)> = value::diff(&base, &head)
            .iter()
            .map(|delta| (delta.to_string(), is_changed(&base, &tried, delta)))
            .collect();
        let caused = found.iter().filter(|(_, is)| *is).count();
        assert_eq!(caused, 2, "{found:?}");
    }
}
