//! JSON Schemas of the resources, and the check that the API server would make.
//!
//! In: the types of [`crate::api`], which declare everything. Out: a JSON Schema per kind ([`schema`]), and findings
//! about a document that does not fit ([`validate`]), worded as the API server words them. Both read the same
//! declarations. Changes no document: what is unknown is reported here and ignored by deserialization.

use std::sync::OnceLock;

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::api::{
    Alertmanager, AlertmanagerConfig, ConfigMap, DaemonSet, Kind, Namespace, Pod, PodMonitor, Probe, Prometheus,
    PrometheusAgent, PrometheusRule, Resource, ScrapeConfig, Secret, Service, ServiceMonitor, StatefulSet, ThanosRuler,
};
use crate::schema::shape::Shapes;
use promgen_text::diag::{Rule, Sink};
use promgen_text::route::DocId;
use promgen_text::yaml::Node;

mod combined;
mod demand;
mod metadata;
mod scalar;
mod shape;
mod walk;

pub use combined::combined;
pub use walk::WRONG_TYPE;

/// The rules of this module.
pub static RULES: &[&Rule] = &[
    &walk::UNKNOWN_FIELD,
    &walk::WRONG_TYPE,
    &walk::MISSING_FIELD,
    &scalar::UNSUPPORTED_VALUE,
    &scalar::INVALID_VALUE,
    &walk::DUPLICATE_ITEM,
    &demand::VALIDATION_RULE,
    &demand::UNCOVERED_ZONE,
    &metadata::INVALID_METADATA,
];

/// A kind whose every field is known.
struct Typed {
    kind: Kind,
    root: fn() -> Schema,
    part: fn(&mut SchemaGenerator) -> Schema,
}

const fn typed<T: Resource + JsonSchema>(kind: Kind) -> Typed {
    Typed { kind, root: || SchemaGenerator::default().into_root_schema_for::<T>(), part: |g| g.subschema_for::<T>() }
}

/// Kinds of the operator of which [`schema`] prints the schema.
static TYPED: &[Typed] = &[
    typed::<Prometheus>(Kind::Prometheus),
    typed::<PrometheusAgent>(Kind::PrometheusAgent),
    typed::<Alertmanager>(Kind::Alertmanager),
    typed::<ThanosRuler>(Kind::ThanosRuler),
    typed::<AlertmanagerConfig>(Kind::AlertmanagerConfig),
    typed::<ServiceMonitor>(Kind::ServiceMonitor),
    typed::<PodMonitor>(Kind::PodMonitor),
    typed::<Probe>(Kind::Probe),
    typed::<ScrapeConfig>(Kind::ScrapeConfig),
    typed::<PrometheusRule>(Kind::PrometheusRule),
];

/// Kinds of which only some fields are known.
static PARTLY: &[Typed] = &[
    typed::<Namespace>(Kind::Namespace),
    typed::<Service>(Kind::Service),
    typed::<Pod>(Kind::Pod),
    typed::<StatefulSet>(Kind::StatefulSet),
    typed::<DaemonSet>(Kind::DaemonSet),
    typed::<Secret>(Kind::Secret),
    typed::<ConfigMap>(Kind::ConfigMap),
];

/// The kinds that have a schema, in the order of the manual.
pub fn kinds() -> impl Iterator<Item = Kind> {
    TYPED.iter().map(|t| t.kind)
}

/// The JSON Schema (draft 2020-12) of a kind, with the keywords of Kubernetes (`x-kubernetes-…`) where JSON Schema has
/// none. `None` for kinds without one.
#[must_use]
pub fn schema(kind: Kind) -> Option<Value> {
    let mut schema = of_operator(kind)?;
    with_dialects(&mut schema);
    Some(schema)
}

/// The same with dialects under a keyword of our own, beside what the CRD has.
fn of_operator(kind: Kind) -> Option<Value> {
    let typed = TYPED.iter().find(|t| t.kind == kind)?;
    let mut schema = (typed.root)().to_value();
    without_null(&mut schema);
    with_type_meta(&mut schema, kind);
    Some(schema)
}

/// Says in the words of JSON Schema what `x-promgen-dialect` says: which schema holds, by the value of a field.
fn with_dialects(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(with_dialects);
            let Some(mut dialect) = map.remove("x-promgen-dialect") else { return };
            let field = dialect["field"].as_str().unwrap_or_default().to_owned();
            let then = dialect["schema"].take();
            let condition = json!({ "properties": { (field.as_str()): { "enum": dialect["values"].take() } } });
            let mut otherwise = std::mem::take(map);
            for key in ["title", "description"] {
                map.extend(otherwise.remove_entry(key));
            }
            map.insert("if".to_owned(), condition);
            map.insert("then".to_owned(), then);
            map.insert("else".to_owned(), otherwise.into());
            map["if"]["required"] = json!([field]);
        }
        Value::Array(items) => items.iter_mut().for_each(with_dialects),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Checks a document of that kind. True unless the API server would refuse it; an unknown field is reported, but no
/// reason to refuse. Of kinds without types only the metadata is checked.
#[must_use]
pub fn validate(node: &Node<'_>, kind: Kind, doc: DocId, sink: &mut Sink) -> bool {
    let shapes = shapes();
    let fits = walk::document(node, shapes, shapes.root(kind), doc, sink);
    let named = metadata::check(node, kind, doc, sink);
    fits && named
}

/// Makes what [`validate`] needs, once per process (a few milliseconds), so that it can be made while texts are read.
pub fn prepare() {
    let _ = shapes();
}

/// All schemas, resolved; made once.
fn shapes() -> &'static Shapes {
    static SHAPES: OnceLock<Shapes> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let mut generator = SchemaGenerator::default();
        let roots: Vec<_> =
            TYPED.iter().chain(PARTLY).map(|t| (t.kind, clean((t.part)(&mut generator).to_value()))).collect();
        let definitions = clean(generator.take_definitions(false).into());
        Shapes::new(&roots, &definitions)
    })
}

fn clean(mut schema: Value) -> Value {
    without_null(&mut schema);
    schema
}

/// Takes `null` out: the API server drops a null before it looks.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type")
                && types.len() == 2
                && types[1] == "null"
            {
                let only = types.swap_remove(0);
                map.insert("type".to_owned(), only);
            }
            if map.get("anyOf").is_some_and(|options| options[1]["type"] == "null")
                && let Some(Value::Array(mut options)) = map.remove("anyOf")
                && let Value::Object(only) = options.swap_remove(0)
            {
                map.extend(only);
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds `apiVersion` and `kind`, which the types carry as constants.
fn with_type_meta(schema: &mut Value, kind: Kind) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let rest = std::mem::take(properties);
    properties.insert("apiVersion".to_owned(), json!({ "type": "string", "const": kind.api_version() }));
    properties.insert("kind".to_owned(), json!({ "type": "string", "const": kind.as_str() }));
    properties.extend(rest);
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.splice(0..0, [json!("apiVersion"), json!("kind")]);
    }
}

#[cfg(test)]
mod tests;
