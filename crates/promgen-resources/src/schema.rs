//! JSON Schemas of the resources, and the validation of the API server.
//!
//! In: the types of [`crate::api`], which declare everything. Out: a JSON Schema per kind ([`schema`]), and findings
//! about an invalid document ([`validate`]), in the API server's wording. Both read the same
//! declarations. Validation does not change documents: it reports unknown fields, and deserialization ignores them.

use serde_json::Value;

use crate::api::{
    Alertmanager, AlertmanagerConfig, ConfigMap, DaemonSet, Kind, Namespace, Pod, PodMonitor,
    Probe, Prometheus, PrometheusAgent, PrometheusRule, Resource, ScrapeConfig, Secret, Service,
    ServiceMonitor, StatefulSet, ThanosRuler,
};
use crate::release::{self, bounds};
use promgen_text::describe::{Describe, Type, TypeFn};
use promgen_text::diag::{LintRule, Sink};
use promgen_text::route::DocId;
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use walk::ReleaseRules;

mod advice;
mod as_of;
mod cel;
mod combined;
mod definitions;
mod demand;
mod form;
mod given;
mod hidden;
mod intended_field;
mod judge;
mod metadata;
mod print;
mod scalar;
mod structural;
mod walk;

pub use as_of::as_of;
pub use combined::combined;
pub use definitions::{DefinedSchema, Definitions, VERSION_ANNOTATION, validate_by};
pub use demand::{VALIDATION_RULE, uncovered_words};
pub use form::matcher as matcher_of;
pub use given::GivenFacts;
pub use hidden::{HiddenTexts, hide};
pub use intended_field::{belongs, intended_field};
pub use walk::{DUPLICATE_ITEM, MISSING_FIELD, UNKNOWN_FIELD, VALUE, WRONG_TYPE};

/// The rules of this module.
pub static RULES: &[&LintRule] = &[
    &walk::UNKNOWN_FIELD,
    &walk::WRONG_TYPE,
    &walk::MISSING_FIELD,
    &scalar::UNSUPPORTED_VALUE,
    &scalar::INVALID_VALUE,
    &walk::DUPLICATE_ITEM,
    &walk::LATER_VALUE,
    &demand::VALIDATION_RULE,
    &demand::UNCOVERED_ZONE,
    &metadata::INVALID_METADATA,
];

/// A kind, and the description of its type.
struct Typed {
    kind: Kind,
    of: TypeFn,
}

const fn typed<T: Resource + Describe>(kind: Kind) -> Typed {
    Typed {
        kind,
        of: T::describe,
    }
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

/// The JSON Schema (draft 2020-12) of a kind in a release of the operator, with the keywords of Kubernetes (`x-kubernetes-…`) where JSON Schema has
/// none. `None` for kinds without one.
#[must_use]
pub fn schema(kind: Kind, operator: &Version) -> Option<Value> {
    let mut schema = of_operator(kind)?;
    as_of::as_of(&mut schema, kind, operator);
    print::with_dialects(&mut schema);
    print::for_editors(&mut schema);
    Some(schema)
}

/// The schema with dialects under a keyword of promgen's own, besides what the CRD has.
fn of_operator(kind: Kind) -> Option<Value> {
    let typed = TYPED.iter().find(|t| t.kind == kind)?;
    Some(print::root((typed.of)(), kind))
}

/// The description of a kind: all of it, or what is read of it.
#[must_use]
pub fn description(kind: Kind) -> &'static Type {
    let typed = TYPED.iter().chain(PARTLY).find(|t| t.kind == kind);
    (typed
        .expect("every kind has a type; a test looks at each")
        .of)()
}

/// Checks a document of that kind, as with the CRDs of that release of the operator. Returns false if the API server refuses it; an unknown field is reported, but is not
/// a reason to refuse. Of kinds without types only the metadata is checked.
#[must_use]
pub fn validate(node: &Node, kind: Kind, operator: &Version, doc: DocId, sink: &mut Sink) -> bool {
    let earlier = bounds::earlier(kind, operator);
    let release = ReleaseRules {
        earlier: earlier.as_ref(),
        is_strict: false,
        is_newer: release::is_newer(operator),
    };
    fits(node, kind, release, doc, sink)
}

/// Checks an AlertmanagerConfig of v1beta1, with the names of the stored version.
#[must_use]
pub fn validate_beta(node: &Node, operator: &Version, doc: DocId, sink: &mut Sink) -> bool {
    let kind = Kind::AlertmanagerConfig;
    let earlier = bounds::of_beta(operator);
    let release = ReleaseRules {
        earlier: Some(&earlier),
        is_strict: true,
        is_newer: release::is_newer(operator),
    };
    fits(node, kind, release, doc, sink)
}

fn fits(node: &Node, kind: Kind, release: ReleaseRules<'_>, doc: DocId, sink: &mut Sink) -> bool {
    let fits = walk::document(node, description(kind), release, doc, sink);
    let named = metadata::check(node, kind, doc, sink);
    fits && named
}

#[cfg(test)]
mod tests;
