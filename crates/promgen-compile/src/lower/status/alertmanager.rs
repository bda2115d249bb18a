//! The facts about an Alertmanager.

use crate::cluster::{Cluster, Key};
use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::status::facts::{Facts, Outcome, Set, deprecated_images};
use crate::lower::workload::alertmanager::args::ignored_durations;
use crate::lower::workload::alertmanager::names;
use crate::lower::workload::names::selector_text;
use crate::output::WorkloadId;

/// The facts about the workload and its pods. `error` is the error with which the operator stopped.
pub fn facts(
    am: &AlertmanagerContext<'_>,
    id: &WorkloadId,
    cluster: &Cluster,
    error: Option<&str>,
) -> Facts {
    let desired = usize::try_from(am.replicas()).unwrap_or_default();
    let key = Key::new(am.namespace(), &am.prefixed());
    Facts {
        paused: am.spec.paused == Some(true),
        selector: Some(selector_text(&names::selector_labels(am.name()))),
        sets: vec![Set::stateful(cluster, am.parent.assume, &key, 0, desired)],
        outcome: Outcome {
            error: error.map(str::to_owned),
            deprecations: deprecated_images(
                "spec",
                [&am.spec.base_image, &am.spec.tag, &am.spec.sha],
            ),
            ignored: ignored_durations(am)
                .into_iter()
                .map(|field| format!("{field} (zero value not supported)"))
                .collect(),
            ..Outcome::default()
        },
        ..Facts::new(id.clone(), am.parent.metadata, &am.versions.operator)
    }
}
