//! HelmReleases of Flux.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use promgen_resources::rendered::ChartRef;
use promgen_text::origin::Applier;
use promgen_text::source::Span;
use promgen_text::yaml::{Node, NodeText};

use super::embedded;
use super::files::ChartSources;
use super::node::text;
use super::objects::concerns;
use super::release::{ChartRelease, GivenValues, MAX_SOURCES, ReferredObjects, base, subject};
use super::rendering::{named, request};
use super::set_flag::SetFlag;
use super::umbrella;
use super::unknown_keys::is_selector_label;
use crate::unknown::is_encrypted;

/// The key of values in a ConfigMap or Secret unless another is named.
const VALUES: &str = "values.yaml";

/// The release of a HelmRelease.
pub(super) fn release(
    root: &Node,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
) -> Option<ChartRelease> {
    let spec = root.get("spec")?;
    let name = root.find(&["metadata", "name"])?.as_str()?;
    let own = root.find(&["metadata", "namespace"]).and_then(stated);
    let target = spec.get("targetNamespace").and_then(stated);
    let namespace = own.as_ref().map(|(name, _)| name.as_str());
    let chart = chart(spec, namespace, objects)?;
    if chart.folder.is_none() && !files.asks_helm && !concerns(&chart.name) {
        return None;
    }
    let release_name = spec.text_of("releaseName").filter(|name| !name.is_empty());
    let release_name = match (release_name, &target) {
        (Some(name), _) => name.to_owned(),
        (None, Some((target, _))) => format!("{target}-{name}"),
        (None, None) => name.to_owned(),
    };
    let mut values = GivenValues::new(spec.span);
    let sources = spec.items_of("valuesFrom");
    for source in sources.iter().take(MAX_SOURCES) {
        values_from(source, namespace, objects, files, &mut values);
    }
    spec.get("values")
        .into_iter()
        .for_each(|own| values.add(own));
    let subject = subject("HelmRelease", namespace, name);
    let release = ChartRelease {
        name: release_name,
        namespace: target.or(own),
        subject,
        chart: chart.name,
        repository: chart.repository,
        version: chart.version,
        place: chart.place,
        span: root.span,
        values,
        cluster: None,
        applier: Applier::Helm,
        request: None,
        client_side: None,
    };
    match (
        chart
            .folder
            .as_deref()
            .and_then(|folder| files.chart_folder(folder)),
        chart.folder,
    ) {
        (Some(folder), _) => umbrella::release(&folder, files, &chart.value_files, release),
        (None, folder) => Some(asked(release, folder, files)),
    }
}

/// A release that Helm is asked for, if it is to be asked. `rooted`: the path of its chart in the repository.
pub(super) fn asked(
    release: ChartRelease,
    rooted: Option<String>,
    files: &ChartSources<'_>,
) -> ChartRelease {
    if !files.asks_helm {
        return release;
    }
    let chart = match rooted {
        Some(path) => ChartRef {
            rooted: Some(path),
            ..ChartRef::default()
        },
        None => named(&release),
    };
    ChartRelease {
        request: Some(request(&release, chart)),
        ..release
    }
}

/// A chart as a HelmRelease names it.
#[derive(Default)]
struct HelmReleaseChart {
    name: String,
    repository: String,
    version: Option<String>,
    place: Span,
    /// The folder of a chart of the repository.
    folder: Option<String>,
    /// Files of the chart with values.
    value_files: Vec<(String, Span)>,
}

fn chart(
    spec: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
) -> Option<HelmReleaseChart> {
    if let Some(chart) = spec.find(&["chart", "spec"]) {
        return from_chart(chart, namespace, objects);
    }
    let reference = spec.get("chartRef")?;
    let part = |key: &str| reference.text_of(key);
    let (kind, name) = (part("kind").unwrap_or("OCIRepository"), part("name")?);
    let source = objects.find(kind, name, part("namespace").or(namespace));
    if kind == "HelmChart" {
        return from_chart(source?.get("spec")?, namespace, objects);
    }
    let place = reference
        .get("name")
        .map_or(reference.span, |name| name.span);
    // The repository may be elsewhere: then it is called as the chart, or nobody knows.
    let Some(source) = source.and_then(|source| source.get("spec")) else {
        return Some(HelmReleaseChart {
            name: name.to_owned(),
            place,
            ..HelmReleaseChart::default()
        });
    };
    let url = source.get("url")?.as_str()?;
    let version = ["tag", "semver"]
        .iter()
        .find_map(|key| source.find(&["ref", key]));
    Some(HelmReleaseChart {
        name: base(url).to_owned(),
        repository: url.to_owned(),
        version: version.and_then(Node::as_str).map(str::to_owned),
        place: version.map_or(place, |version| version.span),
        ..HelmReleaseChart::default()
    })
}

fn from_chart(
    chart: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
) -> Option<HelmReleaseChart> {
    let name = chart.get("chart")?;
    let version = chart.get("version");
    let part = |key: &str| chart.text_at(&["sourceRef", key]).unwrap_or_default();
    let kind = part("kind");
    let is_file = matches!(kind, "GitRepository" | "Bucket");
    let source = objects.find(
        kind,
        part("name"),
        chart.text_at(&["sourceRef", "namespace"]).or(namespace),
    );
    let url = source
        .and_then(|source| source.find(&["spec", "url"]))
        .and_then(Node::as_str)
        .unwrap_or_default();
    let files = chart.items_of("valuesFiles");
    let version_text = version.map(|version| super::node::printed(version).unwrap_or_default());
    Some(HelmReleaseChart {
        name: base(name.as_str()?).to_owned(),
        repository: url.to_owned(),
        version: Some(version_text.unwrap_or_else(|| "*".to_owned())),
        place: version.map_or(name.span, |version| version.span),
        folder: is_file.then(|| name.as_str().unwrap_or_default().to_owned()),
        value_files: files
            .iter()
            .filter_map(|file| Some((file.as_str()?.to_owned(), file.span)))
            .collect(),
    })
}

/// Adds the values of a ConfigMap or Secret.
fn values_from(
    source: &Node,
    namespace: Option<&str>,
    objects: &ReferredObjects<'_>,
    files: &ChartSources<'_>,
    values: &mut GivenValues,
) {
    let part = |key: &str| source.text_of(key);
    let (Some(kind), Some(name)) = (part("kind"), part("name")) else {
        return;
    };
    let key = part("valuesKey").unwrap_or(VALUES);
    let object = objects.find(kind, name, namespace);
    let Some((value, written)) = object.and_then(|object| datum(object, kind, key)) else {
        let what = match object.is_some_and(is_encrypted) {
            true => format!("{kind} {name}, key {key} is encrypted"),
            false => format!("{kind} {name}, key {key} is not in the input"),
        };
        return match part("targetPath") {
            Some(path) if is_selector_label(path) => values.leave_gap(path, what, source.span),
            target => values.lack(what, source.span, target),
        };
    };
    let read = match part("targetPath") {
        Some(path) => {
            // Flux takes quotes as a sign that the value is a text.
            let quoted = ['"', '\'']
                .iter()
                .find_map(|quote| written.strip_prefix(*quote)?.strip_suffix(*quote));
            let flag = if quoted.is_some() {
                SetFlag::SetString
            } else {
                SetFlag::Set
            };
            let value = text(quoted.unwrap_or(&written), value.span);
            values.set_text(path, &value, flag);
            Some(value)
        }
        None => {
            let read = embedded::parse(&written, value.span, files.sources);
            read.iter().for_each(|read| values.add(read));
            read
        }
    };
    match read {
        Some(read) if is_encrypted(&read) => {}
        Some(read) if kind == "Secret" => {
            values.note_secret(&read);
            values.withhold_names();
        }
        Some(_) => {}
        None => values.miss(&format!("{kind} {name}, key {key}"), source.span),
    }
}

/// A value of a ConfigMap or Secret, and what it says.
fn datum<'n>(object: &'n Node, kind: &str, key: &str) -> Option<(&'n Node, String)> {
    if let Some(plain) = object.find(&["stringData", key]) {
        return Some((plain, plain.as_str()?.to_owned()));
    }
    let value = object.find(&["data", key])?;
    let written = value.as_str()?;
    if kind != "Secret" {
        return Some((value, written.to_owned()));
    }
    let bytes = STANDARD
        .decode(written.split_whitespace().collect::<String>())
        .ok()?;
    Some((value, String::from_utf8(bytes).ok()?))
}

/// A name that is known.
pub(super) fn stated(node: &Node) -> Option<(NodeText, Span)> {
    let name = node.as_str().filter(|name| !name.is_empty())?;
    Some((name.into(), node.span))
}
