//! Values of nodes as Kustomize compares and writes them: by their text, and in the quotes that stood there before.

#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;

use promgen_text::yaml::read::scalar::{self, Scalar, Tag};
use promgen_text::yaml::{Data, Node};

use super::fault::{BuildFault, BuildResult};
use promgen_text::yaml::edit::{settle_texts, text as string};

/// The number of collections that may stand within each other, as in a file.
pub(super) const MAX_DEPTH: usize = 512;

/// The four shapes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Null,
    Scalar,
    List,
    Map,
}

/// The shape of a value.
pub(super) const fn kind(node: &Node) -> ValueKind {
    match node.data {
        Data::Null => ValueKind::Null,
        Data::Seq(_) => ValueKind::List,
        Data::Map(_) => ValueKind::Map,
        _ => ValueKind::Scalar,
    }
}

/// A shape in a message.
pub(super) const fn describe(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Null => "null",
        ValueKind::Scalar => "a scalar",
        ValueKind::List => "a list",
        ValueKind::Map => "a map",
    }
}

/// The fault of a value that has the wrong shape.
pub(super) fn expected(what: &str, node: &Node) -> BuildFault {
    BuildFault::new(
        node.span,
        format!("expected {what}, found {}", describe(kind(node))),
    )
}

/// The text of a scalar; of collections, nothing.
pub(super) fn text<'n>(node: &'n Node) -> Cow<'n, str> {
    match &node.data {
        Data::Null if is_absent_null(node) => Cow::Borrowed(""),
        Data::Null => Cow::Borrowed("null"),
        data => data.scalar_text().unwrap_or_default(),
    }
}

/// Returns whether a null is one by the absence of any text. Kustomize drops it where it keeps a written `null`.
pub(super) const fn is_absent_null(node: &Node) -> bool {
    node.is_null() && node.span.start == node.span.end
}

/// A value that takes the place of another scalar. Kustomize keeps the quotes of the old one, so that what stood in
/// quotes stays text.
pub(super) fn in_place_of(old: &Node, new: Node) -> Node {
    if !is_quoted(old) || kind(&new) != ValueKind::Scalar {
        return new;
    }
    let text = text(&new).into_owned();
    match new.data {
        Data::String(_) => new,
        _ => string(text, new.span),
    }
}

/// Returns whether a text is written in quotes, or as a block: it would be something else without, or it takes more
/// room.
fn is_quoted(node: &Node) -> bool {
    let Data::String(text) = &node.data else {
        return false;
    };
    let written = (node.span.end - node.span.start) as usize;
    let resolved = scalar::resolve(Cow::Borrowed(text), Tag::Plain);
    written >= text.len() + 2 || !matches!(resolved, Ok(Scalar::Text(_)))
}

/// The value of a text without quotes, to Kustomize: `yes` and `on` are texts.
pub(super) fn plain(text: &str) -> Option<Data> {
    Some(
        match scalar::resolve(Cow::Borrowed(text), Tag::Plain).ok()? {
            Scalar::Null => Data::Null,
            Scalar::Bool(value) if ["true", "false"].contains(&&*text.to_lowercase()) => {
                Data::Bool(value)
            }
            Scalar::Bool(_) => Data::String(text.into()),
            Scalar::Int(value) => Data::Int(value),
            Scalar::Uint(value) => Data::Uint(value),
            Scalar::Float(value) if value.is_finite() => Data::Float(value),
            Scalar::Float(_) => return None,
            Scalar::Text(text) => Data::String(text.into()),
        },
    )
}

/// Checks that a value is neither a list nor a map.
///
/// # Errors
/// It is.
pub(super) fn scalar_only(node: &Node) -> BuildResult {
    match kind(node) {
        ValueKind::Null | ValueKind::Scalar => Ok(()),
        _ => Err(expected("a scalar", node)),
    }
}

/// What has to be a text. `what` it says in a message.
pub(super) fn text_as<'n>(what: &str, node: &'n Node) -> BuildResult<&'n str> {
    node.as_str().ok_or_else(|| expected(what, node))
}

/// Makes texts of labels or annotations that are none, as Kustomize writes values that a patch has set.
pub(super) fn write_texts(object: &mut Node, key: &str) {
    settle_texts(object, key, |value| {
        if value.as_str().is_none() {
            *value = string(text(value).into_owned(), value.span);
        }
    });
}

/// The number of values that a node holds, itself included, and how deep they nest.
pub(super) fn size(node: &Node) -> (usize, usize) {
    let add = |(count, depth): (usize, usize), child: &Node| {
        let (n, d) = size(child);
        (count + n, depth.max(d + 1))
    };
    match node.data {
        Data::Seq(_) | Data::Map(_) => node.children().fold((1, 1), add),
        _ => (1, 0),
    }
}
