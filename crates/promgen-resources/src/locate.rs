//! Turns the places of findings into spans, and puts findings in order.

mod embedded;
pub mod fix;
mod locator;
mod origin;
mod scalar_part;
mod secret;
mod secret_lines;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::api::Kind;
use crate::document::{self, Document};
use crate::secrecy::Private;
use locator::Locator;
use promgen_text::confusable;
use promgen_text::diag::{Diagnostic, Place, Subject};
use promgen_text::route::At;
use promgen_text::source::{FileId, Sources, Span};
use promgen_text::yaml::LocatedNode;

/// The texts that findings are about.
#[derive(Clone, Copy, Debug)]
pub struct FindingTexts<'t> {
    /// All of them.
    pub sources: &'t Sources,
    /// The number of manifests among them, which may hold Secrets: they come first.
    pub n_manifests: usize,
    /// The parts of texts that may hold secrets by their role.
    pub private: &'t Private,
}

/// Gives every finding its span and its resource, and sorts: those without a place first, then by file and place; at
/// one place by code and message. Removes duplicates from several workloads.
#[must_use]
pub fn place(
    mut diagnostics: Vec<Diagnostic>,
    documents: &[Document],
    texts: FindingTexts<'_>,
) -> Vec<Diagnostic> {
    let sources = texts.sources;
    find_spans(&mut diagnostics, documents, sources);
    secret::hide(&mut diagnostics, texts);
    diagnostics
        .iter_mut()
        .for_each(|diagnostic| name_the_unseen(diagnostic, sources));
    fix::resolve(&mut diagnostics, documents, sources);
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)));
    diagnostics.dedup_by(|a, b| key(a) == key(b));
    origin::apply(&mut diagnostics, documents);
    diagnostics
}

/// The lines, counted from 1, of each of the first files that may not be shown, because findings mark a secret there or
/// because they may hold a value of a Secret.
pub fn hidden_lines(
    mut secrets: Vec<Diagnostic>,
    documents: &[Document],
    texts: FindingTexts<'_>,
) -> Vec<BTreeSet<usize>> {
    find_spans(&mut secrets, documents, texts.sources);
    secret::hidden_lines(&secrets, texts)
}

/// The same for some lines only: a file may have millions.
pub fn hidden_among(
    wanted: &BTreeSet<(FileId, usize)>,
    mut secrets: Vec<Diagnostic>,
    documents: &[Document],
    texts: FindingTexts<'_>,
) -> BTreeSet<(FileId, usize)> {
    find_spans(&mut secrets, documents, texts.sources);
    secret::hidden_among(wanted, &secrets, texts)
}

/// Names a character in the marked text that nobody sees: it is why the text is not what it looks like.
fn name_the_unseen(diagnostic: &mut Diagnostic, sources: &Sources) {
    const LONGEST: usize = 512;
    let Some(span) = diagnostic
        .span
        .filter(|_| !diagnostic.is_secret && !diagnostic.is_hidden)
    else {
        return;
    };
    let text = sources.text(span);
    if text.is_ascii() || text.len() > LONGEST || text.contains('\n') {
        return;
    }
    let Some(name) = text
        .chars()
        .find(|c| confusable::is_unseen(*c))
        .and_then(confusable::described)
    else {
        return;
    };
    let is_known = diagnostic
        .help
        .iter()
        .chain([&diagnostic.message])
        .any(|text| text.contains(&name));
    if !is_known {
        diagnostic
            .help
            .push(format!("the marked text has {name}: write it again"));
    }
}

fn find_spans(diagnostics: &mut [Diagnostic], documents: &[Document], sources: &Sources) {
    let mut locator = Locator::new(documents);
    for diagnostic in diagnostics {
        diagnostic.span = diagnostic
            .place
            .as_ref()
            .and_then(|place| span(place, &mut locator, sources));
        // What is no resource of a known kind says itself what it was meant to be.
        let found = diagnostic
            .place
            .as_ref()
            .and_then(|place| resource(place, documents));
        // So does what states other objects, which have its place.
        let states = |own: &&Subject| {
            matches!(diagnostic.place, Some(Place::Span(_))) && is_foreign(own.kind)
        };
        if diagnostic.resource.as_ref().filter(states).is_none() {
            diagnostic.resource = found.or_else(|| diagnostic.resource.take());
        }
        diagnostic.related_spans.clear();
        let related = std::mem::take(&mut diagnostic.related);
        for (place, text) in related {
            if let Some(span) = span(&place, &mut locator, sources) {
                diagnostic.related_spans.push(span);
                diagnostic.related.push((place, text));
            }
        }
    }
}

/// Returns whether a kind is none of those that promgen reads.
fn is_foreign(kind: &str) -> bool {
    Kind::ALL.iter().all(|known| known.as_str() != kind)
}

fn key(diagnostic: &Diagnostic) -> (Option<Span>, &str, &str) {
    (diagnostic.span, &diagnostic.rule.code, &diagnostic.message)
}

/// The value at that place, or the nearest present thing around it.
pub fn locate(at: &At, documents: &[Document]) -> Option<Span> {
    document::find(documents, at.doc).map(|document| document.node.locate(&at.route).value)
}

/// The value at that place if it is a scalar, or else its key, or the nearest present thing around it.
pub fn locate_key(at: &At, documents: &[Document]) -> Option<Span> {
    document::find(documents, at.doc).map(|document| {
        let found = document.node.locate(&at.route);
        if let Some((text, _)) = embedded::text_at(document, &at.route) {
            return text.span;
        }
        if found.exact && !found.collection {
            found.value
        } else {
            found.key.unwrap_or(found.value)
        }
    })
}

/// The span to mark for a place: a value, or the key of a whole block.
pub fn mark(at: &At, documents: &[Document], sources: &Sources) -> Option<Span> {
    span(
        &Place::At(at.clone()),
        &mut Locator::new(documents),
        sources,
    )
}

/// The spans of places, which tell a part of a text from the whole.
pub fn spans(places: &[Place], documents: &[Document], sources: &Sources) -> Vec<Option<Span>> {
    let mut locator = Locator::new(documents);
    places
        .iter()
        .map(|place| span(place, &mut locator, sources))
        .collect()
}

fn span(place: &Place, locator: &mut Locator<'_>, sources: &Sources) -> Option<Span> {
    match place {
        Place::Span(span) => Some(*span),
        Place::At(at) => match locator.embedded(at) {
            Some((text, rest)) => Some(locator.inside(text, rest, sources)),
            None => locator.locate(at).map(|found| marked(&found, sources)),
        },
        Place::Key(at) => locator
            .locate(at)
            .map(|found| found.key.unwrap_or(found.value)),
        Place::Within(at, part) => locator.locate(at).map(|found| {
            let text = locator.text(at).filter(|_| found.exact);
            text.map_or(found.value, |text| within(found.value, text, part, sources))
        }),
    }
}

/// The place of a part of a text that stands at a place: the whole, where the two do not go together.
#[must_use]
pub fn within(whole: Span, text: &str, part: &Range<usize>, sources: &Sources) -> Span {
    let part = scalar_part::part(sources.text(whole), text, part);
    let offset = |bytes: usize| whole.start + u32::try_from(bytes).unwrap_or(0);
    part.map_or(whole, |part| {
        Span::new(whole.file, offset(part.start), offset(part.end))
    })
}

/// What is marked of what was found.
fn marked(found: &LocatedNode, sources: &Sources) -> Span {
    // A block is marked by its key, and so is the parent of what is absent: the whole would be too much.
    let block = found.collection && !sources.text(found.value).starts_with(['[', '{']);
    if found.exact && !block {
        found.value
    } else {
        found.key.unwrap_or(found.value)
    }
}

fn resource(place: &Place, documents: &[Document]) -> Option<Subject> {
    match place {
        Place::At(at) | Place::Key(at) | Place::Within(at, _) => document::find(documents, at.doc),
        Place::Span(span) => document_at(*span, documents),
    }
    .map(Document::subject)
}

/// The document that holds a span. Documents come in the order of their places.
pub fn document_at(span: Span, documents: &[Document]) -> Option<&Document> {
    let start = |span: Span| (span.file, span.start);
    let after = documents.partition_point(|document| start(document.node.span) <= start(span));
    documents[..after]
        .last()
        .filter(|document| document.node.span.holds(span))
}
