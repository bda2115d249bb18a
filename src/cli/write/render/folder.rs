//! The changes of `render -o DIR/` in a folder.
//!
//! In: an output and the folder. Out: one file for each object, a `kustomization.yaml` that lists them, and no
//! outdated files of an earlier run. Files that promgen did not write are never changed.

use std::io;
use std::path::{Path, PathBuf};

use crate::cli::spare::Spared;
use crate::cli::{Failure, fs};
use promgen_compile::output::generated::COMMENT;
use promgen_compile::output::{self, Emission, File, KUSTOMIZATION, Layout, Output, Part, is_generated};
use promgen_text::diag::Sink;
use promgen_text::sorted::SortedSet;
use promgen_text::source::FileId;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

/// The planned changes of a folder.
pub(super) struct FolderPlan<'o> {
    root: &'o Path,
    files: Vec<File<'o>>,
    workloads: Vec<output::Folder>,
    /// The parts to write.
    parts: SortedSet<Part>,
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
        spared: &Spared,
    ) -> Result<Self, Failure> {
        let mut files = output.files(emission);
        let parts = emission.outdated();
        let list = root.join(KUSTOMIZATION);
        let written: SortedSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let earlier = match FileList::read(&list)? {
            FileList::Own(paths) => paths,
            FileList::Foreign if emission.layout == Layout::PerShard => return Err(foreign(&list)),
            FileList::None | FileList::Foreign => Vec::new(),
        };
        let earlier = earlier.into_iter().filter(|path| !written.contains(path.as_str()));
        let (mut gone, mut kept): (Vec<_>, Vec<_>) =
            earlier.partition(|path| is_generated(below_workload(path).unwrap_or_default(), &parts));
        match emission.layout {
            Layout::PerShard => {
                kept.retain(|path| root.join(path).is_file());
                let objects = files.iter().filter(|file| file.is_object()).map(|file| file.path.clone());
                let listed = objects.chain(kept).collect();
                files.push(File::kustomization(listed));
            }
            // That tree is for review: some of its objects have no namespace, so it needs no list of resources.
            Layout::Operator if matches!(FileList::read(&list)?, FileList::Own(_)) => {
                gone.push(KUSTOMIZATION.to_owned())
            }
            Layout::Operator => {}
        }
        let targets: Vec<PathBuf> = files.iter().map(|file| root.join(&file.path)).collect();
        spared.check(targets.iter().map(PathBuf::as_path))?;
        Ok(Self { root, files, workloads: output.folders(), parts, gone })
    }

    /// Applies the changes.
    ///
    /// # Errors
    /// An I/O error.
    pub(super) fn write(&self, access: fs::Access) -> io::Result<()> {
        let is_ours = |path: &str| is_generated(path, &self.parts);
        fs::write_tree(self.root, access, &self.files, &self.workloads, is_ours, &self.gone)
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
    fn read(path: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            return Ok(Self::None);
        }
        let text = fs::read_text(path).map_err(Failure::message)?;
        if text.trim().is_empty() {
            return Ok(Self::None);
        }
        if !text.lines().any(|line| line.trim_end() == COMMENT) {
            return Ok(Self::Foreign);
        }
        let parsed = read(FileId(0), &text, &mut Sink::default());
        let resources = parsed.iter().filter_map(|document| document.root.get("resources")).flat_map(Node::items);
        let paths = resources.filter_map(Node::as_str).filter(|path| below_workload(path).is_some());
        Ok(Self::Own(paths.map(str::to_owned).collect()))
    }
}

fn foreign(path: &Path) -> Failure {
    Failure::message(format!(
        "cannot write `{0}`: it exists and promgen did not write it; write to another folder, and add that folder \
         to the resources of `{0}`",
        path.display()
    ))
}

/// The part of a path after `<kind>/<namespace>/<name>/`, if the path belongs to the tree.
fn below_workload(path: &str) -> Option<&str> {
    let mut parts = path.splitn(4, '/');
    let folders = [parts.next()?, parts.next()?, parts.next()?];
    let name = parts.next()?;
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\\');
    (folders.into_iter().all(is_plain) && name.split('/').all(is_plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_tree_are_taken_from_a_list() {
        assert_eq!(below_workload("prometheus/ns/main/secret-a.yaml"), Some("secret-a.yaml"));
        for path in ["../x/y/z.yaml", "prometheus/../../secret.yaml", "a/b/c", "a/b/c/../../../../etc/x", "/a/b/c/d"] {
            assert_eq!(below_workload(path), None, "{path}");
        }
    }
}
