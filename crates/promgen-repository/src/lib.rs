//! Repositories of manifests: what kustomizations, charts and applications make of the files in them.

pub mod charts;
mod destination;
pub mod id;
pub mod kustomize;
pub mod layout;
pub mod model;
pub mod path;
pub mod print;
pub mod rules;
