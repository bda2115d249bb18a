//! The releases of charts in builds: their objects, where they belong.
//!
//! What Flux applies with a HelmRelease is a part of the build that holds it. What Argo CD and helmfile apply, and a chart
//! that nobody applies, are builds of their own.

use std::collections::BTreeSet;

use promgen_text::diag::Sink;
use promgen_text::limits::Limits;
use promgen_text::shared::Shared;
use promgen_text::source::Sources;
use promgen_text::yaml::read::{DocumentOrigin, ParsedDocument};
use promgen_text::yaml::{Data, Node};

use super::facts::DocumentFacts;
use super::{Build, BuildKind, Noted};
use crate::charts::{ChartOptions, ChartRelease, ChartSources, Made, ReferredObjects, make, of_files, stated};
use crate::kustomize::budget::{Budget, Spent, weight};
use crate::kustomize::fault::BuildFault;
use crate::path::{base_name, folder, join};

/// The cost of the objects of a release besides their values.
const OVERHEAD: usize = 64 << 10;

/// Adds the objects of all releases. Those that exceed a limit have none.
pub(super) fn add(
    builds: &mut Vec<Build>,
    (sources, charts): (&Sources, ChartOptions<'_>),
    (limits, spent): (Limits, Spent),
    sink: &mut Sink,
) {
    let rendered = charts.rendered;
    let states_release = |document: &ParsedDocument| DocumentFacts::of(&document.root).is_release;
    let is_stated = builds.iter().any(|build| build.documents.iter().any(states_release));
    let may_hold = |name: &str, text: &str| may_hold_release(name, text, rendered.is_some());
    if !is_stated && !sources.files().any(|(_, file)| may_hold(base_name(&file.name), &file.text)) {
        return;
    }
    let files = ChartSources::new(sources, rendered.is_some());
    let budget = Budget::new(limits, spent);
    let mut maker = Maker { budget, charts, refused: None, sink };
    let all: Vec<ParsedDocument> = match is_stated {
        true => builds.iter().flat_map(|build| build.documents.iter().cloned()).collect(),
        false => Vec::new(),
    };
    let mut others = Vec::new();
    for build in builds.iter_mut() {
        let releases = build.documents.iter().filter(|document| DocumentFacts::of(&document.root).is_release);
        let releases: Vec<ParsedDocument> = releases.cloned().collect();
        for document in &releases {
            if maker.refused.is_some() {
                break;
            }
            let near = std::mem::take(&mut build.documents);
            let releases = stated(&document.root, &ReferredObjects { near: &near, all: &all }, &files);
            build.documents = near;
            for release in releases {
                let Some(made) = maker.make(&release) else { continue };
                build.releases.crds.extend(made.crds.map(|crds| (document.span, crds)));
                if release.cluster.is_none() && is_of_flux(&document.root) {
                    take(build, made, document);
                } else {
                    let mut other = new_build(&build.folder, release.cluster.clone());
                    other.is_partial = build.is_partial;
                    take(&mut other, made, document);
                    others.push(other);
                }
            }
        }
    }
    let mut known: BTreeSet<_> = builds.iter().flat_map(|build| build.releases.lenient.iter().cloned()).collect();
    known.extend(others.iter().flat_map(|build| build.documents.iter().map(|document| key(&document.root))));
    builds.iter().flat_map(|build| &build.releases.applied).for_each(|folder| files.apply(folder));
    for release in of_files(&files) {
        let Some(made) = maker.make(&release) else { continue };
        // A release that something else states is only prepared there.
        if made.objects.iter().any(|object| known.contains(&key(object))) {
            continue;
        }
        let path = join(".", &sources.file(release.span.file).name);
        let mut build = new_build(folder(&path), None);
        let root = Shared::new(Node { span: release.span, data: Data::Null });
        take(&mut build, made, &ParsedDocument { root, span: release.span, origin: DocumentOrigin::File });
        others.push(build);
    }
    others.retain(|build| !build.documents.is_empty() || build.releases.says_something());
    maker.conclude();
    builds.extend(others);
}

/// Whether an object states a release.
pub(super) fn is_release(root: &Node) -> bool {
    let text = |key: &str| root.get(key).and_then(Node::as_str).unwrap_or_default();
    match text("kind") {
        "HelmRelease" => text("apiVersion").starts_with("helm.toolkit.fluxcd.io/"),
        "Application" | "ApplicationSet" => text("apiVersion").starts_with("argoproj.io/"),
        _ => false,
    }
}

fn is_of_flux(root: &Node) -> bool {
    root.get("kind").and_then(Node::as_str) == Some("HelmRelease")
}

/// Whether a file that holds no objects may state a release.
fn may_hold_release(name: &str, text: &str, asks_helm: bool) -> bool {
    (name == "Chart.yaml" || name.contains("helmfile") || text.contains("releases:"))
        && (asks_helm || text.contains("kube-prometheus-stack"))
}

fn new_build(folder: &str, cluster: Option<String>) -> Build {
    Build {
        folder: folder.to_owned(),
        kind: BuildKind::Release,
        documents: Vec::new(),
        files: BTreeSet::new(),
        is_partial: false,
        open: BTreeSet::new(),
        cluster,
        copies: BTreeSet::new(),
        releases: Noted::default(),
    }
}

/// Puts what a release makes into a build.
fn take(build: &mut Build, mut made: Made, from: &ParsedDocument) {
    // Argo CD renders a chart and applies what comes out; Flux and helmfile let Helm do both.
    let is_of_helm = build.cluster.as_ref().is_none_or(|cluster| !cluster.starts_with("argo "));
    if !made.objects.is_empty() {
        build.files.insert(from.span.file);
        build.files.extend(&made.files);
    }
    build.copies.extend(&made.secret);
    build.releases.note(&made);
    build.releases.operators.extend(made.operator.take().map(|operator| (from.span, operator)));
    let documents = made.documents(from.span);
    if is_of_helm {
        build.releases.lenient.extend(documents.iter().map(|document| key(&document.root)));
    }
    build.releases.objects.extend(documents.iter().map(|document| document.root.clone()));
    build.documents.extend(documents);
}

fn key(object: &Node) -> (String, String, String) {
    let text = |keys: &[&str]| object.find(keys).and_then(Node::as_str).unwrap_or_default().to_owned();
    (text(&["kind"]), text(&["metadata", "namespace"]), text(&["metadata", "name"]))
}

/// Makes releases within a budget.
struct Maker<'m> {
    budget: Budget,
    charts: ChartOptions<'m>,
    refused: Option<BuildFault>,
    sink: &'m mut Sink,
}

impl Maker<'_> {
    fn make(&mut self, release: &ChartRelease) -> Option<Made> {
        let n_bytes = OVERHEAD.saturating_add(weight(&release.values.root).saturating_mul(3));
        if let Err(fault) = self.budget.write(n_bytes, release.span) {
            self.refused.get_or_insert(fault);
            return None;
        }
        let made = make(release, self.charts);
        if self.charts.rendered.is_none() || made.lacks || !made.wanted.is_empty() {
            return Some(made);
        }
        let n_bytes = made.objects.iter().map(weight).sum();
        if let Err(fault) = self.budget.write(n_bytes, release.span) {
            self.refused.get_or_insert(fault);
            return None;
        }
        Some(made)
    }

    fn conclude(self) {
        if let Some(fault) = self.refused {
            self.sink.report(fault.diagnostic());
        }
    }
}
