//! Charts of the repository that depend on the known chart: their own values set those of the dependency, below its name.
//! Helm renders any chart of the repository.

use promgen_resources::rendered::ChartRef;
use promgen_text::origin::Applier;
use promgen_text::source::Span;
use promgen_text::yaml::Node;

use super::files::ChartSources;
use super::node::{map, merge, printed};
use super::release::{
    ChartRelease, GivenValues, MAX_RELEASES, MAX_SOURCES, RELEASE, is_stack, subject,
};
use super::rendering::request;
use crate::path::{base_name, folder, join};

/// The place where a chart of a chart may say that it is off.
const MAX_CONDITIONS: usize = 16;

/// The release of the dependency of a chart, from the release of that chart; that release itself, if Helm renders it. `named`: the files with values that something
/// names, over those of `values.yaml`, each with the place where it is named.
pub(super) fn release(
    path: &str,
    files: &ChartSources<'_>,
    named: &[(String, Span)],
    outer: ChartRelease,
) -> Option<ChartRelease> {
    files.apply(path);
    let chart = files.read(&join(path, "Chart.yaml"))?;
    let dependency = dependency(&chart);
    if dependency.is_none() && !files.asks_helm {
        return None;
    }
    let ChartRelease { values: over, .. } = &outer;
    let mut values = GivenValues::new(dependency.map_or(outer.place, |dependency| dependency.span));
    let own = join(path, "values.yaml");
    files.read(&own).iter().for_each(|own| values.add(own));
    if let (Some(why), Some(file)) = (files.unread(&own), files.id(&own)) {
        values.miss_file(&own, Some(why), Span::new(file, 0, 0));
    }
    for (name, span) in named.iter().take(MAX_SOURCES) {
        // A file is named from the chart; one that is named from the root comes with its whole path.
        let below = join(path, name);
        let elsewhere = || files.of_repository(name);
        match files.read(&below).or_else(|| files.read(&elsewhere()?)) {
            Some(read) => values.add(&read),
            None => {
                let elsewhere = elsewhere();
                let unread = files
                    .unread(&below)
                    .or_else(|| files.unread(elsewhere.as_deref()?));
                values.miss_file(name, unread, *span);
            }
        }
    }
    merge(&mut values.root, &over.root);
    values.files.extend(&over.files);
    values.files.insert(chart.span.file);
    values.take_secrets(over);
    values.missing.extend(over.missing.iter().cloned());
    values.overridden.extend(over.overridden.iter().cloned());
    let mut outer = outer;
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
    let Some(dependency) = dependency.filter(|dependency| !is_off(dependency, &values.root)) else {
        let name = chart.get("name").and_then(printed).unwrap_or_default();
        let release = ChartRelease {
            chart: name,
            repository: String::new(),
            values,
            ..outer
        };
        // Its own name is not that of the known chart, even if it says so: this is another one.
        return release.request.is_some().then_some(release);
    };
    values.root = of_dependency(dependency, &values.root);
    values
        .missing
        .iter_mut()
        .for_each(|missing| missing.target = of_alias(dependency, missing.target.take()));
    let text = |key: &str| dependency.get(key).and_then(printed);
    let version = dependency.get("version");
    Some(ChartRelease {
        chart: text("name")?,
        repository: text("repository").unwrap_or_default(),
        version: Some(text("version").unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(dependency.span, |version| version.span),
        values,
        ..outer
    })
}

/// Returns whether a chart is there for other charts only.
fn is_library(chart: &Node) -> bool {
    chart.text_of("type") == Some("library")
}

/// The known chart among those that a chart depends on.
fn dependency(chart: &Node) -> Option<&Node> {
    let all = chart.items_of("dependencies");
    all.iter()
        .find(|dependency| dependency.text_of("name").is_some_and(is_stack))
}

/// Returns whether the values say that a dependency is off.
fn is_off(dependency: &Node, values: &Node) -> bool {
    let condition = dependency.text_of("condition").unwrap_or_default();
    let stated = condition.split(',').take(MAX_CONDITIONS).find_map(|path| {
        let keys: Vec<&str> = path.trim().split('.').collect();
        values.find(&keys)
    });
    if let Some(stated) = stated {
        return !stated.is_set();
    }
    let tags = dependency.items_of("tags").iter().filter_map(Node::as_str);
    let mut tags = tags
        .filter_map(|tag| values.find(&["tags", tag]))
        .peekable();
    tags.peek().is_some() && !tags.any(|tag| tag.is_set())
}

/// The name that the values of a dependency are below.
fn alias(dependency: &Node) -> Option<&str> {
    ["alias", "name"]
        .iter()
        .find_map(|key| dependency.get(key)?.as_str())
}

/// A path of values as the dependency has it, if it is below its name.
fn of_alias(dependency: &Node, target: Option<String>) -> Option<String> {
    let below = |path: &str| {
        path.strip_prefix(alias(dependency)?)?
            .strip_prefix('.')
            .map(str::to_owned)
    };
    target.map(|path| below(&path).unwrap_or(path))
}

/// The values of a dependency: those below its alias or name, and those for all charts.
fn of_dependency(dependency: &Node, values: &Node) -> Node {
    let mut own = Node {
        span: values.span,
        ..map(values.span, Vec::new())
    };
    if let Some(everywhere) = values.entry("global") {
        merge(
            &mut own,
            &map(
                everywhere.value.span,
                vec![("global", everywhere.value.clone())],
            ),
        );
    }
    if let Some(below) = alias(dependency).and_then(|alias| values.get(alias)) {
        merge(&mut own, below);
    }
    own
}

/// The charts of the repository that nobody applies: each as a release of its own name.
pub(super) fn unapplied(files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let charts = files
        .paths()
        .filter(|(path, _)| base_name(path) == "Chart.yaml");
    charts
        .filter_map(|(path, _)| of_folder(folder(path), files))
        .take(MAX_RELEASES)
        .collect()
}

fn of_folder(path: &str, files: &ChartSources<'_>) -> Option<ChartRelease> {
    // A vendored chart is a part of the one around it.
    if files.is_applied(path)
        || base_name(folder(path)) == "charts" && files.has(&join(path, "../../Chart.yaml"))
    {
        return None;
    }
    let chart = files.read(&join(path, "Chart.yaml"))?;
    let place = dependency(&chart).map(|dependency| dependency.span);
    let place = place.or_else(|| {
        files
            .asks_helm
            .then(|| chart.get("name").map_or(chart.span, |name| name.span))
    })?;
    let name = chart.text_of("name").unwrap_or_default().to_owned();
    let outer = ChartRelease {
        subject: subject(RELEASE, None, &name),
        name,
        namespace: None,
        chart: String::new(),
        repository: String::new(),
        version: None,
        place,
        span: chart.span,
        values: GivenValues::new(place),
        cluster: None,
        applier: Applier::Helm,
        request: None,
        client_side: None,
    };
    release(path, files, &[], outer)
}
