//! `replicas`: the number of pods of a workload.

use promgen_text::yaml::{Data, Node};

use super::fault::BuildFault;
use super::object::BuiltObject;
use super::spec::{FieldSpec, Gvk};
use super::value::field;
use super::value::{entries, in_place_of, text_as};

/// The kinds whose replicas are set, in any group.
const KINDS: &[&str] = &[
    "Deployment",
    "ReplicationController",
    "ReplicaSet",
    "StatefulSet",
];

/// Applies one entry of `replicas` to an object, and returns whether the entry means the object: it has or had that
/// name, and a kind that has replicas. To Kustomize, an entry that means no object is an error.
///
/// # Errors
/// The entry is malformed, or the object has no room for the number.
pub fn apply(object: &mut BuiltObject, replicas: &Node) -> Result<bool, BuildFault> {
    apply_within(object, replicas, &fields())
}

/// The fields that Kustomize knows to be the number of pods.
pub(super) fn fields() -> Vec<FieldSpec> {
    KINDS
        .iter()
        .map(|kind| FieldSpec {
            of: Gvk::new("", "", kind),
            path: "spec/replicas".to_owned(),
            create: true,
        })
        .collect()
}

/// Applies an entry where these fields say.
pub(super) fn apply_within(
    object: &mut BuiltObject,
    replicas: &Node,
    fields: &[FieldSpec],
) -> Result<bool, BuildFault> {
    let (name, count) = read(replicas)?;
    let current = object.id();
    let mut is_meant = false;
    for spec in fields {
        if !object
            .ids
            .iter()
            .chain([&current])
            .any(|id| id.name == name && spec.of.selects(id))
        {
            continue;
        }
        is_meant = true;
        if spec.of.selects(&current) {
            let parts = spec.parts();
            let path: Vec<&str> = parts.iter().map(String::as_str).collect();
            field::visit(
                &mut object.node,
                &path,
                spec.create.then_some(replicas.span),
                &mut |old| {
                    field::scalar_only(old)?;
                    *old = in_place_of(old, count.clone());
                    Ok(())
                },
            )?;
        }
    }
    Ok(is_meant)
}

/// The name and the count of an entry.
fn read(replicas: &Node) -> Result<(&str, Node), BuildFault> {
    let mut name = "";
    let mut count = Node {
        span: replicas.span,
        data: Data::Int(0),
    };
    for entry in entries(replicas)?
        .iter()
        .filter(|entry| !entry.value.is_null())
    {
        match (&*entry.key, &entry.value.data) {
            ("name", _) => name = text_as("a text", &entry.value)?,
            ("count", Data::Int(_)) => count = entry.value.clone(),
            ("count", _) => {
                return Err(BuildFault::new(entry.value.span, "expected a whole number"));
            }
            (key, _) => {
                return Err(BuildFault::new(
                    entry.key_span,
                    format!("unknown field `{key}` of `replicas`"),
                ));
            }
        }
    }
    Ok((name, count))
}

#[cfg(test)]
mod tests;
