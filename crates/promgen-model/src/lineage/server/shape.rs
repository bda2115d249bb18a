//! The labels that the result of an expression can have, on a server.
//!
//! In: a tree. Out: for each sort of series of the result, its labels with their values. None: the result is surely empty.
//! Which series belong together is not followed: that only leaves more than there is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::lineage::job::is_synthetic;
use crate::lineage::labels::SeriesLabels;
use crate::lineage::matcher::SeriesSelector;
use crate::lineage::server::sides::{self, UnmatchedSides};
use crate::lineage::server::{RecordedSeries, SeriesServer};
use crate::lineage::values::LabelValues;
use promgen_prometheus::promql::{
    self, Aggregate, Binary, Call, Expr, ExprKind, GroupSide, KeptLabels, LabelGrouping, Matching,
    NodeId, Tree, ValueType, VectorSelector,
};
use promgen_prometheus::relabel::program::ANY;
use promgen_text::CollectOrdered;
use promgen_text::go::regex;

/// The maximum number of sorts that are told apart.
const MAX_SHAPES: usize = 128;

/// The sorts of series of a part.
type Shapes = BTreeSet<SeriesLabels>;

impl SeriesServer {
    /// The series that a rule records. `visited`: the rules on whose behalf somebody asks. `is_grouped`: labels by which a part is
    /// grouped are taken to be there.
    pub(super) fn shapes_of(
        &self,
        rule: &RecordedSeries,
        visited: &mut Vec<usize>,
        is_grouped: bool,
    ) -> Vec<SeriesLabels> {
        let shapes_once = &rule.shapes[usize::from(is_grouped)];
        if let Some(known) = shapes_once.get() {
            return known.clone();
        }
        let Some(tree) = rule
            .tree
            .as_ref()
            .filter(|_| !visited.contains(&rule.number))
        else {
            return vec![SeriesLabels::open()];
        };
        visited.push(rule.number);
        let mut walk = ShapeWalk::new(self, tree, &rule.text, rule.enforced(), visited);
        walk.is_grouped = is_grouped;
        let mut shapes = walk.run();
        visited.pop();
        for (label, value) in &rule.labels {
            let set = |labels: SeriesLabels| with(labels, label, LabelValues::exact(value));
            shapes = shapes.into_iter().map(set).collect_set();
        }
        let shapes: Vec<SeriesLabels> = shapes.into_iter().collect();
        // What is asked on behalf of a rule that asks itself is not the whole.
        if visited.is_empty() {
            return shapes_once.get_or_init(|| shapes).clone();
        }
        shapes
    }

    /// The labels of the series of an expression, with their values: those of each sort. None: it is surely empty.
    #[must_use]
    pub fn labels(
        &self,
        tree: &Tree,
        text: &str,
        enforced: Option<(&str, &str)>,
    ) -> Vec<SeriesLabels> {
        let visited = &mut Vec::new();
        let mut walk = ShapeWalk::new(self, tree, text, enforced, visited);
        walk.run().into_iter().collect()
    }

    /// The operators of an expression whose sides can have no series that belong together. A label by which a side is grouped
    /// is taken to be there: who groups by it means so.
    #[must_use]
    pub fn unmatched(
        &self,
        tree: &Tree,
        text: &str,
        enforced: Option<(&str, &str)>,
    ) -> Vec<UnmatchedSides> {
        let has_sides = |node: &Expr| match &node.kind {
            ExprKind::Binary(Binary { left, right, .. }) => [left, right]
                .iter()
                .all(|id| tree.node(**id).yields == ValueType::Vector),
            _ => false,
        };
        if !tree.nodes().iter().any(has_sides) {
            return Vec::new();
        }
        let unmatched = |is_grouped: bool| {
            let visited = &mut Vec::new();
            let mut walk = ShapeWalk::new(self, tree, text, enforced, visited);
            walk.is_grouped = is_grouped;
            walk.unmatched = Some(Vec::new());
            walk.run();
            walk.unmatched.unwrap_or_default()
        };
        let mut found = unmatched(true);
        if !found.is_empty() {
            let proven = unmatched(false);
            let is_proven = |of: &UnmatchedSides| proven.iter().any(|other| other.span == of.span);
            found.iter_mut().for_each(|of| of.is_proven = is_proven(of));
        }
        found
    }
}

fn with(mut labels: SeriesLabels, name: &str, values: LabelValues) -> SeriesLabels {
    labels.set(name, values);
    labels
}

struct ShapeWalk<'w> {
    server: &'w SeriesServer,
    tree: &'w Tree,
    text: &'w str,
    enforced: Option<(&'w str, &'w str)>,
    visited: &'w mut Vec<usize>,
    /// The facts of parts, as long as the part around them has not asked.
    done: BTreeMap<NodeId, Shapes>,
    /// Labels by which a part is grouped are taken to be there.
    is_grouped: bool,
    /// The operators that find no pair, if they are asked for.
    unmatched: Option<Vec<UnmatchedSides>>,
}

impl<'w> ShapeWalk<'w> {
    const fn new(
        server: &'w SeriesServer,
        tree: &'w Tree,
        text: &'w str,
        enforced: Option<(&'w str, &'w str)>,
        visited: &'w mut Vec<usize>,
    ) -> Self {
        Self {
            server,
            tree,
            text,
            enforced,
            visited,
            done: BTreeMap::new(),
            is_grouped: false,
            unmatched: None,
        }
    }

    fn run(&mut self) -> Shapes {
        let mut last = Shapes::new();
        for (node, id) in self.tree.nodes().iter().zip(self.tree.ids()) {
            last = bounded(self.of(node));
            self.done.insert(id, last.clone());
        }
        last
    }

    fn take(&mut self, id: NodeId) -> Shapes {
        self.done.remove(&id).unwrap_or_default()
    }

    fn of(&mut self, node: &Expr) -> Shapes {
        match &node.kind {
            ExprKind::Number | ExprKind::Text => Shapes::from([SeriesLabels::closed()]),
            ExprKind::Selector(selector) => self.of_selector(selector),
            ExprKind::Range(of)
            | ExprKind::Subquery(of)
            | ExprKind::Paren(of)
            | ExprKind::Unary(of) => self.take(*of),
            ExprKind::Binary(binary) => self.of_binary(binary, &node.span),
            ExprKind::Call(call) => self.of_call(call),
            ExprKind::Aggregate(aggregate) => self.of_aggregate(aggregate),
        }
    }

    fn of_selector(&mut self, written: &VectorSelector) -> Shapes {
        let selector = SeriesSelector::of(written, self.enforced);
        let server = self.server;
        let asked = || {
            restricted(SeriesLabels::open(), &selector)
                .into_iter()
                .collect()
        };
        let Some([name]) = selector.names.as_deref() else {
            return asked();
        };
        let records = server.records(name);
        let is_open = server.open.is_some() || server.jobs.is_empty();
        // What is called so is made by rules alone.
        let is_of_rules = name.contains(':');
        if name.starts_with("ALERTS")
            || is_of_rules && records.is_empty()
            || is_open && !is_of_rules
        {
            return asked();
        }
        let mut shapes = Shapes::new();
        for rule in records {
            let recorded = server.shapes_of(rule, self.visited, self.is_grouped);
            shapes.extend(
                recorded
                    .into_iter()
                    .filter_map(|labels| restricted(labels, &selector)),
            );
        }
        if is_of_rules {
            return shapes;
        }
        for (job, labels) in server.matching(&selector, Some(name)) {
            let labels = labels.clone();
            let labels = if is_synthetic(name) {
                labels
            } else {
                job.relabeled(labels, Some(name))
            };
            shapes.extend(restricted(labels, &selector));
            if shapes.len() > MAX_SHAPES {
                return asked();
            }
        }
        shapes
    }

    fn of_aggregate(&mut self, aggregate: &Aggregate) -> Shapes {
        let inner = self.take(aggregate.of);
        if matches!(
            aggregate.operator,
            "topk" | "bottomk" | "limitk" | "limit_ratio"
        ) {
            return inner;
        }
        let grouped: Shapes = match &aggregate.grouping {
            Some(grouping) => inner
                .iter()
                .map(|labels| self.grouped(labels, grouping))
                .collect_set(),
            None => inner.iter().map(|_| SeriesLabels::closed()).collect_set(),
        };
        match (aggregate.operator, aggregate.parameter) {
            ("count_values", Some(parameter)) => {
                let label = self.quoted(parameter);
                grouped
                    .into_iter()
                    .map(|labels| with(labels, &label, LabelValues::something()))
                    .collect_set()
            }
            _ => grouped,
        }
    }

    /// The labels that a grouping leaves.
    fn grouped(&self, labels: &SeriesLabels, grouping: &LabelGrouping) -> SeriesLabels {
        let mut left = matched(labels, grouping);
        if self.is_grouped && grouping.keeps {
            for name in grouping
                .labels
                .iter()
                .filter(|name| labels.get(name).is_open() && !self.server.external.contains(*name))
            {
                left.set(name.clone(), LabelValues::something());
            }
        }
        left
    }

    /// The text of a part that is one, without its quotes.
    fn quoted(&self, id: NodeId) -> String {
        let written = self
            .text
            .get(self.tree.node(id).span.clone())
            .unwrap_or_default();
        written.trim().trim_matches(['"', '\'', '`']).to_owned()
    }

    fn of_binary(&mut self, binary: &Binary, span: &Range<usize>) -> Shapes {
        let is_vector = |id: NodeId| self.tree.node(id).yields == ValueType::Vector;
        let (of_left, of_right) = (is_vector(binary.left), is_vector(binary.right));
        let (left, right) = (self.take(binary.left), self.take(binary.right));
        match (of_left, of_right) {
            (true, false) => return left,
            (false, true) => return right,
            (false, false) => return Shapes::from([SeriesLabels::closed()]),
            (true, true) => {}
        }
        let matching = &binary.matching;
        if let Some(unmatched) = &mut self.unmatched
            && binary.operator != "or"
            && !matching.fills
            && let Some(labels) = sides::different_label(&left, &right, matching)
        {
            let operator = binary.operator;
            unmatched.push(UnmatchedSides {
                span: span.clone(),
                operator,
                labels,
                is_proven: false,
            });
            return if operator == "unless" {
                left
            } else {
                Shapes::new()
            };
        }
        match binary.operator {
            "or" => return left.into_iter().chain(right).collect(),
            "unless" => return left,
            _ if matching.fills => return open(),
            _ if left.is_empty() || right.is_empty() => return Shapes::new(),
            "and" => return left,
            _ => {}
        }
        let (many, one) = if matching.many == Some(GroupSide::Right) {
            (right, left)
        } else {
            (left, right)
        };
        match (matching.many, &matching.labels) {
            (Some(_), _) => {
                let include = |mut labels: SeriesLabels| {
                    for name in &matching.included {
                        let values = one
                            .iter()
                            .map(|other| other.get(name).clone())
                            .reduce(|a, b| a.or(&b));
                        labels.set(name.clone(), values.unwrap_or_else(LabelValues::anything));
                    }
                    labels
                };
                many.into_iter().map(include).collect()
            }
            (None, Some(grouping)) => many
                .iter()
                .map(|labels| matched(labels, grouping))
                .collect_set(),
            (None, None) => many,
        }
    }

    /// The labels of `absent`: those that a selector asks for, each by one matcher and by its value.
    fn of_absent(&self, call: &Call) -> SeriesLabels {
        let mut labels = SeriesLabels::closed();
        let mut argument = call.arguments.first().map(|id| &self.tree.node(*id).kind);
        while let Some(ExprKind::Range(of) | ExprKind::Paren(of)) = argument {
            argument = Some(&self.tree.node(*of).kind);
        }
        let Some(ExprKind::Selector(written)) = argument else {
            return labels;
        };
        let SeriesSelector { matchers, .. } = SeriesSelector::of(written, self.enforced);
        for matcher in matchers.iter().filter(|matcher| matcher.operator == "=") {
            if matchers
                .iter()
                .filter(|other| other.label == matcher.label)
                .count()
                == 1
            {
                labels.set(matcher.label.clone(), LabelValues::exact(&matcher.value));
            }
        }
        labels
    }

    fn of_call(&mut self, call: &Call) -> Shapes {
        let vector = call.arguments.iter().copied().find(|argument| {
            matches!(
                self.tree.node(*argument).yields,
                ValueType::Vector | ValueType::Range
            )
        });
        let inner = vector.map(|argument| self.take(argument));
        match (call.function.name, inner) {
            ("absent" | "absent_over_time", _) => Shapes::from([self.of_absent(call)]),
            ("info", _) => open(),
            ("label_replace" | "label_join", Some(inner)) => {
                let label = call
                    .arguments
                    .get(1)
                    .map(|label| self.quoted(*label))
                    .unwrap_or_default();
                let made = |labels: SeriesLabels| {
                    let values = labels.get(&label).or(&LabelValues::anything());
                    with(labels, &label, values)
                };
                inner.into_iter().map(made).collect()
            }
            // A classic histogram loses its `le`, and a native one has none.
            ("histogram_quantile" | "histogram_fraction", Some(inner)) => inner
                .into_iter()
                .map(|labels| with(labels, "le", LabelValues::absent()))
                .collect_set(),
            (name, Some(inner)) if name.starts_with("histogram_") => inner
                .into_iter()
                .map(|labels| with(labels, "le", LabelValues::anything()))
                .collect_set(),
            ("scalar", _) | (_, None) => Shapes::from([SeriesLabels::closed()]),
            (_, Some(inner)) => inner,
        }
    }
}

/// The labels that the series of an expression have, whatever a server has.
#[derive(Clone, Debug)]
pub struct ResultLabels(Shapes);

impl ResultLabels {
    /// Those of an expression. `None` for a text that is none.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let tree = promql::parse(text)?;
        let anywhere = SeriesServer::new(String::new(), Vec::new(), None, Vec::new());
        Some(Self(
            anywhere.labels(&tree, text, None).into_iter().collect(),
        ))
    }

    /// The only value of a label, if all series have it.
    #[must_use]
    pub fn known(&self, label: &str) -> Option<String> {
        let values = SeriesLabels::values(&self.0, label)?;
        values
            .known()
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
    }

    /// Returns whether no series of one has the labels of one of the other, but for these.
    #[must_use]
    pub fn are_apart(&self, other: &Self, but: &[String]) -> bool {
        let labels = Some(LabelGrouping {
            keeps: false,
            labels: but.to_vec(),
        });
        let matching = Matching {
            labels,
            ..Matching::default()
        };
        sides::different_label(&self.0, &other.0, &matching).is_some()
    }
}

/// The labels that the result of an expression can have, whatever a server has. `None` for a text that is none.
#[must_use]
pub fn kept_labels(text: &str) -> Option<KeptLabels> {
    let ResultLabels(shapes) = ResultLabels::of(text)?;
    let has = |name: &str| shapes.iter().any(|of| of.get(name).known() != Some(""));
    let is_open = shapes.is_empty() || shapes.iter().any(SeriesLabels::has_others);
    let names = shapes.iter().flat_map(SeriesLabels::names);
    let names = names.filter(|name| has(name) != is_open);
    let names = names.map(str::to_owned).collect_set();
    Some(match is_open {
        true => KeptLabels::AllBut(names),
        false => KeptLabels::Only(names),
    })
}

fn open() -> Shapes {
    Shapes::from([SeriesLabels::open()])
}

/// The same, or anything if there are too many sorts.
fn bounded(shapes: Shapes) -> Shapes {
    if shapes.len() > MAX_SHAPES {
        open()
    } else {
        shapes
    }
}

/// The labels that a grouping leaves.
fn matched(labels: &SeriesLabels, grouping: &LabelGrouping) -> SeriesLabels {
    let names = grouping.labels.iter().map(String::as_str);
    if grouping.keeps {
        labels.among(names)
    } else {
        labels.without(names)
    }
}

/// The values that a pattern matches, by the texts that they begin with. `None` if one may begin with any, or be empty.
fn begun(pattern: &str) -> Option<LabelValues> {
    let heads = regex::heads(pattern)?.into_iter();
    Some(LabelValues::of(
        heads.flat_map(|head| [format!("{head}{ANY}"), head]),
    ))
}

/// The labels of those series that a selector takes. `None` if there is none.
fn restricted(mut labels: SeriesLabels, selector: &SeriesSelector) -> Option<SeriesLabels> {
    for matcher in &selector.matchers {
        let values = labels.get(&matcher.label);
        let texts = matcher.texts().filter(|_| values.is_open());
        let left = match (matcher.operator, texts) {
            ("=", Some(_)) => LabelValues::exact(&matcher.value),
            (_, Some(texts)) => LabelValues::of(texts),
            ("=~", None) if values.is_open() => {
                begun(&matcher.value).unwrap_or_else(|| values.clone())
            }
            _ => values.only(|value| matcher.may_meet(&LabelValues::of([value.to_owned()]))),
        };
        if left.is_empty() {
            return None;
        }
        labels.set(matcher.label.clone(), left);
    }
    Some(labels)
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
