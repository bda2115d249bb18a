//! From monitors to scrape jobs.

pub(crate) mod class;
pub(crate) mod discovery;
pub(crate) mod honor;
pub(crate) mod limits;
pub(crate) mod pod_monitor;
pub(crate) mod probe;
pub(crate) mod relabel;
pub(crate) mod scrape_config;
mod sd;
pub(crate) mod service_monitor;
