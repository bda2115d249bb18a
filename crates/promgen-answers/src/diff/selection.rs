//! Resources that a workload begins or stops to select, and why.

use crate::diff;
use std::cell::LazyCell;
use std::collections::BTreeMap;

use crate::diff::listed::Listed;
use crate::explain::{self, ExplanationStep, StepState};
use promgen_compile::cluster::Candidate;
use promgen_compile::output::{Selected, WorkloadId};
use promgen_model::model::World;
use promgen_model::resource_name::ResourceName;
use promgen_resources::api::Kind;
use promgen_text::CollectOrdered;

/// The maximum number of resources that are explained.
const MAX_EXPLAINED: usize = 200;

changes! {
    /// A resource that a workload begins or stops to select or to accept.
    SelectionChange {
        /// Its kind.
        kind: String,
        /// Its namespace and name.
        name: String,
        /// Its state in the base.
        from: SelectionState,
        /// Its state in the head.
        to: SelectionState,
        /// Why, where it is not accepted.
        why: Vec<String>,
    }
}

changes! {
    /// The verdict of a workload on a resource.
    #[derive(Copy)]
    enum SelectionState {
        /// It selects and accepts it.
        Accepted,
        /// It selects it, and the operator refuses it.
        Refused,
        /// It does not select it.
        NotSelected,
        /// There is no such resource.
        Absent,
    }
}

/// The changes of each workload that both sides have.
pub(crate) type Selections = BTreeMap<WorkloadId, Listed<SelectionChange>>;

/// Compares what the workloads of two sides select.
pub(crate) fn changes(base: &World<'_>, head: &World<'_>) -> Selections {
    let existing = [base, head].map(|model| {
        LazyCell::new(|| {
            let candidates = model.cluster().candidates();
            let name = |c: Candidate<'_>| (c.kind.as_str(), c.key());
            candidates.map(name).collect_set()
        })
    });
    let mut n_explained = 0;
    let mut all = Selections::new();
    for new in head.workloads {
        let Some(old) = base.workload(&new.id) else {
            continue;
        };
        let mut found = Listed::default();
        if verdicts(&old.selected).eq(verdicts(&new.selected)) {
            all.insert(new.id.clone(), found);
            continue;
        }
        let (of_old, of_new) = (by_name(&old.selected), by_name(&new.selected));
        for key in diff::keys(&of_old, &of_new) {
            let (before, after) = (of_old.get(key), of_new.get(key));
            if before == after {
                continue;
            }
            let states =
                [(before, &existing[0]), (after, &existing[1])].map(|(verdict, existing)| {
                    match verdict {
                        Some(None) => SelectionState::Accepted,
                        Some(Some(_)) => SelectionState::Refused,
                        None if existing.contains(key) => SelectionState::NotSelected,
                        None => SelectionState::Absent,
                    }
                });
            n_explained += 1;
            let subject = SelectionSubject {
                key,
                id: &new.id,
                is_explained: n_explained <= MAX_EXPLAINED,
            };
            let why = why(subject, states, [(base, before), (head, after)]);
            found.push(SelectionChange {
                kind: key.0.to_owned(),
                name: key.1.clone(),
                from: states[0],
                to: states[1],
                why,
            });
        }
        all.insert(new.id.clone(), found);
    }
    all
}

/// Whether a workload accepts a resource, and if not, why.
type SelectionVerdict = Option<String>;

/// The resources that a workload selects, each with its kind, namespace, name, and why the workload does not accept it.
fn verdicts(selected: &Selected) -> impl Iterator<Item = (&'static str, &str, &str, Option<&str>)> {
    selected.resources().map(|(kind, resource)| {
        let refusal = resource.refusal.as_deref();
        let message = refusal.map(|refused| refused.message.as_str());
        (kind, &*resource.namespace, &*resource.name, message)
    })
}

fn by_name(selected: &Selected) -> BTreeMap<(&'static str, String), SelectionVerdict> {
    let verdicts = verdicts(selected);
    verdicts
        .map(|(kind, namespace, name, why)| {
            (
                (kind, format!("{namespace}/{name}")),
                why.map(str::to_owned),
            )
        })
        .collect()
}

#[derive(Clone, Copy)]
struct SelectionSubject<'a> {
    key: &'a (&'static str, String),
    id: &'a WorkloadId,
    is_explained: bool,
}

/// The reasons on the side where it is not accepted; on both, if it is on neither.
fn why(
    subject: SelectionSubject<'_>,
    states: [SelectionState; 2],
    sides: [(&World<'_>, Option<&SelectionVerdict>); 2],
) -> Vec<String> {
    let mut reasons = Vec::new();
    for (state, (model, verdict)) in states.into_iter().zip(sides) {
        match state {
            SelectionState::Refused => reasons.extend(verdict.cloned().flatten()),
            SelectionState::NotSelected if subject.is_explained => {
                reasons.extend(explained(subject, model))
            }
            SelectionState::NotSelected | SelectionState::Absent | SelectionState::Accepted => {}
        }
    }
    reasons.dedup();
    reasons
}

/// The steps of the explanation at which the selection of a workload breaks.
fn explained(subject: SelectionSubject<'_>, model: &World<'_>) -> Vec<String> {
    let (kind, name) = subject.key;
    let kind = Kind::named(kind);
    let (Some(kind), Some((namespace, name))) = (kind, name.split_once('/')) else {
        return Vec::new();
    };
    let of = ResourceName {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let Ok(step) = explain::explain_in(model, &of) else {
        return Vec::new();
    };
    let id = subject.id;
    let branch = id.what();
    let of_workload = step.steps.iter().filter(|step| step.text == branch);
    let breaks = |step: &&ExplanationStep| step.state == StepState::Breaks;
    of_workload
        .flat_map(|step| step.steps.iter().filter(breaks))
        .map(|step| step.text.clone())
        .collect()
}
