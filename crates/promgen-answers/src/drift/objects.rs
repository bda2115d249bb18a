//! Objects of the operator that differ from what its resources give.
//!
//! In: a workload, compiled from the resources of the cluster, the same from the manifests, and the dump. Out: [`DifferingPart`]s: a
//! configuration, a rule file, a field of an object, each with its evidence. Values of Secrets are compared, and never part of
//! the result.

use std::sync::Arc;

use crate::diff::objects::ObjectPair;
use crate::diff::value::{self, Change, Delta, FieldChange, ValueStep, path_text};
use crate::drift::defaults;
use crate::drift::dump::{Dump, WRITTEN};
use crate::drift::evidence::{Difference, DumpFacts, Evidence};
use crate::drift::managers::Managers;
use crate::drift::payload;
use promgen_compile::cluster::assets::ASSUMED;
use promgen_compile::output::{OutputObject, Part, Workload};
use promgen_resources::api::Kind;
use promgen_resources::secrecy::REDACTED;
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::yaml::{Map, Value};

/// Annotations and labels that belong to no resource: a hash of the operator, a deadline, a counter of the API server.
const IGNORED: [&str; 4] = [
    "prometheus-operator-input-hash",
    "operator.prometheus.io/deletion-deadline",
    "deprecated.daemonset.template.generation",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// Something of a workload that differs.
#[derive(Debug)]
pub(super) struct DifferingPart {
    pub(super) evidence: Evidence,
    pub(super) what: What,
}

/// The differences.
#[derive(Debug)]
pub(super) enum What {
    /// The configuration; with the text of the cluster.
    Config(String),
    /// A rule file; with the text of the cluster.
    RuleFile(String, Option<String>),
    /// A field of an object, by the number of the object and its path.
    Field(usize, String),
    /// An object that is missing.
    Missing(usize),
    /// A key of a Secret or ConfigMap, without its value.
    Key(usize, FieldChange),
}

/// The differences that are found of a workload.
#[derive(Default)]
pub(super) struct ComparedWorkload {
    /// The objects, as the cluster has them and as they are expected.
    pub(super) objects: Vec<ObjectPair>,
    /// The differences.
    pub(super) pieces: Vec<DifferingPart>,
    /// The number of objects that are compared.
    pub(super) n_objects: usize,
    /// Kinds that the dump lacks.
    pub(super) lacking: Vec<Kind>,
}

/// A workload from all three sides.
pub(super) struct DriftSides<'a> {
    /// As the resources of the cluster give it.
    pub(super) cluster: &'a Workload,
    /// As the manifests give it.
    pub(super) manifests: Option<&'a Workload>,
    /// All workloads that the resources of the cluster give.
    pub(super) all: &'a [Arc<Workload>],
    pub(super) dump: &'a Dump,
    pub(super) facts: &'a DumpFacts,
}

/// Compares the objects of a workload.
pub(super) fn compare(sides: &DriftSides<'_>) -> ComparedWorkload {
    let mut found = ComparedWorkload::default();
    let id = &sides.cluster.id;
    for object in &sides.cluster.objects {
        let Some(kind) = WRITTEN
            .into_iter()
            .find(|kind| kind.as_str() == object.body.kind())
        else {
            continue;
        };
        if !sides.dump.covers(kind, &id.namespace) {
            if !sides.dump.has_kind(kind) && !found.lacking.contains(&kind) {
                found.lacking.push(kind);
            }
            continue;
        }
        found.n_objects += 1;
        let expected = object.value();
        let live = sides.dump.get(kind, &id.namespace, name_of(&expected));
        One {
            sides,
            kind,
            object,
            expected: &expected,
            index: found.objects.len(),
        }
        .compare(live, &mut found);
    }
    found
}

/// An object, as it is expected.
struct One<'a> {
    sides: &'a DriftSides<'a>,
    kind: Kind,
    object: &'a OutputObject,
    expected: &'a Value,
    index: usize,
}

impl One<'_> {
    fn compare(&self, live: Option<&Value>, found: &mut ComparedWorkload) {
        let head = shell(self.kind, self.expected);
        let Some(live) = live else {
            let evidence = self.classify(None, &[], Change::Added, false);
            found.pieces.push(DifferingPart {
                evidence,
                what: What::Missing(self.index),
            });
            found.objects.push(ObjectPair::new(None, Some(head)));
            return;
        };
        let (managers, base) = (Managers::of(live), shell(self.kind, live));
        if self.is_of_another(&base) {
            found.objects.push(ObjectPair::new(None, None));
            return;
        }
        let other = self.of_manifests().map(|other| shell(self.kind, &other));
        let as_manifests: Vec<String> = other
            .as_ref()
            .map(|other| paths(&base, other))
            .unwrap_or_default();
        for delta in value::diff(&base, &head)
            .iter()
            .filter(|delta| !is_nothing(delta) && !is_kept(delta))
        {
            let path = path_text(&delta.path);
            let is_as_manifests = other.is_some() && !as_manifests.contains(&path);
            let evidence =
                self.classify(Some(&managers), &delta.path, delta.change, is_as_manifests);
            found.pieces.push(DifferingPart {
                evidence,
                what: What::Field(self.index, path),
            });
        }
        match self.kind {
            Kind::Secret => self.secret(live, &managers, found),
            Kind::ConfigMap => self.config_map(live, &managers, found),
            _ => {}
        }
        found.objects.push(ObjectPair::new(Some(base), Some(head)));
    }

    /// Returns whether it is a Service that several workloads share, as another one writes it: the last one wins.
    fn is_of_another(&self, live: &Value) -> bool {
        let is_same_name = |object: &&OutputObject| {
            object.body.kind() == self.kind.as_str()
                && name_of(&object.value()) == name_of(self.expected)
        };
        let is_as_live =
            |object: &OutputObject| paths(live, &shell(self.kind, &object.value())).is_empty();
        let id = &self.sides.cluster.id;
        let others = self
            .sides
            .all
            .iter()
            .filter(|other| other.id != *id && other.id.namespace == id.namespace);
        self.kind == Kind::Service
            && others
                .flat_map(|w| &w.objects)
                .filter(is_same_name)
                .any(is_as_live)
    }

    fn classify(
        &self,
        managers: Option<&Managers<'_>>,
        path: &[ValueStep],
        change: Change,
        is_as_manifests: bool,
    ) -> Evidence {
        self.sides.facts.classify(&Difference {
            managers,
            path,
            change,
            is_as_manifests,
        })
    }

    /// The object of the same file, as the manifests give it.
    fn of_manifests(&self) -> Option<Value> {
        let objects = &self.sides.manifests?.objects;
        let is_it = |object: &&OutputObject| {
            object.file == self.object.file && object.body.kind() == self.kind.as_str()
        };
        objects
            .iter()
            .find(is_it)
            .map(|object| object.value().into_owned())
    }

    /// A key of `data`.
    fn key(
        &self,
        managers: &Managers<'_>,
        key: &str,
        change: Change,
        is_as_manifests: bool,
    ) -> Evidence {
        let path = [
            ValueStep::Key("data".to_owned()),
            ValueStep::Key(key.to_owned()),
        ];
        self.classify(Some(managers), &path, change, is_as_manifests)
    }

    fn secret(&self, live: &Value, managers: &Managers<'_>, found: &mut ComparedWorkload) {
        let workload = self.sides.cluster;
        let is_config = self.object.part == Part::Config;
        // What the operator leaves to the user.
        if is_config && workload.config.is_none() {
            return;
        }
        let stem = workload.id.kind.config_stem();
        let config_keys = [format!("{stem}.yaml.gz"), format!("{stem}.yaml")];
        let is_config_key = |key: &str| is_config && config_keys.iter().any(|config| config == key);
        if is_config {
            self.config(live, &config_keys, managers, found);
        }
        let of_manifests = self.of_manifests();
        let (expected, actual) = (payload::keys(self.expected), payload::keys(live));
        let keys = expected
            .iter()
            .chain(actual.iter().filter(|key| !expected.contains(key)));
        for key in keys.filter(|key| !is_config_key(key)) {
            let (wanted, is) = (
                payload::bytes(self.expected, key),
                payload::bytes(live, key),
            );
            if is_same(&wanted, &is) {
                continue;
            }
            let change = Change::of(actual.contains(key), expected.contains(key));
            let as_manifests = of_manifests
                .as_ref()
                .is_some_and(|other| is_same(&payload::bytes(other, key), &is));
            let evidence = self.key(managers, key, change, as_manifests);
            found.pieces.push(DifferingPart {
                evidence,
                what: What::Key(self.index, field(key, change, is.err())),
            });
        }
    }

    /// The configuration, compressed or not.
    fn config(
        &self,
        live: &Value,
        keys: &[String],
        managers: &Managers<'_>,
        found: &mut ComparedWorkload,
    ) {
        let actual = payload::keys(live);
        let Some(key) = keys.iter().find(|key| actual.contains(&key.as_str())) else {
            let evidence = self.key(managers, &keys[0], Change::Added, false);
            found.pieces.push(DifferingPart {
                evidence,
                what: What::Key(self.index, field(&keys[0], Change::Added, None)),
            });
            return;
        };
        let text =
            payload::bytes(live, key).and_then(|bytes| payload::text(bytes.unwrap_or_default()));
        let text_of = |workload: &Workload| {
            workload
                .config
                .as_ref()
                .map(|config| config.text().to_owned())
        };
        match text {
            Ok(text)
                if text_of(self.sides.cluster)
                    .is_some_and(|expected| is_same_config(&expected, &text)) => {}
            Ok(text) => {
                let as_manifests = self
                    .sides
                    .manifests
                    .and_then(text_of)
                    .is_some_and(|other| other == text);
                let evidence = self.key(managers, key, Change::Changed, as_manifests);
                found.pieces.push(match payload::yaml(&text) {
                    Some(_) => DifferingPart {
                        evidence,
                        what: What::Config(text),
                    },
                    None => {
                        let what =
                            What::Key(self.index, field(key, Change::Changed, Some("no YAML")));
                        DifferingPart { evidence, what }
                    }
                });
            }
            Err(fault) => {
                let evidence = self.key(managers, key, Change::Changed, false);
                let what = What::Key(self.index, field(key, Change::Changed, Some(fault)));
                found.pieces.push(DifferingPart { evidence, what });
            }
        }
    }

    /// Rule files. The end of the name of each is the uid of its PrometheusRule, which a manifest lacks.
    fn config_map(&self, live: &Value, managers: &Managers<'_>, found: &mut ComparedWorkload) {
        let of_manifests = self.of_manifests();
        let (expected, actual) = (texts(self.expected), texts(live));
        let others = of_manifests.as_ref().map(texts);
        let wanted = expected
            .iter()
            .map(|(name, text)| (name, Some(*text), find(&actual, name)));
        let surplus = actual
            .iter()
            .filter(|(name, _)| find(&expected, name).is_none());
        let surplus = surplus.map(|(name, text)| (name, None, Some((*name, *text))));
        for (name, wanted, is) in wanted
            .chain(surplus)
            .filter(|(_, wanted, is)| *wanted != is.map(|(_, text)| text))
        {
            let change = Change::of(is.is_some(), wanted.is_some());
            let as_manifests = others
                .as_ref()
                .is_some_and(|o| find(o, name).map(|(_, t)| t) == is.map(|(_, t)| t));
            let evidence = self.key(
                managers,
                is.map_or(name, |(key, _)| key),
                change,
                as_manifests,
            );
            let live = is.map(|(_, text)| text.to_owned());
            found.pieces.push(DifferingPart {
                evidence,
                what: What::RuleFile((*name).to_owned(), live),
            });
        }
    }
}

type ConfigText<'v> = (&'v str, &'v str);

fn texts(object: &Value) -> Vec<ConfigText<'_>> {
    let data = object
        .get("data")
        .and_then(Value::as_map)
        .map(Map::iter)
        .into_iter()
        .flatten();
    data.filter_map(|(key, value)| Some((key.as_ref(), value.as_str()?)))
        .collect()
}

fn find<'v>(texts: &[ConfigText<'v>], name: &str) -> Option<ConfigText<'v>> {
    texts
        .iter()
        .find(|(other, _)| without_uid(other) == without_uid(name))
        .copied()
}

/// `shop-rules-` of `shop-rules-d5dc5a79-fee3-483e-b382-93d8b6428a0c.yaml`.
fn without_uid(name: &str) -> &str {
    const UID: usize = 36;
    let stem = name.strip_suffix(".yaml").unwrap_or(name);
    let Some((rest, uid)) = stem
        .len()
        .checked_sub(UID)
        .and_then(|at| stem.split_at_checked(at))
    else {
        return stem;
    };
    let is_uid = uid.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    if is_uid { rest } else { stem }
}

fn field(key: &str, change: Change, fault: Option<&str>) -> FieldChange {
    FieldChange {
        path: format!("data[{key:?}]"),
        change,
        from: fault.map(str::to_owned),
        to: None,
    }
}

type Bytes = Result<Option<Vec<u8>>, &'static str>;

/// Returns whether two values of a Secret are the same, or one is assumed. YAML is compared as such.
fn is_same(expected: &Bytes, live: &Bytes) -> bool {
    let (Ok(expected), Ok(live)) = (expected, live) else {
        return false;
    };
    match (expected, live) {
        (Some(expected), Some(live)) if expected != live => {
            let [expected, live] = [expected, live].map(|bytes| payload::text(bytes.clone()));
            matches!((expected, live), (Ok(a), Ok(b)) if is_assumed(&a) || is_same_config(&a, &b))
        }
        _ => expected == live,
    }
}

fn is_same_config(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (Some(mut expected), Some(live)) = (payload::yaml(a), payload::yaml(b)) else {
        return false;
    };
    let is_structured = matches!(expected, Value::Map(_) | Value::Seq(_));
    adopt(&mut expected, &live);
    is_structured && value::diff(&expected, &live).is_empty()
}

/// Returns whether a text contains a value of a Secret that neither side has, or that only the manifests have.
pub(super) fn is_assumed(text: &str) -> bool {
    text.contains(ASSUMED) || text.contains(REDACTED)
}

/// Takes over the values that are only assumed.
pub(super) fn adopt(expected: &mut Value, live: &Value) {
    match (expected, live) {
        (Value::Map(expected), Value::Map(live)) => {
            for (key, value) in expected.entries_mut() {
                if let Some(live) = live.get(key) {
                    adopt(value, live);
                }
            }
        }
        (Value::Seq(expected), Value::Seq(live)) => {
            expected
                .iter_mut()
                .zip(live)
                .for_each(|(expected, live)| adopt(expected, live));
        }
        (Value::Str(text), live) if is_assumed(text) => {
            *text = live.as_str().unwrap_or_default().to_owned().into()
        }
        _ => {}
    }
}

fn name_of(object: &Value) -> &str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The part that is compared field by field: labels, annotations, and the `spec` as the API server stores it.
fn shell(kind: Kind, object: &Value) -> Value {
    let metadata = object.get("metadata");
    let mut kept = Map::new().with("name", name_of(object).to_owned());
    for key in ["labels", "annotations"] {
        let entries = metadata
            .and_then(|metadata| metadata.get(key))
            .and_then(Value::as_map)
            .cloned();
        let mut entries = entries.unwrap_or_default();
        entries
            .entries_mut()
            .retain(|(key, _)| !IGNORED.contains(&key.as_ref()));
        kept.push(key, entries);
    }
    let mut out = Map::new()
        .with("kind", kind.as_str())
        .with("metadata", kept);
    if let Some(spec) = object.get("spec") {
        let mut spec = spec.clone();
        defaults::of_spec(kind, &mut spec);
        out.push("spec", spec);
    }
    out.into()
}

fn paths(base: &Value, head: &Value) -> Vec<String> {
    value::diff(base, head)
        .iter()
        .map(|delta| path_text(&delta.path))
        .collect()
}

/// The annotations of pods that `kubectl` writes, such as `rollout restart`.
const OF_KUBECTL: &str = "kubectl.kubernetes.io/";

/// Returns whether a difference is what others have added and the operator keeps: labels and annotations of an object,
/// and those annotations of its pods that `kubectl` writes.
fn is_kept(delta: &Delta<'_>) -> bool {
    let keys: Vec<&str> = delta.path.iter().map_while(ValueStep::key).collect();
    if delta.change != Change::Removed || keys.len() != delta.path.len() {
        return false;
    }
    let are_of_kubectl = |value: Option<&Value>| {
        let entries = value.and_then(Value::as_map);
        entries.is_some_and(|entries| entries.iter().all(|(key, _)| key.starts_with(OF_KUBECTL)))
    };
    match keys.as_slice() {
        ["metadata", "labels" | "annotations", _] => true,
        ["spec", "template", "metadata", "annotations", key] => key.starts_with(OF_KUBECTL),
        ["spec", "template", "metadata", "annotations"] => are_of_kubectl(delta.from),
        _ => false,
    }
}

/// The place of amounts.
const AMOUNTS: [&str; 6] = [
    "limits",
    "requests",
    "capacity",
    "sizeLimit",
    "divisor",
    "storage",
];

/// Returns whether a difference means nothing: an amount that is written in another way.
fn is_nothing(delta: &Delta<'_>) -> bool {
    let is_amount = delta
        .path
        .iter()
        .any(|step| matches!(step, ValueStep::Key(key) if AMOUNTS.contains(&key.as_str())));
    let amount = |value: Option<&Value>| match value? {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => {
            ParsedQuantity::parse(text).ok()
        }
        Value::Int(number) => ParsedQuantity::parse(&number.to_string()).ok(),
        Value::Float(number) => ParsedQuantity::parse(&number.to_string()).ok(),
        _ => None,
    };
    is_amount
        && matches!((amount(delta.from), amount(delta.to)), (Some(a), Some(b)) if a.nanos() == b.nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_file_is_known_without_its_uid() {
        let name = "shop-rules-d5dc5a79-fee3-483e-b382-93d8b6428a0c.yaml";
        assert_eq!(without_uid(name), without_uid("shop-rules-.yaml"));
        assert_ne!(without_uid("shop-a-.yaml"), without_uid("shop-b-.yaml"));
        assert_eq!(without_uid("é".repeat(18).as_str()), "é".repeat(18));
    }

    #[test]
    fn an_amount_may_be_written_in_several_ways() {
        let differs = |a: &str, b: &str| {
            let [a, b] =
                [a, b].map(|amount| payload::yaml(&format!("limits: {{cpu: {amount}}}")).unwrap());
            value::diff(&a, &b).iter().any(|delta| !is_nothing(delta))
        };
        assert!(!differs("1000m", "1") && !differs("1", "'1'") && differs("1", "2"));
    }

    #[test]
    fn a_value_that_nobody_knows_is_no_difference() {
        assert!(is_same_config(
            "a: {b: '<assumed:x/y/z>', c: 1}",
            "a: {c: 1, b: hush}"
        ));
        assert!(!is_same_config(
            "a: {b: '<assumed:x/y/z>', c: 1}",
            "a: {b: hush, c: 2}"
        ));
        assert!(!is_same_config("a", "b") && is_same_config("a: 1", "a:   1"));
    }
}
