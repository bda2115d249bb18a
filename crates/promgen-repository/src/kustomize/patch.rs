//! Patches of objects: strategic merge and JSON 6902.

mod json6902;
mod merge_keys;
mod merge_rule;
mod selector;
mod strategic;

pub use json6902::apply as json6902;
pub(super) use json6902::apply_within as json6902_within;
pub use merge_rule::{GivenTypes, MergeTypes};
pub use selector::PatchSelector;
pub(super) use selector::{TargetLabelSelector, label_selector};
pub use strategic::merge as strategic_merge;
