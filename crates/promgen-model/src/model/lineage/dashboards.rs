//! Dashboards of Grafana in the input, and the expressions that they ask a Prometheus for.
//!
//! In: ConfigMaps with the label `grafana_dashboard`, GrafanaDashboards, values of charts, and files that Grafana exports. Out: the
//! expressions of panels and variables with their places. A range that a variable of Grafana gives is replaced by one of the same
//! length of text; what else a variable stands for is not known.

use crate::model::World;
use crate::model::lineage::exporters::containers;
use promgen_prometheus::promql::{self, Tree, VectorSelector};
use promgen_resources::document::{DASHBOARD, Manifest};
use promgen_text::diag::Place;
use promgen_text::route::At;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read_slices;

/// The label of ConfigMaps that hold dashboards.
const LABEL: &str = "grafana_dashboard";

/// The depth of panels within panels that is followed.
const MAX_DEPTH: usize = 4;

/// The lengths of time that Grafana fills in.
const DURATIONS: &[&str] = &[
    "__rate_interval",
    "__interval",
    "__range",
    "interval",
    "resolution",
    "rate_interval",
];

/// Parts of the images of other programs that answer queries: Grafana may ask them by default.
const OTHER_SOURCES: &[&str] = &["cortex", "mimir", "thanos", "victoria"];

/// A dashboard.
#[derive(Clone, Debug)]
pub struct Dashboard {
    /// Its title, or the name of what holds it.
    pub title: String,
    /// The object that holds it: `ConfigMap mon/dash-shop`.
    pub holder: String,
    /// The namespace of what holds it. Empty if it has none.
    pub(crate) namespace: String,
    /// Its expressions.
    pub queries: Vec<PanelQuery>,
}

/// An expression of a dashboard.
#[derive(Clone, Debug)]
pub struct PanelQuery {
    /// What asks for it: `panel`, or `variable`.
    pub kind: &'static str,
    /// The title of the panel, or the name of the variable.
    pub name: String,
    /// It names no data source: Grafana asks its default one, which may be another than the Prometheus of the input.
    pub is_by_default: bool,
    /// The expression, with ranges filled in.
    pub text: String,
    /// The expression.
    pub tree: Tree,
    /// Its place.
    pub place: Place,
}

impl Dashboard {
    /// What asks for an expression of it, in messages.
    #[must_use]
    pub fn name_of(&self, query: &PanelQuery) -> String {
        format!("{} ({})", self.part_of(query), self.holder)
    }

    /// The same without the object that holds it.
    pub(super) fn part_of(&self, query: &PanelQuery) -> String {
        format!("{} {} of dashboard {}", query.kind, query.name, self.title)
    }
}

/// The dashboards in the input.
pub fn all(world: &World<'_>) -> Vec<Dashboard> {
    let mut all = Vec::new();
    let has_default = has_default(world);
    for object in world.cluster().config_maps.values() {
        let metadata = &object.value.metadata;
        if !metadata
            .labels
            .as_ref()
            .is_some_and(|labels| labels.contains_key(LABEL))
        {
            continue;
        }
        let holder = DashboardHolder {
            namespace: object.namespace(),
            what: format!("ConfigMap {}/{}", object.namespace(), metadata.name),
            has_default,
        };
        for (key, text) in object.value.data.iter().flatten() {
            let at = At::doc(object.doc).key("data").key(key.clone());
            let place = |node: &Node| {
                Place::Within(at.clone(), node.span.start as usize..node.span.end as usize)
            };
            all.extend(holder.read(text, &place));
        }
    }
    for manifest in world.manifests().iter() {
        of_manifest(world, &manifest, has_default, &mut all);
    }
    all
}

/// Returns whether Grafana's default data source may be a Prometheus of the input: there is one, and nothing else that answers its
/// queries.
fn has_default(world: &World<'_>) -> bool {
    let answers = |container: &Node| {
        let image = container.text_of("image").unwrap_or_default();
        OTHER_SOURCES.iter().any(|part| image.contains(part))
    };
    let manifests = world.manifests().iter();
    world.cluster().prometheuses.len() == 1
        && !manifests.flat_map(|of| containers(&of)).any(answers)
}

/// The dashboards that a resource of Grafana's operator, the values of a chart, or a file of Grafana hold.
fn of_manifest(
    world: &World<'_>,
    manifest: &Manifest<'_>,
    has_default: bool,
    all: &mut Vec<Dashboard>,
) {
    let mut what = format!("{} {}", manifest.kind, manifest.name);
    if manifest.kind == DASHBOARD {
        let path = &world.sources().file(manifest.node.span.file).name;
        what = path.rsplit('/').next().unwrap_or(path).to_owned();
    }
    let holder = DashboardHolder {
        namespace: manifest.namespace.unwrap_or_default(),
        what,
        has_default,
    };
    let texts: Vec<&Node> = match (manifest.group, manifest.kind) {
        ("", DASHBOARD) => {
            let place = |node: &Node| Place::Span(node.span);
            all.push(holder.dashboard(manifest.node, &place));
            return;
        }
        ("grafana.integreatly.org", "GrafanaDashboard") => {
            manifest.node.find(&["spec", "json"]).into_iter().collect()
        }
        ("helm.toolkit.fluxcd.io", "HelmRelease") => manifest
            .node
            .find(&["spec", "values"])
            .map(in_values)
            .unwrap_or_default(),
        ("argoproj.io", "Application") => manifest
            .node
            .find(&["spec", "source", "helm", "valuesObject"])
            .map(in_values)
            .unwrap_or_default(),
        _ => return,
    };
    for node in texts {
        let place = |_: &Node| Place::Span(node.span);
        all.extend(node.as_str().and_then(|text| holder.read(text, &place)));
    }
}

/// The dashboards in the values of Grafana's chart, or of one that has it as a part.
fn in_values(values: &Node) -> Vec<&Node> {
    let roots = [
        values.find(&["grafana", "dashboards"]),
        values.get("dashboards"),
    ];
    let providers = roots.into_iter().flatten().flat_map(Node::entries);
    let boards = providers.flat_map(|provider| provider.value.entries());
    boards.filter_map(|board| board.value.get("json")).collect()
}

/// The object that holds a dashboard.
struct DashboardHolder<'h> {
    namespace: &'h str,
    /// Its kind and name.
    what: String,
    /// Grafana's default data source may be the Prometheus of the input.
    has_default: bool,
}

impl DashboardHolder<'_> {
    fn read(&self, text: &str, place: &dyn Fn(&Node) -> Place) -> Option<Dashboard> {
        if !text.trim_start().starts_with('{') {
            return None;
        }
        Some(self.dashboard(&read_slices(text).ok()??, place))
    }

    fn dashboard(&self, root: &Node, place: &dyn Fn(&Node) -> Place) -> Dashboard {
        let title = root.text_of("title").filter(|title| !title.is_empty());
        let mut walk = PanelWalk {
            root,
            place,
            has_default: self.has_default,
            queries: Vec::new(),
        };
        walk.variables();
        walk.panels(root, MAX_DEPTH);
        for row in root.items_of("rows") {
            walk.panels(row, MAX_DEPTH);
        }
        Dashboard {
            title: title.unwrap_or(&self.what).to_owned(),
            holder: self.what.clone(),
            namespace: self.namespace.to_owned(),
            queries: walk.queries,
        }
    }
}

struct PanelWalk<'d> {
    root: &'d Node,
    place: &'d dyn Fn(&Node) -> Place,
    has_default: bool,
    queries: Vec<PanelQuery>,
}

impl PanelWalk<'_> {
    fn variables(&mut self) {
        for variable in self.root.items_at(&["templating", "list"]) {
            let query = variable.get("query");
            let Some(written) = query.map(|query| query.get("query").unwrap_or(query)) else {
                continue;
            };
            if let Some(text) = written.as_str().and_then(of_variable) {
                let name = variable.text_of("name").unwrap_or_default();
                self.add("variable", name, source(variable), written, &text);
            }
        }
    }

    fn panels(&mut self, parent: &Node, depth: usize) {
        for panel in parent.items_of("panels") {
            if depth > 0 {
                self.panels(panel, depth - 1);
            }
            let title = panel.text_of("title").unwrap_or_default();
            for target in panel.items_of("targets") {
                let source = source(target).or_else(|| source(panel));
                if let Some(written) = target.get("expr") {
                    let text = written.as_str().unwrap_or_default();
                    self.add("panel", title, source, written, text);
                }
            }
        }
    }

    /// Adds an expression, if a Prometheus is asked for it, or may be.
    fn add(
        &mut self,
        kind: &'static str,
        name: &str,
        source: Option<&Node>,
        written: &Node,
        text: &str,
    ) {
        if !source.map_or(self.has_default, |source| self.is_prometheus(source)) {
            return;
        }
        let text = filled_in(text);
        let place = (self.place)(written);
        self.queries
            .extend(promql::parse(&text).map(|tree| PanelQuery {
                kind,
                name: name.to_owned(),
                is_by_default: source.is_none(),
                text,
                tree,
                place,
            }));
    }

    /// Returns whether a data source is a Prometheus.
    fn is_prometheus(&self, source: &Node) -> bool {
        if let Some(kind) = source.text_of("type") {
            return kind == "prometheus";
        }
        let name = source
            .as_str()
            .or_else(|| source.text_of("uid"))
            .unwrap_or_default();
        let Some(variable) = name.strip_prefix('$') else {
            return name.to_ascii_lowercase().contains("prometheus");
        };
        let variable = variable.trim_matches(['{', '}']);
        let list = self.root.items_at(&["templating", "list"]);
        let is_it = |entry: &&Node| entry.text_of("name") == Some(variable);
        match list.iter().find(is_it) {
            Some(entry) => entry.text_of("query") == Some("prometheus"),
            None => variable == "DS_PROMETHEUS",
        }
    }
}

/// The data source that a panel, one of its targets or a variable names.
fn source(asks: &Node) -> Option<&Node> {
    asks.get("datasource").filter(|source| !source.is_null())
}

/// The expression of the series that the query of a variable asks for.
fn of_variable(query: &str) -> Option<String> {
    let (function, arguments) = query.trim().split_once('(')?;
    let arguments = arguments.strip_suffix(')')?;
    match function.trim_end() {
        "label_values" => Some(arguments.rsplit_once(',')?.0.to_owned()),
        "query_result" => Some(arguments.to_owned()),
        "metrics" => Some(format!("{{__name__=~`.*(?:{arguments}).*`}}")),
        _ => None,
    }
}

/// An expression with lengths of time for the variables that stand for one, each as long as the variable.
fn filled_in(text: &str) -> String {
    let mut out = text.to_owned();
    for name in DURATIONS {
        for variable in [format!("${{{name}}}"), format!("${name}")] {
            let padded = format!("5m{}", " ".repeat(variable.len() - 2));
            for bracket in ["[", ":"] {
                for end in ["]", ":"] {
                    out = out.replace(
                        &format!("{bracket}{variable}{end}"),
                        &format!("{bracket}{padded}{end}"),
                    );
                }
            }
        }
    }
    out
}

/// Returns whether a variable of Grafana stands in a selector, so that nobody knows what it asks for.
pub fn has_variable(selector: &VectorSelector) -> bool {
    let values = selector
        .matchers
        .iter()
        .flat_map(|matcher| [&matcher.value, &matcher.label]);
    values.chain(&selector.name).any(|text| is_variable(text))
}

fn is_variable(text: &str) -> bool {
    let mut parts = text.split('$');
    parts.next();
    text.contains("[[")
        || parts
            .any(|rest| rest.starts_with(|c: char| c == '{' || c == '_' || c.is_ascii_alphabetic()))
}
