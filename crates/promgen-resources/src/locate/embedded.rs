//! Places in a text of a Secret that holds YAML, such as a configuration.
//!
//! In: a route that leads on into the text. Out: the span in the file. The text is a scalar of the Secret, or a chart writes it of
//! values that have the same keys.

use crate::api::Kind;
use crate::document::Document;
use crate::locate::scalar_part;
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Entry, Node, read};

/// A text that was read, and how to find its parts in the file.
#[derive(Debug)]
pub(super) struct EmbeddedText {
    root: Node,
    form: EmbeddedForm,
}

#[derive(Debug)]
enum EmbeddedForm {
    /// The text is the value of a scalar.
    Scalar(String),
    /// The text stands in the file, behind as many blanks as were put in front of it.
    Values(usize),
}

/// The text on the way of a route, with the rest of the route. `None` if there is no rest, or no Secret.
pub(super) fn text_at<'d, 'r>(
    document: &'d Document,
    route: &'r ValueRoute,
) -> Option<(&'d Node, &'r [Segment])> {
    if document.kind != Kind::Secret {
        return None;
    }
    let mut node = &*document.node;
    for (at, step) in route.0.iter().enumerate() {
        let next = match step {
            Segment::Key(key) => node.get(key),
            Segment::Index(index) => node.items().get(*index),
        };
        match next {
            Some(next) => node = next,
            None if node.as_str().is_some() => return Some((node, &route.0[at..])),
            None => return None,
        }
    }
    None
}

impl EmbeddedText {
    /// Reads the text of a node. `None` if it is not found in the file as it is.
    pub(super) fn read(text: &Node, sources: &Sources) -> Option<Self> {
        let value = text.as_str()?;
        let raw = sources.text(text.span);
        if raw.starts_with(['|', '>', '"', '\'']) || raw == value {
            let root = read::read_slices(value).ok()??;
            let form = EmbeddedForm::Scalar(value.to_owned());
            return Some(Self { root, form });
        }
        let file = &sources.file(text.span.file).text;
        let (start, end) = (text.span.start as usize, text.span.end as usize);
        let before = file.get(..start)?;
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        // The span of a block may end before the brackets of its last line do.
        let behind = file.get(end..)?.split('\n').next()?;
        let read = |behind: &str| {
            let whole = format!("{}{raw}{behind}", " ".repeat(column));
            read::read_slices(&whole).ok()?
        };
        Some(Self {
            root: read("").or_else(|| read(behind))?,
            form: EmbeddedForm::Values(column),
        })
    }

    /// The place of a route in the file, or of the nearest present thing around it.
    pub(super) fn find(&self, text: Span, rest: &[Segment], sources: &Sources) -> Option<Span> {
        let (part, is_block) = nearest(&self.root, rest)?;
        let (start, end) = (part.start as usize, part.end as usize);
        let found = match &self.form {
            EmbeddedForm::Scalar(value) => {
                let line = value.get(start..)?.find('\n').map_or(end, |at| start + at);
                let end = if is_block { line.min(end) } else { end };
                scalar_part::part(sources.text(text), value, &(start..end))?
            }
            EmbeddedForm::Values(column) => {
                start.checked_sub(*column)?..end.checked_sub(*column)?
            }
        };
        let offset = |bytes: usize| Some(text.start + u32::try_from(bytes).ok()?);
        Some(Span::new(
            text.file,
            offset(found.start)?,
            offset(found.end)?,
        ))
    }
}

/// A scalar at that route, or else the key of what is there, or of the nearest present thing around it; and whether that is a
/// block. `None` if there is none of the first step.
fn nearest(root: &Node, rest: &[Segment]) -> Option<(Span, bool)> {
    let (mut node, mut key): (&Node, Option<&Entry>) = (root, None);
    let mut is_found = false;
    for step in rest {
        let next = match step {
            Segment::Key(name) => node.entry(name).map(|entry| (&entry.value, Some(entry))),
            Segment::Index(index) => node.items().get(*index).map(|item| (item, None)),
        };
        let Some((value, entry)) = next else {
            return is_found.then(|| (key.map_or(node.span, |of| of.key_span), key.is_none()));
        };
        (node, key, is_found) = (value, entry, true);
    }
    let is_whole = !node.items().is_empty() || !node.entries().is_empty();
    Some(match key {
        Some(entry) if is_whole => (entry.key_span, false),
        _ => (node.span, is_whole),
    })
}
