//! What is known of the thing below a cursor: who selects a resource, whom an alert notifies, what an expression reads.
//!
//! In: the compiled model and a place in one of its objects. Out: lines of Markdown. No line quotes a value of a Secret.

mod configuration;

use std::collections::BTreeSet;

use promgen_compile::output::WorkloadKind;
use promgen_model::model::senders::AlertReach;
use promgen_model::model::{Model, World};
use promgen_model::resource_name::ResourceName;
use promgen_prometheus::promql;
use promgen_prometheus::routing::{RouteNode, RoutingTree};
use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_text::diag::escape;
use promgen_text::route::{DocId, Segment, ValueRoute};
use promgen_text::source::{Sources, Span};

/// The maximum number of lines about a thing.
const MAX_LINES: usize = 12;

/// How explanations tell of resources in a few lines: whoever answers an editor brings them.
#[derive(Clone, Copy, Debug)]
pub struct Briefs {
    /// The effect of workloads on a resource; of a workload, what it selects.
    pub of_resource: fn(&World<'_>, &ResourceName) -> Vec<String>,
    /// The objects that the selector in a field of a document's spec selects.
    pub of_selector: fn(&World<'_>, DocId, &str) -> Vec<String>,
}

/// The effect of workloads on the resource of a document. Empty for other kinds, and for places that are not about the
/// whole.
#[must_use]
pub fn resource(
    model: &Model,
    document: &Document,
    route: &ValueRoute,
    briefs: Briefs,
) -> Vec<String> {
    if !is_about_whole(route) || !Kind::OF_OPERATOR.contains(&document.kind) {
        return Vec::new();
    }
    let Document {
        kind,
        namespace,
        name,
        ..
    } = document;
    let of = ResourceName {
        kind: *kind,
        namespace: namespace.to_string(),
        name: name.to_string(),
    };
    let mut lines: Vec<String> = configuration::origin(model.cluster(), document)
        .into_iter()
        .collect();
    lines.extend(model.view_with_stand_ins(|view| (briefs.of_resource)(view, &of)));
    limited(lines.iter().map(|line| prose(line)).collect())
}

/// Returns whether a place stands for the whole object.
fn is_about_whole(route: &ValueRoute) -> bool {
    let keys: Vec<&str> = route.0.iter().filter_map(Segment::key).collect();
    matches!(
        keys.as_slice(),
        ["apiVersion" | "kind" | "metadata"] | ["metadata", "name" | "namespace"]
    )
}

/// The objects that the selector at a place selects. Empty for places that are no selectors.
#[must_use]
pub fn selector(
    model: &Model,
    document: &Document,
    route: &ValueRoute,
    briefs: Briefs,
) -> Vec<String> {
    let [Segment::Key(spec), Segment::Key(field)] = route.0.as_slice() else {
        return Vec::new();
    };
    if spec != "spec" || !field.ends_with("elector") {
        return Vec::new();
    }
    let lines = model.view_with_stand_ins(|view| (briefs.of_selector)(view, document.id, field));
    limited(lines.iter().map(|line| prose(line)).collect())
}

/// The receivers of the alert at a place.
#[must_use]
pub fn alert(model: &Model, document: &Document, span: Span) -> Vec<String> {
    if document.kind != Kind::PrometheusRule {
        return Vec::new();
    }
    let alerts = model.alerts();
    let Some(alert) = alerts.iter().find(|alert| alert.span == Some(span)) else {
        return Vec::new();
    };
    let alertmanagers = model
        .output()
        .workloads
        .iter()
        .filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
    let lines: Vec<String> = alertmanagers
        .clone()
        .filter_map(|workload| Some((workload, workload.routing.as_ref()?)))
        .flat_map(|(workload, tree)| {
            let id = escape::markdown(&format!(
                "Alertmanager {}/{}",
                workload.id.namespace, workload.id.name
            ));
            let ends = model.senders().ends(alert, &workload.id, tree);
            let line = |same: &[(&RouteNode, AlertReach)]| {
                let nodes = same.iter().map(|(node, _)| *node);
                let names = nodes.map(|node| receiver(tree, node, model.project().sources()));
                let receivers = names.collect::<Vec<String>>().join("; ");
                match same.first().map(|(_, reach)| reach) {
                    None | Some(AlertReach::Yes) => format!("{id} notifies {receivers}"),
                    Some(AlertReach::No(why)) => format!("{id} does not get it: {}", prose(why)),
                    Some(AlertReach::Unknown(why)) => {
                        format!("{id} may notify {receivers}: {}", prose(why))
                    }
                }
            };
            let lines = ends.chunk_by(|one, other| one.1 == other.1).map(line);
            lines.collect::<Vec<String>>()
        })
        .collect();
    match lines.is_empty() {
        true => {
            let ids = alertmanagers.map(|workload| &workload.id);
            let nobody = model
                .senders()
                .nobody(&alert.resource, &ids.collect::<Vec<_>>());
            vec![nobody.map_or_else(
                || "no Alertmanager in the input has a configuration".to_owned(),
                |why| format!("notifies nobody: {}", prose(&why)),
            )]
        }
        false => limited(lines),
    }
}

/// `` `team-x` (slack, email), by the route at routes.yaml:7``.
fn receiver(tree: &RoutingTree, node: &RouteNode, sources: &Sources) -> String {
    let through = tree
        .receivers
        .get(&node.receiver.value)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let through = if through.is_empty() {
        "no integrations".to_owned()
    } else {
        through.join(", ")
    };
    let name = match node.receiver.is_secret {
        true => "a receiver that a Secret names".to_owned(),
        false => escape::markdown_code(&node.receiver.value),
    };
    let place = node.source.span.map(|span| {
        format!(
            "{}:{}",
            sources.file(span.file).name,
            sources.start(span).line
        )
    });
    let place = place
        .map(|place| format!(", by the route at {}", escape::markdown(&place)))
        .unwrap_or_default();
    format!("{name} ({}){place}", escape::markdown(&through))
}

/// The metrics and labels that an expression reads. Empty if it does not parse.
#[must_use]
pub fn expression(text: &str) -> Vec<String> {
    let Some(tree) = promql::parse(text) else {
        return Vec::new();
    };
    let (mut metrics, mut labels) = (BTreeSet::new(), BTreeSet::new());
    for selector in tree.selectors(tree.root()) {
        metrics.extend(selector.name.clone());
        labels.extend(
            selector
                .matchers
                .iter()
                .map(|matcher| matcher.label.clone())
                .filter(|label| label != "__name__"),
        );
    }
    for node in tree.nodes() {
        let grouping = match &node.kind {
            promql::ExprKind::Aggregate(of) => of.grouping.as_ref(),
            promql::ExprKind::Binary(of) => of.matching.labels.as_ref(),
            _ => None,
        };
        labels.extend(
            grouping
                .into_iter()
                .flat_map(|grouping| grouping.labels.iter().cloned()),
        );
    }
    let list = |what: &str, names: &BTreeSet<String>| {
        let names: Vec<String> = names
            .iter()
            .map(|name| escape::markdown_code(name))
            .collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    [list("metrics", &metrics), list("labels", &labels)]
        .into_iter()
        .flatten()
        .collect()
}

/// A sentence as Markdown: what stands in backticks is code, and nothing else is markup.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => escape::markdown(part),
        _ => escape::markdown_code(part),
    };
    parts.map(part).collect()
}

fn limited(mut lines: Vec<String>) -> Vec<String> {
    let n_more = lines.len().saturating_sub(MAX_LINES);
    if n_more > 0 {
        lines.truncate(MAX_LINES);
        lines.push(format!("and {n_more} more"));
    }
    lines
}
