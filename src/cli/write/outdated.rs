//! Which files that earlier runs wrote into a folder are outdated.
//!
//! Those that a run with the same parts would write, and this one does not. The files of a paused workload are not: with the
//! manifests of a folder as the truth, removing them would stop what runs.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cli::{Io, fs, report};
use promgen_compile::output::{
    Folder, Part, Workload, below_workload, is_generated, parts_of_file,
};

/// Which files of earlier runs are outdated, if this run does not write them.
pub(crate) struct Outdated<'o> {
    /// The parts that the run writes.
    parts: BTreeSet<Part>,
    /// The workloads that are paused, with their folders.
    paused: Vec<(&'o Workload, String)>,
}

impl<'o> Outdated<'o> {
    /// The outdated files, for a run that writes these parts of workloads.
    pub(crate) fn new(
        parts: BTreeSet<Part>,
        workloads: impl IntoIterator<Item = &'o Workload>,
    ) -> Self {
        let paused = workloads
            .into_iter()
            .filter(|workload| workload.is_paused());
        let paused = paused
            .map(|workload| (workload, format!("{}/", Folder::of(&workload.id).path)))
            .collect();
        Self { parts, paused }
    }

    /// Returns whether a file of that path is outdated.
    pub(crate) fn contains(&self, path: &str) -> bool {
        below_workload(path).is_some_and(|name| is_generated(name, &self.parts))
            && !self.is_paused(path)
    }

    /// Returns whether a file is one of a paused workload. The operator leaves its objects alone, so that they still run. It
    /// goes on writing its status, and so does promgen.
    pub(crate) fn is_paused(&self, path: &str) -> bool {
        let parts = below_workload(path)
            .and_then(parts_of_file)
            .unwrap_or_default();
        let is_kept = parts
            .iter()
            .any(|part| matches!(part, Part::Config | Part::Workloads | Part::Raw));
        is_kept
            && self
                .paused
                .iter()
                .any(|(_, folder)| path.starts_with(folder))
    }

    /// Says which paused workloads have files of earlier runs in a folder.
    pub(crate) fn note_paused(&self, root: &Path, io: &mut Io<'_>) {
        for (workload, folder) in &self.paused {
            let is_kept = |name: String| self.is_paused(&format!("{folder}{name}"));
            if fs::names_of_workload(&root.join(folder))
                .into_iter()
                .any(is_kept)
            {
                report::note(
                    &format!(
                        "{} is paused: its files from an earlier run stay",
                        workload.id
                    ),
                    io,
                );
            }
        }
    }
}
