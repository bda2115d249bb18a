//! Custom resources of the cluster that differ from the manifests, and why.
//!
//! In: the resources of the manifests, and the dump. Out: [`ResourceDrift`]s. Defaults of the CRD, what the API server adds, the
//! status, and labels and annotations that only the cluster has are no differences.

use crate::diff::causes::find;
use std::collections::{BTreeMap, BTreeSet};

use crate::diff::listed::{Listed, ThingGroups};
use crate::diff::value::{self, Change, Delta, FieldChange, Shades, ValueStep};
use crate::drift::defaults;
use crate::drift::dump::{Dump, Wanted, is_resource};
use crate::drift::evidence::{DriftClass, Evidence};
use crate::drift::managers::{Manager, Managers};
use crate::drift::payload;
use promgen_resources::api::Kind;
use promgen_text::CollectOrdered;
use promgen_text::yaml::{Map, Value};

/// The annotation in which `kubectl apply` keeps what it applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

changes! {
    /// A custom resource of the cluster that differs from the manifests.
    ResourceDrift {
        /// Why it differs.
        #[serde(flatten)]
        evidence: Evidence,
        /// Kind, namespace and name.
        resource: String,
        /// The change of it by applying the manifests.
        change: Change,
        /// The fields that differ, from the cluster to the manifests.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        fields: Listed<FieldChange>,
    }

    /// Resources of a kind that are in the cluster and in no manifest.
    OnlyInCluster {
        /// Their kind.
        kind: String,
        /// Their namespaces and names.
        names: Listed<String>,
    }
}

/// The differences that are found of the resources.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The number of those that are compared.
    pub(super) n_compared: usize,
    /// The number of those that differ for a reason of each class.
    pub(super) classes: BTreeMap<DriftClass, usize>,
    /// The resources that differ.
    pub(super) drifts: Listed<ResourceDrift>,
    /// The resources that no manifest has.
    pub(super) only_in_cluster: Vec<OnlyInCluster>,
}

/// Compares the resources of the manifests with those of the cluster.
pub(super) fn compare(manifests: &[Wanted], dump: &Dump, shades: &Shades) -> Resources {
    let mut found = Resources::default();
    for wanted in manifests {
        let (kind, namespace, name) = &wanted.key;
        if !dump.covers(*kind, namespace) {
            continue;
        }
        found.n_compared += 1;
        let drifts = match dump.get(*kind, namespace, name) {
            Some(live) => differing(wanted, live, shades),
            None => vec![missing(wanted)],
        };
        for drift in drifts {
            *found.classes.entry(drift.evidence.class).or_default() += 1;
            found.drifts.push(drift);
        }
    }
    found.only_in_cluster = only_in_cluster(manifests, dump);
    found
}

fn missing(wanted: &Wanted) -> ResourceDrift {
    let evidence = Evidence::new(DriftClass::NotApplied, "the cluster has no such resource");
    ResourceDrift {
        evidence,
        resource: wanted.name(),
        change: Change::Added,
        fields: Listed::default(),
    }
}

/// The differences of a resource, those with the same evidence together.
fn differing(wanted: &Wanted, live: &Value, shades: &Shades) -> Vec<ResourceDrift> {
    let kind = wanted.key.0;
    let (new, old) = (stored(kind, &wanted.value), stored(kind, live));
    let managers = Managers::of(live);
    let applied = last_applied(live).map(|applied| stored(kind, &applied));
    let mut groups = ThingGroups::new();
    for delta in value::diff(&old, &new) {
        if is_foreign(&delta, &managers) {
            continue;
        }
        groups.add(
            evidence(&delta, &managers, applied.as_ref(), &new),
            shades.delta(&delta),
        );
    }
    let drift = |(evidence, fields): (Evidence, Vec<FieldChange>)| ResourceDrift {
        evidence,
        resource: wanted.name(),
        change: Change::Changed,
        fields: fields.into_iter().collect(),
    };
    groups.into_groups().map(drift).collect()
}

/// The stored form of a resource, as far as it is compared.
fn stored(kind: Kind, resource: &Value) -> Value {
    let mut spec = resource
        .get("spec")
        .cloned()
        .unwrap_or_else(|| Map::new().into());
    defaults::of_resource(kind, &mut spec);
    let of_metadata = |key: &str| {
        resource
            .get("metadata")
            .and_then(|m| m.get(key))
            .and_then(Value::as_map)
            .cloned()
    };
    let mut metadata = Map::new();
    for key in ["labels", "annotations"] {
        let mut entries = of_metadata(key).unwrap_or_default();
        entries.remove(LAST_APPLIED);
        metadata.push(key, entries);
    }
    Map::new()
        .with("metadata", metadata)
        .with("spec", spec)
        .into()
}

/// Returns whether a difference is a label or annotation that only the cluster has: deployment tools and controllers add theirs.
/// One that a person has added is none of these.
fn is_foreign(delta: &Delta<'_>, managers: &Managers<'_>) -> bool {
    let is_metadata = matches!(delta.path.first(), Some(ValueStep::Key(key)) if key == "metadata");
    let is_hand = || {
        managers
            .owner(&delta.path)
            .is_some_and(|manager| manager.is_hand())
    };
    is_metadata && delta.change == Change::Removed && !is_hand()
}

fn last_applied(live: &Value) -> Option<Value> {
    let text = live
        .get("metadata")?
        .get("annotations")?
        .get(LAST_APPLIED)?
        .as_str()?;
    payload::yaml(text)
}

fn evidence(
    delta: &Delta<'_>,
    managers: &Managers<'_>,
    applied: Option<&Value>,
    manifest: &Value,
) -> Evidence {
    let owner = managers.owner(&delta.path);
    if let Some(hand) = owner.filter(Manager::is_hand) {
        return Evidence::new(
            DriftClass::ByHand,
            format!("managedFields: {} wrote it", hand.words()),
        );
    }
    let is_as_applied =
        applied.map(|applied| find(applied, &delta.path) == find(manifest, &delta.path));
    match (is_as_applied, owner) {
        (Some(true), _) => Evidence::new(
            DriftClass::ByHand,
            "the last `kubectl apply` has it as the manifests do: the resource was changed since",
        ),
        (Some(false), _) => Evidence::new(
            DriftClass::NotApplied,
            "the last `kubectl apply` has another value than the manifests",
        ),
        (None, Some(tool)) => Evidence::new(
            DriftClass::NotApplied,
            format!(
                "managedFields: {} wrote the value of the cluster",
                tool.name
            ),
        ),
        (None, None) => Evidence::new(
            DriftClass::NotApplied,
            "the resource in the cluster differs from the manifests",
        ),
    }
}

/// The resources of the cluster that no manifest has, by kind.
fn only_in_cluster(manifests: &[Wanted], dump: &Dump) -> Vec<OnlyInCluster> {
    let known: BTreeSet<_> = manifests.iter().map(|wanted| &wanted.key).collect_set();
    let mut groups = ThingGroups::new();
    for (key @ (kind, namespace, name), _) in dump.objects() {
        if is_resource(*kind) && !known.contains(key) {
            groups.add(kind.as_str(), format!("{namespace}/{name}"));
        }
    }
    let only = |(kind, names): (&str, Vec<String>)| OnlyInCluster {
        kind: kind.to_owned(),
        names: names.into_iter().collect(),
    };
    groups.into_groups().map(only).collect()
}
