//! Applications and ApplicationSets of Argo CD.

use promgen_text::origin::Applier;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, embedded};

use super::files::ChartSources;
use super::flux::{asked, stated};
use super::generators::{self, Parameters, fill, fill_go};
use super::node::printed;
use super::objects::concerns;
use super::release::{
    ChartRelease, GivenValues, MAX_RELEASES, MAX_SOURCES, base, is_stack, subject,
};
use super::set_flag::{FlagKind, SetFlag};
use super::template::ExpansionBudget;
use super::umbrella;
use crate::destination::DestinationCluster;
use crate::path::join;

/// The releases of an Application.
pub(super) fn application(root: &Node, files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let name = root.text_at(&["metadata", "name"]).unwrap_or_default();
    of_application(root, "Application", name, false, files)
}

/// Returns whether the values in a source of an Application are read, so that those which are secret are known by their
/// role.
pub(crate) fn has_read_values(source: &Node) -> bool {
    let is_stack = source.text_of("chart").is_some_and(is_stack);
    let text = source.text_at(&["helm", "values"]).unwrap_or_default();
    let is_yaml = text.trim().is_empty()
        || embedded::root(source.span.file, text).is_some_and(|root| root.is_map());
    is_stack && is_yaml
}

/// The releases that an object of that kind and name states, and whether a patch may change it.
fn of_application(
    root: &Node,
    kind: &'static str,
    object: &str,
    is_patched: bool,
    files: &ChartSources<'_>,
) -> Vec<ChartRelease> {
    let Some(spec) = root.get("spec") else {
        return Vec::new();
    };
    let own = spec.get("source").into_iter();
    let sources: Vec<&Node> = own.chain(spec.items_of("sources")).collect();
    let name = root.text_at(&["metadata", "name"]).unwrap_or_default();
    let own = root.text_at(&["metadata", "namespace"]);
    let context = ApplicationContext {
        spec,
        sources: &sources,
        name,
        own,
        stated: (kind, object),
        span: root.span,
        is_patched,
        files,
    };
    sources
        .iter()
        .flat_map(|source| context.releases(source))
        .take(MAX_RELEASES)
        .collect()
}

/// The releases of an ApplicationSet: one for each element that it generates, or one with gaps.
pub(super) fn set(root: &Node, files: &ChartSources<'_>) -> Vec<ChartRelease> {
    let name = root.text_at(&["metadata", "name"]).unwrap_or_default();
    let is_patched = root.find(&["spec", "templatePatch"]).is_some();
    let applications = applications(root, files);
    applications
        .iter()
        .flat_map(|filled| of_application(filled, "ApplicationSet", name, is_patched, files))
        .take(MAX_RELEASES)
        .collect()
}

/// The Applications of an ApplicationSet: its template, filled in for each element that it generates, or with gaps.
pub(super) fn applications(root: &Node, files: &ChartSources<'_>) -> Vec<Node> {
    let Some(template) = root.find(&["spec", "template"]) else {
        return Vec::new();
    };
    let generators = root.items_at(&["spec", "generators"]);
    let template = Node {
        span: root.span,
        ..template.clone()
    };
    let elements = generators::elements(generators, files);
    if elements.is_empty() {
        return vec![template];
    }
    let is_go = root
        .get("spec")
        .is_some_and(|spec| spec.is_true("goTemplate"));
    let budget = ExpansionBudget::default();
    let of_element = |element: &Parameters| {
        let mut filled = template.clone();
        match is_go {
            true => fill_go(&mut filled, element, &budget),
            false => fill(&mut filled, element),
        }
        filled
    };
    elements.iter().map(of_element).collect()
}

/// The settings that all sources of an Application share.
struct ApplicationContext<'c> {
    spec: &'c Node,
    sources: &'c [&'c Node],
    name: &'c str,
    /// Its namespace.
    own: Option<&'c str>,
    /// The kind and name of the object that states it.
    stated: (&'static str, &'c str),
    span: Span,
    /// A patch of the template, which is not read, may add fields.
    is_patched: bool,
    files: &'c ChartSources<'c>,
}

impl ApplicationContext<'_> {
    /// The releases that a source makes.
    fn releases(&self, source: &Node) -> Vec<ChartRelease> {
        let chart = source.text_of("chart").filter(|chart| !chart.is_empty());
        if chart.is_some_and(|chart| !self.files.asks_helm && !concerns(base(chart))) {
            return Vec::new();
        }
        let folder = source.text_of("path").filter(|_| chart.is_none());
        let helm = source.get("helm");
        let elsewhere = folder
            .filter(|_| helm.is_some_and(|helm| !helm.is_null()))
            .map(str::to_owned);
        if let Some(open) = folder.filter(|folder| folder.contains("{{")) {
            self.files.apply_any(open);
        }
        let folder = folder.and_then(|folder| self.files.chart_folder(folder));
        let revision = source.get("targetRevision").filter(|_| chart.is_some());
        let release_name = helm
            .and_then(|helm| helm.get("releaseName")?.as_str())
            .filter(|name| !name.is_empty());
        let own_namespace = helm
            .and_then(|helm| helm.get("namespace"))
            .filter(|own| own.as_str().is_some_and(|own| !own.is_empty()));
        let destination = |key: &str| self.spec.find(&["destination", key]);
        let cluster = self.files.clusters.destination(self.spec);
        let mut release = ChartRelease {
            name: release_name.unwrap_or(self.name).to_owned(),
            namespace: own_namespace
                .or_else(|| destination("namespace"))
                .and_then(stated),
            chart: chart
                .map(|chart| base(chart).to_owned())
                .unwrap_or_default(),
            repository: source.text_of("repoURL").unwrap_or_default().to_owned(),
            version: revision
                .and_then(printed)
                .or_else(|| chart.map(|_| "*".to_owned())),
            place: revision
                .or_else(|| source.get("chart"))
                .unwrap_or(source)
                .span,
            span: self.span,
            values: GivenValues::new(source.span),
            cluster: cluster.map(DestinationCluster::Named),
            applier: Applier::Argo,
            subject: subject(self.stated.0, self.own, self.stated.1),
            client_side: self.client_side(source, helm),
            ..ChartRelease::default()
        };
        self.given(helm, folder.as_deref(), &mut release.values);
        match (chart, folder) {
            (Some(_), _) => vec![asked(release, None, self.files)],
            (None, Some(folder)) => umbrella::releases(&folder, self.files, &[], release),
            (None, None) if self.files.asks_helm && elsewhere.is_some() => {
                vec![asked(release, elsewhere, self.files)]
            }
            (None, None) => Vec::new(),
        }
    }

    /// Where the Application says how it is applied, if that keeps a copy of each object in an annotation.
    fn client_side(&self, source: &Node, helm: Option<&Node>) -> Option<Span> {
        let policy = self.spec.entry("syncPolicy");
        let options = policy.and_then(|policy| policy.value.get("syncOptions"));
        let is_other = |option: &Node| {
            let text = option.as_str().unwrap_or_default();
            text.contains(['{', '$']) || ["ServerSideApply=true", "Replace=true"].contains(&text)
        };
        let skips = helm
            .and_then(|helm| helm.get("skipCrds"))
            .is_some_and(|skips| skips.data == Data::Bool(true));
        let is_known =
            options.is_none_or(|options| matches!(options.data, Data::Seq(_) | Data::Null));
        let is_client_side = is_known && !options.map_or(&[][..], Node::items).iter().any(is_other);
        let chart = source.get("chart").unwrap_or(source);
        let place = policy.map_or(chart.span, |policy| policy.key_span);
        (is_client_side && !skips && !self.is_patched).then_some(place)
    }

    /// Adds the values of files.
    fn value_files(&self, helm: &Node, folder: Option<&str>, values: &mut GivenValues) {
        let ignores = helm.is_true("ignoreMissingValueFiles");
        for file in helm.items_of("valueFiles").iter().take(MAX_SOURCES) {
            let Some(name) = file.as_str() else { continue };
            // A file of a chart that is not here. Its own values are known.
            if folder.is_none() && name == "values.yaml" {
                continue;
            }
            let path = self.path(name, folder);
            let unread = path.as_deref().and_then(|path| self.files.unread(path));
            match path.as_deref().and_then(|path| self.files.read(path)) {
                // Those of a chart around the chart are not all of the chart.
                Some(read) if folder.is_some() => values.add(&read),
                Some(read) => values.add_file(&read),
                None if ignores && unread.is_none() => {}
                None => values.miss_file(name, unread, file.span),
            }
        }
    }

    /// The path of a file that a source names: in another source, in the folder of its chart, or from the root of the repository.
    fn path(&self, name: &str, folder: Option<&str>) -> Option<String> {
        if let Some(name) = name.strip_prefix('$') {
            return self.referred(name);
        }
        let below = join(folder?, name);
        let is_there = self.files.has(&below);
        is_there
            .then_some(below)
            .or_else(|| self.files.of_repository(name))
    }

    /// The path of a file in another source, which is this repository if it has the file.
    fn referred(&self, name: &str) -> Option<String> {
        let (reference, path) = name.split_once('/')?;
        let is_named = |source: &&&Node| source.text_of("ref") == Some(reference);
        let source = self.sources.iter().find(is_named)?;
        let below = source.text_of("path").map(|folder| join(folder, path));
        self.files
            .of_repository(path)
            .or_else(|| self.files.of_repository(&below?))
    }

    /// Adds all values, in the order of their precedence. `folder`: that of the chart, if it is in this repository.
    fn given(&self, helm: Option<&Node>, folder: Option<&str>, values: &mut GivenValues) {
        let Some(helm) = helm else { return };
        self.value_files(helm, folder, values);
        let written = helm
            .get("values")
            .filter(|node| node.as_str().is_some_and(|text| !text.trim().is_empty()));
        match (
            helm.get("valuesObject").filter(|object| !object.is_null()),
            written,
        ) {
            (Some(object), text) => {
                if let Some(entry) = text.and_then(|_| helm.entry("values")) {
                    let message =
                        "nothing reads `values`: Argo CD takes `valuesObject` in its place";
                    let help = "write all values in one of both";
                    let unread = (entry.key_span, message.to_owned(), help.to_owned());
                    values.unread.push(unread);
                }
                values.shown.push(object.span);
                values.add(object);
            }
            (None, Some(node)) => {
                match embedded::parse(
                    node.as_str().unwrap_or_default(),
                    node.span,
                    self.files.sources,
                ) {
                    Some(read) => {
                        values.shown.push(read.span);
                        values.add(&read);
                    }
                    None => values.miss("helm.values", node.span),
                }
            }
            (None, None) => {}
        }
        self.parameters(helm, folder, values);
    }

    /// Sets what parameters say.
    fn parameters(&self, helm: &Node, folder: Option<&str>, values: &mut GivenValues) {
        let mut flags = Vec::new();
        for parameter in helm.items_of("parameters") {
            let value = parameter.get("value");
            let written = value.map_or_else(|| Some(String::new()), printed);
            if let (Some(name), Some(written)) = (parameter.text_of("name"), written) {
                flags.push(SetFlag {
                    kind: match parameter.is_true("forceString") {
                        true => FlagKind::SetString,
                        false => FlagKind::Set,
                    },
                    at: name.to_owned(),
                    value: escaped(&written),
                    span: value.unwrap_or(parameter).span,
                });
            }
        }
        for parameter in helm.items_of("fileParameters") {
            let path = parameter.text_of("path").unwrap_or_default();
            if let Some(name) = parameter.text_of("name") {
                let path = self.path(path, folder);
                flags.extend(values.file_flag(name, path.as_deref(), parameter, self.files));
            }
        }
        values.set_all(flags);
    }
}

/// The value of a parameter, as Argo CD writes it behind `--set`: it escapes commas, but those of lists, and those behind a backslash.
fn escaped(value: &str) -> String {
    if value.starts_with('{') && value.ends_with('}') {
        return value.to_owned();
    }
    let (mut escaped, mut is_escaped) = (String::new(), false);
    for c in value.chars() {
        if c == ',' && !is_escaped {
            escaped.push('\\');
        }
        escaped.push(c);
        is_escaped = c == '\\';
    }
    escaped
}

#[cfg(test)]
mod tests;
