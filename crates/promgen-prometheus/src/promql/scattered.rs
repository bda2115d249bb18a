//! What an expression concludes from targets that several servers share.
//!
//! In: an expression. Out: the part of it whose result differs if each server sees only some of the targets. The rules of a
//! sharded Prometheus are evaluated by every shard, on what that shard scrapes.

use super::check::parse;
use super::tree::{Aggregate, Kind, Node, Selector, Tree};

/// A part of an expression that needs all targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scattered {
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
pub fn scattered(text: &str) -> Option<Scattered> {
    let tree = parse(text)?;
    let mut aggregation = None;
    // From the outside in: what is found first is what the expression is about.
    for node in tree.nodes().iter().rev() {
        match &node.kind {
            Kind::Call(call) if call.function.name.starts_with("absent") && is_of_many(&tree, node) => {
                return Some(Scattered::Absent(call.function.name.to_owned()));
            }
            Kind::Aggregate(aggregate) if !keeps_instance(aggregate) && is_of_many(&tree, tree.node(aggregate.of)) => {
                if aggregate.operator == "count" && is_up(&tree, tree.node(aggregate.of)) {
                    return Some(Scattered::CountOfUp);
                }
                aggregation.get_or_insert_with(|| Scattered::Aggregation(aggregate.operator.to_owned()));
            }
            _ => {}
        }
    }
    aggregation
}

/// Whether the groups of an aggregation are single targets.
fn keeps_instance(aggregate: &Aggregate) -> bool {
    aggregate.grouping.as_ref().is_some_and(|by| by.keeps == by.labels.iter().any(|label| label == INSTANCE))
}

/// Whether an expression looks at series that several targets may have.
fn is_of_many(tree: &Tree, node: &Node) -> bool {
    tree.selectors(node).into_iter().any(selects_many)
}

fn selects_many(selector: &Selector) -> bool {
    let name = selector.name.as_deref().unwrap_or_default();
    !OF_ONE_TARGET.iter().any(|start| name.starts_with(start))
}

/// Whether an expression is `up`, or a comparison of it.
fn is_up(tree: &Tree, node: &Node) -> bool {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match &node.kind {
            Kind::Selector(selector) if selector.name.as_deref() == Some("up") => return true,
            Kind::Binary(_) | Kind::Paren(_) => todo.extend(tree.parts(node).into_iter().map(|part| tree.node(part))),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_all_targets_is_found() {
        let aggregation = |op: &str| Some(Scattered::Aggregation(op.to_owned()));
        for (text, expected) in [
            ("up == 0", None),
            ("rate(requests_total[5m]) > 1", None),
            ("absent(up{job=\"cart\"})", Some(Scattered::Absent("absent".to_owned()))),
            ("absent_over_time(up[5m])", Some(Scattered::Absent("absent_over_time".to_owned()))),
            ("absent(kube_pod_info)", None),
            ("count(up == 0) by (job)", Some(Scattered::CountOfUp)),
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
