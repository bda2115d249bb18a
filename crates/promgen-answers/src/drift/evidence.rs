//! Why an object of the operator differs, and the evidence for it.
//!
//! In: what is known of a workload and of a difference. Out: [`Evidence`]: a class, and the fact that decides. Where no fact
//! decides, the class is unknown, and the evidence names what is missing.

use crate::drift::dump::kind_and_name;

use crate::diff::value::{Change, ValueStep};
use crate::drift::dump::{Dump, reloader_release};
use crate::drift::managers::{Manager, Managers};
use promgen_compile::output::{Workload, WorkloadId};
use promgen_model::operator::RELOADERS;
use promgen_resources::api::Kind;
use promgen_text::version::Version;
use promgen_text::yaml::Value;

changes! {
    /// Why a cluster differs from what is expected.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    enum DriftClass {
        /// Somebody changed the object in the cluster.
        ByHand,
        /// The operator has not followed the resources of the cluster yet.
        NotReconciled,
        /// Another release of the operator wrote the object, or one with other flags.
        OtherOperator,
        /// The resources of the cluster are not those of the manifests.
        NotApplied,
        /// The operator wrote the object for something that is gone.
        LeftOver,
        /// No fact of the dump decides.
        Unknown,
    }
}

impl DriftClass {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 6] = [
        Self::ByHand,
        Self::NotReconciled,
        Self::OtherOperator,
        Self::NotApplied,
        Self::LeftOver,
        Self::Unknown,
    ];

    /// Its name for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::ByHand => "made by hand",
            Self::NotReconciled => "not yet reconciled",
            Self::OtherOperator => "other operator",
            Self::NotApplied => "not yet applied",
            Self::LeftOver => "left over",
            Self::Unknown => "unknown",
        }
    }
}

changes! {
    /// A class, and what decides it.
    #[derive(Hash)]
    Evidence {
        /// The class.
        class: DriftClass,
        /// The fact that decides.
        evidence: String,
    }
}

impl Evidence {
    /// Evidence for a class.
    pub(super) fn new(class: DriftClass, evidence: impl Into<String>) -> Self {
        Self {
            class,
            evidence: evidence.into(),
        }
    }
}

/// The facts of a dump about a workload.
#[derive(Debug, Default)]
pub(super) struct DumpFacts {
    /// Whether the dump has the resource of the workload.
    has_resource: bool,
    /// Why the operator is behind the resources of the cluster.
    behind: Option<String>,
    /// Whether the operator has observed the generation that the resource has.
    is_reconciled: bool,
    /// The release of the operator that wrote the objects, with what shows it.
    release: Option<(String, String)>,
    /// The release whose output promgen writes.
    own_release: String,
}

impl DumpFacts {
    /// The facts of a workload, as the cluster's own resources give it.
    pub(super) fn of(workload: &Workload, dump: &Dump) -> Self {
        let id = &workload.id;
        let resource = id
            .kind
            .resource()
            .and_then(|kind| dump.get(kind, &id.namespace, &id.name));
        let behind = resource
            .and_then(behind_itself)
            .or_else(|| behind_selected(workload, dump));
        let observed = resource.and_then(generations);
        Self {
            has_resource: resource.is_some(),
            is_reconciled: behind.is_none()
                && observed.is_some_and(|(wanted, observed)| wanted == observed),
            behind,
            release: release(workload, dump),
            own_release: dump.own_release().to_owned(),
        }
    }

    /// The other release that wrote the objects, in words.
    fn other_release(&self) -> Option<String> {
        let (release, shown_by) = self
            .release
            .as_ref()
            .filter(|(release, _)| *release != self.own_release)?;
        let is_older = match (Version::parse(release), Version::parse(&self.own_release)) {
            (Some(theirs), Some(own)) => Some(theirs < own),
            _ => None,
        };
        let age = match is_older {
            Some(true) => "an older",
            Some(false) => "a newer",
            None => "another",
        };
        Some(format!(
            "{age} operator: {shown_by} {release}, and promgen writes what {} does",
            self.own_release
        ))
    }
}

/// The generation of a resource, and the one that the operator has observed.
fn generations(resource: &Value) -> Option<(i64, i64)> {
    let wanted = int(resource.get("metadata")?.get("generation")?)?;
    Some((wanted, observed(resource.get("status")?)?))
}

/// The generation that the conditions of a status or binding are of.
fn observed(of: &Value) -> Option<i64> {
    let conditions = of.get("conditions")?.as_seq()?.iter();
    conditions
        .filter_map(|condition| int(condition.get("observedGeneration")?))
        .max()
}

/// Why the operator is behind the resource of a workload.
fn behind_itself(resource: &Value) -> Option<String> {
    if let Some((wanted, observed)) =
        generations(resource).filter(|(wanted, observed)| wanted > observed)
    {
        return Some(format!(
            "the resource has generation {wanted}, and the operator has observed {observed}"
        ));
    }
    let conditions = resource.get("status")?.get("conditions")?.as_seq()?;
    let text = |condition: &Value, key: &str| condition.text_of(key).unwrap_or_default().to_owned();
    let failed = conditions
        .iter()
        .find(|c| text(c, "type") == "Reconciled" && text(c, "status") == "False")?;
    let reason = text(failed, "reason");
    Some(format!(
        "the condition Reconciled of the resource is False ({reason})"
    ))
}

/// Why the operator is behind a resource that a workload selects: bindings name the generation that it has observed.
fn behind_selected(workload: &Workload, dump: &Dump) -> Option<String> {
    workload.selected.resources().find_map(|(kind, resource)| {
        let kind_of = Kind::named(kind)?;
        let live = dump.get(kind_of, &resource.namespace, &resource.name)?;
        let wanted = int(live.get("metadata")?.get("generation")?)?;
        let bindings = live.get("status")?.get("bindings")?.as_seq()?;
        let own = bindings
            .iter()
            .find(|binding| is_of(binding, &workload.id))?;
        let observed = observed(own)?;
        let name = format!("{kind} {}/{}", resource.namespace, resource.name);
        (wanted > observed).then(|| {
            format!("{name} has generation {wanted}, and the operator has observed {observed}")
        })
    })
}

fn is_of(binding: &Value, id: &WorkloadId) -> bool {
    let is = |key: &str, text: &str| binding.text_of(key) == Some(text);
    is("name", &id.name) && is("namespace", &id.namespace) && is("resource", id.kind.plural())
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

/// The release of the operator that wrote the pods of a workload; without them, the one that runs. A reloader that somebody
/// else set proves nothing.
fn release(workload: &Workload, dump: &Dump) -> Option<(String, String)> {
    let sets = workload.objects.iter().filter_map(|object| {
        let (kind, name) = kind_and_name(object, &[Kind::StatefulSet, Kind::DaemonSet])?;
        let live = dump.get(kind, &workload.id.namespace, &name)?;
        let release = reloader_release(live)?;
        (!is_set_by_other(live)).then(|| {
            (
                release,
                format!("{} {name} runs the config reloader", kind.as_str()),
            )
        })
    });
    let mut sets: Vec<(String, String)> = sets.collect();
    let other = sets
        .iter()
        .position(|(release, _)| release != dump.own_release())
        .unwrap_or(0);
    let of_sets = (!sets.is_empty()).then(|| sets.swap_remove(other));
    of_sets.or_else(|| {
        dump.operator().map(|release| {
            (
                release.to_owned(),
                "the operator's Deployment has".to_owned(),
            )
        })
    })
}

fn is_set_by_other(set: &Value) -> bool {
    let managers = Managers::of(set);
    RELOADERS
        .iter()
        .zip(["containers", "initContainers"])
        .any(|(name, list)| {
            let mut path: Vec<ValueStep> = ["spec", "template", "spec", list]
                .map(|key| ValueStep::Key(key.to_owned()))
                .to_vec();
            path.extend([
                ValueStep::Named("name", (*name).to_owned()),
                ValueStep::Key("image".to_owned()),
            ]);
            managers
                .owner(&path)
                .is_some_and(|owner| !owner.is_operator())
        })
}

/// A difference of an object, as far as its class depends on it.
pub(super) struct Difference<'a> {
    /// The managers of the object in the cluster. None if it is missing.
    pub(super) managers: Option<&'a Managers<'a>>,
    /// Its path in the object.
    pub(super) path: &'a [ValueStep],
    /// The change that the operator would make.
    pub(super) change: Change,
    /// Whether the cluster has what the manifests give, unlike its own resources.
    pub(super) is_as_manifests: bool,
}

impl DumpFacts {
    /// The class of a difference. The order is that of how much a fact proves.
    pub(super) fn classify(&self, difference: &Difference<'_>) -> Evidence {
        let owner = difference
            .managers
            .and_then(|managers| managers.owner(difference.path));
        if let Some(other) = owner.filter(|owner| !owner.is_operator()) {
            return by_hand(other, "wrote it");
        }
        if difference.is_as_manifests {
            let text =
                "it is as the manifests give it, and the resources of the cluster have changed";
            return Evidence::new(DriftClass::NotReconciled, text);
        }
        if let Some(behind) = &self.behind {
            return Evidence::new(DriftClass::NotReconciled, behind.clone());
        }
        if let Some(other) = self.other_release().filter(|_| !is_plain(difference.path)) {
            return Evidence::new(DriftClass::OtherOperator, other);
        }
        // What was removed has no manager any more.
        let last = difference
            .managers
            .and_then(Managers::last)
            .filter(|last| last.is_hand());
        if let (Some(last), None, Change::Added) = (last, owner, difference.change) {
            return by_hand(last, "wrote the object last");
        }
        if is_flag(difference.path) {
            return Evidence::new(DriftClass::OtherOperator, "flags of the operator set it");
        }
        self.without_proof(
            owner.is_some(),
            difference.managers.is_none_or(Managers::is_empty),
        )
    }

    /// The class where neither managers nor generations nor releases prove it.
    fn without_proof(&self, is_operators: bool, has_no_managers: bool) -> Evidence {
        if is_operators {
            let text = "managedFields: the operator itself wrote it; its flags, or its release, may differ";
            return Evidence::new(DriftClass::Unknown, text);
        }
        let is_same_release = self
            .release
            .as_ref()
            .is_some_and(|(release, _)| *release == self.own_release);
        if self.is_reconciled && is_same_release {
            let hint = if has_no_managers {
                "; `kubectl get --show-managed-fields` names who"
            } else {
                ""
            };
            let text = format!(
                "the operator {} has observed the resource of the cluster, and writes this otherwise{hint}",
                self.own_release
            );
            return Evidence::new(DriftClass::ByHand, text);
        }
        let mut lacks = Vec::new();
        lacks.extend(
            has_no_managers.then_some("managedFields (`kubectl get --show-managed-fields`)"),
        );
        lacks.extend((!self.has_resource).then_some("the resource of the workload"));
        lacks.extend(
            (self.has_resource && !self.is_reconciled)
                .then_some("the generation that the operator has observed"),
        );
        lacks.extend(
            self.release
                .is_none()
                .then_some("the release of the operator"),
        );
        Evidence::new(
            DriftClass::Unknown,
            format!("the dump lacks {}", lacks.join(", ")),
        )
    }
}

fn by_hand(manager: Manager<'_>, what: &str) -> Evidence {
    Evidence::new(
        DriftClass::ByHand,
        format!("managedFields: {} {what}", manager.words()),
    )
}

/// Fields of pods that every release writes alike, from the resource.
const PLAIN: [&str; 3] = ["tolerations", "serviceAccountName", "priorityClassName"];

/// Returns whether every release of the operator writes a field alike: what it copies from the resource.
fn is_plain(path: &[ValueStep]) -> bool {
    let keys: Vec<&str> = path
        .iter()
        .map(|step| {
            if let ValueStep::Key(key) = step {
                key
            } else {
                ""
            }
        })
        .collect();
    match keys.as_slice() {
        ["spec", "replicas"] => true,
        ["spec", "template", "spec", "containers", _, "resources", ..] => !is_of_reloader(path),
        ["spec", "template", "spec", field, ..] => PLAIN.contains(field),
        _ => false,
    }
}

/// Returns whether flags of the operator set a field: the image and the resources of the config reloader.
fn is_flag(path: &[ValueStep]) -> bool {
    let is_set = |key: &str| {
        path.iter()
            .any(|step| matches!(step, ValueStep::Key(own) if own == key))
    };
    is_of_reloader(path) && (is_set("image") || is_set("resources"))
}

fn is_of_reloader(path: &[ValueStep]) -> bool {
    path.iter()
        .any(|step| matches!(step, ValueStep::Named(_, name) if RELOADERS.contains(&name.as_str())))
}
