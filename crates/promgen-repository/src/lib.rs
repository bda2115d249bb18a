//! Repositories of manifests: what kustomizations, charts and applications make of the files in them.

pub mod kustomize;
pub mod print;
pub mod rules;
