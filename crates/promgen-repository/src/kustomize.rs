//! Kustomizations, built as Kustomize builds them, with the place that each value comes from.

pub mod fault;
mod field;
pub mod id;
pub mod images;
mod labels;
pub mod object;
pub mod patch;
pub mod replacements;
pub mod replicas;
#[cfg(test)]
mod testing;
mod value;
