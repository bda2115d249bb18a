//! Resources that define scrape jobs.

pub mod pod_monitor;
pub mod probe;
pub mod scrape;
pub mod scrape_config;
pub mod service_monitor;
