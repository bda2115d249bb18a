//! Dashboards of Grafana in the input, and the expressions that they ask a Prometheus for.
//!
//! In: ConfigMaps with the label `grafana_dashboard`, GrafanaDashboards, and values of charts. Out: expressions with their places.
//! A range that a variable of Grafana gives is replaced by one of the same length of text; what else a variable stands for is
//! not known.

use crate::model::World;
use promgen_prometheus::promql::{self, Tree, VectorSelector};
use promgen_resources::document::Manifest;
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
    /// The title of the panel.
    pub panel: String,
    /// The expression, with ranges filled in.
    pub text: String,
    /// The expression.
    pub tree: Tree,
    /// Its place.
    pub place: Place,
}

/// The dashboards in the input.
pub fn all(world: &World<'_>) -> Vec<Dashboard> {
    let mut all = Vec::new();
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
        };
        for (key, text) in object.value.data.iter().flatten() {
            let at = At::doc(object.doc).key("data").key(key.clone());
            let place = |node: &Node| {
                Place::Within(at.clone(), node.span.start as usize..node.span.end as usize)
            };
            all.extend(dashboard(&holder, text, &place));
        }
    }
    for manifest in world.manifests().iter() {
        of_manifest(&manifest, &mut all);
    }
    all
}

/// The dashboards that a resource of Grafana's operator, or the values of a chart hold.
fn of_manifest(manifest: &Manifest<'_>, all: &mut Vec<Dashboard>) {
    let texts: Vec<&Node> = match (manifest.group, manifest.kind) {
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
    let what = format!("{} {}", manifest.kind, manifest.name);
    let holder = DashboardHolder {
        namespace: manifest.namespace.unwrap_or_default(),
        what,
    };
    for node in texts {
        let place = |_: &Node| Place::Span(node.span);
        all.extend(
            node.as_str()
                .and_then(|text| dashboard(&holder, text, &place)),
        );
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
}

fn dashboard(
    holder: &DashboardHolder<'_>,
    text: &str,
    place: &dyn Fn(&Node) -> Place,
) -> Option<Dashboard> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let root = read_slices(text).ok()??;
    let title = root.text_of("title").unwrap_or_default();
    let title = if title.is_empty() {
        &holder.what
    } else {
        title
    };
    let mut walk = PanelWalk {
        root: &root,
        place,
        queries: Vec::new(),
    };
    walk.panels(&root, MAX_DEPTH);
    for row in root.items_of("rows") {
        walk.panels(row, MAX_DEPTH);
    }
    let (holder, namespace) = (holder.what.clone(), holder.namespace.to_owned());
    Some(Dashboard {
        title: title.to_owned(),
        holder,
        namespace,
        queries: walk.queries,
    })
}

struct PanelWalk<'d> {
    root: &'d Node,
    place: &'d dyn Fn(&Node) -> Place,
    queries: Vec<PanelQuery>,
}

impl PanelWalk<'_> {
    fn panels(&mut self, parent: &Node, depth: usize) {
        for panel in parent.items_of("panels") {
            if depth > 0 {
                self.panels(panel, depth - 1);
            }
            let title = panel.text_of("title").unwrap_or_default();
            for target in panel.items_of("targets") {
                let source = target
                    .get("datasource")
                    .filter(|source| !source.is_null())
                    .or_else(|| panel.get("datasource"));
                let Some(written) = target.get("expr") else {
                    continue;
                };
                let is_asked = source.is_some_and(|source| self.is_prometheus(source));
                if let Some(text) = written.as_str().filter(|_| is_asked) {
                    let text = filled_in(text);
                    let query = promql::parse(&text).map(|tree| (tree, (self.place)(written)));
                    let panel = title.to_owned();
                    self.queries.extend(query.map(|(tree, place)| PanelQuery {
                        panel,
                        text,
                        tree,
                        place,
                    }));
                }
            }
        }
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
