//! Applications and ApplicationSets of Argo CD.

use promgen_text::sorted::SortedMap;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::embedded;
use super::files::ChartFiles;
use super::flux::stated;
use super::node::printed;
use super::release::{Given, Release, base};
use super::umbrella;
use crate::path::join;

/// The number of Applications that a set makes, at most.
const MAX_ELEMENTS: usize = 256;

/// The releases of an Application.
pub(super) fn application(root: &Node, files: &ChartFiles<'_>) -> Vec<Release> {
    let Some(spec) = root.get("spec") else { return Vec::new() };
    let own = spec.get("source").into_iter();
    let sources: Vec<&Node> = own.chain(spec.get("sources").map_or(&[][..], Node::items)).collect();
    let name = root.find(&["metadata", "name"]).and_then(Node::as_str).unwrap_or_default();
    let context = Context { spec, sources: &sources, name, span: root.span, files };
    sources.iter().filter_map(|source| context.release(source)).collect()
}

/// The releases of an ApplicationSet: one for each element of its lists, or one with gaps.
pub(super) fn set(root: &Node, files: &ChartFiles<'_>) -> Vec<Release> {
    let Some(template) = root.find(&["spec", "template"]) else { return Vec::new() };
    let generators = root.find(&["spec", "generators"]).map_or(&[][..], Node::items);
    let lists = generators.iter().filter_map(|generator| generator.find(&["list", "elements"]));
    let elements: Vec<&Node> = lists.flat_map(Node::items).take(MAX_ELEMENTS).collect();
    if elements.is_empty() {
        return application(&Node { span: root.span, ..template.clone() }, files);
    }
    let of_element = |element: &&Node| {
        let mut filled = Node { span: root.span, ..template.clone() };
        fill(&mut filled, &parameters(element));
        application(&filled, files)
    };
    elements.iter().flat_map(of_element).collect()
}

/// The parameters of an element, by their dotted names.
fn parameters(element: &Node) -> SortedMap<String, String> {
    let mut found = SortedMap::new();
    let mut todo = vec![(String::new(), element)];
    while let Some((prefix, node)) = todo.pop() {
        for entry in node.entries() {
            let name = if prefix.is_empty() { entry.key.to_string() } else { format!("{prefix}.{}", entry.key) };
            match printed(&entry.value) {
                Some(value) => drop(found.insert(name, value)),
                None => todo.push((name, &entry.value)),
            }
        }
    }
    found
}

/// Fills in the parameters of an element: `{{name}}` and `{{ .name }}`.
fn fill(node: &mut Node, parameters: &SortedMap<String, String>) {
    match &mut node.data {
        Data::String(text) if text.contains("{{") => {
            let mut filled = String::new();
            let mut rest = text.as_str();
            while let Some((before, after)) = rest.split_once("{{") {
                filled.push_str(before);
                let Some((inner, behind)) = after.split_once("}}") else { return };
                let name = inner.trim_matches(['-', ' ']).trim_start_matches('.');
                match parameters.get(name) {
                    Some(value) => filled.push_str(value),
                    None => filled.push_str(&format!("{{{{{inner}}}}}")),
                }
                rest = behind;
            }
            filled.push_str(rest);
            *text = filled.into();
        }
        Data::Seq(items) => items.iter_mut().for_each(|item| fill(item, parameters)),
        Data::Map(entries) => entries.iter_mut().for_each(|entry| fill(&mut entry.value, parameters)),
        _ => {}
    }
}

/// What the sources of an Application have in common.
struct Context<'c> {
    spec: &'c Node,
    sources: &'c [&'c Node],
    name: &'c str,
    span: Span,
    files: &'c ChartFiles<'c>,
}

impl Context<'_> {
    fn release(&self, source: &Node) -> Option<Release> {
        let chart = source.get("chart").and_then(Node::as_str).filter(|chart| !chart.is_empty());
        let folder = source.get("path").and_then(Node::as_str).filter(|_| chart.is_none());
        let folder = folder.and_then(|folder| self.files.chart_folder(folder));
        let helm = source.get("helm");
        let revision = source.get("targetRevision").filter(|_| chart.is_some());
        let release_name = helm.and_then(|helm| helm.get("releaseName")?.as_str()).filter(|name| !name.is_empty());
        let destination = |key: &str| self.spec.find(&["destination", key]);
        let cluster = ["server", "name"].iter().find_map(|key| destination(key)?.as_str()).filter(|c| !c.contains('{'));
        let mut release = Release {
            name: release_name.unwrap_or(self.name).to_owned(),
            namespace: destination("namespace").and_then(stated),
            chart: chart.map(|chart| base(chart).to_owned()).unwrap_or_default(),
            repository: source.get("repoURL").and_then(Node::as_str).unwrap_or_default().to_owned(),
            version: revision.and_then(printed).or_else(|| chart.map(|_| "*".to_owned())),
            place: revision.or_else(|| source.get("chart")).unwrap_or(source).span,
            span: self.span,
            values: Given::new(source.span),
            cluster: cluster.map(|cluster| format!("argo {cluster}")),
        };
        match (chart, folder) {
            (Some(_), _) => {
                self.value_files(helm, None, &mut release.values);
                self.inline(helm, &mut release.values);
                Some(release)
            }
            (None, Some(folder)) => {
                let mut named = Vec::new();
                for (name, span) in value_files(helm) {
                    let full = name.strip_prefix('$').map(|name| self.referred(name));
                    match full {
                        Some(full) => named.extend(full.map(|full| (full, span))),
                        None => named.push((name, span)),
                    }
                }
                self.inline(helm, &mut release.values);
                umbrella::release(&folder, self.files, &named, release)
            }
            (None, None) => None,
        }
    }

    /// Adds the values of files.
    fn value_files(&self, helm: Option<&Node>, folder: Option<&str>, values: &mut Given) {
        let ignores =
            helm.and_then(|helm| helm.get("ignoreMissingValueFiles")).is_some_and(|node| node.data == Data::Bool(true));
        for (name, span) in value_files(helm) {
            let path = match (name.strip_prefix('$'), folder) {
                (Some(name), _) => self.referred(name),
                (None, Some(folder)) => Some(join(folder, &name)),
                // A file of a chart that is not here. Its own values are known.
                (None, None) if name == "values.yaml" => continue,
                (None, None) => None,
            };
            match path.and_then(|path| self.files.read(&path)) {
                Some(read) => values.add(&read),
                None if ignores => {}
                None => values.miss(format!("file {name}"), span),
            }
        }
    }

    /// The path of a file in another source, which is this repository if it has the file.
    fn referred(&self, name: &str) -> Option<String> {
        let (reference, path) = name.split_once('/')?;
        let is_named = |source: &&&Node| source.get("ref").and_then(Node::as_str) == Some(reference);
        let source = self.sources.iter().find(is_named)?;
        let below = source.get("path").and_then(Node::as_str).map(|folder| join(folder, path));
        self.files.of_repository(path).or_else(|| self.files.of_repository(&below?))
    }

    /// Adds the values that stand in the Application itself.
    fn inline(&self, helm: Option<&Node>, values: &mut Given) {
        let Some(helm) = helm else { return };
        let written = helm.get("values").filter(|node| node.as_str().is_some_and(|text| !text.trim().is_empty()));
        match (helm.get("valuesObject").filter(|object| !object.is_null()), written) {
            (Some(object), _) => values.add(object),
            (None, Some(node)) => {
                match embedded::parse(node.as_str().unwrap_or_default(), node.span, self.files.sources) {
                    Some(read) => values.add(&read),
                    None => values.miss("helm.values".to_owned(), node.span),
                }
            }
            (None, None) => {}
        }
        for parameter in helm.get("parameters").map_or(&[][..], Node::items) {
            let is_text = parameter.get("forceString").is_some_and(|node| node.data == Data::Bool(true));
            if let (Some(name), Some(value)) = (parameter.get("name").and_then(Node::as_str), parameter.get("value")) {
                values.set_text(name, value, is_text);
            }
        }
    }
}

fn value_files(helm: Option<&Node>) -> Vec<(String, Span)> {
    let files = helm.and_then(|helm| helm.get("valueFiles")).map_or(&[][..], Node::items);
    files.iter().filter_map(|file| Some((file.as_str()?.to_owned(), file.span))).collect()
}
