//! The checks: what `promgen lint` finds in all environments, the list of all rules, and which of the findings are reported.

mod alternatives;
pub mod baseline;
pub mod checks;
pub mod config;
pub mod fix;
pub mod lint;
pub mod rules;
pub mod suppress;
