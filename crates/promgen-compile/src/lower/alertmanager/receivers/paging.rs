//! Receivers that page somebody.

pub(in crate::lower::alertmanager) mod incidentio;
pub(in crate::lower::alertmanager) mod opsgenie;
pub(in crate::lower::alertmanager) mod pagerduty;
pub(in crate::lower::alertmanager) mod pushover;
pub(in crate::lower::alertmanager) mod victorops;
