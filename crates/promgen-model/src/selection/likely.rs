//! Whether a Service or pod is the one that a monitor means.
//!
//! In: what almost matches, or what matches and may be anywhere. Out: whether it says anything about the monitor. `lint` and
//! `explain` ask the same.

use crate::model::World;
use crate::selection::named::Named;
use crate::selection::unread::UnreadReleases;
use promgen_prometheus::labels::Selector;
use promgen_repository::path;
use promgen_resources::document;
use promgen_targets::resolve::Seeker;
use promgen_targets::resolve::labelled::{LabelIndex, NamespaceScope, Selectable};
use promgen_targets::resolve::near::{self, Near};
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId};

/// The object that almost matches the selector of a monitor, and that is likely to be meant: it stands where the monitor looks,
/// and nothing that is not read makes the one that matches. A monitor that looks everywhere means its own namespace first.
///
/// # Errors
/// There is none; with the release that may make one, if its chart is not read.
pub fn near<'a, T: Selectable + Named>(
    (model, unread): (&World<'_>, &UnreadReleases),
    (monitor, seeker): (DocId, &Seeker<'_>),
    things: &'a LabelIndex<T>,
    scope: &NamespaceScope<'_>,
    selector: &Selector,
) -> Result<Near<'a, T>, Option<String>> {
    let own = NamespaceScope::one(seeker.namespace);
    let looked = if *scope == NamespaceScope::Any && !seeker.is_anywhere {
        &own
    } else {
        scope
    };
    let found = near::nearest(things, looked, selector, seeker.name);
    let found = found
        .filter(|near| is_evidence(model, seeker, monitor, near.thing))
        .ok_or(None)?;
    match unread.may_make(model, selector, scope) {
        Some(release) => Err(Some(release)),
        None => Ok(found),
    }
}

/// Returns whether a thing that matches is where the monitor looks. One whose namespace nobody says may be anywhere: if
/// the monitor says its own, only what stands beside it belongs to it.
pub fn is_evidence<T: Selectable + Named>(
    model: &World<'_>,
    seeker: &Seeker<'_>,
    monitor: DocId,
    thing: &T,
) -> bool {
    if !thing.is_anywhere() || seeker.is_anywhere {
        return true;
    }
    let file = |place: &Place| match place {
        Place::Span(span) => Some(span.file),
        Place::At(at) | Place::Key(at) | Place::Within(at, _) => {
            document::find(model.documents(), at.doc).map(|d| d.node.span.file)
        }
    };
    let folder =
        |place: Place| file(&place).map(|file| path::folder(&model.sources().file(file).name));
    let (own, other) = (
        folder(At::doc(monitor).into()),
        thing.place().and_then(folder),
    );
    own.zip(other)
        .is_none_or(|(own, other)| path::is_within(own, other) || path::is_within(other, own))
}
