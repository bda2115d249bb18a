//! Alertmanager and AlertmanagerConfig.

pub mod alertmanager;
pub mod alertmanager_config;
pub mod alertmanager_global;
