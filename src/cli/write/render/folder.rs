//! The changes of `render -o DIR/` in a folder.
//!
//! In: an output and the folder. Out: one file for each object, a `kustomization.yaml` that lists them, and no
//! outdated files of an earlier run. What an earlier run wrote for a workload that is paused now stays. Files that promgen
//! did not write are never changed.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::spare::SparedFiles;
use crate::cli::write::outdated::Outdated;
use crate::cli::{Failure, Io, fs};
use promgen_compile::output::generated::COMMENT;
use promgen_compile::output::{
    Emission, Folder, KUSTOMIZATION, Layout, Output, OutputFile, below_workload, is_same_service,
};
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

/// The planned changes of a folder.
pub(super) struct FolderPlan<'o> {
    root: &'o Path,
    files: Vec<OutputFile<'o>>,
    workloads: Vec<Folder>,
    outdated: Outdated<'o>,
    /// Files of workloads that no longer exist.
    gone: Vec<String>,
}

impl<'o> FolderPlan<'o> {
    /// Plans the changes.
    ///
    /// # Errors
    /// A file that promgen did not write would be replaced.
    pub(super) fn plan(
        root: &'o Path,
        output: &'o Output,
        emission: &Emission,
        spared: &SparedFiles,
        replaces: fs::Replaces,
    ) -> Result<Self, Failure> {
        let outdated = Outdated::new(emission.outdated(), output.each_workload());
        let mut plan = Self {
            root,
            files: output.files(emission),
            workloads: output.folders(),
            outdated,
            gone: Vec::new(),
        };
        match (emission.layout, FileList::read(root)?) {
            (Layout::PerShard, FileList::Foreign) if replaces == fs::Replaces::Ours => {
                return Err(foreign(&root.join(KUSTOMIZATION)));
            }
            (Layout::PerShard, FileList::Own(earlier)) => plan.list(earlier),
            (Layout::PerShard, FileList::None | FileList::Foreign) => plan.list(Vec::new()),
            // That tree is for review: some of its objects have no namespace, so it needs no list of resources.
            (Layout::Operator, FileList::Own(earlier)) => {
                plan.gone = earlier
                    .into_iter()
                    .filter(|path| plan.outdated.contains(path))
                    .collect();
                plan.gone.push(KUSTOMIZATION.to_owned());
            }
            (Layout::Operator, FileList::None | FileList::Foreign) => {}
        }
        let targets: Vec<PathBuf> = plan.targets().collect();
        spared.check(targets.iter().map(PathBuf::as_path))?;
        Ok(plan)
    }

    /// The number of objects that are written.
    pub(super) fn n_objects(&self) -> usize {
        self.files.iter().filter(|file| file.is_object()).count()
    }

    /// The number of files that are written.
    pub(super) fn n_files(&self) -> usize {
        self.files.len()
    }

    /// The paths of the files that are written.
    pub(super) fn targets(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| self.root.join(&file.path))
    }

    /// Adds the list of the objects, with those of an earlier run that stay.
    fn list(&mut self, mut earlier: Vec<String>) {
        let stays = |path: &String| self.outdated.is_paused(path) && self.root.join(path).is_file();
        let paused: Vec<&String> = earlier.iter().filter(|path| stays(path)).collect();
        // A Service of several workloads is in the folder of one, which may be paused now.
        self.files.retain(|file| {
            !paused
                .iter()
                .any(|path| **path != file.path && is_same_service(path, &file.path))
        });
        let written: BTreeSet<&str> = self
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect_set();
        earlier.retain(|path| !written.contains(path.as_str()));
        let (gone, mut kept): (Vec<_>, Vec<_>) = earlier
            .into_iter()
            .partition(|path| self.outdated.contains(path));
        kept.retain(|path| self.root.join(path).is_file());
        let objects = self
            .files
            .iter()
            .filter(|file| file.is_object())
            .map(|file| file.path.clone());
        let listed = objects.chain(kept).collect();
        self.files.push(OutputFile::kustomization(listed));
        self.gone = gone;
    }

    /// Applies the changes.
    ///
    /// # Errors
    /// An I/O error, or a file that promgen did not write is in the way.
    pub(super) fn write(
        &self,
        access: fs::Access,
        replaces: fs::Replaces,
        io: &mut Io<'_>,
    ) -> io::Result<fs::TreeChanges> {
        let tree = fs::FileTree {
            root: self.root,
            files: &self.files,
            folders: &self.workloads,
            gone: &self.gone,
            is_outdated: &|path| self.outdated.contains(path),
        };
        let changes = fs::write_tree(&tree, access, replaces)?;
        self.outdated.note_paused(self.root, io);
        Ok(changes)
    }
}

/// The list of objects in a folder.
enum FileList {
    /// The list does not exist.
    None,
    /// The list of an earlier run: its files, without any outside of the folder or any that promgen does not write.
    Own(Vec<String>),
    /// A list that promgen did not write.
    Foreign,
}

impl FileList {
    fn read(root: &Path) -> Result<Self, Failure> {
        let Some(text) = fs::read_list(root, KUSTOMIZATION).map_err(Failure::message)? else {
            return Ok(Self::None);
        };
        if text.trim().is_empty() {
            return Ok(Self::None);
        }
        if !text.lines().any(|line| line.trim_end() == COMMENT) {
            return Ok(Self::Foreign);
        }
        let parsed = read(FileId::new(0), &text, &mut Sink::default());
        let resources = parsed
            .iter()
            .filter_map(|document| document.root.get("resources"))
            .flat_map(Node::items);
        let paths = resources
            .filter_map(Node::as_str)
            .filter(|path| below_workload(path).is_some());
        Ok(Self::Own(paths.map(str::to_owned).collect()))
    }
}

fn foreign(path: &Path) -> Failure {
    Failure::message(format!(
        "cannot write `{0}`: it exists and promgen did not write it; write to another folder, and add that folder \
         to the resources of `{0}`, or use --force to replace it",
        path.display()
    ))
}
