//! The workloads of a run, kept for a later run that has the same options.
//!
//! In: what workloads compiled to, with what they have read. Out: the same again, where a later run reads the same.

use std::sync::Arc;

use crate::context::Account;
use crate::options::Options;
use crate::output::{Workload, WorkloadKind};
use crate::select::selector::WorkloadSelector;
use crate::workload::reads::Reads;
use crate::workload::{CompiledWorkload, Run};
use promgen_text::diag::Sink;
use promgen_text::route::DocId;

/// The workloads of a run.
#[derive(Debug)]
pub struct KeptWorkloads {
    options: Options,
    reveals: bool,
    workloads: Vec<KeptWorkload>,
}

/// Whether a run keeps its workloads for a later one.
#[derive(Debug)]
pub enum KeepsWorkloads {
    /// It does not.
    None,
    /// It does, and an earlier run may have kept some.
    Of(Option<Box<KeptWorkloads>>),
}

/// A workload, and what it depends on.
#[derive(Clone, Debug)]
struct KeptWorkload {
    reads: Reads,
    workload: Arc<Workload>,
    found: Sink,
    /// The memory that it has taken while it was compiled.
    cost: u64,
}

/// A workload before it is compiled.
#[derive(Debug)]
pub struct Uncompiled<'s> {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its document.
    pub doc: DocId,
    /// Its selectors.
    pub selectors: Vec<WorkloadSelector<'s>>,
}

impl KeptWorkloads {
    /// No workloads yet of a run.
    #[must_use]
    pub fn of(run: &Run<'_>) -> Self {
        Self {
            options: run.options.clone(),
            reveals: run.reveals,
            workloads: Vec::new(),
        }
    }

    /// What an earlier run compiled a workload to, if it depends on nothing that has changed, and the memory suffices.
    #[must_use]
    pub fn again(
        &self,
        run: &Run<'_>,
        own: &Uncompiled<'_>,
        account: &Account,
    ) -> Option<CompiledWorkload> {
        // A finding in a template has the number of its file, which depends on how many inputs there are.
        let has_templates = !run.options.templates.is_empty();
        if has_templates || self.reveals != run.reveals || self.options != *run.options {
            return None;
        }
        let of_same = self
            .workloads
            .iter()
            .filter(|known| known.reads.is_of(run, own.doc));
        let known = of_same
            .into_iter()
            .find(|known| known.reads.hold(run, own))?;
        let account = account.continued();
        account.spend(usize::try_from(known.cost).unwrap_or(usize::MAX));
        let KeptWorkload {
            reads,
            workload,
            found,
            ..
        } = known.clone();
        let is_within = account.excess().is_none();
        is_within.then(|| CompiledWorkload {
            workload: Some(workload),
            found,
            reads: Some(reads),
            account,
        })
    }

    /// Keeps what a workload has compiled to. `before`: the memory that others had taken.
    pub fn keep(&mut self, compiled: &CompiledWorkload, before: u64) {
        let CompiledWorkload {
            workload: Some(workload),
            found,
            reads: Some(reads),
            account,
        } = compiled
        else {
            return;
        };
        let (workload, found, reads) = (Arc::clone(workload), found.clone(), reads.clone());
        self.workloads.push(KeptWorkload {
            reads,
            workload,
            found,
            cost: account.spent() - before,
        });
    }
}
