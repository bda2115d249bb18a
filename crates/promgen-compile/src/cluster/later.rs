//! Objects with values that are filled in later: nobody refuses them for such a value.

use promgen_resources::document::Document;
use promgen_resources::schema;
use promgen_text::diag::{Diagnostic, Level, Place, Sink};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

/// The routes of the values for which a document is refused, if all of them are filled in later. `None`: there is another reason.
pub(super) fn reasons(
    document: &Document,
    found: &Sink,
    is_later: &dyn Fn(Span) -> bool,
) -> Option<Vec<ValueRoute>> {
    // A field that the kind does not have is dropped.
    let is_reason = |found: &&Diagnostic| {
        found.level == Level::Error
            && *found.rule != schema::UNKNOWN_FIELD
            && !rests_on_later(document, found, is_later)
    };
    let mut errors = found.diagnostics().iter().filter(is_reason).peekable();
    errors.peek()?;
    errors
        .map(|found| route(document, found, is_later))
        .collect()
}

/// Those of the routes of which a value has another type than its field.
pub(super) fn of_type(found: &Sink, routes: &[ValueRoute]) -> Vec<ValueRoute> {
    let of_type = found
        .diagnostics()
        .iter()
        .filter(|found| *found.rule == schema::WRONG_TYPE);
    let of_type: Vec<_> = of_type
        .filter_map(|found| Some(&found.place.as_ref()?.at()?.route))
        .collect();
    routes
        .iter()
        .filter(|route| of_type.contains(route))
        .cloned()
        .collect()
}

/// The findings without those about values that are filled in later.
pub(super) fn others(document: &Document, found: &Sink, is_later: &dyn Fn(Span) -> bool) -> Sink {
    let mut others = Sink::default();
    let kept = found
        .diagnostics()
        .iter()
        .filter(|found| route(document, found, is_later).is_none())
        .filter(|found| !rests_on_later(document, found, is_later));
    kept.for_each(|found| others.report(found.clone()));
    found
        .unchecked()
        .iter()
        .for_each(|unchecked| others.leave_unchecked(unchecked.noun, unchecked.at.clone()));
    others
}

/// Returns whether a rule about several fields names one that is filled in later.
fn rests_on_later(
    document: &Document,
    found: &Diagnostic,
    is_later: &dyn Fn(Span) -> bool,
) -> bool {
    fn names_later(node: &Node, message: &str, is_later: &dyn Fn(Span) -> bool) -> bool {
        node.entries().iter().any(|Entry { key, value, .. }| {
            message.contains(&**key) && holds(value, is_later)
                || names_later(value, message, is_later)
        })
    }
    let at = found.place.as_ref().and_then(Place::at);
    let node = at.and_then(|at| document.node.at(&at.route));
    *found.rule == schema::VALIDATION_RULE
        && node.is_some_and(|node| names_later(node, &found.message, is_later))
}

/// The document without some values.
pub(super) fn without(document: &Document, routes: &[ValueRoute]) -> Document {
    let mut node = document.node.clone().into_value();
    // From the last to the first, so that the items of a list keep their indexes.
    routes.iter().rev().for_each(|route| node.remove(route));
    Document {
        node: node.into(),
        ..document.clone()
    }
}

/// The route of the value that a finding is about, if it is filled in later.
fn route(
    document: &Document,
    found: &Diagnostic,
    is_later: &dyn Fn(Span) -> bool,
) -> Option<ValueRoute> {
    let at = found.place.as_ref().and_then(Place::at)?;
    let located = document.node.locate(&at.route);
    (located.exact && !located.collection && is_later(located.value)).then(|| at.route.clone())
}

/// The fields of workloads that the operator itself reads, besides selectors.
const VERSIONS: [&[&str]; 2] = [&["spec", "version"], &["spec", "thanos", "version"]];

/// A resource with values that are filled in later and that the operator itself reads: without versions, and with labels of
/// selectors that parse and match nothing. `None` if there are none.
pub(super) fn readable(document: &Document, is_later: &dyn Fn(Span) -> bool) -> Option<Document> {
    let is_version = |keys: &&&[&str]| {
        document
            .node
            .find(keys)
            .is_some_and(|value| is_later(value.span))
    };
    let versions: Vec<_> = VERSIONS.iter().filter(is_version).collect();
    let spec = document.node.get("spec")?;
    let is_selector = |entry: &&Entry| {
        let is_of_labels = ["matchLabels", "matchExpressions"]
            .iter()
            .any(|key| entry.value.get(key).is_some());
        (entry.key == "selector" || entry.key.ends_with("Selector"))
            && is_of_labels
            && holds(&entry.value, is_later)
    };
    if versions.is_empty() && !spec.entries().iter().any(|entry| is_selector(&entry)) {
        return None;
    }
    let mut node = document.node.clone().into_value();
    for keys in versions {
        node.remove(&ValueRoute(
            keys.iter()
                .map(|key| Segment::Key((*key).to_owned().into()))
                .collect(),
        ));
    }
    let Data::Map(parts) = &mut node.data else {
        return None;
    };
    if let Some(Entry {
        value: Node {
            data: Data::Map(fields),
            ..
        },
        ..
    }) = parts.iter_mut().find(|e| e.key == "spec")
    {
        fields
            .iter_mut()
            .filter(|entry| is_selector(&&**entry))
            .for_each(|entry| name_labels(&mut entry.value, is_later));
    }
    Some(Document {
        node: node.into(),
        ..document.clone()
    })
}

/// Returns whether a value holds one that is filled in later.
fn holds(node: &Node, is_later: &dyn Fn(Span) -> bool) -> bool {
    let mut inner = node
        .items()
        .iter()
        .chain(node.entries().iter().map(|entry| &entry.value));
    node.as_str().is_some() && is_later(node.span) || inner.any(|inner| holds(inner, is_later))
}

/// Returns whether a text may be the value of a label.
fn is_label(text: &str) -> bool {
    let is_of_labels = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let is_end = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.bytes().all(is_of_labels)
        && is_end(text.bytes().next())
        && is_end(text.bytes().next_back())
}

/// Makes labels of texts that are filled in later.
fn name_labels(node: &mut Node, is_later: &dyn Fn(Span) -> bool) {
    match &mut node.data {
        Data::Seq(items) => items
            .iter_mut()
            .for_each(|item| name_labels(item, is_later)),
        Data::Map(entries) => entries
            .iter_mut()
            .for_each(|entry| name_labels(&mut entry.value, is_later)),
        // A text from a longer one, in which something else is filled in later, may be a label as it is.
        Data::String(text) if is_later(node.span) && !is_label(text) => {
            const LONGEST: usize = 63;
            let name: String = text
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .take(LONGEST)
                .collect();
            *text = name.into();
        }
        _ => {}
    }
}
