//! The labels that the result of an expression can have.
//!
//! In: an expression. Out: [`KeptLabels`]: what aggregations and joins leave of the labels of its series. Which labels the
//! series have is not known; which ones the result cannot have, is.

use std::collections::{BTreeMap, BTreeSet};

use super::check::parse;
use super::tree::{Aggregate, Binary, Call, Expr, ExprKind, GroupSide, NodeId, Tree, ValueType};

/// Labels that a result can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptLabels {
    /// These at most.
    Only(BTreeSet<String>),
    /// All but these.
    AllBut(BTreeSet<String>),
}

impl KeptLabels {
    /// Returns whether the result can have a label.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        match self {
            Self::Only(labels) => labels.contains(label),
            Self::AllBut(labels) => !labels.contains(label),
        }
    }

    fn all() -> Self {
        Self::AllBut(BTreeSet::new())
    }

    fn none() -> Self {
        Self::Only(BTreeSet::new())
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

    /// The result among those labels alone.
    fn among<'l>(&self, labels: impl IntoIterator<Item = &'l String>) -> Self {
        Self::Only(
            labels
                .into_iter()
                .filter(|label| self.has(label))
                .cloned()
                .collect(),
        )
    }

    /// The union of two results.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a.into_iter().chain(b).collect()),
            (Self::AllBut(a), Self::AllBut(b)) => {
                Self::AllBut(a.intersection(&b).cloned().collect())
            }
            (Self::AllBut(but), Self::Only(only)) | (Self::Only(only), Self::AllBut(but)) => {
                Self::AllBut(but.difference(&only).cloned().collect())
            }
        }
    }
}

/// The labels of an expression. `None` for a text that is none.
#[must_use]
pub fn kept_labels(text: &str) -> Option<KeptLabels> {
    let tree = parse(text)?;
    let mut walk = Walk {
        text,
        tree: &tree,
        kept: BTreeMap::new(),
    };
    let mut last = None;
    for (node, id) in tree.nodes().iter().zip(tree.ids()) {
        let kept = walk.of(node);
        walk.kept.insert(id, kept);
        last = Some(id);
    }
    walk.kept.remove(&last?)
}

/// A walk from the parts to the whole.
struct Walk<'t> {
    text: &'t str,
    tree: &'t Tree,
    /// The labels that each part keeps, as long as the part around it has not asked.
    kept: BTreeMap<NodeId, KeptLabels>,
}

impl Walk<'_> {
    fn take(&mut self, id: NodeId) -> KeptLabels {
        self.kept.remove(&id).unwrap_or_else(KeptLabels::all)
    }

    fn of(&mut self, node: &Expr) -> KeptLabels {
        match &node.kind {
            ExprKind::Number | ExprKind::Text => KeptLabels::none(),
            ExprKind::Selector(_) => KeptLabels::all(),
            ExprKind::Range(of)
            | ExprKind::Subquery(of)
            | ExprKind::Paren(of)
            | ExprKind::Unary(of) => self.take(*of),
            ExprKind::Binary(binary) => self.of_binary(binary),
            ExprKind::Call(call) => self.of_call(call),
            ExprKind::Aggregate(aggregate) => self.of_aggregate(aggregate),
        }
    }

    fn of_aggregate(&mut self, aggregate: &Aggregate) -> KeptLabels {
        let inner = self.take(aggregate.of);
        if matches!(
            aggregate.operator,
            "topk" | "bottomk" | "limitk" | "limit_ratio"
        ) {
            return inner;
        }
        let kept = match &aggregate.grouping {
            Some(by) if by.keeps => inner.among(&by.labels),
            Some(without) => inner.without(&without.labels),
            None => KeptLabels::none(),
        };
        match (aggregate.operator, aggregate.parameter) {
            ("count_values", Some(label)) => self.added(kept, label),
            _ => kept,
        }
    }

    fn of_binary(&mut self, binary: &Binary) -> KeptLabels {
        let (left, right) = (self.take(binary.left), self.take(binary.right));
        let is_vector = |id| self.tree.node(id).yields == ValueType::Vector;
        match (is_vector(binary.left), is_vector(binary.right)) {
            (true, true) => {}
            (true, false) => return left,
            (false, _) => return right,
        }
        let matching = &binary.matching;
        match (binary.operator, matching.many, &matching.labels) {
            ("or", ..) => left.or(right),
            ("and" | "unless", ..) => left,
            (_, Some(GroupSide::Left), _) => left.with(&matching.included),
            (_, Some(GroupSide::Right), _) => right.with(&matching.included),
            (_, None, Some(on)) if on.keeps => left.among(&on.labels),
            (_, None, Some(ignoring)) => left.without(&ignoring.labels),
            // Both sides have the same labels.
            (_, None, None) => left,
        }
    }

    fn of_call(&mut self, call: &Call) -> KeptLabels {
        let is_of_series = |id: &&NodeId| {
            matches!(
                self.tree.node(**id).yields,
                ValueType::Vector | ValueType::Range
            )
        };
        let of_series = call.arguments.iter().find(is_of_series).copied();
        let inner = of_series.map_or_else(KeptLabels::none, |id| self.take(id));
        match (call.function.name, call.arguments.get(1)) {
            ("label_replace" | "label_join", Some(label)) => self.added(inner, *label),
            ("absent" | "absent_over_time", _) => self.of_absent(call),
            // Those that other series have.
            ("info", _) => KeptLabels::all(),
            ("histogram_quantile" | "histogram_fraction", _) => inner.without([&"le".to_owned()]),
            _ => inner,
        }
    }

    /// The labels that a selector asks for, each by one matcher and by its value. Other expressions leave none.
    fn of_absent(&self, call: &Call) -> KeptLabels {
        let mut node = call.arguments.first().map(|id| self.tree.node(*id));
        while let Some(Expr {
            kind: ExprKind::Range(of) | ExprKind::Paren(of),
            ..
        }) = node
        {
            node = Some(self.tree.node(*of));
        }
        let Some(Expr {
            kind: ExprKind::Selector(selector),
            ..
        }) = node
        else {
            return KeptLabels::none();
        };
        let n_of = |label: &str| {
            selector
                .matchers
                .iter()
                .filter(|matcher| matcher.label == label)
                .count()
        };
        let asked = selector
            .matchers
            .iter()
            .filter(|matcher| matcher.operator == "=" && !matcher.value.is_empty());
        KeptLabels::Only(
            asked
                .map(|matcher| matcher.label.clone())
                .filter(|label| n_of(label) == 1)
                .collect(),
        )
    }

    /// With the label that a text in quotes names.
    fn added(&self, kept: KeptLabels, label: NodeId) -> KeptLabels {
        let node = self.tree.node(label);
        match (&node.kind, self.text.get(node.span.clone())) {
            (ExprKind::Text, Some(text)) => {
                kept.with([&text.trim_matches(['"', '\'', '`']).to_owned()])
            }
            _ => KeptLabels::all(),
        }
    }
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
            ("absent(up{a=\"x\", b=~\"y\"})", "a", "b c"),
            ("absent_over_time(up{a=\"x\"}[5m])", "a", "b"),
            ("absent(sum(up{a=\"x\"}))", "", "a"),
            (
                "label_replace(sum by (a) (x), \"b\", \"$1\", \"a\", \"(.*)\")",
                "a b",
                "c",
            ),
            (
                "histogram_quantile(0.9, sum by (le, a) (rate(x[5m]))) > 1",
                "a",
                "le b",
            ),
            ("1 - sum by (a) (x)", "a", "b"),
            ("max_over_time(sum by (a) (x)[5m:])", "a", "b"),
            ("sum by (a) (sum by (b) (x))", "", "a b"),
        ] {
            let kept = kept_labels(text).unwrap();
            assert!(
                has.split_whitespace().all(|label| kept.has(label)),
                "{text}: {kept:?}"
            );
            assert!(
                lacks.split_whitespace().all(|label| !kept.has(label)),
                "{text}: {kept:?}"
            );
        }
        assert_eq!(kept_labels("sum("), None);
    }
}
