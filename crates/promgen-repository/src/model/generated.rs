//! The kustomizations that Flux generates: of a path without one, it makes one of all manifests below it.
//!
//! In: the files of a run, and the paths that Flux applies. Out: for each path that holds manifests and no kustomization, what
//! Flux generates there: a folder below it that has a kustomization is one resource, and so is any other manifest.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::{FileId, Span};
use promgen_text::yaml::edit;

use super::applied::FluxPath;
use super::artifact::ArtifactPatterns;
use crate::kustomize::read::gather::PathReference;
use crate::kustomize::read::store::GeneratedKustomization;
use crate::path::{ancestors, below, child, is_within};

/// The files of a run, as Flux sees them.
pub(super) struct ScannedFiles<'f> {
    /// The manifests whose documents are all objects of Kubernetes: Flux takes no other.
    pub(super) objects: &'f BTreeMap<String, FileId>,
    /// The folders that have a kustomization.
    pub(super) kustomizations: &'f BTreeSet<String>,
    /// What Flux leaves out.
    pub(super) patterns: &'f ArtifactPatterns,
}

impl ScannedFiles<'_> {
    /// What Flux generates in the folder of a path; `None` if the path has a kustomization, or no manifests.
    pub(super) fn generate(&self, of: FluxPath<'_>) -> Option<(String, GeneratedKustomization)> {
        let folder = self.folder(of.path)?;
        if self.kustomizations.contains(&folder) {
            return None;
        }
        let source = of.source(&folder)?;
        let is_in = |file: &str| self.patterns.leave_out(source, file).is_none();
        let mut resources: Vec<(&str, bool)> = Vec::new();
        let inner = self.kustomizations.iter().filter(|inner| is_in(inner));
        let inner = inner.filter_map(|inner| Some((below(inner, &folder)?, true)));
        for (inner, is_folder) in inner {
            // Flux does not look into a folder that has one.
            if !resources
                .last()
                .is_some_and(|(last, _)| is_within(last, inner))
            {
                resources.push((inner, is_folder));
            }
        }
        let is_taken = |path: &str, folders: &[(&str, bool)]| {
            folders.iter().any(|(inner, _)| is_within(inner, path))
        };
        let files = self
            .objects
            .keys()
            .filter(|file| is_within(&folder, file) && is_in(file));
        let files = files.filter_map(|file| below(file, &folder));
        let files: Vec<_> = files
            .filter(|file| !is_taken(file, &resources))
            .map(|file| (file, false))
            .collect();
        resources.extend(files);
        (!resources.is_empty()).then(|| (folder.clone(), kustomization(&resources, of.span)))
    }

    /// The folder of a path of the repository, which may begin above the files of the run.
    fn folder(&self, path: &str) -> Option<String> {
        let begins = child(path, "");
        if self
            .objects
            .range(begins..)
            .next()
            .is_some_and(|(file, _)| is_within(path, file))
        {
            return Some(path.to_owned());
        }
        let end = format!("/{path}");
        let folders = self.objects.keys().flat_map(|file| ancestors(file));
        folders
            .filter(|folder| folder.ends_with(&end))
            .min_by_key(|folder| folder.len())
            .map(str::to_owned)
    }
}

fn kustomization(resources: &[(&str, bool)], place: Span) -> GeneratedKustomization {
    let items = resources.iter().map(|(path, _)| edit::text(*path, place));
    let mut root = edit::map(place);
    let list = edit::list_of(items.collect(), place);
    edit::set(&mut root, "resources", place, list);
    let reference = |(path, is_folder): &(&str, bool)| PathReference {
        path: (*path).to_owned(),
        may_be_folder: *is_folder,
        is_resource: true,
        is_private: false,
        target: None,
    };
    GeneratedKustomization {
        root,
        references: resources.iter().map(reference).collect(),
    }
}
