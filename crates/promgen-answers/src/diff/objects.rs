//! Objects that differ, and pods that restart.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use crate::diff::causes::Causes;
use crate::diff::listed::{Listed, ThingGroups};
use crate::diff::value::{self, Change, Delta, FieldChange, Shades, ValueStep};
use promgen_text::yaml::Value;

changes! {
    /// Objects of a kind that differ in the same fields.
    ObjectChange {
        /// Their kind.
        kind: String,
        /// Their names.
        names: Listed<String>,
        /// The kind of change.
        change: Change,
        /// The fields that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        fields: Listed<FieldChange>,
    }

    /// StatefulSets or DaemonSets whose pods restart for the same fields.
    Restart {
        /// Their kind.
        kind: String,
        /// Their names.
        names: Listed<String>,
        /// The number of pods in the base. `None` for DaemonSets.
        pods?: u64,
        /// Whether the API server refuses the update, so that the operator deletes and creates the StatefulSet.
        is_recreated: bool,
        /// The fields of the objects.
        fields: Listed<RestartField>,
    }

    /// A field that restarts pods.
    #[derive(Hash)]
    RestartField {
        /// The field of the object.
        #[serde(flatten)]
        field: FieldChange,
        /// The fields of the custom resource that cause it, if they are known.
        cause?: String,
    }
}

/// Two versions of an object, of which one may not exist.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPair {
    pub(crate) base: Option<Value>,
    pub(crate) head: Option<Value>,
    /// The paths to compare. All, if there are none.
    only: Option<BTreeSet<String>>,
}

impl ObjectPair {
    /// Two versions of an object.
    pub(crate) const fn new(base: Option<Value>, head: Option<Value>) -> Self {
        Self {
            base,
            head,
            only: None,
        }
    }

    /// The pair, compared only at these paths.
    pub(crate) fn only(self, paths: BTreeSet<String>) -> Self {
        Self {
            only: Some(paths),
            ..self
        }
    }

    fn text(&self, path: [&str; 2]) -> &str {
        let any = self.head.as_ref().or(self.base.as_ref());
        let value = any.and_then(|object| {
            if path[1].is_empty() {
                object.get(path[0])
            } else {
                object.get(path[0])?.get(path[1])
            }
        });
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> &str {
        self.text(["kind", ""])
    }

    /// Its name.
    pub(crate) fn name(&self) -> String {
        self.text(["metadata", "name"]).to_owned()
    }

    fn deltas(&self) -> Vec<Delta<'_>> {
        match (&self.base, &self.head) {
            (Some(base), Some(head)) => {
                let is_compared = |delta: &Delta<'_>| {
                    self.only
                        .as_ref()
                        .is_none_or(|o| o.contains(&delta.to_string()))
                };
                value::diff(base, head)
                    .into_iter()
                    .filter(is_compared)
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The identity of a restart: the kind of the sets, whether they are recreated, and the fields.
type RestartKey = (String, bool, Vec<RestartField>);

/// The differences of the objects of a workload.
#[derive(Default)]
pub(crate) struct ObjectChanges {
    pub(crate) objects: Listed<ObjectChange>,
    pub(crate) restarts: Listed<Restart>,
}

/// Compares objects. `causes`: asked for if pods restart.
pub(crate) fn changes(
    pairs: &[ObjectPair],
    causes: impl FnOnce() -> Causes,
    shades: &Shades,
) -> ObjectChanges {
    let causes = LazyCell::new(causes);
    let (mut objects, mut restarts) = (ThingGroups::new(), ThingGroups::new());
    for pair in pairs {
        let deltas = pair.deltas();
        let change = Change::of(pair.base.is_some(), pair.head.is_some());
        // The rules of a ConfigMap are compared one by one.
        let is_silent = matches!(pair.kind(), "Secret" | "ConfigMap");
        let shown = |delta: &Delta<'_>| match is_silent && is_payload(delta) {
            true => shades.silent(delta),
            false => shades.delta(delta),
        };
        let fields: Vec<FieldChange> = deltas.iter().map(shown).collect();
        let runs_pods = matches!(pair.kind(), "StatefulSet" | "DaemonSet");
        if runs_pods && change == Change::Changed {
            let restarting: Vec<_> = deltas
                .iter()
                .filter(|delta| restarts_pods(pair.kind(), delta))
                .collect();
            let is_recreated = restarting
                .iter()
                .any(|delta| is_immutable(pair.kind(), delta));
            let cause = |delta: &Delta<'_>| {
                causes.cause(
                    &(pair.kind().to_owned(), pair.name()),
                    pair.base.as_ref()?,
                    delta,
                )
            };
            let field = |delta: &&Delta<'_>| RestartField {
                field: shown(delta),
                cause: cause(delta),
            };
            let fields: Vec<RestartField> = restarting.iter().map(field).collect();
            if !fields.is_empty() {
                restarts.add(
                    (pair.kind().to_owned(), is_recreated, fields),
                    (pair.name(), pods(pair)),
                );
            }
        }
        if change != Change::Changed || !fields.is_empty() {
            objects.add((pair.kind().to_owned(), change, fields), pair.name());
        }
    }
    let object =
        |((kind, change, fields), names): ((String, Change, Vec<FieldChange>), Vec<String>)| {
            ObjectChange {
                kind,
                names: names.into_iter().collect(),
                change,
                fields: fields.into_iter().collect(),
            }
        };
    let restart =
        |((kind, is_recreated, fields), sets): (RestartKey, Vec<(String, u64)>)| Restart {
            pods: (kind == "StatefulSet").then(|| sets.iter().map(|(_, pods)| pods).sum()),
            kind,
            names: sets.into_iter().map(|(name, _)| name).collect(),
            is_recreated,
            fields: fields.into_iter().collect(),
        };
    ObjectChanges {
        objects: objects.into_groups().map(object).collect(),
        restarts: restarts.into_groups().map(restart).collect(),
    }
}

/// Returns whether a field is in the data of a Secret or ConfigMap.
fn is_payload(delta: &Delta<'_>) -> bool {
    matches!(delta.path.first(), Some(ValueStep::Key(key)) if key == "data" || key == "stringData")
}

fn keys<'d>(delta: &'d Delta<'_>, index: usize) -> &'d str {
    match delta.path.get(index) {
        Some(ValueStep::Key(key)) => key,
        Some(ValueStep::Index(_) | ValueStep::Named(..)) | None => "",
    }
}

fn restarts_pods(kind: &str, delta: &Delta<'_>) -> bool {
    let is_template = keys(delta, 0) == "spec" && keys(delta, 1) == "template";
    is_template || is_immutable(kind, delta)
}

/// Returns whether the API server refuses an update of that field of a StatefulSet.
fn is_immutable(kind: &str, delta: &Delta<'_>) -> bool {
    const MUTABLE: [&str; 7] = [
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
        "revisionHistoryLimit",
    ];
    kind == "StatefulSet" && keys(delta, 0) == "spec" && !MUTABLE.contains(&keys(delta, 1))
}

fn pods(pair: &ObjectPair) -> u64 {
    let replicas = pair
        .base
        .as_ref()
        .and_then(|object| object.get("spec")?.get("replicas"));
    match replicas {
        Some(Value::Int(n)) => u64::try_from(*n).unwrap_or_default(),
        _ => 1,
    }
}
