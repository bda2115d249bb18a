//! Receivers of other kinds.

pub(in crate::lower::alertmanager) mod email;
pub(in crate::lower::alertmanager) mod jira;
pub(in crate::lower::alertmanager) mod sns;
pub(in crate::lower::alertmanager) mod webhook;
