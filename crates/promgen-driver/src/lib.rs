//! The driver: all phases in their order, findings about the whole, and explanations.

mod access;
pub mod alerts;
mod alternatives;
pub mod baseline;
pub mod checks;
pub mod compare;
pub mod config;
pub mod deliveries;
pub mod diff;
mod doubt;
pub mod drift;
pub mod editor;
pub mod environments;
pub mod explain;
pub mod fix;
mod lineage;
pub mod lint;
pub mod map;
mod mend;
pub mod model;
mod monitors;
mod operator;
pub mod project;
pub mod rbac;
pub mod reachable;
pub mod rule_tests;
pub mod rules;
pub mod scope;
mod secret_jobs;
mod servers;
pub mod slices;
pub mod suppress;

pub use model::Model;
pub use project::Project;
