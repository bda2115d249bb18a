//! `replicas`: the number of pods of a workload.

use promgen_text::yaml::{Data, Node};

use super::fault::BuildFault;
use super::object::BuiltObject;
use super::value::field;
use super::value::{expected, in_place_of};

/// The kinds whose replicas are set, in any group.
const KINDS: &[&str] = &["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"];

/// Applies one entry of `replicas` to an object, and returns whether the entry means the object: it has or had that
/// name, and a kind that has replicas. To Kustomize, an entry that means no object is an error.
///
/// # Errors
/// The entry is malformed, or the object has no room for the number.
pub fn apply(object: &mut BuiltObject, replicas: &Node) -> Result<bool, BuildFault> {
    let (name, count) = read(replicas)?;
    let current = object.id();
    let means = |id: &crate::id::Id| id.name == name && KINDS.contains(&&*id.kind);
    if !object.ids.iter().chain([&current]).any(means) {
        return Ok(false);
    }
    if KINDS.contains(&&*current.kind) {
        field::visit(&mut object.node, &["spec", "replicas"], Some(replicas.span), &mut |old| {
            field::scalar_only(old)?;
            *old = in_place_of(old, count.clone());
            Ok(())
        })?;
    }
    Ok(true)
}

/// The name and the count of an entry.
fn read(replicas: &Node) -> Result<(&str, Node), BuildFault> {
    let Data::Map(entries) = &replicas.data else { return Err(expected("a map", replicas)) };
    let mut name = "";
    let mut count = Node { span: replicas.span, data: Data::Int(0) };
    for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
        match (&*entry.key, &entry.value.data) {
            ("name", Data::String(text)) => name = text,
            ("name", _) => return Err(expected("a text", &entry.value)),
            ("count", Data::Int(_)) => count = entry.value.clone(),
            ("count", _) => return Err(BuildFault::new(entry.value.span, "expected a whole number")),
            (key, _) => return Err(BuildFault::new(entry.key_span, format!("unknown field `{key}` of `replicas`"))),
        }
    }
    Ok((name, count))
}

#[cfg(test)]
mod tests;
