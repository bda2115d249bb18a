//! Objects of the operator whose documents cannot be read as what they are meant to be.
//!
//! In: the findings about documents that do not parse or are of no kind. Out: the objects, as far as their texts tell. The cluster
//! keeps the old state of such an object, so that nothing follows from its absence.

use promgen_compile::cluster::refused::RefusedObject;
use promgen_resources::api::Kind;
use promgen_resources::document::UNKNOWN_VERSION;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::read::INVALID_YAML;

use crate::scope::{part_around, written};

/// The objects that findings are about, each with the place of the finding.
pub(crate) fn objects(
    found: &Sink,
    sources: &Sources,
    namespace: &str,
) -> Vec<(Span, RefusedObject)> {
    let object = |found: &Diagnostic| {
        if let Some(subject) = found
            .resource
            .as_ref()
            .filter(|_| *found.rule == UNKNOWN_VERSION)
        {
            let kind = kind(subject.kind)?;
            let own = Some(&*subject.namespace).filter(|own| !own.is_empty());
            let namespace = own.unwrap_or(namespace);
            let place = found.place.as_ref()?.bytes()?;
            let why = found.message.clone();
            return Some((
                place,
                RefusedObject::unread(kind, namespace, &subject.name, why, place),
            ));
        }
        let place = found.place.as_ref().and_then(Place::bytes);
        let span = place.filter(|_| *found.rule == INVALID_YAML)?;
        Some((span, of_text(part_around(span, sources), span, namespace)?))
    };
    found.diagnostics().iter().filter_map(object).collect()
}

fn kind(name: &str) -> Option<Kind> {
    let mut of_operator = Kind::OF_OPERATOR.iter().copied();
    of_operator.find(|kind| kind.as_str() == name)
}

/// The object that a text which does not parse seems to be.
fn of_text(text: &str, span: Span, namespace: &str) -> Option<RefusedObject> {
    let kind = kind(written(text, "kind:")?)?;
    let namespace = written(text, "namespace:").unwrap_or(namespace);
    Some(RefusedObject::unread(
        kind,
        namespace,
        written(text, "name:")?,
        "its text does not parse".to_owned(),
        span,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_parse_tells_its_object() {
        let of = |text: &str| {
            let found = of_text(text, Span::default(), "default")?;
            Some(format!(
                "{} {}/{}",
                found.kind.as_str(),
                found.namespace,
                found.name
            ))
        };
        let block = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata:\n  name: a\n  namespace: b\nspec:\n  {";
        assert_eq!(of(block).as_deref(), Some("Prometheus b/a"));
        let flow = "kind: ThanosRuler\nmetadata: {name: \"a\"}\n\t- x";
        assert_eq!(of(flow).as_deref(), Some("ThanosRuler default/a"));
        assert_eq!(of("kind: Deployment\nmetadata: {name: a}"), None);
        assert_eq!(of("{{ kind }}"), None);
    }
}
