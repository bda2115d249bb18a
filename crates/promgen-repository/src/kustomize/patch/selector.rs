//! The `target` of a patch: which objects it selects.

use promgen_text::yaml::Node;

use crate::kustomize::fault::Fault;
use crate::kustomize::object::Object;

/// Which objects a patch applies to.
#[derive(Clone, Debug, Default)]
pub struct Selector {}

impl Selector {
    /// Reads a `target`.
    ///
    /// # Errors
    /// A field is unknown, or an expression does not compile.
    pub fn read(node: &Node<'_>) -> Result<Self, Fault> {
        let _ = node;
        Ok(Self::default())
    }

    /// Whether the object is selected, under its current identity or an earlier one.
    #[must_use]
    pub fn matches(&self, object: &Object<'_>) -> bool {
        let _ = object;
        true
    }
}
