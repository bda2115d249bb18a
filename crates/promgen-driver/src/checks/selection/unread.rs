//! Releases of charts that are not read: what they make may be what a monitor selects.
//!
//! In: the objects of an environment, and the texts of kustomizations. Out: the release that may make an object with certain
//! labels, by its name or that of its chart.

use crate::checks::View;
use promgen_prometheus::labels::{Operator, Selector};
use promgen_repository::path::base_name;
use promgen_resources::document::Manifest;
use promgen_targets::resolve::labelled::NamespaceScope;
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

/// The release that may make what a selector asks for: a value that it requires is the name of the release or of its chart, or
/// begins with one.
pub(super) fn may_make(model: &View<'_>, selector: &Selector, scope: &NamespaceScope<'_>) -> Option<String> {
    let asks = |operator| matches!(operator, Operator::Equals | Operator::In);
    let required = selector.requirements().iter().filter(|required| asks(required.operator));
    let values: Vec<&String> = required.flat_map(|required| &required.values).collect();
    let is_of =
        |value: &str, name: &str| value.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let makes = |release: &UnreadRelease| {
        let is_there = release.namespace.as_deref().is_none_or(|namespace| scope.has(namespace));
        is_there && release.names.iter().any(|name| values.iter().any(|value| is_of(value, name)))
    };
    all(model).into_iter().find(makes).map(|release| release.what)
}

fn all(model: &View<'_>) -> Vec<UnreadRelease> {
    // Helm has rendered what it was asked for.
    if model.documents.iter().any(|document| document.origin.is_rendered()) {
        return Vec::new();
    }
    let stated = model.lineage.input.manifests.iter().filter_map(|manifest| of_manifest(&manifest));
    stated.chain(of_kustomizations(model)).collect()
}

/// The release that an object of Flux, Argo CD or k3s states.
fn of_manifest(manifest: &Manifest<'_>) -> Option<UnreadRelease> {
    let spec = manifest.node.get("spec")?;
    let text = |node: &Node, keys: &[&str]| node.find(keys).and_then(Node::as_str).map(str::to_owned);
    let own = manifest.namespace.map(str::to_owned);
    let (names, namespace) = match (manifest.group, manifest.kind) {
        ("helm.toolkit.fluxcd.io", "HelmRelease") => (
            vec![text(spec, &["releaseName"]), text(spec, &["chart", "spec", "chart"])],
            text(spec, &["targetNamespace"]).or(own),
        ),
        ("helm.cattle.io", "HelmChart") => (vec![text(spec, &["chart"])], text(spec, &["targetNamespace"]).or(own)),
        ("argoproj.io", "Application") => {
            let sources = spec.get("source").into_iter().chain(spec.get("sources").map_or(&[][..], Node::items));
            let charts = sources.filter(|source| source.get("chart").is_some());
            let names: Vec<_> =
                charts.flat_map(|source| [text(source, &["chart"]), text(source, &["helm", "releaseName"])]).collect();
            if names.is_empty() {
                return None;
            }
            (names, text(spec, &["destination", "namespace"]))
        }
        _ => return None,
    };
    let names = names.into_iter().flatten().map(|name| base_name(&name).to_owned()).chain([manifest.name.to_owned()]);
    let names = names.filter(|name| !name.is_empty()).collect();
    let what = match manifest.namespace {
        Some(of) => format!("{} {of}/{}", manifest.kind, manifest.name),
        None => format!("{} {}", manifest.kind, manifest.name),
    };
    Some(UnreadRelease { what, names, namespace })
}

/// The releases that kustomizations inflate.
fn of_kustomizations(model: &View<'_>) -> Vec<UnreadRelease> {
    let is_kustomization = |name: &str| ["kustomization.yaml", "kustomization.yml", "Kustomization"].contains(&name);
    let files = model.sources.files().map(|(_, file)| file);
    let files = files.filter(|file| is_kustomization(base_name(&file.name)));
    let mut found = Vec::new();
    for file in files {
        let Some((_, charts)) = file.text.split_once("helmCharts:") else { continue };
        let value = |line: &str| {
            let (key, value) = line.trim_start_matches([' ', '-', '{']).split_once(':')?;
            let is_name = matches!(key.trim(), "name" | "releaseName");
            let value = value.trim().trim_matches(['"', '\'']).trim_end_matches(['}', ' ']);
            (is_name && !value.is_empty()).then(|| base_name(value).to_owned())
        };
        let names: Vec<String> = charts.split(['\n', ',']).filter_map(value).collect();
        found.push(UnreadRelease { what: format!("a chart of {}", file.name), names, namespace: None });
    }
    found
}
