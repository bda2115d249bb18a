//! Kustomizations, built as Kustomize builds them, with the place that each value comes from.

pub(crate) mod budget;
pub mod build;
pub mod fault;
pub mod images;
pub mod object;
pub mod patch;
pub mod read;
pub mod replacements;
pub mod replicas;
mod rows;
mod spec;
mod tables;
mod value;
