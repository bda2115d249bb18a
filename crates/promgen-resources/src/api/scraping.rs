//! Resources that say what is scraped.

pub mod pod_monitor;
pub mod probe;
pub mod scrape;
pub mod scrape_config;
pub mod service_monitor;
