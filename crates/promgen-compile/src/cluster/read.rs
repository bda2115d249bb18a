//! Documents as the API server reads them: accepted or refused, and what was found.

use std::sync::Arc;

use crate::cluster::{Any, converted, later, parse, readable};
use promgen_resources::api::Kind;
use promgen_resources::document::{Document, is_observed};
use promgen_resources::schema::{self, DefinedSchema, Definitions};
use promgen_text::diag::{Place, Sink};
use promgen_text::route::{DocId, ValueRoute};
use promgen_text::shared::Keyed;
use promgen_text::source::Span;
use promgen_text::version::Version;

/// An object; or a workload, or rules with a wrong name, that are refused, if they have the form of their kind.
pub(super) enum ReadObject {
    Accepted(Any),
    Refused(Option<Any>),
}

/// A document as the API server of a release of the operator reads it. That it is the same in a later run is seen by its
/// node.
pub(super) struct ReadDocument {
    pub(super) object: ReadObject,
    /// It was read from a cluster.
    pub(super) is_observed: bool,
    /// The findings, if there are any. Their places have the default identity.
    found: Option<Box<Sink>>,
}

/// What a document is read for.
#[derive(Clone, PartialEq)]
pub(super) struct ReadKey {
    /// The release of the operator.
    operator: Arc<Version>,
    /// The namespace that it goes to, if it names none.
    namespace: Option<Box<str>>,
    /// The schema of its definition.
    schema: Option<DefinedSchema>,
}

impl ReadDocument {
    pub(super) fn of(
        document: &Document,
        operator: &Arc<Version>,
        definitions: &Definitions,
    ) -> Keyed<ReadKey, Self> {
        let schema = definitions.of(document);
        let namespace = (!document.namespace_is_stated).then(|| document.namespace.as_str().into());
        let key = ReadKey {
            operator: Arc::clone(operator),
            namespace,
            schema,
        };
        document.node.derive_for(&key, |_| {
            let document = Document {
                id: DocId::default(),
                ..document.clone()
            };
            let (object, found) = read(&document, operator, key.schema.as_ref());
            let found = (!found.is_blank()).then(|| Box::new(found));
            Self {
                object,
                is_observed: is_observed(&document.node),
                found,
            }
        })
    }

    pub(super) fn report(&self, doc: DocId, sink: &mut Sink) {
        if let Some(found) = &self.found {
            sink.append_about(doc, found);
        }
    }
}

/// A document that is refused for nothing but values that are filled in later, as it is if they fit, with what else was found.
/// A workload keeps texts that stand for such values; other objects do without.
pub(super) fn accepted_later(
    document: &Document,
    read: &ReadDocument,
    operator: &Arc<Version>,
    definitions: &Definitions,
    is_later: &dyn Fn(Span) -> bool,
) -> Option<(Any, Sink)> {
    let (ReadObject::Refused(typed), Some(found)) = (&read.object, &read.found) else {
        return None;
    };
    let reasons = later::reasons(document, found, is_later)?;
    let object = match typed {
        Some(object) => object.clone(),
        None => {
            // Texts stay where texts belong.
            let (types, all): (Vec<_>, Vec<_>) = (later::of_type(found, &reasons), reasons);
            let object = |routes: &[ValueRoute]| match &ReadDocument::of(
                &later::without(document, routes),
                operator,
                definitions,
            )
            .object
            {
                ReadObject::Accepted(object) | ReadObject::Refused(Some(object)) => {
                    Some(object.clone())
                }
                ReadObject::Refused(None) => None,
            };
            object(&types).or_else(|| object(&all))?
        }
    };
    Some((object, later::others(document, found, is_later)))
}

fn read(
    document: &Document,
    operator: &Version,
    schema: Option<&DefinedSchema>,
) -> (ReadObject, Sink) {
    let mut sink = Sink::default();
    if document.is_converted {
        let fits = converted::fits(document, operator, &mut sink);
        let object = if fits {
            parse(document, &mut sink)
        } else {
            None
        };
        let object =
            object.and_then(|object| converted::converted(document, object, operator, &mut sink));
        return (
            object.map_or(ReadObject::Refused(None), ReadObject::Accepted),
            sink,
        );
    }
    let (node, kind, id) = (&document.node, document.kind, document.id);
    let fits = match schema {
        Some(schema) => schema::validate_by(schema, node, kind, id, &mut sink),
        None => schema::validate(node, kind, operator, id, &mut sink),
    };
    let known = match schema {
        Some(_) if fits => readable::without_unreadable(document, &mut sink),
        _ => readable::without_unchecked(document, &sink),
    };
    let document = known.as_ref().unwrap_or(document);
    let object = if fits {
        parse(document, &mut sink)
    } else {
        None
    };
    let is_workload = matches!(
        document.kind,
        Kind::Prometheus | Kind::PrometheusAgent | Kind::Alertmanager | Kind::ThanosRuler
    );
    let read = match object {
        Some(object) => ReadObject::Accepted(object),
        None if is_workload
            || document.kind == Kind::PrometheusRule && is_about_metadata(&sink) =>
        {
            ReadObject::Refused(parse(document, &mut Sink::default()))
        }
        None => ReadObject::Refused(None),
    };
    (read, sink)
}

/// Returns whether all that is found is in the metadata.
fn is_about_metadata(found: &Sink) -> bool {
    let mut at = found
        .diagnostics()
        .iter()
        .map(|diagnostic| diagnostic.place.as_ref().and_then(Place::at));
    at.all(|at| at.is_some_and(|at| at.route.starts_with_key("metadata")))
}
