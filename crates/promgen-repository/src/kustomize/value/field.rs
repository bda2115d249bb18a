//! Fields by their paths in an object: `spec/template/spec/containers[]/image`.

use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::edit;
use promgen_text::yaml::{Data, Entry, Node};

use super::{ValueKind, expected, kind};
use crate::kustomize::fault::BuildFault;

/// Visits every value that a path names. A list on the way stands for its items, and `[]` after a name is a mere hint.
/// With `create`, missing maps and the value itself are made, the value as null; keys made have that place.
///
/// # Errors
/// A scalar stands on the way, or `visit` refuses a value.
pub(in crate::kustomize) fn visit(
    node: &mut Node,
    path: &[&str],
    create: Option<Span>,
    visitor: &mut dyn FnMut(&mut Node) -> Result<(), BuildFault>,
) -> Result<(), BuildFault> {
    let Some((step, rest)) = path.split_first() else {
        return visitor(node);
    };
    let span = node.span;
    match &mut node.data {
        Data::Null => Ok(()),
        Data::Seq(items) => items
            .iter_mut()
            .try_for_each(|item| visit(item, path, create, visitor)),
        Data::Map(entries) => {
            let (name, is_list) = step
                .strip_suffix("[]")
                .map_or((*step, false), |name| (name, true));
            let create = create.filter(|_| !is_list);
            let Some(value) = entry(entries, name, create) else {
                return Ok(());
            };
            if value.is_null() && is_list {
                value.data = Data::Seq(SharedItems::default());
            } else if value.is_null() && create.is_some() && !rest.is_empty() {
                value.data = Data::Map(SharedItems::default());
            }
            visit(value, rest, create, visitor)
        }
        _ => Err(BuildFault::new(
            span,
            format!(
                "expected a map or a list above `{}`, found a scalar",
                path.join("/")
            ),
        )),
    }
}

fn entry<'n>(
    entries: &'n mut Vec<Entry>,
    name: &str,
    create: Option<Span>,
) -> Option<&'n mut Node> {
    let at = entries.iter().position(|entry| entry.key == name);
    let at = match (at, create) {
        (Some(at), _) => at,
        (None, None) => return None,
        (None, Some(span)) => {
            edit::put(entries, name.into(), span, edit::null(span));
            entries.len() - 1
        }
    };
    Some(&mut entries[at].value)
}

/// Refuses what is no scalar.
pub(in crate::kustomize) fn scalar_only(node: &Node) -> Result<(), BuildFault> {
    match kind(node) {
        ValueKind::Null | ValueKind::Scalar => Ok(()),
        ValueKind::List | ValueKind::Map => Err(expected("a scalar", node)),
    }
}
