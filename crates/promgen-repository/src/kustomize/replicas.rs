//! `replicas`: the number of pods of a workload.

use promgen_text::yaml::{Data, Node};

use super::fault::BuildResult;
use super::object::BuiltObject;
use super::read::fields;
use super::read::schema::REPLICA;
use super::spec::FieldSpec;
use super::tables;
use super::value::{in_place_of, scalar_only};

/// Applies one entry of `replicas` to an object, and returns whether the entry means the object: it has or had that
/// name, and a kind that has replicas. To Kustomize, an entry that means no object is an error.
///
/// # Errors
/// The entry is malformed, or the object has no room for the number.
pub fn apply(object: &mut BuiltObject, replicas: &Node) -> BuildResult<bool> {
    let replicas = fields::checked(replicas, &REPLICA)?;
    apply_within(object, &replicas, &tables::fields("replicas"))
}

/// Applies an entry where these fields say.
pub(super) fn apply_within(
    object: &mut BuiltObject,
    replicas: &Node,
    fields: &[FieldSpec],
) -> BuildResult<bool> {
    let name = replicas.text_of("name").unwrap_or_default();
    let count = replicas.get("count").cloned().unwrap_or(Node {
        span: replicas.span,
        data: Data::Int(0),
    });
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
            spec.visit(&mut object.node, Some(replicas.span), &mut |old, _| {
                scalar_only(old)?;
                *old = in_place_of(old, count.clone());
                Ok(())
            })?;
        }
    }
    Ok(is_meant)
}

#[cfg(test)]
mod tests;
