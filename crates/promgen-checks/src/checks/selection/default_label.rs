//! Resources that no workload selects because a chart requires the label of its release by default.
//!
//! In: the findings about resources that are missed. Out: those that have a cause of their own, and one for each workload
//! that misses several resources by the default of its chart while it selects none.

use std::collections::BTreeMap;

use crate::checks::selection::chosen::{MAX_RELATED, UNSELECTED};
use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::WorkloadSelector;
use promgen_model::model::World;
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::route::DocId;

/// The number of resources from which on the default is the cause, rather than a label that somebody forgot.
const MANY: usize = 3;

/// A resource that is missed by the default of a chart.
pub(super) struct MissedByDefault<'m> {
    /// The resource.
    pub(super) candidate: Candidate<'m>,
    /// The selector that is closest to it, by its number.
    pub(super) selector: usize,
    /// The value of the release to set.
    pub(super) mend: String,
    /// What is required.
    pub(super) required: String,
    /// The finding about the resource itself.
    pub(super) finding: Diagnostic,
}

/// All resources that are missed so, by workload.
#[derive(Default)]
pub(super) struct DefaultLabels<'m> {
    missed: BTreeMap<DocId, Vec<MissedByDefault<'m>>>,
    /// The selectors that take a resource which no chart makes, by their numbers.
    used: Vec<usize>,
}

impl<'m> DefaultLabels<'m> {
    /// Takes note of the selectors that take a resource.
    pub(super) fn taken(&mut self, model: &World<'_>, candidate: &Candidate<'_>, takers: &[usize]) {
        let is_own = |of: &document::Document| of.origin.release().is_none();
        if document::find(model.documents(), candidate.doc).is_some_and(is_own) {
            self.used.extend(takers);
        }
    }

    /// Takes note of a resource that a workload misses.
    pub(super) fn missed(&mut self, by: DocId, missed: MissedByDefault<'m>) {
        self.missed.entry(by).or_default().push(missed);
    }

    /// Reports all, and returns the selectors of which one finding says that they take nothing.
    pub(super) fn report(
        mut self,
        selectors: &[WorkloadSelector<'_>],
        sink: &mut Sink,
    ) -> Vec<usize> {
        self.used.sort_unstable();
        self.used.dedup();
        let mut told = Vec::new();
        for missed in self.missed.into_values() {
            let is_unused =
                |missed: &MissedByDefault<'_>| self.used.binary_search(&missed.selector).is_err();
            let (by_default, others): (Vec<_>, Vec<_>) = missed.into_iter().partition(is_unused);
            let is_cause = by_default.len() >= MANY;
            let (one, each) = if is_cause {
                (by_default, others)
            } else {
                (Vec::new(), by_default.into_iter().chain(others).collect())
            };
            told.extend(one.iter().map(|missed| missed.selector));
            sink.extend(one_for_all(selectors, &one));
            sink.extend(each.into_iter().map(|missed| missed.finding));
        }
        told
    }
}

/// The finding about a workload that misses all of these.
fn one_for_all(
    selectors: &[WorkloadSelector<'_>],
    missed: &[MissedByDefault<'_>],
) -> Option<Diagnostic> {
    let first = missed.first()?;
    let (selector, required, n) = (&selectors[first.selector], &first.required, missed.len());
    let message = format!(
        "no workload in the input selects {n} resources: {selector} requires {required} by default, and none of them has it"
    );
    let mut finding = Diagnostic::new(&UNSELECTED, Place::Key(selector.labels.place()), message);
    for one in missed.iter().take(MAX_RELATED) {
        finding = finding.related(one.candidate.place(), "it lacks the label");
    }
    let mut mends: Vec<&str> = missed.iter().map(|one| one.mend.as_str()).collect();
    mends.sort_unstable();
    mends.dedup();
    let finding = mends.into_iter().fold(finding, |finding, mend| {
        finding.help(mend.trim_start_matches("or "))
    });
    Some(finding.help(format!("or give each resource {required}")))
}
