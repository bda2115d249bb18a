//! Values as Go's JSON decoder takes them into structs: names of fields in any case, no unknown ones, no other types.

use promgen_text::suggest::closest;
use promgen_text::yaml::{Data, Entry, Node, NodeText, edit};

use super::schema::{self, ValueShape};
use crate::kustomize::fault::{BuildResult, refuse};

/// The value with the names of its fields as the shape spells them, and without those that are null.
///
/// # Errors
/// An unknown field, or a value of another type.
pub fn checked(node: &Node, shape: &ValueShape) -> BuildResult<Node> {
    check(node, shape, "the kustomization")
}

fn check(node: &Node, shape: &ValueShape, field: &str) -> BuildResult<Node> {
    let is_valid = match (shape, &node.data) {
        (ValueShape::Any, _) | (_, Data::Null) => return Ok(node.clone()),
        (ValueShape::List(item), Data::Seq(items)) => {
            let items = items.iter().map(|node| check(node, item, field));
            return Ok(edit::list_of(items.collect::<Result<_, _>>()?, node.span));
        }
        (ValueShape::Fields(section), Data::Map(entries)) => {
            return fields(node, entries, schema::fields(section));
        }
        (ValueShape::Texts, Data::Map(entries)) => return values(node, entries, &ValueShape::Text),
        (ValueShape::Flags, Data::Map(entries)) => return values(node, entries, &ValueShape::Flag),
        (ValueShape::Text, data) => matches!(data, Data::String(_)),
        (ValueShape::Flag, data) => matches!(data, Data::Bool(_)),
        (ValueShape::Number, data) => matches!(data, Data::Int(_)),
        (
            ValueShape::List(_) | ValueShape::Fields(_) | ValueShape::Texts | ValueShape::Flags,
            _,
        ) => false,
    };
    if is_valid {
        return Ok(node.clone());
    }
    refuse(node.span, format!("{field} requires {}", expected(shape)))
}

const fn expected(shape: &ValueShape) -> &'static str {
    match shape {
        ValueShape::Text => "a string",
        ValueShape::Flag => "true or false",
        ValueShape::Number => "an integer",
        ValueShape::Texts => "a map of strings",
        ValueShape::Flags => "a map of booleans",
        ValueShape::List(_) => "a list",
        ValueShape::Fields(_) => "a map",
        ValueShape::Any => "a value",
    }
}

fn fields(
    node: &Node,
    entries: &[Entry],
    known: &[(&'static str, ValueShape)],
) -> BuildResult<Node> {
    let mut out: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        // Go's decoder prefers the exact name, and takes any case otherwise.
        let exact = known.iter().find(|(name, _)| *name == entry.key);
        let folded = || {
            known
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(&entry.key))
        };
        let Some((name, shape)) = exact.or_else(folded) else {
            let meant = closest(&entry.key, known.iter().map(|(name, _)| *name));
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
            return refuse(
                entry.key_span,
                format!("unknown field `{}`{}", entry.key, meant.unwrap_or_default()),
            );
        };
        let value = check(&entry.value, shape, &format!("`{name}`"))?;
        // The last of several spellings wins, even if it is null.
        out.retain(|earlier| earlier.key != *name);
        if !value.is_null() {
            out.push(Entry {
                key: NodeText::from(*name),
                key_span: entry.key_span,
                value,
            });
        }
    }
    Ok(edit::map_of(out, node.span))
}

fn values(node: &Node, entries: &[Entry], shape: &ValueShape) -> BuildResult<Node> {
    let entry = |entry: &Entry| {
        let mut value = check(&entry.value, shape, &format!("`{}`", entry.key))?;
        // Go decodes a null in a map of strings as the empty one.
        if value.is_null() && matches!(shape, ValueShape::Text) {
            value.data = Data::String(NodeText::default());
        }
        Ok(edit::entry_with(entry, value))
    };
    let entries = entries.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(edit::map_of(entries, node.span))
}
