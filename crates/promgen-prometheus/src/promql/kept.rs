//! The labels that the result of an expression can have.
//!
//! In: an expression. Out: [`KeptLabels`]: what aggregations and joins leave of the labels of its series. Which labels the
//! series have is not known; which ones the result cannot have, is.

use promgen_text::sorted::SortedSet;
use promql_parser::parser::token::{
    T_BOTTOMK, T_COUNT_VALUES, T_LAND, T_LIMIT_RATIO, T_LIMITK, T_LOR, T_LUNLESS, T_TOPK,
};
use promql_parser::parser::value::ValueType;
use promql_parser::parser::{AggregateExpr, BinaryExpr, Call, Expr, LabelModifier, VectorMatchCardinality};

use crate::promql::check::parse;

/// The maximum depth of an expression that is followed.
const MAX_DEPTH: usize = 100;

/// Labels that a result can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptLabels {
    /// These at most.
    Only(SortedSet<String>),
    /// All but these.
    AllBut(SortedSet<String>),
}

impl KeptLabels {
    /// Whether the result can have a label.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        match self {
            Self::Only(labels) => labels.contains(label),
            Self::AllBut(labels) => !labels.contains(label),
        }
    }

    fn all() -> Self {
        Self::AllBut(SortedSet::new())
    }

    fn none() -> Self {
        Self::Only(SortedSet::new())
    }

    fn with<'l>(mut self, added: impl IntoIterator<Item = &'l String>) -> Self {
        for label in added {
            match &mut self {
                Self::Only(labels) => drop(labels.insert(label.clone())),
                Self::AllBut(labels) => drop(labels.remove(label)),
            }
        }
        self
    }

    fn without<'l>(mut self, removed: impl IntoIterator<Item = &'l String>) -> Self {
        for label in removed {
            match &mut self {
                Self::Only(labels) => drop(labels.remove(label)),
                Self::AllBut(labels) => drop(labels.insert(label.clone())),
            }
        }
        self
    }

    /// What is left of those labels alone.
    fn among<'l>(&self, labels: impl IntoIterator<Item = &'l String>) -> Self {
        Self::Only(labels.into_iter().filter(|label| self.has(label)).cloned().collect())
    }

    /// What one of two results can have.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a.into_iter().chain(b).collect()),
            (Self::AllBut(a), Self::AllBut(b)) => Self::AllBut(a.intersection(&b).cloned().collect()),
            (Self::AllBut(but), Self::Only(only)) | (Self::Only(only), Self::AllBut(but)) => {
                Self::AllBut(but.difference(&only).cloned().collect())
            }
        }
    }
}

/// The labels of an expression. `None` for a text that is none.
#[must_use]
pub fn kept_labels(text: &str) -> Option<KeptLabels> {
    Some(of(&parse(text).ok()?, 0))
}

fn of(expr: &Expr, depth: usize) -> KeptLabels {
    if depth > MAX_DEPTH {
        return KeptLabels::all();
    }
    match expr {
        Expr::Aggregate(aggregate) => of_aggregate(aggregate, depth),
        Expr::Binary(binary) => of_binary(binary, depth),
        Expr::Call(call) => of_call(call, depth),
        Expr::Unary(unary) => of(&unary.expr, depth + 1),
        Expr::Paren(paren) => of(&paren.expr, depth + 1),
        Expr::Subquery(subquery) => of(&subquery.expr, depth + 1),
        Expr::NumberLiteral(_) | Expr::StringLiteral(_) => KeptLabels::none(),
        Expr::VectorSelector(_) | Expr::MatrixSelector(_) | Expr::Extension(_) => KeptLabels::all(),
    }
}

fn of_aggregate(aggregate: &AggregateExpr, depth: usize) -> KeptLabels {
    let inner = of(&aggregate.expr, depth + 1);
    if [T_TOPK, T_BOTTOMK, T_LIMITK, T_LIMIT_RATIO].contains(&aggregate.op.id()) {
        return inner;
    }
    let kept = match &aggregate.modifier {
        Some(LabelModifier::Include(by)) => inner.among(&by.labels),
        Some(LabelModifier::Exclude(without)) => inner.without(&without.labels),
        None => KeptLabels::none(),
    };
    match aggregate.param.as_deref() {
        Some(Expr::StringLiteral(label)) if aggregate.op.id() == T_COUNT_VALUES => kept.with([&label.val]),
        Some(_) if aggregate.op.id() == T_COUNT_VALUES => KeptLabels::all(),
        _ => kept,
    }
}

fn of_binary(binary: &BinaryExpr, depth: usize) -> KeptLabels {
    let (left, right) = (of(&binary.lhs, depth + 1), of(&binary.rhs, depth + 1));
    match (binary.lhs.value_type(), binary.rhs.value_type()) {
        (ValueType::Vector, ValueType::Vector) => {}
        (ValueType::Vector, _) => return left,
        _ => return right,
    }
    let op = binary.op.id();
    if op == T_LOR {
        return left.or(right);
    }
    if [T_LAND, T_LUNLESS].contains(&op) {
        return left;
    }
    let matching = binary.modifier.as_ref().and_then(|modifier| modifier.matching.as_ref());
    match binary.modifier.as_ref().map(|modifier| &modifier.card) {
        Some(VectorMatchCardinality::ManyToOne(labels)) => left.with(&labels.labels),
        Some(VectorMatchCardinality::OneToMany(labels)) => right.with(&labels.labels),
        Some(VectorMatchCardinality::OneToOne | VectorMatchCardinality::ManyToMany) | None => match matching {
            Some(LabelModifier::Include(on)) => left.among(&on.labels),
            Some(LabelModifier::Exclude(ignoring)) => left.without(&ignoring.labels),
            // Both sides have the same labels.
            None => left,
        },
    }
}

fn of_call(call: &Call, depth: usize) -> KeptLabels {
    let args = &call.args.args;
    let text = |index: usize| match args.get(index).map(|arg| &**arg) {
        Some(Expr::StringLiteral(text)) => Some(&text.val),
        _ => None,
    };
    let inner = || args.iter().find(|arg| is_of_series(arg)).map_or_else(KeptLabels::none, |arg| of(arg, depth + 1));
    match call.func.name {
        "label_replace" | "label_join" => match text(1) {
            Some(label) => inner().with([label]),
            None => KeptLabels::all(),
        },
        // Those that the selector asks for.
        "absent" | "absent_over_time" | "info" => KeptLabels::all(),
        "histogram_quantile" | "histogram_fraction" => inner().without([&"le".to_owned()]),
        _ => inner(),
    }
}

fn is_of_series(expr: &Expr) -> bool {
    matches!(expr.value_type(), ValueType::Vector | ValueType::Matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregations_and_joins_drop_labels() {
        for (text, has, lacks) in [
            ("up == 0", "a b", ""),
            ("sum(up)", "", "a b"),
            ("sum by (a) (up) == 0", "a", "b"),
            ("sum without (a) (up)", "b", "a"),
            ("topk(3, up)", "a", ""),
            ("topk by (b) (3, up)", "a b", ""),
            ("count_values(\"a\", up)", "a", "b"),
            ("sum by (a) (x) / on (a) sum by (a, b) (y)", "a", "b"),
            ("sum by (a) (x) / on (a) group_left (b) y", "a b", "c"),
            ("x * on (c) group_right () sum by (a) (y)", "a", "b"),
            ("x * on (a) y", "a", "b"),
            ("x * ignoring (a) y", "b", "a"),
            ("sum by (a) (x) and on () y", "a", "b"),
            ("sum by (a) (x) or sum by (b) (y)", "a b", "c"),
            ("vector(1)", "", "a"),
            ("absent(up{a=\"x\"})", "a", ""),
            ("label_replace(sum by (a) (x), \"b\", \"$1\", \"a\", \"(.*)\")", "a b", "c"),
            ("histogram_quantile(0.9, sum by (le, a) (rate(x[5m]))) > 1", "a", "le b"),
            ("1 - sum by (a) (x)", "a", "b"),
            ("max_over_time(sum by (a) (x)[5m:])", "a", "b"),
            ("sum by (a) (sum by (b) (x))", "", "a b"),
        ] {
            let kept = kept_labels(text).unwrap();
            assert!(has.split_whitespace().all(|label| kept.has(label)), "{text}: {kept:?}");
            assert!(lacks.split_whitespace().all(|label| !kept.has(label)), "{text}: {kept:?}");
        }
        assert_eq!(kept_labels("sum("), None);
    }
}
