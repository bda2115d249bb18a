//! Releases of charts, and templates, that are not read: what they make may be what is selected.
//!
//! In: the objects of an environment, the charts that nobody has rendered, and the texts without an object. Out: the release that may
//! make an object with certain labels, by its name or that of its chart, or the template in which their values stand.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::World;
use promgen_prometheus::labels::{Operator, Selector};
use promgen_repository::layout::has_template_actions;
use promgen_repository::path::{self, base_name};
use promgen_resources::document::Manifest;
use promgen_targets::resolve::labelled::NamespaceScope;
use promgen_text::CollectOrdered;
use promgen_text::source::FileId;
use promgen_text::yaml::Node;

/// A release whose chart is not read.
struct UnreadRelease {
    /// `HelmRelease office/printer-exporter`
    what: String,
    /// Its names, and those of its chart.
    names: Vec<String>,
    /// The namespace of what it makes, if it says so.
    namespace: Option<String>,
}

/// The releases of an environment whose charts are not read, and the templates that are not, listed when one is asked for.
#[derive(Default)]
pub struct UnreadReleases(OnceCell<(Vec<UnreadRelease>, BTreeMap<String, FileId>)>);

impl UnreadReleases {
    /// What may make what a selector asks for, with the reason: a release, if a value that it requires is the name of the release or
    /// of its chart, or begins with one; or a template that has such a value as a word.
    pub fn may_make(
        &self,
        model: &World<'_>,
        selector: &Selector,
        scope: &NamespaceScope<'_>,
    ) -> Option<String> {
        let asks = |operator| matches!(operator, Operator::Equals | Operator::In);
        let required = selector
            .requirements()
            .iter()
            .filter(|required| asks(required.operator));
        let values: Vec<&String> = required.flat_map(|required| &required.values).collect();
        let is_of = |value: &str, name: &str| {
            value
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let makes = |release: &&UnreadRelease| {
            let is_there = release
                .namespace
                .as_deref()
                .is_none_or(|namespace| scope.has(namespace));
            is_there
                && release
                    .names
                    .iter()
                    .any(|name| values.iter().any(|value| is_of(value, name)))
        };
        let (releases, templates) = self.0.get_or_init(|| (all(model), templates(model)));
        let of_release =
            |release: &UnreadRelease| format!("{}, whose chart is not read,", release.what);
        let of_template = |file: &FileId| {
            let name = &model.sources().file(*file).name;
            format!("the template `{name}`, which is not read,")
        };
        let release = releases.iter().find(makes).map(of_release);
        release.or_else(|| {
            let has = values.iter().find_map(|value| templates.get(*value));
            has.map(of_template)
        })
    }
}

/// The words of the files with actions of a template that no object comes from, each with the first file that has it.
fn templates(model: &World<'_>) -> BTreeMap<String, FileId> {
    let read: BTreeSet<FileId> = model
        .manifests()
        .iter()
        .map(|manifest| manifest.node.span.file)
        .collect_set();
    let is_between = |c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c);
    let mut words = BTreeMap::new();
    for (id, file) in model.sources().files() {
        if !read.contains(&id) && has_template_actions(file) {
            for word in file.text.split(is_between) {
                if !words.contains_key(word) {
                    words.insert(word.to_owned(), id);
                }
            }
        }
    }
    words
}

fn all(model: &World<'_>) -> Vec<UnreadRelease> {
    // Helm has rendered what it was asked for.
    if model
        .documents()
        .iter()
        .any(|document| document.origin.is_rendered())
    {
        return Vec::new();
    }
    let files = ReadPaths(
        model
            .sources()
            .files()
            .map(|(_, file)| path::join(".", &file.name))
            .collect(),
    );
    let stated = model
        .manifests()
        .iter()
        .filter_map(|manifest| of_manifest(&files, &manifest));
    let of_chart = |name: &String| UnreadRelease {
        what: format!("chart {name}"),
        names: vec![name.clone()],
        namespace: None,
    };
    stated
        .chain(model.unknowns().unread_charts.iter().map(of_chart))
        .collect()
}

/// The release that an object of Flux, Argo CD or k3s states.
fn of_manifest(files: &ReadPaths, manifest: &Manifest<'_>) -> Option<UnreadRelease> {
    let spec = manifest.node.get("spec")?;
    let text =
        |node: &Node, keys: &[&str]| node.find(keys).and_then(Node::as_str).map(str::to_owned);
    let own = manifest.namespace.map(str::to_owned);
    let (names, namespace) = match (manifest.group, manifest.kind) {
        ("helm.toolkit.fluxcd.io", "HelmRelease") => (
            vec![
                text(spec, &["releaseName"]),
                text(spec, &["chart", "spec", "chart"]),
            ],
            text(spec, &["targetNamespace"]).or(own),
        ),
        ("helm.cattle.io", "HelmChart") => (
            vec![text(spec, &["chart"])],
            text(spec, &["targetNamespace"]).or(own),
        ),
        ("argoproj.io", "Application") => {
            let sources = spec
                .get("source")
                .into_iter()
                .chain(spec.items_of("sources"));
            let is_chart = |source: &&Node| {
                let path = text(source, &["path"]).unwrap_or_default();
                source.get("chart").is_some() || !path.is_empty() && !files.are_read(&path)
            };
            let charts = sources.filter(is_chart);
            let names: Vec<_> = charts
                .flat_map(|source| {
                    [
                        text(source, &["chart"]),
                        text(source, &["helm", "releaseName"]),
                    ]
                })
                .collect();
            // An Application of what is read makes nothing else.
            if names.is_empty() {
                return None;
            }
            (names, text(spec, &["destination", "namespace"]))
        }
        _ => return None,
    };
    let names = names
        .into_iter()
        .flatten()
        .map(|name| base_name(&name).to_owned())
        .chain([manifest.name.to_owned()]);
    let names = names.filter(|name| !name.is_empty()).collect();
    let what = match manifest.namespace {
        Some(of) => format!("{} {of}/{}", manifest.kind, manifest.name),
        None => format!("{} {}", manifest.kind, manifest.name),
    };
    Some(UnreadRelease {
        what,
        names,
        namespace,
    })
}

/// The paths of all files that are read.
struct ReadPaths(BTreeSet<String>);

impl ReadPaths {
    /// Returns whether the files of a folder of the repository are read as they are: there are some, and none makes it a chart.
    fn are_read(&self, folder: &str) -> bool {
        let folder = path::join(".", folder);
        let chart = path::join(&folder, CHART);
        let first = if folder == "." {
            self.0.first()
        } else {
            self.0.range(format!("{folder}/")..).next()
        };
        first.is_some_and(|first| path::is_within(&folder, first)) && !self.0.contains(&chart)
    }
}

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";
