//! What Prometheus itself reads: configuration, label selectors, relabeling and PromQL.

pub mod config;
pub mod labels;
pub mod promql;
pub mod relabel;
