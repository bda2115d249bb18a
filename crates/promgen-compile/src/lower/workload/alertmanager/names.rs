//! The names of the objects of an Alertmanager, and the labels that select them.

use promgen_text::yaml::StringMap;

use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::names;

/// The application: the value of [`names::APP_LABEL`].
pub(crate) const APPLICATION: &str = "alertmanager";
/// The Service that names the pods, unless the user has one.
pub(crate) const GOVERNING_SERVICE: &str = "alertmanager-operated";

/// The Secret with the configuration that the operator makes.
pub fn generated(am: &AlertmanagerContext<'_>) -> String {
    format!("{}-generated", am.prefixed())
}

/// The Secret with the configuration of TLS among peers.
pub fn cluster_tls(am: &AlertmanagerContext<'_>) -> String {
    format!("{}-cluster-tls-config", am.prefixed())
}

/// The volume with the data, and its claims, unless the user names them otherwise.
pub fn storage(am: &AlertmanagerContext<'_>) -> String {
    format!("{}-db", am.prefixed())
}

/// The Service that names the pods.
pub fn service<'a>(am: &AlertmanagerContext<'a>) -> &'a str {
    am.spec.service_name.as_deref().unwrap_or(GOVERNING_SERVICE)
}

/// The labels of all pods of an Alertmanager. Operator: `makeSelectorLabels`.
pub(crate) fn selector_labels(name: &str) -> StringMap {
    let mut selector = names::pod_labels(APPLICATION, name);
    selector.insert("alertmanager".into(), name.into());
    selector
}
