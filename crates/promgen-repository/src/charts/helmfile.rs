//! The releases of helmfiles.

use promgen_resources::rendered::ChartRef;
use promgen_text::yaml::{Data, Node, embedded};

use super::files::ChartSources;
use super::flux::{asked, stated};
use super::node::printed;
use super::objects::concerns;
use super::release::{
    ChartRelease, GivenValues, MAX_RELEASES, MAX_SOURCES, RELEASE, base, subject,
};
use super::rendering::request;
use super::set_flag::{FlagKind, SetFlag};
use super::umbrella;
use crate::path::{base_name, folder, join};

/// Returns whether a file is called as helmfile expects.
fn is_helmfile(path: &str) -> bool {
    let name = base_name(path);
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    is_yaml
        && (name.starts_with("helmfile.")
            || name.starts_with("helmfile-")
            || base_name(folder(path)) == "helmfile.d")
}

/// The releases of all helmfiles.
pub(super) fn releases(files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let mut found = Vec::new();
    for (path, id) in files.paths().filter(|(path, _)| is_helmfile(path)) {
        let text = &files.sources.file(id).text;
        for part in text
            .split("\n---")
            .filter(|part| part.contains("releases:"))
        {
            // Only a file of one document keeps its places; the others are few.
            let root = if part.len() == text.len() {
                embedded::root(id, text)
            } else {
                None
            };
            let Some(root) = root.or_else(|| files.read(path)) else {
                continue;
            };
            let releases = root.items_of("releases");
            let made = releases
                .iter()
                .filter_map(|release| of(release, &root, folder(path), files))
                .flatten();
            found.extend(made.take(MAX_RELEASES.saturating_sub(found.len())));
        }
    }
    found
}

/// The entries of all helmfiles that name charts of other repositories.
pub(super) fn entries(files: &ChartSources<'_>) -> Vec<Node> {
    let is_off = |entry: &Node| {
        entry
            .get("installed")
            .is_some_and(|node| node.data == Data::Bool(false))
    };
    let is_local = |entry: &Node| {
        entry
            .text_of("chart")
            .is_none_or(|chart| chart.starts_with('.'))
    };
    let helmfiles = files
        .paths()
        .filter(|(path, _)| is_helmfile(path))
        .filter_map(|(path, _)| files.read(path));
    let entries = helmfiles.flat_map(|root| root.items_of("releases").to_vec());
    entries
        .filter(|entry| !is_off(entry) && !is_local(entry))
        .collect()
}

/// Returns whether a helmfile is there for the definitions of resources: a program takes those from its output.
fn installs_definitions(root: &Node) -> bool {
    let args = root.items_at(&["helmDefaults", "args"]);
    args.iter()
        .any(|arg| arg.as_str() == Some("--include-crds"))
}

/// The URL of the repository of a chart: an alias stands for one that the helmfile lists.
fn repository(chart: &str, root: &Node) -> String {
    let (alias, _) = chart.split_once('/').unwrap_or_default();
    let all = root.items_of("repositories");
    let is_it = |repository: &&Node| repository.text_of("name") == Some(alias);
    let Some(listed) = all.iter().find(is_it) else {
        return chart.to_owned();
    };
    let url = listed.text_of("url").unwrap_or_default();
    let is_oci = listed.is_true("oci");
    if is_oci {
        format!("oci://{url}")
    } else {
        url.to_owned()
    }
}

/// The values of a release: its files and maps, then what its flags set.
fn given(release: &Node, own: &str, files: &ChartSources<'_>) -> GivenValues {
    let mut values = GivenValues::new(release.span);
    // What a release inherits is below what it says itself.
    miss_key(release, "inherit", &mut values);
    for source in release.items_of("values").iter().take(MAX_SOURCES) {
        match source.as_str() {
            None => values.add(source),
            Some(name) => {
                let path = join(own, name);
                match files.read(&path) {
                    Some(read) if !name.ends_with(".gotmpl") => values.add_file(&read),
                    _ => values.miss_file(name, files.unread(&path), source.span),
                }
            }
        }
    }
    for secret in release.items_of("secrets") {
        values.miss_file(secret.as_str().unwrap_or_default(), None, secret.span);
    }
    let mut flags = Vec::new();
    for (key, kind) in [("set", FlagKind::Set), ("setString", FlagKind::SetString)] {
        for set in release.items_of(key) {
            let file = set.get("file").filter(|_| kind == FlagKind::Set);
            let of_value = flag(set, kind);
            let of_file = || {
                let (name, file) = (set.text_of("name")?, file?);
                let path = join(own, file.as_str()?);
                values.file_flag(&escaped(name), Some(&path), file, files)
            };
            flags.extend(of_value.or_else(of_file));
        }
    }
    values.set_all(flags);
    miss_key(release, "valuesTemplate", &mut values);
    miss_key(release, "setTemplate", &mut values);
    values
}

/// Takes note of values that a key of helmfile brings, which promgen does not read.
fn miss_key(release: &Node, key: &str, values: &mut GivenValues) {
    if let Some(node) = release.get(key).filter(|node| node.is_set()) {
        values.lack(format!("promgen does not read `{key}`"), node.span, None);
    }
}

/// The flag that helmfile makes of an item of `set` or `setString` without a file: a value, which must not be empty, or a list of values.
fn flag(set: &Node, kind: FlagKind) -> Option<SetFlag> {
    let one = set
        .get("value")
        .and_then(|node| Some((escaped(&printed(node)?), node.span)));
    let all = || {
        let list = set
            .get("values")
            .filter(|list| !list.items().is_empty() && set.get("file").is_none())?;
        let items = list.items().iter().filter_map(printed);
        let items: Vec<String> = items.map(|item| escaped(&item)).collect();
        Some((format!("{{{}}}", items.join(",")), list.span))
    };
    let (value, span) = one.filter(|(value, _)| !value.is_empty()).or_else(all)?;
    let at = escaped(set.text_of("name")?);
    Some(SetFlag {
        kind,
        at,
        value,
        span,
    })
}

/// A text in which Helm sees neither lists nor further assignments.
fn escaped(text: &str) -> String {
    let escape = |c: char| {
        let backslash = matches!(c, '{' | '}' | ',').then_some('\\');
        backslash.into_iter().chain([c])
    };
    text.chars().flat_map(escape).collect()
}

/// The releases of an entry: that of its chart, or those of the charts in it. `None` if nothing is known of what it makes.
fn of(
    release: &Node,
    root: &Node,
    own: &str,
    files: &ChartSources<'_>,
) -> Option<Vec<ChartRelease>> {
    let is_off = |key: &str| {
        release
            .get(key)
            .is_some_and(|node| node.data == Data::Bool(false))
    };
    if is_off("installed") {
        return None;
    }
    // What changes the objects afterwards may leave out any of them.
    let changes = |node: &Node| node.get("postRenderer").is_some();
    if changes(release)
        || root.get("helmDefaults").is_some_and(changes)
        || installs_definitions(root)
    {
        return None;
    }
    let chart = release.get("chart")?;
    let is_local = chart.as_str().is_some_and(|path| path.starts_with('.'));
    if !is_local && !files.asks_helm && !chart.as_str().is_some_and(|chart| concerns(base(chart))) {
        return None;
    }
    let values = given(release, own, files);
    let version = release.get("version");
    let namespace = release
        .get("namespace")
        .or_else(|| root.find(&["helmDefaults", "namespace"]));
    let release = ChartRelease {
        name: release.get("name")?.as_str()?.to_owned(),
        namespace: namespace.and_then(stated),
        chart: base(chart.as_str()?).to_owned(),
        repository: chart.as_str()?.to_owned(),
        version: Some(version.and_then(printed).unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(chart.span, |version| version.span),
        span: root.span,
        values,
        subject: subject(
            RELEASE,
            namespace.and_then(Node::as_str),
            release.get("name")?.as_str()?,
        ),
        ..ChartRelease::default()
    };
    let local = chart
        .as_str()
        .filter(|path| path.starts_with('.'))
        .map(|path| join(own, path));
    Some(match local {
        Some(path) if files.has(&join(&path, "Chart.yaml")) => {
            umbrella::releases(&path, files, &[], release)
        }
        Some(path) if files.asks_helm => {
            let chart = ChartRef {
                paths: vec![path],
                ..ChartRef::default()
            };
            vec![ChartRelease {
                request: Some(request(&release, chart)),
                ..release
            }]
        }
        Some(_) => vec![release],
        None => vec![asked(
            ChartRelease {
                repository: repository(chart.as_str()?, root),
                ..release
            },
            None,
            files,
        )],
    })
}

#[cfg(test)]
mod tests;
