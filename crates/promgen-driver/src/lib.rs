//! The driver: all phases in their order, findings about the whole, and explanations.

mod alternatives;
pub mod baseline;
pub mod checks;
pub mod compare;
pub mod config;
pub mod deliveries;
pub mod diff;
pub mod drift;
pub mod editor;
pub mod environments;
pub mod explain;
pub mod fix;
pub mod lint;
pub mod map;
pub mod model;
mod monitors;
mod nodes;
mod operator;
mod plain_secrets;
pub mod project;
pub mod rbac;
pub mod reachable;
mod rule_groups;
pub mod rule_tests;
pub mod rules;
mod running;
pub mod scope;
mod servers;
pub mod slices;
pub mod suppress;
mod values_fix;
mod words;

pub use model::{Model, alerts};
pub use project::Project;
