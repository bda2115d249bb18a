//! The results of the models of a project, for those of the project that is read after it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use promgen_compile::workload::kept::{KeepsWorkloads, KeptWorkloads};
use promgen_text::source::FileId;

/// The workloads of the last model of each environment. A project that nobody has read again keeps none: they take memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledBefore(Option<Arc<Mutex<Vec<OfEnvironment>>>>);

/// The workloads of an environment, which its files identify.
#[derive(Debug)]
struct OfEnvironment {
    files: BTreeSet<FileId>,
    workloads: KeptWorkloads,
}

/// Returns whether an environment has most of its files from before: some came, or are gone.
fn has_mostly(before: &BTreeSet<FileId>, now: &BTreeSet<FileId>) -> bool {
    let n_common = now.iter().filter(|file| before.contains(*file)).count();
    2 * n_common > before.len().max(now.len())
}

impl CompiledBefore {
    /// The same for the project that follows.
    pub(crate) fn followed(&self) -> Self {
        Self(Some(self.0.clone().unwrap_or_default()))
    }

    /// The part of an environment that is kept for its next model.
    pub(crate) fn take(&self, files: &BTreeSet<FileId>) -> KeepsWorkloads {
        let Some(all) = &self.0 else {
            return KeepsWorkloads::None;
        };
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let has_files = |is_of: fn(&BTreeSet<FileId>, &BTreeSet<FileId>) -> bool| {
            all.iter().position(|of| is_of(&of.files, files))
        };
        let at = has_files(|before, now| before == now).or_else(|| has_files(has_mostly));
        KeepsWorkloads::Of(at.map(|at| Box::new(all.swap_remove(at).workloads)))
    }

    /// Keeps the workloads of an environment.
    pub(crate) fn keep(&self, files: BTreeSet<FileId>, workloads: KeptWorkloads) {
        if let Some(all) = &self.0 {
            all.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(OfEnvironment { files, workloads });
        }
    }
}
