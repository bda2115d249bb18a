//! Values as Go's JSON decoder takes them into structs: names of fields in any case, no unknown ones, no other types.

use promgen_text::yaml::{Data, Entry, Node, NodeText};

use super::schema::Shape;
use crate::kustomize::fault::Fault;

/// The value with the names of its fields as the shape spells them, and without those that are null.
///
/// # Errors
/// An unknown field, or a value of another type.
pub fn checked(node: &Node, shape: &Shape) -> Result<Node, Fault> {
    check(node, shape, "the kustomization")
}

fn check(node: &Node, shape: &Shape, field: &str) -> Result<Node, Fault> {
    let is_valid = match (shape, &node.data) {
        (Shape::Any, _) | (_, Data::Null) => return Ok(node.clone()),
        (Shape::List(item), Data::Seq(items)) => {
            let items: Result<_, _> = items.iter().map(|node| check(node, item, field)).collect();
            return items.map(|items| Node { span: node.span, data: Data::Seq(items) });
        }
        (Shape::Fields(known), Data::Map(entries)) => return fields(node, entries, known),
        (Shape::Texts, Data::Map(entries)) => return values(node, entries, &Shape::Text),
        (Shape::Flags, Data::Map(entries)) => return values(node, entries, &Shape::Flag),
        (Shape::Text, data) => matches!(data, Data::String(_)),
        (Shape::Flag, data) => matches!(data, Data::Bool(_)),
        (Shape::Number, data) => matches!(data, Data::Int(_)),
        (Shape::List(_) | Shape::Fields(_) | Shape::Texts | Shape::Flags, _) => false,
    };
    if is_valid {
        return Ok(node.clone());
    }
    Err(Fault::new(node.span, format!("{field} requires {}", expected(shape))))
}

const fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text => "a string",
        Shape::Flag => "true or false",
        Shape::Number => "an integer",
        Shape::Texts => "a map of strings",
        Shape::Flags => "a map of booleans",
        Shape::List(_) => "a list",
        Shape::Fields(_) => "a map",
        Shape::Any => "a value",
    }
}

fn fields(node: &Node, entries: &[Entry], known: &[(&'static str, Shape)]) -> Result<Node, Fault> {
    let mut out: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let exact = known.iter().find(|(name, _)| *name == entry.key);
        let folded = || known.iter().find(|(name, _)| name.eq_ignore_ascii_case(&entry.key));
        let Some((name, shape)) = exact.or_else(folded) else {
            return Err(Fault::new(entry.key_span, format!("unknown field `{}`", entry.key)));
        };
        let value = check(&entry.value, shape, &format!("`{name}`"))?;
        out.retain(|earlier| earlier.key != *name);
        if !value.is_null() {
            out.push(Entry { key: NodeText::new_static(name), key_span: entry.key_span, value });
        }
    }
    Ok(Node { span: node.span, data: Data::Map(out) })
}

fn values(node: &Node, entries: &[Entry], shape: &Shape) -> Result<Node, Fault> {
    let entry = |entry: &Entry| {
        let mut value = check(&entry.value, shape, &format!("`{}`", entry.key))?;
        if value.is_null() && matches!(shape, Shape::Text) {
            value.data = Data::String(NodeText::default());
        }
        Ok(Entry { key: entry.key.clone(), key_span: entry.key_span, value })
    };
    let entries: Result<_, _> = entries.iter().map(entry).collect();
    entries.map(|entries| Node { span: node.span, data: Data::Map(entries) })
}
