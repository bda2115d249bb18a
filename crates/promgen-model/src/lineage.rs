//! Lineage: which series a Prometheus can have, and what reads them.
//!
//! In: compiled jobs, the objects that they discover, rules and dashboards. Out: which selectors cannot find anything, and why.
//! Three answers: yes, no, unknown; only a no is proven.

pub mod bounds;
pub mod discover;
pub mod exporters;
pub mod job;
pub mod labels;
pub mod matcher;
pub mod relabel;
pub mod server;
pub mod values;
