//! Kustomizations, built as Kustomize builds them, with the place that each value comes from.

pub mod build;
pub mod fault;
mod field;
pub mod id;
pub mod images;
mod labels;
pub mod object;
pub mod patch;
pub mod read;
pub mod replacements;
pub mod replicas;
mod value;
