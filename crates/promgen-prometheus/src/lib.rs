//! What Prometheus and Alertmanager read themselves, without a cluster: configuration, label selectors, relabeling, PromQL and
//! routing.

pub mod config;
pub mod labels;
pub mod promql;
pub mod relabel;
pub mod routing;
