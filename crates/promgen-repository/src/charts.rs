//! Releases of charts: who states one, with which values, and what promgen makes of it.
//!
//! In: the objects of a run, and the texts of its files. Out: [`Release`]s, and the objects of those whose chart is known.

mod argo;
mod embedded;
mod files;
mod flux;
mod helmfile;
mod inline;
mod made;
mod node;
mod private;
mod release;
pub mod rules;
mod stack;
mod template;
mod umbrella;
mod unknown_keys;

pub(crate) use embedded::root as values;
pub(crate) use files::ChartFiles;
pub(crate) use inline::{inflate, is_inflated};
pub(crate) use made::{Made, make};
pub(crate) use release::{Objects, Release};

use promgen_text::yaml::Node;

/// The releases that an object of Flux or Argo CD states.
pub(crate) fn stated(root: &Node, objects: &Objects<'_>, files: &ChartFiles<'_>) -> Vec<Release> {
    let text = |key: &str| root.get(key).and_then(Node::as_str).unwrap_or_default();
    match (text("apiVersion").split('/').next().unwrap_or_default(), text("kind")) {
        ("helm.toolkit.fluxcd.io", "HelmRelease") => flux::release(root, objects, files).into_iter().collect(),
        ("argoproj.io", "Application") => argo::application(root, files),
        ("argoproj.io", "ApplicationSet") => argo::set(root, files),
        _ => Vec::new(),
    }
}

/// The releases of files that are no objects: helmfiles, and charts that nobody applies.
pub(crate) fn of_files(files: &ChartFiles<'_>) -> Vec<Release> {
    let mut releases = helmfile::releases(files);
    releases.extend(umbrella::unapplied(files));
    releases
}
