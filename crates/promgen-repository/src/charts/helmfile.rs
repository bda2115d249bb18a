//! The releases of helmfiles.

use promgen_text::yaml::{Data, Node};

use super::embedded;
use super::files::ChartFiles;
use super::flux::stated;
use super::node::printed;
use super::release::{Given, Release, base};
use super::umbrella;
use crate::path::{base_name, folder, join};

/// Whether a file is called as helmfile expects.
fn is_helmfile(path: &str) -> bool {
    let name = base_name(path);
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    is_yaml
        && (name.starts_with("helmfile.") || name.starts_with("helmfile-") || base_name(folder(path)) == "helmfile.d")
}

/// The releases of all helmfiles.
pub(super) fn releases(files: &ChartFiles<'_>) -> Vec<Release> {
    let mut found = Vec::new();
    for (path, id) in files.paths().filter(|(path, _)| is_helmfile(path)) {
        let text = &files.sources.file(id).text;
        for part in text.split("\n---").filter(|part| part.contains("releases:")) {
            // Only a file of one document keeps its places; the others are few.
            let root = if part.len() == text.len() { embedded::root(id, text) } else { None };
            let Some(root) = root.or_else(|| files.read(path)) else { continue };
            let releases = root.get("releases").map_or(&[][..], Node::items);
            found.extend(releases.iter().filter_map(|release| of(release, &root, folder(path), files)));
        }
    }
    found
}

/// Whether a helmfile is there for the definitions of resources: a program takes those from its output.
fn installs_definitions(root: &Node) -> bool {
    let args = root.find(&["helmDefaults", "args"]).map_or(&[][..], Node::items);
    args.iter().any(|arg| arg.as_str() == Some("--include-crds"))
}

fn of(release: &Node, root: &Node, own: &str, files: &ChartFiles<'_>) -> Option<Release> {
    let is_off = |key: &str| release.get(key).is_some_and(|node| node.data == Data::Bool(false));
    if is_off("installed") {
        return None;
    }
    // What changes the objects afterwards may leave out any of them.
    let changes = |node: &Node| node.get("postRenderer").is_some();
    if changes(release) || root.get("helmDefaults").is_some_and(changes) || installs_definitions(root) {
        return None;
    }
    let chart = release.get("chart")?;
    let mut values = Given::new(release.span);
    for source in release.get("values").map_or(&[][..], Node::items) {
        match source.as_str() {
            None => values.add(source),
            Some(name) => match files.read(&join(own, name)) {
                Some(read) if !name.ends_with(".gotmpl") => values.add(&read),
                _ => values.miss(format!("file {name}"), source.span),
            },
        }
    }
    for parameter in release.get("set").map_or(&[][..], Node::items) {
        if let (Some(name), Some(value)) = (parameter.get("name").and_then(Node::as_str), parameter.get("value")) {
            values.set_text(name, value, false);
        }
    }
    for secret in release.get("secrets").map_or(&[][..], Node::items) {
        values.miss(format!("file {}", secret.as_str().unwrap_or_default()), secret.span);
    }
    let version = release.get("version");
    let namespace = release.get("namespace").or_else(|| root.find(&["helmDefaults", "namespace"]));
    let release = Release {
        name: release.get("name")?.as_str()?.to_owned(),
        namespace: namespace.and_then(stated),
        chart: base(chart.as_str()?).to_owned(),
        repository: chart.as_str()?.to_owned(),
        version: Some(version.and_then(printed).unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(chart.span, |version| version.span),
        span: root.span,
        values,
        cluster: None,
    };
    let local = chart.as_str().filter(|path| path.starts_with('.')).map(|path| join(own, path));
    match local.filter(|path| files.has(&join(path, "Chart.yaml"))) {
        Some(path) => umbrella::release(&path, files, &[], release),
        None => Some(release),
    }
}
