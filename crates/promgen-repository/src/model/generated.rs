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
use promgen_text::CollectOrdered;

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
        let inner = self.kustomizations.iter().filter(|inner| is_in(inner));
        let inner: BTreeSet<&str> = inner
            .filter_map(|inner| below(inner, &folder))
            .collect_set();
        // Flux does not look into a folder that has one.
        let is_free = |path: &&str| !ancestors(path).any(|around| inner.contains(around));
        let files = self
            .objects
            .keys()
            .filter(|file| is_within(&folder, file) && is_in(file));
        let files = files.filter_map(|file| below(file, &folder));
        let folders = inner.iter().copied().filter(is_free);
        let resources: Vec<(&str, bool)> = folders
            .map(|inner| (inner, true))
            .chain(files.filter(is_free).map(|file| (file, false)))
            .collect();
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
        ..PathReference::default()
    };
    GeneratedKustomization {
        root,
        references: resources.iter().map(reference).collect(),
    }
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::Sources;
    use promgen_text::yaml::read::read;

    use super::*;

    /// The resources of what Flux generates in `apps`, by the folders that have a kustomization and the other manifests.
    fn resources(kustomizations: &[&str], manifests: &[&str]) -> Vec<String> {
        const FLUX: &str = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {path: ./apps}}";
        const OBJECT: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
        let (mut sources, mut documents) = (Sources::default(), Vec::new());
        let all = manifests.iter().map(|name| (*name, OBJECT));
        for (name, text) in all.chain([("flux.yaml", FLUX)]) {
            let file = sources.add(name.to_owned(), text.to_owned());
            documents.extend(read(file, text, &mut Sink::default()));
        }
        let folders = kustomizations.iter().map(|of| (*of).to_owned()).collect();
        let generated = super::super::generated(&documents, &sources, &folders);
        let references = generated.get("apps").map(|made| &made.references);
        let path = |of: &PathReference| of.path.clone();
        references.into_iter().flatten().map(path).collect()
    }

    #[test]
    fn a_folder_with_a_kustomization_is_one_resource() {
        for beside in ["db-backup", "db.old", "dc"] {
            let inner = ["apps/db", "apps/db/x/y", &format!("apps/{beside}")];
            assert_eq!(
                resources(&inner, &["apps/db/x/y/a.yaml", "apps/b.yaml"]),
                ["db", beside, "b.yaml"]
            );
        }
        // Folders without one lie between.
        assert_eq!(
            resources(
                &["apps/x-y/z", "apps/x/y", "apps/x/y-z"],
                &["apps/x/a.yaml", "apps/c.yaml"]
            ),
            ["x-y/z", "x/y", "x/y-z", "c.yaml", "x/a.yaml"]
        );
        assert_eq!(resources(&["apps"], &["apps/a.yaml"]), [""; 0]);
    }
}
