//! The facts about a Thanos Ruler.

use crate::cluster::{Cluster, Key};
use crate::lower::status::facts::{Facts, Outcome, Set, deprecated};
use crate::lower::thanos_ruler::Ruler;
use crate::lower::workload::thanos_ruler::prefixed;
use crate::output::WorkloadId;

/// The facts about the ruler and its pods. `is_empty`: it selects nothing. `error`: the error with which the operator
/// stopped.
pub fn facts(
    ruler: &Ruler<'_>,
    id: &WorkloadId,
    cluster: &Cluster,
    is_empty: bool,
    error: Option<&str>,
) -> Facts {
    let desired = usize::try_from(ruler.spec.replicas.unwrap_or(1)).unwrap_or_default();
    let key = Key::new(ruler.parent.namespace, &prefixed(ruler));
    let old = ruler
        .spec
        .prometheus_rules_excluded_from_enforce
        .as_ref()
        .filter(|rules| !rules.is_empty());
    let deprecation = || {
        deprecated(
            "spec.prometheusRulesExcludedFromEnforce",
            "spec.excludedFromEnforcement",
        )
    };
    Facts {
        paused: ruler.spec.paused == Some(true),
        sets: vec![Set::stateful(
            cluster,
            ruler.parent.assume,
            &key,
            0,
            desired,
        )],
        outcome: Outcome {
            error: error.map(str::to_owned),
            nothing_selected: is_empty.then_some("PrometheusRule"),
            deprecations: old.map(|_| deprecation()).into_iter().collect(),
            ..Outcome::default()
        },
        ..Facts::new(id.clone(), ruler.parent.metadata, &ruler.versions.operator)
    }
}
