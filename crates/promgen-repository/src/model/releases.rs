//! The releases of charts in builds: their objects, where they belong.
//!
//! What Flux applies with a HelmRelease is a part of the build that holds it. What Argo CD and helmfile apply, and a chart
//! that nobody applies, are builds of their own.

use std::collections::BTreeSet;

use promgen_text::diag::Sink;
use promgen_text::origin::Applier;
use promgen_text::source::Span;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

use super::Build;
use super::facts::{DocumentFacts, kind_and_name};
use super::listed::with_listed;
use crate::charts::{
    ChartRelease, ChartSources, PostRendered, ReferredObjects, ReleaseObject, ReleaseObjects,
    UnreadCharts, make, of_files, stated,
};
use crate::kustomize::budget::{Budget, Spent, weight};
use crate::kustomize::build::post_render;
use crate::kustomize::fault::BuildFault;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::store::Store;
use crate::path::{base_name, folder, join};
use promgen_text::CollectOrdered;

/// The cost of the objects of a release besides their values.
const OVERHEAD: usize = 64 << 10;

/// Adds the objects of all releases, and the charts of those that have none. Those that exceed a limit have none.
pub(super) fn add(
    builds: &mut Vec<Build>,
    unread: &mut UnreadCharts,
    store: &Store<'_>,
    spent: Spent,
    sink: &mut Sink,
) {
    let (sources, asks_helm) = (store.sources, store.charts.rendered.is_some());
    let is_stated = builds
        .iter()
        .any(|build| build.has(|facts| facts.is_release));
    let may_hold = |name: &str, text: &str| may_hold_release(name, text, asks_helm);
    if !is_stated
        && !sources
            .files()
            .any(|(_, file)| may_hold(base_name(&file.name), &file.text))
    {
        return;
    }
    let objects = builds
        .iter()
        .flat_map(|build| build.documents.iter().map(|document| &*document.root));
    let files = ChartSources::new(sources, asks_helm).with_clusters(objects);
    let mut maker = Maker {
        store,
        budget: Budget::new(store.limits, spent),
        refused: None,
        sink,
    };
    let all: Vec<ParsedDocument> = match is_stated {
        true => builds
            .iter()
            .flat_map(|build| all_of(&build.documents))
            .collect(),
        false => Vec::new(),
    };
    let mut others = Vec::new();
    for build in builds.iter_mut() {
        others.extend(maker.add_stated(build, &all, &files, unread));
    }
    others.extend(maker.of_files(builds, &others, &files));
    others.retain(|build| !build.documents.is_empty() || build.says_something());
    maker.conclude();
    builds.extend(others);
}

/// Documents, each with the objects in it if it is a list.
fn all_of<'d>(
    documents: impl IntoIterator<Item = &'d ParsedDocument>,
) -> impl Iterator<Item = ParsedDocument> {
    with_listed(documents.into_iter().map(|document| (document, ())))
        .into_iter()
        .map(|(document, ())| document)
}

/// Returns whether an object states a release.
pub(super) fn is_release(root: &Node) -> bool {
    let text = |key: &str| root.text_of(key).unwrap_or_default();
    match text("kind") {
        "HelmRelease" => text("apiVersion").starts_with("helm.toolkit.fluxcd.io/"),
        "Application" | "ApplicationSet" => text("apiVersion").starts_with("argoproj.io/"),
        _ => false,
    }
}

fn is_of_flux(root: &Node) -> bool {
    root.text_of("kind") == Some("HelmRelease")
}

/// Returns whether a file that holds no objects may state a release.
fn may_hold_release(name: &str, text: &str, asks_helm: bool) -> bool {
    (name == "Chart.yaml" || name.contains("helmfile") || text.contains("releases:"))
        && (asks_helm || text.contains("kube-prometheus-stack"))
}

/// Puts what a release makes into a build. `from`: what states it.
fn take(build: &mut Build, made: ReleaseObjects, from: Span) {
    if !made.objects.is_empty() {
        build.files.insert(from.file);
        build.files.extend(&made.sources.files);
    }
    build.copies.extend(&made.sources.secret);
    build.documents.extend(made.documents(from));
    build.found.extend(made.found);
    build.operators.extend(made.operator);
    build.releases.push(made.sources);
}

/// Returns whether Helm applies a document.
fn is_of_helm(document: &ParsedDocument) -> bool {
    document
        .origin
        .release()
        .is_some_and(|release| release.applier == Applier::Helm)
}

fn post_rendered(object: BuiltObject) -> PostRendered {
    let id = object.ids.first().cloned().unwrap_or_else(|| object.id());
    PostRendered {
        id,
        is_open: object.is_open,
        root: object.node,
    }
}

/// Makes releases within a budget.
struct Maker<'m> {
    store: &'m Store<'m>,
    budget: Budget,
    refused: Option<BuildFault>,
    sink: &'m mut Sink,
}

impl Maker<'_> {
    /// Adds the releases that the objects of a build state, and returns those that are applied elsewhere. `all`: the objects of
    /// all builds.
    fn add_stated(
        &mut self,
        build: &mut Build,
        all: &[ParsedDocument],
        files: &ChartSources<'_>,
        unread: &mut UnreadCharts,
    ) -> Vec<Build> {
        let releases = build
            .documents
            .iter()
            .filter(|document| DocumentFacts::of(&document.root).is_release);
        let releases: Vec<ParsedDocument> = all_of(releases)
            .filter(|document| is_release(&document.root))
            .collect();
        let mut others = Vec::new();
        if releases.is_empty() {
            return others;
        }
        let near: Vec<ParsedDocument> = all_of(&build.documents).collect();
        for document in &releases {
            if self.refused.is_some() {
                break;
            }
            let releases = stated(&document.root, &ReferredObjects { near: &near, all }, files);
            let (mut is_made, mut is_rendered) = (false, !releases.is_empty());
            for release in releases {
                let Some(mut made) = self.make(&release) else {
                    continue;
                };
                is_made |= !made.objects.is_empty();
                is_rendered &= made.sources.is_rendered;
                self.post_render(&mut made, &document.root);
                build.definitions = build.definitions.take().max(made.definitions.clone());
                if release.cluster.is_none() && is_of_flux(&document.root) {
                    take(build, made, document.span);
                } else {
                    let mut other = Build {
                        cluster: release.cluster,
                        is_partial: build.is_partial,
                        start: build.start.clone(),
                        ..Build::new(&build.folder)
                    };
                    take(&mut other, made, document.span);
                    others.push(other);
                }
            }
            if !is_rendered {
                unread.add(&document.root, is_made);
            }
        }
        others
    }

    /// The releases that files state, but for those that `builds` and `others` have.
    fn of_files(
        &mut self,
        builds: &[Build],
        others: &[Build],
        files: &ChartSources<'_>,
    ) -> Vec<Build> {
        let stated = builds
            .iter()
            .flat_map(|build| &build.documents)
            .filter(|of| is_of_helm(of));
        let stated = stated.chain(others.iter().flat_map(|build| &build.documents));
        let known: BTreeSet<_> = stated
            .map(|document| kind_and_name(&document.root))
            .collect_set();
        let made = builds.iter().chain(others);
        made.flat_map(|build| &build.releases)
            .filter_map(|release| release.chart.as_deref())
            .for_each(|folder| files.apply(folder));
        let mut found = Vec::new();
        for release in of_files(files) {
            let Some(made) = self.make(&release) else {
                continue;
            };
            // A release that something else states is only prepared there.
            let is_known = |object: &ReleaseObject| known.contains(&kind_and_name(&object.root));
            if made.objects.iter().any(is_known) {
                continue;
            }
            let path = join(".", &self.store.sources.file(release.span.file).name);
            let mut build = Build::new(folder(&path));
            take(&mut build, made, release.span);
            found.push(build);
        }
        found
    }

    fn make(&mut self, release: &ChartRelease) -> Option<ReleaseObjects> {
        let n_bytes = OVERHEAD.saturating_add(weight(&release.values.root).saturating_mul(3));
        self.spend(n_bytes, release)?;
        let charts = self.store.charts;
        let made = make(release, charts);
        if charts.rendered.is_some() && !made.is_lacking && made.sources.wanted.is_none() {
            let n_bytes = made.objects.iter().map(|object| weight(&object.root)).sum();
            self.spend(n_bytes, release)?;
        }
        Some(made)
    }

    /// Spends bytes for a release. `None`: there are not as many left.
    fn spend(&mut self, n_bytes: usize, release: &ChartRelease) -> Option<()> {
        let fault = self.budget.write(n_bytes, release.span).err();
        let is_spent = fault.is_none();
        self.refused = self.refused.take().or(fault);
        is_spent.then_some(())
    }

    /// Applies the post-renderers of what states a release, one after the other.
    fn post_render(&self, made: &mut ReleaseObjects, stated: &Node) {
        if made.objects.is_empty() || !is_of_flux(stated) {
            return;
        }
        for renderer in stated.items_at(&["spec", "postRenderers"]) {
            made.post_render(|objects| {
                let changed = post_render(
                    self.store,
                    objects,
                    renderer.get("kustomize")?,
                    &self.budget,
                )
                .ok()?;
                Some(changed.into_iter().map(post_rendered).collect())
            });
        }
    }

    fn conclude(self) {
        if let Some(fault) = self.refused {
            self.sink.report(fault.diagnostic());
        }
    }
}
