//! From monitors to scrape jobs.

pub mod class;
pub mod discovery;
pub(crate) mod honor;
pub mod limits;
pub mod pod_monitor;
pub mod probe;
pub mod relabel;
pub mod scrape_config;
mod sd;
pub mod service_monitor;
