//! The model: what is read and compiled, and what every question about it asks.
//!
//! In: texts and options. Out: a [`Project`] with its environments, each of them compiled as a [`Model`], and what is known of it: series,
//! permissions, policies, and what the input leaves unknown. Its findings are those of reading and compiling; the rules that ask all of it
//! are checks.

pub mod environments;
pub mod glob;
pub mod lineage;
pub mod model;
pub mod monitors;
pub mod nodes;
pub mod operator;
pub mod plain_secrets;
pub mod project;
pub mod resource_name;
pub mod rule_groups;
pub mod rule_tests;
pub mod running;
pub mod scope;
pub mod scraping;
pub mod selection;
pub mod servers;
mod unread;
pub mod values_fix;
pub mod words;

pub use model::{Model, alerts};
pub use project::Project;
