//! Charts of the repository that depend on the known chart: their own values set those of the dependency, below its name.
//! Helm renders any chart of the repository.

use promgen_resources::rendered::ChartRef;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use super::beside::beside;
use super::files::ChartSources;
use super::node::{empty, merge, printed, set};
use super::private;
use super::release::{
    ChartRelease, GivenValues, MAX_RELEASES, MAX_SOURCES, RELEASE, is_stack, subject,
};
use super::rendering::request;
use super::stack::versions::{self, FoundVersion};
use crate::path::{base_name, folder, join};
use promgen_resources::unknown::is_filled_in_later;

/// The number of dependencies that are read, and of paths in the condition of each.
const MAX_DEPENDENCIES: usize = 64;
const MAX_CONDITIONS: usize = 16;

/// The releases of the dependencies of a chart that are the known chart, from the release of that chart; that release itself, if Helm
/// renders it. `replacing`: the files with values that something names in place of `values.yaml`, each with the place where it is named.
pub(super) fn releases(
    path: &str,
    files: &ChartSources<'_>,
    replacing: &[(String, Span)],
    mut outer: ChartRelease,
) -> Vec<ChartRelease> {
    files.apply(path);
    let Some(chart) = files.read(&join(path, "Chart.yaml")) else {
        return Vec::new();
    };
    let of_stack = dependencies(&chart);
    let Some(place) = of_stack
        .first()
        .map(|dependency| dependency.span)
        .or(files.asks_helm.then_some(outer.place))
    else {
        return Vec::new();
    };
    let mut values = defaults(path, files, replacing, place);
    let own = values.root.clone();
    values.put_over(&outer.values);
    values.files.insert(chart.span.file);
    if files.asks_helm && !is_library(&chart) {
        let whole = ChartRelease {
            values: values.clone(),
            ..outer.clone()
        };
        outer.request = Some(request(
            &whole,
            ChartRef {
                paths: vec![path.to_owned()],
                ..ChartRef::default()
            },
        ));
    }
    imported(&chart, &mut values);
    values.private = private::named(&values.root);
    if let [dependency] = of_stack[..] {
        let alias = |dependency: &Node| alias(dependency).to_owned();
        let unread = beside(path, &chart, dependency, &alias, files, &values.root);
        values.unread.extend(unread);
    }
    let on = of_stack
        .into_iter()
        .filter(|dependency| !is_off(dependency, &values.root));
    // Helm renders all of them at once.
    let n_made = outer.request.as_ref().map_or(MAX_RELEASES, |_| 1);
    let made = on.map(|dependency| of_dependency(dependency, &own, &values, &outer));
    let made: Vec<ChartRelease> = made.take(n_made).collect();
    if made.is_empty() && outer.request.is_some() {
        // Its own name is not that of the known chart, even if it says so: this is another one.
        return vec![ChartRelease {
            chart: chart.get("name").and_then(printed).unwrap_or_default(),
            repository: String::new(),
            values,
            ..outer
        }];
    }
    made
}

/// The default values of a chart.
fn defaults(
    path: &str,
    files: &ChartSources<'_>,
    replacing: &[(String, Span)],
    place: Span,
) -> GivenValues {
    let mut values = GivenValues::new(place);
    let own = join(path, "values.yaml");
    if replacing.is_empty() {
        files.read(&own).iter().for_each(|own| values.add(own));
        if let (Some(why), Some(file)) = (files.unread(&own), files.id(&own)) {
            values.miss_file(&own, Some(why), Span::new(file, 0, 0));
        }
    }
    for (name, span) in replacing.iter().take(MAX_SOURCES) {
        let full = files
            .of_repository(name)
            .unwrap_or_else(|| join(path, name));
        match files.read(&full) {
            Some(read) => values.add(&read),
            None => values.miss_file(name, files.unread(&full), *span),
        }
    }
    values
}

/// The release of a dependency. `own`: the default values of the chart around it.
fn of_dependency(
    dependency: &Node,
    own: &Node,
    values: &GivenValues,
    outer: &ChartRelease,
) -> ChartRelease {
    let text = |key: &str| dependency.get(key).and_then(printed);
    let version = dependency.get("version");
    let alias = alias(dependency);
    let mut values = values.clone();
    if let Some(below) = values.root.get(alias) {
        // A null over a map takes it away. Whatever else is no map, Helm does not take, unless it becomes one later.
        let is_removed = below.is_null() && own.get(alias).is_some_and(is_map);
        let is_taken = is_map(below) || is_removed || is_filled_in_later(below);
        let (span, is_refused) = (below.span, !is_taken);
        if is_refused {
            let what = format!("the values of dependency `{alias}`, which are no map");
            values.refuse(&what, span);
        }
    }
    values.root = values_of(alias, &values.root);
    for missing in &mut values.missing {
        let target = missing.target.take();
        missing.target = target.map(|target| below_alias(alias, &target).unwrap_or(target));
    }
    ChartRelease {
        chart: text("name").unwrap_or_default(),
        alias: text("alias"),
        repository: text("repository").unwrap_or_default(),
        version: Some(text("version").unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(dependency.span, |version| version.span),
        values,
        ..outer.clone()
    }
}

/// Returns whether a chart is there for other charts only.
fn is_library(chart: &Node) -> bool {
    chart.text_of("type") == Some("library")
}

/// The dependencies of a chart that are the known chart.
fn dependencies(chart: &Node) -> Vec<&Node> {
    let all = chart.items_of("dependencies").iter().take(MAX_DEPENDENCIES);
    all.filter(|dependency| dependency.text_of("name").is_some_and(is_stack))
        .collect()
}

/// Returns whether the values say that a dependency is off: the first path of its condition that leads to a boolean, else its tags. Other
/// values say nothing.
fn is_off(dependency: &Node, values: &Node) -> bool {
    let condition = dependency.text_of("condition").unwrap_or_default();
    let paths = condition.trim().split(',').take(MAX_CONDITIONS);
    let mut stated = paths.filter_map(|path| {
        let keys: Vec<&str> = path.split('.').collect();
        let default = || default(dependency, &keys);
        values.find(&keys).map(boolean).unwrap_or_else(default)
    });
    if let Some(is_on) = stated.next() {
        return !is_on;
    }
    let tags = dependency.items_of("tags").iter().filter_map(Node::as_str);
    let tags = tags.filter_map(|tag| boolean(values.find(&["tags", tag])?));
    let tags: Vec<bool> = tags.collect();
    !tags.is_empty() && !tags.contains(&true)
}

const fn is_map(value: &Node) -> bool {
    value.is_map()
}

const fn boolean(value: &Node) -> Option<bool> {
    match value.data {
        Data::Bool(value) => Some(value),
        _ => None,
    }
}

/// What the known chart says by default at a path of the values of the chart around it.
fn default(dependency: &Node, keys: &[&str]) -> Option<bool> {
    let (first, rest) = keys.split_first()?;
    let version = dependency.get("version").and_then(printed)?;
    let known = match versions::find(&version) {
        _ if *first != alias(dependency) => return None,
        FoundVersion::Known(known) | FoundVersion::Newer(known) => known,
        _ => return None,
    };
    boolean(versions::defaults(known.version, dependency.span).find(rest)?)
}

/// The name that the values of a dependency are below.
fn alias(dependency: &Node) -> &str {
    let name = ["alias", "name"]
        .iter()
        .find_map(|key| dependency.text_of(key));
    name.unwrap_or_default()
}

/// A path of values as the dependency of a name has it, if it is below that name.
fn below_alias(alias: &str, path: &str) -> Option<String> {
    let below = path.strip_prefix(alias)?.strip_prefix('.')?;
    Some(below.to_owned())
}

/// Takes note of the values that a chart takes from its dependencies, as far as they may reach the known chart: what it calls `exports` may
/// be anything, and all else goes to the path that it names.
fn imported(chart: &Node, values: &mut GivenValues) {
    let all = chart.items_of("dependencies").iter().take(MAX_DEPENDENCIES);
    let of_stack = dependencies(chart);
    for dependency in all {
        let is_stack = dependency.text_of("name").is_some_and(is_stack);
        for import in dependency
            .items_of("import-values")
            .iter()
            .take(MAX_SOURCES)
        {
            let parent = import
                .text_of("parent")
                .map(|parent| parent.trim_matches('.'));
            let reaches = |other: &&Node| {
                parent.is_some_and(|parent| {
                    parent == alias(other) || below_alias(alias(other), parent).is_some()
                })
            };
            let is_open = parent.map_or(!is_stack, |parent| {
                parent.is_empty() || parent.split('.').next() == Some("global")
            });
            if is_open || of_stack.iter().any(reaches) {
                let name = alias(dependency);
                let what =
                    format!("what the chart imports from the values of `{name}` is not known");
                values.lack(
                    what,
                    import.span,
                    parent.filter(|parent| !parent.is_empty()),
                );
            }
        }
    }
}

/// The values of a dependency of that name: those below it, and those for all charts, which precede its own unless one of both is a map.
fn values_of(name: &str, values: &Node) -> Node {
    let mut own = values
        .get(name)
        .cloned()
        .filter(is_map)
        .unwrap_or_else(|| empty(values.span));
    let Some(everywhere) = values
        .entry("global")
        .filter(|global| is_map(&global.value))
    else {
        return own;
    };
    let mut global = own
        .get("global")
        .cloned()
        .unwrap_or_else(|| empty(everywhere.value.span));
    if !is_map(&global) {
        return own;
    }
    for entry in everywhere.value.entries() {
        let is_in_the_way = |below: &Node| is_map(below) != is_map(&entry.value);
        if !global.get(&entry.key).is_some_and(is_in_the_way) {
            merge(
                &mut global,
                &edit::map_of(vec![entry.clone()], everywhere.value.span),
            );
        }
    }
    set(&mut own, "global", everywhere.key_span, global);
    own
}

/// The charts of the repository that nobody applies: each as a release of its own name.
pub(super) fn unapplied(files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let charts = files
        .paths()
        .filter(|(path, _)| base_name(path) == "Chart.yaml");
    charts
        .filter_map(|(path, _)| of_folder(folder(path), files))
        .flatten()
        .take(MAX_RELEASES)
        .collect()
}

fn of_folder(path: &str, files: &ChartSources<'_>) -> Option<Vec<ChartRelease>> {
    // A vendored chart is a part of the one around it.
    if files.is_applied(path)
        || base_name(folder(path)) == "charts" && files.has(&join(path, "../../Chart.yaml"))
    {
        return None;
    }
    let chart = files.read(&join(path, "Chart.yaml"))?;
    let place = dependencies(&chart)
        .first()
        .map(|dependency| dependency.span);
    let place = place.or_else(|| {
        files
            .asks_helm
            .then(|| chart.get("name").map_or(chart.span, |name| name.span))
    })?;
    let name = chart.text_of("name").unwrap_or_default().to_owned();
    let outer = ChartRelease {
        subject: subject(RELEASE, None, &name),
        name,
        place,
        span: chart.span,
        values: GivenValues::new(place),
        ..ChartRelease::default()
    };
    Some(releases(path, files, &[], outer))
}

#[cfg(test)]
mod tests;
