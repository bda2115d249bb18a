//! Where a cursor stands: in a text, and in the objects that are made of it.

use crate::EditorPosition;
use crate::outline::Outline;
use promgen_model::nodes;
use promgen_resources::document::Document;
use promgen_text::route::{At, Segment, ValueRoute};
use promgen_text::source::{FileId, SourceFile, Span};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The byte at a position. Past the end of a line: the end of the line.
#[must_use]
pub fn offset(file: &SourceFile, at: EditorPosition) -> Option<usize> {
    let range = file.line_range(at.line.checked_add(1)?);
    let line = file.text.get(range.clone())?.trim_end_matches(['\n', '\r']);
    let mut n_units = 0;
    for (index, c) in line.char_indices() {
        if n_units >= at.character {
            return Some(range.start + index);
        }
        n_units += c.len_utf16();
    }
    Some(range.start + line.len())
}

/// A key or a value below a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The route of the value.
    pub route: ValueRoute,
    /// The key, or the value.
    pub span: Span,
    /// It is the key.
    pub is_key: bool,
}

/// The key or value at a byte of a file: as the parser sees it, or by the lines of a document that does not parse.
#[must_use]
pub fn spot(documents: &[ParsedDocument], file: FileId, text: &str, offset: usize) -> Option<Spot> {
    let byte = u32::try_from(offset).ok()?;
    let around = documents
        .iter()
        .find(|document| holds(document.span, file, byte) && holds(document.root.span, file, byte));
    if let Some(document) = around {
        return in_node(&document.root, file, byte);
    }
    let outline = Outline::read(text, offset);
    let (item, is_key) = outline.at(offset)?;
    let range = if is_key { &item.key } else { &item.value };
    let span = Span::new(
        file,
        u32::try_from(range.start).ok()?,
        u32::try_from(range.end).ok()?,
    );
    Some(Spot {
        route: item.route.clone(),
        span,
        is_key,
    })
}

/// The innermost key or scalar of a node at a byte.
#[must_use]
pub fn in_node(root: &Node, file: FileId, byte: u32) -> Option<Spot> {
    let (mut node, mut route) = (root, ValueRoute::root());
    loop {
        if let Some(entry) = node
            .entries()
            .iter()
            .find(|entry| holds(entry.key_span, file, byte))
        {
            return Some(Spot {
                route: route.key(entry.key.to_string()),
                span: entry.key_span,
                is_key: true,
            });
        }
        let entry = node
            .entries()
            .iter()
            .find(|entry| holds(entry.value.span, file, byte));
        let item = node
            .items()
            .iter()
            .enumerate()
            .find(|(_, item)| holds(item.span, file, byte));
        (node, route) = match (entry, item) {
            (Some(entry), _) => (&entry.value, route.key(entry.key.to_string())),
            (None, Some((index, item))) => (item, route.index(index)),
            (None, None) => break,
        };
    }
    is_scalar(node).then_some(Spot {
        route,
        span: node.span,
        is_key: false,
    })
}

/// The places in objects that a byte of a file is part of: what builds make of a file may stand in several objects, and at
/// other routes.
#[must_use]
pub fn places(documents: &[Document], file: FileId, byte: u32) -> Vec<(At, Spot)> {
    let spot = |document: &Document| {
        let spot = match holds(document.node.span, file, byte) {
            true => in_node(&document.node, file, byte),
            false => None,
        };
        let spot = spot.or_else(|| anywhere(&document.node, file, byte))?;
        Some((
            At {
                doc: document.id,
                route: spot.route.clone(),
            },
            spot,
        ))
    };
    documents.iter().filter_map(spot).collect()
}

/// The places of a field in the objects that parts of a written document became parts of: a patch is written elsewhere than
/// what it changes, and what it only leads to is the patched object's.
#[must_use]
pub fn patched(documents: &[Document], written: &Node, spot: &Spot) -> Vec<(At, Spot)> {
    let is_other = |document: &&Document| {
        document.node.span != written.span && has_part_of(&document.node, written.span)
    };
    let place = |document: &Document| {
        let found = document.node.locate(&spot.route);
        let span = found
            .key
            .filter(|_| spot.is_key || found.collection)
            .unwrap_or(found.value);
        found.exact.then(|| {
            (
                At {
                    doc: document.id,
                    route: spot.route.clone(),
                },
                Spot {
                    span,
                    ..spot.clone()
                },
            )
        })
    };
    documents
        .iter()
        .filter(is_other)
        .filter_map(place)
        .collect()
}

/// Returns whether a scalar of a node stands within a span.
fn has_part_of(root: &Node, span: Span) -> bool {
    nodes::all([root]).any(|node| {
        is_scalar(node)
            && node.span.file == span.file
            && span.start <= node.span.start
            && node.span.end <= span.end
    })
}

fn is_scalar(node: &Node) -> bool {
    node.entries().is_empty() && node.items().is_empty()
}

/// Returns whether a key or a scalar of a node stands at a byte.
fn touches(root: &Node, file: FileId, byte: u32) -> bool {
    nodes::all([root]).any(|node| {
        let mut keys = node.entries().iter().map(|entry| entry.key_span);
        is_scalar(node) && holds(node.span, file, byte) || keys.any(|key| holds(key, file, byte))
    })
}

/// The innermost key or scalar at a byte, where a part of the object is from another text.
fn anywhere(root: &Node, file: FileId, byte: u32) -> Option<Spot> {
    // Most objects have no part there.
    if !touches(root, file, byte) {
        return None;
    }
    let mut found: Option<Spot> = None;
    let mut todo = vec![(root, Vec::new())];
    while let Some((node, way)) = todo.pop() {
        let mut see = |span: Span, way: &[Segment], is_key: bool| {
            if holds(span, file, byte)
                && found
                    .as_ref()
                    .is_none_or(|known| length(span) <= length(known.span))
            {
                found = Some(Spot {
                    route: ValueRoute(way.to_vec()),
                    span,
                    is_key,
                });
            }
        };
        for entry in node.entries() {
            let below = [&*way, &[Segment::Key(entry.key.to_string().into())]].concat();
            see(entry.key_span, &below, true);
            todo.push((&entry.value, below));
        }
        for (index, item) in node.items().iter().enumerate() {
            todo.push((item, [&*way, &[Segment::Index(index)]].concat()));
        }
        if is_scalar(node) {
            see(node.span, &way, false);
        }
    }
    found
}

/// The value at a route.
#[must_use]
pub fn value<'n>(root: &'n Node, route: &ValueRoute) -> Option<&'n Node> {
    route.0.iter().try_fold(root, step)
}

/// The value one step below another.
pub(super) fn step<'n>(node: &'n Node, segment: &Segment) -> Option<&'n Node> {
    match segment {
        Segment::Key(key) => node.get(key),
        Segment::Index(index) => node.items().get(*index),
    }
}

/// Returns whether a span holds a byte, or ends there.
#[must_use]
pub fn holds(span: Span, file: FileId, byte: u32) -> bool {
    span.file == file && span.start <= byte && byte <= span.end
}

/// The number of bytes of a span.
#[must_use]
pub const fn length(span: Span) -> u32 {
    span.end.saturating_sub(span.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::Sources;
    use promgen_text::yaml::read::read;

    fn at(text: &str, line: usize, character: usize) -> Option<(String, bool)> {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), text.into());
        let documents = read(file, text, &mut Sink::default());
        let offset = offset(sources.file(file), EditorPosition { line, character })?;
        spot(&documents, file, text, offset).map(|spot| (spot.route.to_string(), spot.is_key))
    }

    #[test]
    fn a_position_leads_to_a_key_or_a_value() {
        let text = "a:\n- {b: 😀, c: [1, 22]}\nd: e\n";
        assert_eq!(at(text, 1, 3), Some(("a[0].b".into(), true)));
        assert_eq!(at(text, 1, 10), Some(("a[0].c".into(), true)));
        assert_eq!(at(text, 1, 18), Some(("a[0].c[1]".into(), false)));
        assert_eq!(at(text, 2, 90), Some(("d".into(), false)));
        assert_eq!(at(text, 9, 0), None);
    }

    #[test]
    fn a_text_that_does_not_parse_has_spots_too() {
        assert_eq!(at("a:\n  b: c\n  d: [\n", 1, 2), Some(("a.b".into(), true)));
        assert_eq!(at("a: [\n---\nb: c\n", 2, 3), Some(("b".into(), false)));
    }
}
