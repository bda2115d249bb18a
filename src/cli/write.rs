//! Commands that print what is compiled.

pub(crate) mod config;
pub(crate) mod render;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod status;
