//! Cases in which each optional field of a kind is set once.

use std::collections::BTreeSet;

use promgen_resources::api::Kind;
use promgen_resources::schema;
use promgen_text::describe::{Field, ObjectType, Type};
use serde_json::{Map, Value, json};

use super::draw::{Draw, Random};
use super::{Case, TOGETHER, axis_of, base, document, selecting, sides};

/// Fields of Kubernetes' own types, which pass through: what stands below them is not looked at one by one.
const PASSED_THROUGH: &[&str] = &[
    "affinity",
    "containers",
    "dnsConfig",
    "hostAliases",
    "initContainers",
    "podMetadata",
    "resources",
    "securityContext",
    "storage",
    "tolerations",
    "topologySpreadConstraints",
    "updateStrategy",
    "volumeMounts",
    "volumes",
];
/// How deep fields are looked for.
const DEPTH: usize = 7;

/// The type of the spec of a kind; of another version of it, if one is named.
pub(super) fn spec_of(kind: Kind, version: Option<&str>) -> &'static ObjectType {
    let Type::Object(root) = schema::description(kind) else {
        unreachable!("a kind is an object")
    };
    let root = match (version, root.dialect) {
        (Some(_), Some(dialect)) => match (dialect.of)() {
            Type::Object(object) => object,
            _ => root,
        },
        _ => root,
    };
    match root.field("spec").map(|field| (field.of)()) {
        Some(Type::Object(spec)) => spec,
        _ => unreachable!("every kind here has a spec"),
    }
}

/// The other versions in which a kind is served.
fn other_version(kind: Kind) -> Option<&'static str> {
    (kind == Kind::AlertmanagerConfig).then_some("monitoring.coreos.com/v1beta1")
}

/// The ways to all optional fields of an object: each field of each type once.
fn paths(
    object: &'static ObjectType,
    above: &[&'static Field],
    seen: &mut BTreeSet<String>,
    out: &mut Vec<Vec<&'static Field>>,
) {
    let mut fields = Vec::new();
    object.each(&mut |field| fields.push(field));
    for field in fields {
        if !seen.insert(format!("{}.{}", object.name, field.name)) {
            continue;
        }
        let path: Vec<&'static Field> = above.iter().copied().chain([field]).collect();
        if !field.is_required {
            out.push(path.clone());
        }
        if path.len() >= DEPTH || PASSED_THROUGH.contains(&field.name) {
            continue;
        }
        if let Some(inner) = inner((field.of)()) {
            paths(inner, &path, seen, out);
        }
    }
}

/// The object in a value: itself, or that of its items.
fn inner(of: &'static Type) -> Option<&'static ObjectType> {
    match of {
        Type::Object(object) => Some(object),
        Type::List(of) | Type::Map(of) => inner(of()),
        _ => None,
    }
}

/// The zero value of a type.
fn zero(of: &Type) -> Value {
    match of {
        Type::Object(_) | Type::Map(_) | Type::Any(_) => json!({}),
        Type::List(_) => json!([]),
        Type::Text | Type::NamedText(_) => json!(""),
        Type::Int32 | Type::Int64 | Type::IntOrString(_) => json!(0),
        Type::Boolean => json!(false),
    }
}

/// Sets the field at the end of a path, and above it what has to be there.
fn set(value: &mut Value, path: &[&'static Field], draw: &mut Draw, is_zero: bool) {
    let [field, below @ ..] = path else { return };
    let Some(map) = value.as_object_mut() else {
        return;
    };
    if below.is_empty() {
        let drawn = if is_zero {
            zero((field.of)())
        } else {
            draw.field(field, 4)
        };
        map.insert(field.name.to_owned(), drawn);
        return;
    }
    let there = map
        .entry(field.name.to_owned())
        .or_insert_with(|| needed((field.of)(), draw));
    let inner = match there {
        Value::Array(items) => items.first_mut(),
        Value::Object(entries) if matches!((field.of)(), Type::Map(_)) => {
            entries.values_mut().next()
        }
        object => Some(object),
    };
    if let Some(inner) = inner {
        set(inner, below, draw, is_zero);
    }
}

/// A value with what it must have.
fn needed(of: &'static Type, draw: &mut Draw) -> Value {
    match of {
        Type::Object(object) => {
            let mut out = Map::new();
            object.each(&mut |field| {
                if field.is_required {
                    out.insert(field.name.to_owned(), draw.field(field, 4));
                }
            });
            Value::Object(out)
        }
        Type::List(of) => json!([needed(of(), draw)]),
        Type::Map(of) => json!({ "a": needed(of(), draw) }),
        _ => Value::Null,
    }
}

fn specs(kind: Kind, version: Option<&str>, is_zero: bool) -> Vec<Value> {
    let mut found = Vec::new();
    paths(
        spec_of(kind, version),
        &[],
        &mut BTreeSet::new(),
        &mut found,
    );
    let mut draw = Draw {
        random: Random::new(0xF1E1D + kind as u64),
        density: 0,
    };
    let spec = |path: &Vec<&'static Field>| {
        let mut spec = base(kind);
        set(&mut spec, path, &mut draw, is_zero);
        spec
    };
    found.iter().map(spec).collect()
}

fn family(is_zero: bool) -> &'static str {
    if is_zero { "zero" } else { "set" }
}

/// Cases of a kind that workloads select. Two versions of each workload select them: the default, and one beside a gate.
pub(super) fn of_selected(kind: Kind, is_zero: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for version in [None].into_iter().chain(other_version(kind).map(Some)) {
        let specs = specs(kind, version, is_zero);
        for (number, specs) in specs.chunks(TOGETHER.0).enumerate() {
            let mut documents = Vec::new();
            for workload in selecting(kind).iter().copied() {
                let versions = sides(axis_of(workload)).concat();
                let old = &versions[(number * 7) % versions.len()];
                let mut spec = base(workload);
                let name = workload.as_str().to_lowercase();
                documents.push(document(workload, None, "mon", &name, &spec));
                if workload != Kind::PrometheusAgent {
                    spec["version"] = json!(old);
                    documents.push(document(
                        workload,
                        None,
                        "mon",
                        &format!("{name}-old"),
                        &spec,
                    ));
                }
            }
            let resources = specs.iter().enumerate();
            documents.extend(
                resources
                    .map(|(n, spec)| document(kind, version, "mon", &format!("r{n:02}"), spec)),
            );
            let suffix = if version.is_some() { "-v1beta1" } else { "" };
            let name = format!(
                "{}/{}{suffix}-{number:02}",
                family(is_zero),
                kind.as_str().to_lowercase()
            );
            cases.push(Case {
                name,
                documents,
                conditions: None,
            });
        }
    }
    cases
}

/// Cases of a kind that the operator makes workloads of.
pub(super) fn of_workload(kind: Kind, is_zero: bool) -> Vec<Case> {
    let specs = specs(kind, None, is_zero);
    let chunks = specs.chunks(TOGETHER.1).enumerate();
    let case = |(number, specs): (usize, &[Value])| {
        let documents = specs
            .iter()
            .enumerate()
            .map(|(n, spec)| document(kind, None, "mon", &format!("w{n}"), spec))
            .collect();
        Case {
            name: format!(
                "{}/{}-{number:02}",
                family(is_zero),
                kind.as_str().to_lowercase()
            ),
            documents,
            conditions: None,
        }
    };
    chunks.map(case).collect()
}
