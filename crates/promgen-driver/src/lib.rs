//! The driver: all phases in their order, findings about the whole, and explanations.

mod alerts;
mod alternatives;
pub mod baseline;
pub mod checks;
pub mod compare;
pub mod config;
pub mod diff;
pub mod drift;
pub mod editor;
pub mod explain;
pub mod fix;
pub mod lint;
mod mend;
pub mod model;
mod operator;
pub mod project;
pub mod rules;
pub mod scope;
pub mod suppress;

pub use model::Model;
pub use project::Project;
