//! The answers: functions of one model, of two, or of a project, each for a command. They know no rules.

pub mod compare;
pub mod deliveries;
pub mod diff;
pub mod drift;
pub mod explain;
pub mod map;
pub mod rbac;
pub mod reachable;
pub mod slices;
