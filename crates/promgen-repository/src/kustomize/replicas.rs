//! `replicas`: the number of pods of a workload.

use promgen_text::yaml::Node;

use super::fault::Fault;
use super::object::Object;

/// Applies one entry of `replicas` to an object, and returns whether the entry means the object.
///
/// # Errors
/// The entry is malformed.
pub fn apply<'s>(object: &mut Object<'s>, replicas: &Node<'s>) -> Result<bool, Fault> {
    let _ = (object, replicas);
    Ok(false)
}
