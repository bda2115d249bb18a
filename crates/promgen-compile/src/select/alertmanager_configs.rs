//! Which AlertmanagerConfigs an Alertmanager picks, and which of them it refuses.

use crate::cluster::assets::Store;
use crate::cluster::{Cluster, Object};
use crate::select::admit::alertmanager_config::admit;
use crate::select::{Pick, Picked, Picker, Verdict, rejection};
use promgen_resources::api::meta::ObjectMeta;
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfig;
use promgen_resources::gates::Versions;
use promgen_text::diag::Sink;

/// Picks and checks the AlertmanagerConfigs of an Alertmanager. Refusals are reported. Operator:
/// `selectAlertmanagerConfigs`.
///
/// # Errors
/// A selector that does not parse, in the operator's words.
pub fn alertmanager_configs<'a>(
    picker: &Picker<'_>,
    spec: &AlertmanagerSpec,
    cluster: &'a Cluster,
    checked_by: (&Store<'_>, &Versions),
    sink: &mut Sink,
) -> Result<Picked<'a, AlertmanagerConfig>, String> {
    let pick = Pick { doc: picker.doc, namespace: picker.namespace, cluster };
    let picked = pick.find(
        &cluster.alertmanager_configs,
        (spec.alertmanager_config_selector.as_ref(), "alertmanagerConfigSelector"),
        (spec.alertmanager_config_namespace_selector.as_ref(), "alertmanagerConfigNamespaceSelector"),
        "",
        sink,
    )?;
    // The root of the configuration is no part of it.
    let global = spec.alertmanager_configuration.as_ref().and_then(|c| c.name.as_deref());
    let is_global = |metadata: &ObjectMeta, namespace: &str| {
        namespace == picker.namespace && global == Some(metadata.name.as_str())
    };
    let parts = picked.into_iter().filter(|o| !is_global(&o.value.metadata, o.namespace()));
    let checked = parts.map(|config| (config, check(picker, config, checked_by, sink)));
    Ok(Picked(checked.collect()))
}

fn check(
    picker: &Picker<'_>,
    config: &Object<AlertmanagerConfig>,
    checked_by: (&Store<'_>, &Versions),
    sink: &mut Sink,
) -> Verdict {
    match admit(config, checked_by, sink) {
        Ok(()) => Verdict::Accepted,
        Err(refusal) => {
            sink.report(rejection(picker, config, refusal.route, &refusal.message));
            Verdict::Rejected(refusal.message, refusal.cause)
        }
    }
}
