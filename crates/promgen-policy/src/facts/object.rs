//! The object itself, as an expression sees it: with kustomize's and Helm's values, what nobody knows yet unknown, and without the
//! values of Secrets.

use promgen_cel::CelValue;
use promgen_model::model::World;
use promgen_resources::secrecy::{self, SecrecyRole};
use promgen_text::yaml::{Data, Entry, Node, Value};

use crate::facts::{borrowed, list, unknown};

/// Why a value of a Secret is not known.
const OF_SECRET: &str = "it is a value of a Secret";

/// An object, of any kind.
pub(crate) fn of<'w>(world: &World<'w>, node: &'w Node) -> CelValue<'w> {
    let unknowns = world.unknowns();
    if unknowns.is_open_object(node) {
        return unknown("a part of its kustomization is not built, which can change it");
    }
    if secrecy::may_hold_values(node) {
        return without_secrets(node, SecrecyRole::DOCUMENT);
    }
    value(world, node)
}

/// A part of an object that is no Secret. What knows its place keeps it.
pub(crate) fn value<'w>(world: &World<'w>, node: &'w Node) -> CelValue<'w> {
    match world.unknowns().may_change(node) {
        true => with_unknown(world, node),
        false => CelValue::Node(node),
    }
}

/// Returns whether a key of a map is filled in later.
pub(crate) fn has_later_key(node: &Node) -> bool {
    let mut keys = node.entries().iter();
    keys.any(|entry| entry.key.contains(['$', '{', '<']))
}

fn with_unknown<'w>(world: &World<'w>, node: &'w Node) -> CelValue<'w> {
    match &node.data {
        Data::Seq(items) => list(items.iter().map(|item| value(world, item))),
        Data::Map(entries) => {
            let entry = |entry: &'w Entry| (borrowed(&entry.key), value(world, &entry.value));
            CelValue::map(entries.iter().map(entry).collect())
        }
        _ => match world.unknowns().why_unknown(node) {
            Some(why) => unknown(why),
            None => CelValue::Node(node),
        },
    }
}

fn without_secrets(node: &Node, role: SecrecyRole) -> CelValue<'_> {
    let roles = secrecy::roles(node, role).into_iter();
    match &node.data {
        Data::Seq(items) => list(
            items
                .iter()
                .zip(roles)
                .map(|(item, role)| without_secrets(item, role)),
        ),
        Data::Map(entries) => {
            let entries = entries
                .iter()
                .zip(roles)
                .map(|(entry, role)| (borrowed(&entry.key), without_secrets(&entry.value, role)));
            CelValue::map(entries.collect())
        }
        _ if secrecy::is_value(role) => unknown(OF_SECRET),
        _ => CelValue::Node(node),
    }
}

/// A value of what is compiled.
pub(crate) fn compiled(value: &Value) -> CelValue<'_> {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => CelValue::Bool(*value),
        Value::Int(value) => CelValue::Int(*value),
        Value::Uint(value) => CelValue::Uint(*value),
        Value::Float(value) => CelValue::Double(*value),
        Value::Seq(items) => list(items.iter().map(compiled)),
        Value::Map(entries) => CelValue::map(
            entries
                .iter()
                .map(|(key, value)| (borrowed(key), compiled(value)))
                .collect(),
        ),
        Value::Str(known) | Value::Binary(known) => borrowed(known),
        Value::StandIn(_) => unknown("it is a value of a Secret, or not in the input"),
    }
}
