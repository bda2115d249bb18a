//! Facts of an Alertmanager that several parts of its pods share: its files and the path that it serves.

use crate::lower::alertmanager::AlertmanagerContext;

/// The place where Alertmanager keeps its data.
pub(crate) const STORAGE_DIR: &str = "/alertmanager";
/// The configuration that Alertmanager reads, written by the reloader.
pub(crate) const CONFIG_OUT_FILE: &str = "/etc/alertmanager/config_out/alertmanager.env.yaml";

/// The path below which Alertmanager serves.
pub(crate) fn route_prefix<'a>(am: &AlertmanagerContext<'a>) -> &'a str {
    am.spec
        .route_prefix
        .as_deref()
        .filter(|p| !p.is_empty())
        .unwrap_or("/")
}
