//! Documents without what no type of promgen has, though the API server accepts it.

use promgen_resources::document::Document;
use promgen_resources::schema;
use promgen_text::diag::{Place, Sink};

/// The document without the values that only a newer release has: no type of promgen has them. `None` if there are none.
pub(super) fn without_unchecked(document: &Document, found: &Sink) -> Option<Document> {
    let mut values = found
        .unchecked()
        .iter()
        .filter(|unchecked| unchecked.noun == schema::VALUE)
        .peekable();
    values.peek()?;
    let mut node = document.node.clone().into_value();
    // From the last to the first, so that the items of a list keep their indexes.
    values.rev().for_each(|value| node.remove(&value.at.route));
    Some(Document {
        node: node.into(),
        ..document.clone()
    })
}

/// The number of values of a document that no type of promgen has and that are left out.
const MAX_UNREADABLE: usize = 100;

/// The document without the values that its definition accepts, and that no type of promgen has. `None` if there are none.
pub(super) fn without_unreadable(document: &Document, sink: &mut Sink) -> Option<Document> {
    let mut known: Option<Document> = None;
    for _ in 0..MAX_UNREADABLE {
        let current = known.as_ref().unwrap_or(document);
        let mut found = Sink::default();
        let _ = super::parse(current, &mut found);
        let Some(Place::At(at)) = found
            .into_diagnostics()
            .into_iter()
            .find_map(|found| found.place)
        else {
            break;
        };
        let mut node = current.node.clone().into_value();
        node.remove(&at.route);
        known = Some(Document {
            node: node.into(),
            ..current.clone()
        });
        sink.leave_unchecked(schema::VALUE, at);
    }
    known
}
