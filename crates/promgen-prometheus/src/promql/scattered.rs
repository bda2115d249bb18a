//! What an expression concludes from targets that several servers share.
//!
//! In: an expression. Out: the part of it whose result differs if each server sees only some of the targets. The rules of a
//! sharded Prometheus are evaluated by every shard, on what that shard scrapes.

use promql_parser::parser::token::T_COUNT;
use promql_parser::parser::{AggregateExpr, Expr, LabelModifier, VectorSelector};

use crate::promql::check::parse;

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
    let root = parse(text).ok()?;
    let mut aggregation = None;
    let mut todo = vec![&root];
    while let Some(expr) = todo.pop() {
        match expr {
            Expr::Call(call) if call.func.name.starts_with("absent") => {
                let of_many = call.args.args.iter().any(|arg| is_of_many(arg));
                if of_many {
                    return Some(Scattered::Absent(call.func.name.to_owned()));
                }
            }
            Expr::Aggregate(aggregate) if !keeps_instance(aggregate) && is_of_many(&aggregate.expr) => {
                if aggregate.op.id() == T_COUNT && is_up(&aggregate.expr) {
                    return Some(Scattered::CountOfUp);
                }
                aggregation.get_or_insert_with(|| Scattered::Aggregation(aggregate.op.to_string()));
            }
            _ => {}
        }
        todo.extend(children(expr));
    }
    aggregation
}

/// The expressions that an expression is made of.
fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Aggregate(aggregate) => std::iter::once(&*aggregate.expr).chain(aggregate.param.as_deref()).collect(),
        Expr::Call(call) => call.args.args.iter().map(|arg| &**arg).collect(),
        Expr::Binary(binary) => vec![&binary.lhs, &binary.rhs],
        Expr::Unary(unary) => vec![&unary.expr],
        Expr::Paren(paren) => vec![&paren.expr],
        Expr::Subquery(subquery) => vec![&subquery.expr],
        Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::VectorSelector(_)
        | Expr::MatrixSelector(_)
        | Expr::Extension(_) => Vec::new(),
    }
}

/// Whether the groups of an aggregation are single targets.
fn keeps_instance(aggregate: &AggregateExpr) -> bool {
    match &aggregate.modifier {
        Some(LabelModifier::Include(labels)) => labels.labels.iter().any(|label| label == INSTANCE),
        Some(LabelModifier::Exclude(labels)) => labels.labels.iter().all(|label| label != INSTANCE),
        None => false,
    }
}

/// Whether an expression looks at series that several targets may have.
fn is_of_many(expr: &Expr) -> bool {
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        let selector = match expr {
            Expr::VectorSelector(selector) => Some(selector),
            Expr::MatrixSelector(matrix) => Some(&matrix.vs),
            _ => None,
        };
        if selector.is_some_and(selects_many) {
            return true;
        }
        todo.extend(children(expr));
    }
    false
}

fn selects_many(selector: &VectorSelector) -> bool {
    let name = selector.name.as_deref().unwrap_or_default();
    !OF_ONE_TARGET.iter().any(|start| name.starts_with(start))
}

fn is_up(expr: &Expr) -> bool {
    match expr {
        Expr::VectorSelector(selector) => selector.name.as_deref() == Some("up"),
        Expr::Binary(binary) => is_up(&binary.lhs) || is_up(&binary.rhs),
        Expr::Paren(paren) => is_up(&paren.expr),
        _ => false,
    }
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
