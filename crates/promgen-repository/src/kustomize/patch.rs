//! Patches of objects: strategic merge and JSON 6902.

mod json6902;
mod merge_keys;
mod selector;
mod strategic;

pub use json6902::apply as json6902;
pub use selector::Selector;
pub(super) use selector::labels;
pub use strategic::merge as strategic_merge;
