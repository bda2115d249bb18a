//! The kustomizations of a run: which include which, and what they make.

use promgen_text::diag::count::counted;
use promgen_text::diag::{Level, Sink};
use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::source::FileId;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Node};
use rayon::prelude::*;

use super::{Build, BuildKind};
use crate::kustomize::build::build;
use crate::kustomize::fault::Fault;
use crate::kustomize::read::gather::Reference;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::store::Store;
use crate::layout::with_lines;
use crate::path::{is_remote, join};

/// What one kustomization names.
#[derive(Debug, Default)]
struct Links {
    is_component: bool,
    /// The folders that it includes.
    folders: Vec<String>,
    /// The files of objects that it includes.
    resources: Vec<FileId>,
    /// All files that it names, and its own.
    files: SortedSet<FileId>,
}

/// All kustomizations.
#[derive(Debug)]
pub(super) struct Kustomizations<'k, 's> {
    store: &'k Store<'s>,
    links: SortedMap<String, Links>,
    /// The folders that the user asks for.
    asked: &'k [String],
}

impl<'k, 's> Kustomizations<'k, 's> {
    /// Reads those in the folders that the user asks for, and all that they include.
    pub(super) fn read(store: &'k Store<'s>, asked: &'k [String]) -> Self {
        let mut kustomizations = Self { store, links: SortedMap::new(), asked };
        let mut todo: Vec<String> = asked.to_vec();
        while let Some(folder) = todo.pop() {
            if !kustomizations.links.contains_key(&folder) {
                let links = kustomizations.links_of(&folder);
                todo.extend(links.folders.iter().cloned());
                kustomizations.links.insert(folder, links);
            }
        }
        kustomizations
    }

    fn links_of(&self, folder: &str) -> Links {
        let mut links = Links::default();
        for file in self.store.kustomizations(folder) {
            links.files.insert(file.id);
            for Reference { path, may_be_folder, is_resource, .. } in self.store.references(file) {
                if path.is_empty() || is_remote(path) {
                    continue;
                }
                let path = join(folder, path);
                match self.store.file(&path) {
                    Some(file) => {
                        links.files.insert(file.id);
                        links.resources.extend(is_resource.then_some(file.id));
                    }
                    None if *may_be_folder && self.store.is_folder(&path) => links.folders.push(path),
                    None => {}
                }
            }
        }
        let kustomization = Kustomization::load(self.store, folder);
        links.is_component = matches!(kustomization, Some(Ok(kustomization)) if kustomization.is_component);
        links
    }

    /// Builds those that no other includes; of one that cannot be built, those that it includes. Also gives the files that
    /// belong to kustomizations, and so are no objects by themselves; and those of kustomizations that are not built.
    pub(super) fn build(&self, sink: &mut Sink) -> (Vec<Build<'s>>, SortedSet<FileId>, SortedSet<FileId>) {
        let included: SortedSet<&str> =
            self.links.values().flat_map(|links| links.folders.iter().map(String::as_str)).collect();
        let mut todo: Vec<&str> = self.asked.iter().map(String::as_str).filter(|f| !included.contains(f)).collect();
        // A circle has no first one.
        if todo.is_empty() {
            todo.extend(self.asked.first().map(String::as_str));
        }
        let (mut builds, mut seen, mut built) = (Vec::new(), SortedSet::new(), SortedSet::new());
        let mut faults = Vec::new();
        while !todo.is_empty() {
            todo.retain(|folder| self.links.get(*folder).is_some_and(|l| !l.is_component) && seen.insert(*folder));
            let results: Vec<_> = todo.par_iter().map(|folder| (*folder, self.build_one(folder))).collect();
            todo.clear();
            for (folder, result) in results {
                match result {
                    Some(Ok(build)) => {
                        built.extend(self.closure(folder));
                        builds.push(Build { is_partial: included.contains(folder), ..build });
                    }
                    Some(Err(fault)) => {
                        faults.push((folder, fault));
                        todo.extend(self.links[folder].folders.iter().map(String::as_str));
                    }
                    None => {}
                }
            }
        }
        faults.sort_by_key(|(folder, _)| *folder);
        report(&faults, sink);
        let (used, partial) = self.used(&built);
        (builds, used, partial)
    }

    fn build_one(&self, folder: &str) -> Option<Result<Build<'s>, Fault>> {
        let objects = build(self.store, folder)?;
        Some(objects.map(|objects| {
            let (documents, copies): (Vec<_>, Vec<_>) =
                objects.into_iter().map(|object| (parsed(object.node), object.copies)).unzip();
            let copies = copies.into_iter().flatten().collect();
            Build { copies, ..new_build(folder, documents) }
        }))
    }

    /// A kustomization and all that it includes.
    fn closure<'f>(&'f self, folder: &'f str) -> SortedSet<&'f str> {
        let (mut closure, mut todo) = (SortedSet::new(), vec![folder]);
        while let Some(folder) = todo.pop() {
            if closure.insert(folder) {
                todo.extend(self.links.get(folder).into_iter().flat_map(|l| l.folders.iter().map(String::as_str)));
            }
        }
        closure
    }

    /// The files that are no objects by themselves: all that kustomizations name, but for the resources of those that
    /// contribute to no build, which come second.
    fn used(&self, built: &SortedSet<&str>) -> (SortedSet<FileId>, SortedSet<FileId>) {
        let mut used: SortedSet<FileId> = self.links.values().flat_map(|links| links.files.iter().copied()).collect();
        let is_built = |folder: &String| built.contains(folder.as_str());
        let others = self.links.iter().filter(|(folder, _)| !is_built(folder));
        let mut partial: SortedSet<FileId> = others.flat_map(|(_, links)| links.resources.iter().copied()).collect();
        used.retain(|file| !partial.contains(file));
        let built = self.links.iter().filter(|(folder, _)| is_built(folder));
        used.extend(built.flat_map(|(_, links)| links.files.iter().copied()));
        partial.retain(|file| !used.contains(file));
        (used, partial)
    }
}

/// Reports kustomizations that are not built, all in one.
fn report(faults: &[(&str, Fault)], sink: &mut Sink) {
    let Some((_, first)) = faults.first() else { return };
    let mut diagnostic = first.diagnostic().level(Level::Info);
    diagnostic.message = format!("{} not built", counted(faults.len(), "kustomization"));
    sink.report(with_lines(diagnostic, faults.iter().map(|(folder, fault)| format!("{folder}: {}", fault.message))));
}

fn parsed(root: Node<'_>) -> ParsedDocument<'_> {
    let span = root.span;
    ParsedDocument { root, span }
}

fn new_build<'s>(folder: &str, documents: Vec<ParsedDocument<'s>>) -> Build<'s> {
    let mut files = SortedSet::new();
    let mut todo: Vec<&Node<'_>> = documents.iter().map(|document| &document.root).collect();
    while let Some(node) = todo.pop() {
        files.insert(node.span.file);
        match &node.data {
            Data::Seq(items) => todo.extend(items),
            Data::Map(entries) => todo.extend(entries.iter().map(|entry| &entry.value)),
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::String(_) => {}
        }
    }
    Build {
        folder: folder.to_owned(),
        kind: BuildKind::Kustomization,
        documents,
        files,
        is_partial: false,
        cluster: None,
        copies: SortedSet::new(),
    }
}
