//! What an expression concludes from targets that several servers share.
//!
//! In: an expression. Out: the part of it whose result differs if each server sees only some of the targets. The rules of a
//! sharded Prometheus are evaluated by every shard, on what that shard scrapes.

use super::check::parse;
use super::tree::{Aggregate, Expr, ExprKind, Tree, ValueType, VectorSelector};

/// A part of an expression that needs all targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScatteredPart {
    /// `absent` and `absent_over_time`: what one server does not see, another may.
    Absent(String),
    /// The number of targets.
    CountOfUp,
    /// An aggregation over several targets.
    Aggregation(String),
}

/// The label that tells one target from another.
const INSTANCE: &str = "instance";
/// Metrics of a single target, which has a single shard. `kube_`: kube-state-metrics.
const OF_ONE_TARGET: [&str; 2] = ["kube_", "ALERTS"];

/// The part of an expression that suffers most. `None` also for a text that is no expression.
pub fn scattered(text: &str) -> Option<ScatteredPart> {
    let tree = parse(text)?;
    let mut aggregation = None;
    // From the outside in: what is found first is what the expression is about.
    for node in tree.nodes().iter().rev() {
        match &node.kind {
            ExprKind::Call(call)
                if call.function.name.starts_with("absent") && is_of_many(&tree, node) =>
            {
                return Some(ScatteredPart::Absent(call.function.name.to_owned()));
            }
            ExprKind::Aggregate(aggregate)
                if !keeps_instance(aggregate) && is_of_many(&tree, tree.node(aggregate.of)) =>
            {
                if aggregate.operator == "count" && is_up(&tree, tree.node(aggregate.of)) {
                    return Some(ScatteredPart::CountOfUp);
                }
                aggregation.get_or_insert_with(|| {
                    ScatteredPart::Aggregation(aggregate.operator.to_owned())
                });
            }
            _ => {}
        }
    }
    aggregation
}

/// An operator whose sides look at the targets of different jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The job of the left side.
    pub left: String,
    /// The job of the right side.
    pub right: String,
    /// The expression names both jobs, rather than metrics that are usually theirs.
    pub is_certain: bool,
}

/// The exporters that metrics come from, by the start of their names.
const EXPORTERS: [(&str, &str); 4] = [
    ("kube_", "kube-state-metrics"),
    ("container_", "cAdvisor"),
    ("node_", "node-exporter"),
    ("kubelet_", "kubelet"),
];

/// The joins of metrics of different jobs: a server that sees only some of the targets may see those of one side alone.
pub fn joins(text: &str) -> Vec<Join> {
    let Some(tree) = parse(text) else {
        return Vec::new();
    };
    let binaries = tree
        .nodes()
        .iter()
        .rev()
        .filter_map(|node| match &node.kind {
            ExprKind::Binary(binary) if binary.operator != "or" => {
                Some((tree.node(binary.left), tree.node(binary.right)))
            }
            _ => None,
        });
    let are_vectors = |(left, right): &(&Expr, &Expr)| {
        left.yields == ValueType::Vector && right.yields == ValueType::Vector
    };
    binaries
        .filter(are_vectors)
        .filter_map(|(left, right)| join(&tree, left, right))
        .collect()
}

fn join(tree: &Tree, left: &Expr, right: &Expr) -> Option<Join> {
    let named = |node| only(&all(tree, node, job)?);
    let usual = |node| only(&all(tree, node, exporter)?);
    let both = |left: Option<String>, right: Option<String>| {
        left.zip(right).filter(|(left, right)| left != right)
    };
    let certain = both(named(left), named(right)).map(|pair| (pair, true));
    let (pair, is_certain) = certain.or_else(|| Some((both(usual(left), usual(right))?, false)))?;
    Some(Join {
        left: pair.0,
        right: pair.1,
        is_certain,
    })
}

/// The answers of every selector of a part. `None` if one has none.
fn all(
    tree: &Tree,
    node: &Expr,
    say: fn(&VectorSelector) -> Option<String>,
) -> Option<Vec<String>> {
    tree.selectors(node).into_iter().map(say).collect()
}

/// The only one among them.
fn only(jobs: &[String]) -> Option<String> {
    let first = jobs.first()?;
    jobs.iter().all(|job| job == first).then(|| first.clone())
}

fn job(selector: &VectorSelector) -> Option<String> {
    let matcher = selector
        .matchers
        .iter()
        .find(|matcher| matcher.label == "job" && matcher.operator == "=")?;
    Some(matcher.value.clone())
}

fn exporter(selector: &VectorSelector) -> Option<String> {
    let name = selector.name.as_deref()?;
    EXPORTERS
        .iter()
        .find(|(start, _)| name.starts_with(start))
        .map(|(_, exporter)| (*exporter).to_owned())
}

/// Returns whether the groups of an aggregation are single targets.
fn keeps_instance(aggregate: &Aggregate) -> bool {
    aggregate
        .grouping
        .as_ref()
        .is_some_and(|by| by.keeps == by.labels.iter().any(|label| label == INSTANCE))
}

/// Returns whether an expression looks at series that several targets may have.
fn is_of_many(tree: &Tree, node: &Expr) -> bool {
    tree.selectors(node).into_iter().any(selects_many)
}

fn selects_many(selector: &VectorSelector) -> bool {
    let name = selector.name.as_deref().unwrap_or_default();
    !OF_ONE_TARGET.iter().any(|start| name.starts_with(start))
}

/// Returns whether an expression is `up`, or a comparison of it.
fn is_up(tree: &Tree, node: &Expr) -> bool {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match &node.kind {
            ExprKind::Selector(selector) if selector.name.as_deref() == Some("up") => return true,
            ExprKind::Binary(_) | ExprKind::Paren(_) => {
                todo.extend(tree.parts(node).into_iter().map(|part| tree.node(part)))
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_of_different_jobs_are_found() {
        for (text, expected) in [
            (
                "a{job=\"x\"} * on (pod) b{job=\"y\"}",
                Some(("x", "y", true)),
            ),
            (
                "sum by (pod) (a{job=\"x\"}) and on (pod) b{job=\"y\"} > 1",
                Some(("x", "y", true)),
            ),
            ("a{job=\"x\"} / b{job=\"x\"}", None),
            ("a{job=\"x\"} or b{job=\"y\"}", None),
            ("a{job=\"x\"} > 1", None),
            ("a{job=~\"x|y\"} / b{job=\"y\"}", None),
            (
                "container_a * on (pod) group_left () kube_pod_info",
                Some(("cAdvisor", "kube-state-metrics", false)),
            ),
            ("kube_pod_info * on (pod) kube_pod_labels", None),
            ("cart_a / cart_b", None),
        ] {
            let found = joins(text).into_iter().next();
            let found = found
                .as_ref()
                .map(|join| (join.left.as_str(), join.right.as_str(), join.is_certain));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_needs_all_targets_is_found() {
        let aggregation = |op: &str| Some(ScatteredPart::Aggregation(op.to_owned()));
        for (text, expected) in [
            ("up == 0", None),
            ("rate(requests_total[5m]) > 1", None),
            (
                "absent(up{job=\"cart\"})",
                Some(ScatteredPart::Absent("absent".to_owned())),
            ),
            (
                "absent_over_time(up[5m])",
                Some(ScatteredPart::Absent("absent_over_time".to_owned())),
            ),
            ("absent(kube_pod_info)", None),
            ("count(up == 0) by (job)", Some(ScatteredPart::CountOfUp)),
            ("count(up) by (instance)", None),
            ("sum(rate(requests_total[5m])) > 3", aggregation("sum")),
            ("sum by (instance, code) (rate(requests_total[5m]))", None),
            ("sum without (code) (rate(requests_total[5m]))", None),
            ("1 - avg without (instance) (a) / 2", aggregation("avg")),
            ("sum(kube_pod_info) by (node)", None),
            ("sum(", None),
        ] {
            assert_eq!(scattered(text), expected, "{text}");
        }
    }
}
