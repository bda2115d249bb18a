//! Releases of charts: who states one, with which values, and what promgen makes of it.
//!
//! In: the objects of a run, and the texts of its files. Out: releases, and the objects of those whose chart is known.

mod argo;
mod beside;
mod clusters;
mod definitions;
mod faults;
mod files;
mod flux;
mod generators;
mod helmfile;
mod inline;
mod node;
mod objects;
mod private;
mod release;
mod rendering;
pub mod rules;
mod scrape_fields;
mod set_flag;
mod stack;
mod template;
mod umbrella;
mod unknown_keys;
mod unread;

pub use template::MAX_EXPANDED;

/// The values of kube-prometheus-stack that workloads are made of.
pub mod spec_values {
    use promgen_resources::api::Kind;

    pub use super::stack::{below, field_of};
    use super::{stack, unknown_keys};

    /// The maps of values that workloads are made of, each with the kind that it makes.
    pub fn maps() -> impl Iterator<Item = (&'static [&'static str], Kind)> {
        let kinds = [Kind::Prometheus, Kind::Alertmanager, Kind::ThanosRuler];
        unknown_keys::MAPS.into_iter().zip(kinds)
    }

    /// Returns whether a map of values is of the chart, by keys that no other chart has. `has`: whether it has
    /// something at a path.
    pub fn is_marked(has: impl Fn(&[&str]) -> bool) -> bool {
        unknown_keys::MAPS
            .into_iter()
            .chain(stack::MARKS.iter().copied())
            .any(has)
    }

    /// The keys that such a map has in some version of the chart, in the order of their names.
    #[must_use]
    pub fn keys(map: &[&str]) -> Vec<&'static str> {
        let mut keys = stack::keys(map);
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// Versions of charts, and ranges of them.
pub mod versions {
    pub use super::stack::versions::{allows, operator};

    /// The newest version of kube-prometheus-stack that promgen knows.
    #[must_use]
    pub fn newest() -> &'static str {
        super::stack::versions::newest().version
    }
}

/// The way releases of charts are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartOptions<'a> {
    /// The results of Helm for releases. `None`: it is not asked.
    pub rendered: Option<&'a Rendered>,
    /// The version of kube-prometheus-stack, in place of those that releases name.
    pub version: Option<&'a str>,
    /// Kustomize is told to read files that are not in or below the folder of their kustomization.
    pub is_unrestricted: bool,
}

pub(crate) use argo::has_read_values;
pub(crate) use files::ChartSources;
pub(crate) use inline::{inflate, is_inflated};
pub(crate) use node::{go_json, sha256};
pub use objects::ReleaseSources;
pub(crate) use objects::{PostRendered, ReleaseObject, ReleaseObjects, make};
pub(crate) use release::{ChartRelease, ReferredObjects};
pub use unread::UnreadCharts;

use promgen_resources::rendered::Rendered;
use promgen_text::source::{SourceFile, Sources};
use promgen_text::yaml::Node;

/// The releases that an object of Flux or Argo CD states.
pub(crate) fn stated(
    root: &Node,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
) -> Vec<ChartRelease> {
    let text = |key: &str| root.text_of(key).unwrap_or_default();
    match (
        text("apiVersion").split('/').next().unwrap_or_default(),
        text("kind"),
    ) {
        ("helm.toolkit.fluxcd.io", "HelmRelease") => {
            flux::releases(root, objects, files).unwrap_or_default()
        }
        ("argoproj.io", "Application") => argo::application(root, files),
        ("argoproj.io", "ApplicationSet") => argo::set(root, files),
        _ => Vec::new(),
    }
}

/// The Applications that an ApplicationSet makes.
pub(crate) fn applications(set: &Node, files: &ChartSources<'_>) -> Vec<Node> {
    argo::applications(set, files)
}

pub(crate) use generators::resources;

/// The cluster that the spec of an Application names.
pub(crate) fn destination(spec: &Node, files: &ChartSources<'_>) -> Option<String> {
    files.clusters.destination(spec)
}

/// Adds the charts that helmfiles name, and promgen does not compile.
pub(crate) fn add_unread(sources: &Sources, unread: &mut UnreadCharts) {
    let is_helmfile =
        |file: &SourceFile| file.name.contains("helmfile") && file.text.contains("releases:");
    if !unread.is_asked && sources.files().any(|(_, file)| is_helmfile(file)) {
        let entries = helmfile::entries(&ChartSources::new(sources, false));
        entries.iter().for_each(|entry| unread.add(entry, true));
    }
}

/// The releases of files that are no objects: helmfiles, and charts that nobody applies.
pub(crate) fn of_files(files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let mut releases = helmfile::releases(files);
    releases.extend(umbrella::unapplied(files));
    releases
}
