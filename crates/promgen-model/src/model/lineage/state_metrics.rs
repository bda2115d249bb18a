//! kube-state-metrics: which labels and annotations of resources it exposes.
//!
//! Source: the documentation of its command line. `kube_*_labels` and `kube_*_annotations` have what
//! `--metric-labels-allowlist` and `--metric-annotations-allowlist` list for the resource; the resource `*` takes precedence over
//! all others; without an entry there are no series.

use std::collections::{BTreeMap, BTreeSet};

use crate::lineage::discover::is_state_metrics_image;
use crate::model::lineage::exporters;
use crate::model::unknowns::Unknowns;
use promgen_prometheus::promql::{ExprKind, GroupSide, LabelGrouping, NodeId, Tree};
use promgen_resources::document::{Manifest, Manifests};
use promgen_text::CollectOrdered;
use promgen_text::source::Span;
use promgen_text::yaml::Node;

/// The allowlist of one sort: by resource, the names of labels.
type Allowlist = BTreeMap<String, BTreeSet<String>>;

/// The labels and annotations that a kube-state-metrics exposes.
#[derive(Clone, Debug)]
pub struct StateMetrics {
    labels: Allowlist,
    annotations: Allowlist,
    /// The place of its arguments, or of its container.
    pub span: Span,
}

/// A label that an expression asks kube-state-metrics for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedLabel {
    /// The metrics, any of which may have it.
    pub metrics: Vec<String>,
    /// The label.
    pub label: String,
    /// The selector that is meant.
    pub selector: NodeId,
}

/// The kube-state-metrics in the input. `None` if there is none, or if not all of their arguments are known.
pub fn all(manifests: &Manifests, unknowns: &Unknowns) -> Option<Vec<StateMetrics>> {
    let mut all = Vec::new();
    for manifest in manifests.iter() {
        for container in containers(&manifest) {
            if unknowns.is_about(manifest.node) {
                return None;
            }
            all.push(StateMetrics::of(container)?);
        }
    }
    Some(all).filter(|all| !all.is_empty())
}

/// The containers of a manifest that run kube-state-metrics.
fn containers<'m>(manifest: &Manifest<'m>) -> impl Iterator<Item = &'m Node> {
    let image = |container: &Node| {
        container
            .text_of("image")
            .is_some_and(is_state_metrics_image)
    };
    exporters::containers(manifest).filter(move |container| image(container))
}

impl StateMetrics {
    fn of(container: &Node) -> Option<Self> {
        let given = ["command", "args"]
            .iter()
            .filter_map(|key| container.get(key));
        let mut arguments = given
            .flat_map(Node::items)
            .map(Node::as_str)
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let (mut labels, mut annotations) = (Allowlist::new(), Allowlist::new());
        while let Some(argument) = arguments.next() {
            let (name, value) = argument
                .split_once('=')
                .map_or((argument, None), |(name, value)| (name, Some(value)));
            let list = match name.trim_start_matches('-') {
                "metric-labels-allowlist" => &mut labels,
                "metric-annotations-allowlist" => &mut annotations,
                "config" => return None,
                _ => continue,
            };
            let value = value.or_else(|| arguments.next())?;
            if value.contains("$(") {
                return None;
            }
            list.extend(entries(value));
        }
        let span = container.get("args").unwrap_or(container).span;
        Some(Self {
            labels,
            annotations,
            span,
        })
    }

    /// Returns whether it exposes a label in a metric.
    pub fn exposes(&self, metric: &str, label: &str) -> bool {
        let Some((resource, is_annotation)) = resource(metric) else {
            return true;
        };
        let list = if is_annotation {
            &self.annotations
        } else {
            &self.labels
        };
        let Some(name) = label.strip_prefix(if is_annotation {
            "annotation_"
        } else {
            "label_"
        }) else {
            return true;
        };
        let allowed = list.get("*").or_else(|| list.get(resource.as_str()));
        allowed.is_some_and(|names| {
            names
                .iter()
                .any(|known| known == "*" || spellings(known).any(|text| text == name))
        })
    }
}

/// The entries of an allowlist: `pods=[a,b],nodes=[*]`.
fn entries(text: &str) -> impl Iterator<Item = (String, BTreeSet<String>)> {
    text.split(']').filter_map(|entry| {
        let (resource, names) = entry.trim_start_matches(',').split_once("=[")?;
        let names = names
            .split(',')
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty());
        Some((resource.trim().to_owned(), names.collect_set()))
    })
}

/// The names of a label in a metric: with underscores for other characters, and in snake case since 2.0.
fn spellings(name: &str) -> impl Iterator<Item = String> {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let mut snake = String::new();
    let mut last_is_small = false;
    for c in plain.chars() {
        if c.is_ascii_uppercase() && last_is_small {
            snake.push('_');
        }
        last_is_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        snake.push(c.to_ascii_lowercase());
    }
    [plain, snake].into_iter()
}

/// The resource that a metric is about, in plural, and whether it has the annotations.
fn resource(metric: &str) -> Option<(String, bool)> {
    let rest = metric.strip_prefix("kube_")?;
    let (name, is_annotation) = match (
        rest.strip_suffix("_labels"),
        rest.strip_suffix("_annotations"),
    ) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        (None, None) => return None,
    };
    let plural = match name {
        "endpoint" => "endpoints".to_owned(),
        "networkpolicy" => "networkpolicies".to_owned(),
        "ingress" | "storageclass" | "ingressclass" => format!("{name}es"),
        _ if name.contains('_') => return None,
        _ => format!("{name}s"),
    };
    Some((plural, is_annotation))
}

/// The labels that an expression asks kube-state-metrics for.
pub fn asked(tree: &Tree, text: &str) -> Vec<AskedLabel> {
    let mut all: Vec<AskedLabel> = Vec::new();
    for (node, id) in tree.nodes().iter().zip(tree.ids()) {
        match &node.kind {
            ExprKind::Selector(selector) => {
                let labels = selector
                    .matchers
                    .iter()
                    .map(|matcher| matcher.label.clone());
                let metrics: Vec<(NodeId, String)> = selector
                    .name
                    .iter()
                    .map(|name| (id, name.clone()))
                    .collect();
                labels.for_each(|label| add(&mut all, &metrics, label));
            }
            ExprKind::Aggregate(aggregate) => {
                let metrics = metrics(tree, aggregate.of);
                let labels = aggregate
                    .grouping
                    .iter()
                    .filter(|by| by.keeps)
                    .flat_map(|by| by.labels.iter().cloned());
                labels.for_each(|label| add(&mut all, &metrics, label));
            }
            ExprKind::Binary(binary) => {
                let matching = &binary.matching;
                let one = if matching.many == Some(GroupSide::Right) {
                    binary.left
                } else {
                    binary.right
                };
                let of_one = metrics(tree, one);
                matching
                    .included
                    .iter()
                    .for_each(|label| add(&mut all, &of_one, label.clone()));
                let kept = |grouping: &&LabelGrouping| grouping.keeps;
                let on: Vec<String> = matching
                    .labels
                    .iter()
                    .filter(kept)
                    .flat_map(|by| by.labels.clone())
                    .collect();
                for side in [binary.left, binary.right] {
                    let metrics = metrics(tree, side);
                    on.iter()
                        .for_each(|label| add(&mut all, &metrics, label.clone()));
                }
            }
            _ => {}
        }
    }
    // A function may make the label: its name stands in quotes.
    all.retain(|asked| {
        !text.contains(&format!("\"{}\"", asked.label))
            && !text.contains(&format!("'{}'", asked.label))
    });
    all
}

/// The metrics of kube-state-metrics with labels of resources, below a part.
fn metrics(tree: &Tree, below: NodeId) -> Vec<(NodeId, String)> {
    let (mut todo, mut found) = (vec![below], Vec::new());
    while let Some(id) = todo.pop() {
        let node = tree.node(id);
        if let ExprKind::Selector(selector) = &node.kind {
            found.extend(
                selector
                    .name
                    .iter()
                    .filter(|name| resource(name).is_some())
                    .map(|name| (id, name.clone())),
            );
        }
        todo.extend(tree.parts(node));
    }
    found
}

fn add(all: &mut Vec<AskedLabel>, metrics: &[(NodeId, String)], label: String) {
    let is_its = |metric: &str| match resource(metric) {
        Some((_, true)) => label.starts_with("annotation_"),
        Some((_, false)) => label.starts_with("label_"),
        None => false,
    };
    let metrics: Vec<&(NodeId, String)> = metrics
        .iter()
        .filter(|(_, metric)| is_its(metric))
        .collect();
    let Some((selector, _)) = metrics.first() else {
        return;
    };
    let asked = AskedLabel {
        metrics: metrics.iter().map(|(_, name)| name.clone()).collect(),
        label,
        selector: *selector,
    };
    if !all.contains(&asked) {
        all.push(asked);
    }
}
