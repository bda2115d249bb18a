//! Patches of objects: strategic merge and JSON 6902.

mod json6902;
mod merge_keys;
mod merge_rule;
mod selector;
mod strategic;

use promgen_text::yaml::Node;

use super::value::write_texts;

pub use json6902::apply as json6902;
pub(super) use json6902::apply_within as json6902_within;
pub use merge_rule::{GivenTypes, MergeTypes};
pub use selector::PatchSelector;
pub(super) use selector::{TargetLabelSelector, label_selector};
pub use strategic::merge as strategic_merge;

/// A strategic merge patch as Kustomize applies it to the objects of a `target`: its labels and annotations are texts
/// then. A null that should remove a label sets it to `null` instead.
#[must_use]
pub fn for_target(patch: &Node) -> Node {
    let mut patch = patch.clone();
    write_texts(&mut patch, "labels");
    write_texts(&mut patch, "annotations");
    patch
}
