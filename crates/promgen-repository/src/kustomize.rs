//! Kustomizations, built as Kustomize builds them, with the place that each value comes from.

pub mod patch;
