//! The facts about an Alertmanager.

use crate::cluster::{Cluster, Key};
use crate::lower::alertmanager::Am;
use crate::lower::status::facts::{Facts, Outcome, Set};
use crate::lower::workload::alertmanager::args::ignored_durations;
use crate::lower::workload::alertmanager::names;
use crate::output::WorkloadId;

/// The facts about the workload and its pods. `error` is the error with which the operator stopped.
pub fn facts(am: &Am<'_>, id: &WorkloadId, cluster: &Cluster, error: Option<&str>) -> Facts {
    let desired = usize::try_from(am.replicas()).unwrap_or_default();
    let key = Key::new(am.namespace(), &am.prefixed());
    let labels = names::selector_labels(am.name());
    let selector: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    Facts {
        paused: am.spec.paused == Some(true),
        selector: Some(selector.join(",")),
        sets: vec![Set::stateful(cluster, am.parent.assume, &key, 0, desired)],
        outcome: Outcome {
            error: error.map(str::to_owned),
            deprecations: deprecations(am),
            ignored: ignored_durations(am)
                .into_iter()
                .map(|field| format!("{field} (zero value not supported)"))
                .collect(),
            ..Outcome::default()
        },
        ..Facts::new(id.clone(), am.parent.metadata, &am.versions.operator)
    }
}

/// Operator: `recordDeprecatedFields`.
fn deprecations(am: &Am<'_>) -> Vec<String> {
    let spec = am.spec;
    let fields = [
        ("baseImage", &spec.base_image),
        ("tag", &spec.tag),
        ("sha", &spec.sha),
    ];
    let used = fields
        .into_iter()
        .filter(|(_, value)| value.as_ref().is_some_and(|v| !v.is_empty()));
    used.map(|(field, _)| {
        format!("field \"spec.{field}\" is deprecated, field \"spec.image\" should be used instead")
    })
    .collect()
}
