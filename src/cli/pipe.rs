//! Commands that stand in a pipe between other tools: they pass a stream on, and check it.

pub(crate) mod krm;
pub(crate) mod post_render;
