//! Whether a Service or pod is the one that a monitor means.
//!
//! In: what almost matches, or what matches and may be anywhere. Out: whether it says anything about the monitor. `lint` and
//! `explain` ask the same.

use crate::model::World;
use crate::monitors::Monitor;
use crate::selection::named::Named;
use crate::selection::unread::UnreadReleases;
use promgen_prometheus::labels::Selector;
use promgen_repository::path;
use promgen_resources::document;
use promgen_resources::unknown::is_later_text;
use promgen_targets::resolve::Seeker;
use promgen_targets::resolve::labelled::{LabelIndex, NamespaceScope, Selectable};
use promgen_targets::resolve::near::{self, Near};
use promgen_targets::resolve::port::MonitorPort;
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId};

/// The object that almost matches the selector of a monitor, and that is likely to be meant: it stands where the monitor looks,
/// it has a port of an endpoint, and nothing that is not read makes the one that matches. A monitor that looks everywhere means its
/// own namespace first.
///
/// # Errors
/// There is none; with the release that may make one, if its chart is not read.
pub fn near<'a, T: Selectable + Named>(
    model: &World<'_>,
    unread: &UnreadReleases,
    monitor: DocId,
    seeker: &Seeker<'_>,
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
    let ports = ports_of(model, monitor);
    let has_port = |thing: &T| ports.is_empty() || ports.iter().any(|port| thing.has_port(port));
    let found = near::nearest(things, looked, selector, seeker.name, &has_port);
    let found = found
        .filter(|near| is_evidence(model, seeker, monitor, near.thing))
        .filter(|near| !is_labelled_later(model, near.thing))
        .ok_or(None)?;
    match unread.may_make(model, selector, scope) {
        Some(release) => Err(Some(release)),
        None => Ok(found),
    }
}

/// The ports that the endpoints of a monitor name. None if one accepts any, or has one that is filled in later.
fn ports_of(model: &World<'_>, monitor: DocId) -> Vec<MonitorPort> {
    let monitor = document::find(model.documents(), monitor).and_then(|document| {
        let key = format!("{}/{}", document.namespace, document.name);
        Monitor::find(model.cluster(), document.kind, &key)
    });
    let endpoints = monitor.into_iter().flat_map(Monitor::endpoints);
    let ports = endpoints.map(|endpoint| endpoint.port().filter(|port| !is_later_text(&port.text)));
    ports.collect::<Option<_>>().unwrap_or_default()
}

/// Returns whether a label of an object is filled in later: it has none of that name until then.
fn is_labelled_later<T: Named>(model: &World<'_>, thing: &T) -> bool {
    let Some(Place::At(name)) = thing.place() else {
        return false;
    };
    let labels = At::doc(name.doc).key("metadata").key("labels");
    model.unknowns().why(model.documents(), &labels).is_some()
}

/// Returns whether nothing of what a monitor looks for, and where, is filled in later.
#[must_use]
pub fn is_seeker_settled(seeker: &Seeker<'_>) -> bool {
    let names = seeker.namespaces.and_then(|of| of.match_names.as_deref());
    let mut texts = names.unwrap_or_default().iter().map(String::as_str);
    !texts.any(is_later_text) && !is_later_text(seeker.namespace)
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
