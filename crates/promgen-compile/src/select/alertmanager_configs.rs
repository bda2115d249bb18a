//! Which AlertmanagerConfigs an Alertmanager picks, and which of them it refuses.

use crate::cluster::assets::AssetStore;
use crate::cluster::{Cluster, Object};
use crate::output::RefusalReason;
use crate::select::admit::alertmanager_config::admit;
use crate::select::admit::alertmanager_config::files::admit_files;
use crate::select::selector::WorkloadSelector;
use crate::select::{PickedResources, Picker, rejection};
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
    assets: &AssetStore<'_>,
    versions: &Versions,
    sink: &mut Sink,
) -> Result<PickedResources<'a, AlertmanagerConfig>, String> {
    let selector = WorkloadSelector::alertmanager_configs(*picker, spec);
    let picked = selector.selected(&cluster.alertmanager_configs, cluster, "", sink)?;
    // The root of the configuration is no part of it.
    let parts = picked
        .into_iter()
        .filter(|config| !selector.names(&config.value.metadata));
    let checked = parts.map(|config| (config, check(picker, spec, config, assets, versions, sink)));
    Ok(PickedResources(checked.collect()))
}

fn check(
    picker: &Picker<'_>,
    spec: &AlertmanagerSpec,
    config: &Object<AlertmanagerConfig>,
    assets: &AssetStore<'_>,
    versions: &Versions,
    sink: &mut Sink,
) -> Option<Box<RefusalReason>> {
    match admit(config, assets, versions, sink)
        .and_then(|()| admit_files(config, picker.namespace, spec, versions))
    {
        Ok(()) => None,
        Err(refusal) => {
            sink.report(rejection(picker, config, &refusal));
            Some(refusal.into_reason())
        }
    }
}
