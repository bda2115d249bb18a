//! Commands that print compiled output.

pub(crate) mod build;
pub(crate) mod config;
pub(crate) mod install;
mod outdated;
pub(crate) mod page;
pub(crate) mod rbac;
pub(crate) mod render;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod status;
