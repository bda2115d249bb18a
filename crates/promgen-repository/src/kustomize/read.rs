//! Files of a build: which there are, and what stands in them.

pub mod fields;
pub mod gather;
pub mod inline;
pub mod kustomization;
pub(crate) mod private;
pub mod schema;
pub mod store;
pub mod value;
