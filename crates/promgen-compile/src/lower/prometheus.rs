//! The configuration of Prometheus and its agent.

pub mod additional;
pub mod alerting;
pub mod config;
pub mod global;
pub mod http;
pub(crate) mod operator_panics;
pub mod otlp;
mod recurring;
pub mod remote_read;
pub mod remote_write;
pub mod scrape;
mod sections;
pub mod storage;
pub mod tracing;
pub(crate) mod write;
