//! The files of a run by their paths, for those who name one.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::{FileId, Sources, Unread};
use promgen_text::yaml::{Node, embedded};

use super::clusters::ClusterSecrets;
use super::generators::is_match;
use crate::path::{base_name, folder, join};

/// The number of steps that patterns of paths may take in a run.
const MAX_STEPS: u64 = 64 << 20;

/// All files of a run.
pub(crate) struct ChartSources<'s> {
    pub(super) sources: &'s Sources,
    by_path: BTreeMap<String, FileId>,
    /// Helm is asked to render releases.
    pub(super) asks_helm: bool,
    /// The folders of charts that something applies.
    applied: RefCell<BTreeSet<String>>,
    /// The steps that patterns of paths have taken.
    steps: Cell<u64>,
    /// The clusters of Argo CD.
    pub(super) clusters: ClusterSecrets,
}

impl<'s> ChartSources<'s> {
    /// The files of the sources.
    pub(crate) fn new(sources: &'s Sources, asks_helm: bool) -> Self {
        let by_path = sources
            .files()
            .map(|(id, file)| (join(".", &file.name), id))
            .collect();
        let clusters = ClusterSecrets::default();
        Self {
            sources,
            by_path,
            asks_helm,
            applied: RefCell::default(),
            steps: Cell::new(0),
            clusters,
        }
    }

    /// The files, with the clusters among objects.
    pub(crate) fn with_clusters<'n>(self, objects: impl Iterator<Item = &'n Node>) -> Self {
        Self {
            clusters: ClusterSecrets::of(objects),
            ..self
        }
    }

    /// The content of a file: its first document.
    pub(super) fn read(&self, path: &str) -> Option<Node> {
        let id = self.id(path)?;
        embedded::root(id, &self.sources.file(id).text)
    }

    /// Why a file of the input is not read, if it is not.
    pub(super) fn unread(&self, path: &str) -> Option<&Unread> {
        self.sources.file(self.id(path)?).unread.as_ref()
    }

    /// The number of a file.
    pub(super) fn id(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Returns whether there is a file.
    pub(super) fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// All paths, with their files.
    pub(super) fn paths(&self) -> impl Iterator<Item = (&str, FileId)> {
        self.by_path.iter().map(|(path, id)| (path.as_str(), *id))
    }

    /// Takes steps of matching paths. `false`: the run has taken too many.
    pub(super) fn take_steps(&self, n: usize) -> bool {
        self.steps.set(self.steps.get().saturating_add(n as u64));
        self.steps.get() <= MAX_STEPS
    }

    /// The path of a file that is named from the root of the repository. The run may have begun above or below it.
    pub(super) fn of_repository(&self, path: &str) -> Option<String> {
        let path = join(".", path.trim_start_matches('/'));
        if self.has(&path) {
            return Some(path);
        }
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short)
                .is_some_and(|rest| rest.ends_with('/'))
        };
        let mut found = self
            .by_path
            .keys()
            .filter(|own| is_end(own, &path) || is_end(&path, own));
        let first = found.next()?;
        found.next().is_none().then(|| first.clone())
    }

    /// The folder of a chart that is named from the root of the repository.
    pub(super) fn chart_folder(&self, path: &str) -> Option<String> {
        let chart = format!("{}/Chart.yaml", path.trim_end_matches('/'));
        self.of_repository(&chart)
            .map(|path| folder(&path).to_owned())
    }

    /// Takes note that something applies the chart in a folder.
    pub(crate) fn apply(&self, folder: &str) {
        self.applied.borrow_mut().insert(folder.to_owned());
    }

    /// Takes note that something may apply any chart whose folder is as a path with actions, which are not known.
    pub(super) fn apply_any(&self, path: &str) {
        let (mut pattern, mut rest) = ("**/".to_owned(), path.trim_matches('/'));
        while let Some((before, (_, behind))) = (rest.split_once("{{"))
            .and_then(|(before, inner)| Some((before, inner.split_once("}}")?)))
        {
            pattern = pattern + before + "*";
            rest = behind;
        }
        pattern += rest;
        // One that may be any says nothing.
        if !pattern.contains(char::is_alphanumeric) {
            return;
        }
        // An action may print several parts of a path.
        let parts = pattern.replace("/*/", "/**/");
        let parts = parts
            .strip_suffix("/*")
            .map_or(parts.clone(), |above| format!("{above}/**"));
        for path in self
            .by_path
            .keys()
            .filter(|path| base_name(path) == "Chart.yaml")
        {
            if is_match(&parts, folder(path)) {
                self.apply(folder(path));
            }
        }
    }

    /// Returns whether something does.
    pub(super) fn is_applied(&self, folder: &str) -> bool {
        self.applied.borrow().contains(folder)
    }
}
