//! The syntax tree of an expression: what it consists of, where each part stands, and the type of its result.

use std::collections::BTreeSet;
use std::ops::Range;

use super::functions::Function;
use promgen_text::go::regex;

/// A part of an expression, as an index into its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

/// An expression. Its parts lie in one list, each after the parts that it consists of, so that no walk over it recurses.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Expr>,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
    /// The type of its result.
    pub yields: ValueType,
}

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A number.
    Scalar,
    /// A number for each of several series.
    Vector,
    /// Several numbers for each of several series.
    Range,
    /// A text.
    Text,
}

impl ValueType {
    /// Its name in the words of Prometheus.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Vector => "instant vector",
            Self::Range => "range vector",
            Self::Text => "string",
        }
    }
}

/// The kind of a part of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number or a duration.
    Number,
    /// A text in quotes.
    Text,
    /// A name with or without matchers.
    Selector(VectorSelector),
    /// A selector with a range.
    Range(NodeId),
    /// An expression with a range and a step.
    Subquery(NodeId),
    /// An expression in parentheses.
    Paren(NodeId),
    /// A sign and its operand.
    Unary(NodeId),
    /// Two operands.
    Binary(Binary),
    /// A function and its arguments.
    Call(Call),
    /// An aggregation.
    Aggregate(Aggregate),
}

/// A selector of series.
#[derive(Clone, Debug, Default)]
pub struct VectorSelector {
    /// The name of the metric, in front of the braces or in quotes within them.
    pub name: Option<String>,
    /// The other matchers.
    pub matchers: Vec<LabelMatcher>,
}

/// A condition on a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelMatcher {
    /// The label.
    pub label: String,
    /// `=`, `!=`, `=~` or `!~`.
    pub operator: &'static str,
    /// The text or the pattern.
    pub value: String,
}

impl LabelMatcher {
    /// The values that it asks for, if it names them.
    #[must_use]
    pub fn texts(&self) -> Option<Vec<String>> {
        match self.operator {
            "=" => Some(vec![self.value.clone()]),
            "=~" => regex::texts(&self.value),
            _ => None,
        }
    }
}

/// An operator with its operands.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The operator, in lower case.
    pub operator: &'static str,
    /// The left operand.
    pub left: NodeId,
    /// The right operand.
    pub right: NodeId,
    /// Which series of both sides belong together.
    pub matching: Matching,
}

/// Which series of both sides of an operator belong together.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// `bool` follows the operator.
    pub is_bool: bool,
    /// `on` or `ignoring`.
    pub labels: Option<LabelGrouping>,
    /// The side of which several series belong to one of the other.
    pub many: Option<GroupSide>,
    /// The labels in `group_left` and `group_right`.
    pub included: Vec<String>,
    /// A value is given for series that miss on one side.
    pub fills: bool,
}

impl Matching {
    /// Returns whether all series of one side belong to all of the other: `on ()`.
    pub(super) fn is_on_nothing(&self) -> bool {
        let labels = self.labels.as_ref();
        labels.is_some_and(|of| of.keeps && of.labels.is_empty())
    }
}

/// A side of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupSide {
    /// `group_left`.
    Left,
    /// `group_right`.
    Right,
}

/// A list of labels: only these (`by`, `on`), or all but these (`without`, `ignoring`).
#[derive(Clone, Debug)]
pub struct LabelGrouping {
    /// The labels are the ones that stay.
    pub keeps: bool,
    /// The labels.
    pub labels: Vec<String>,
}

/// A function and its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// The arguments.
    pub arguments: Vec<NodeId>,
}

/// An aggregation.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The operator, in lower case.
    pub operator: &'static str,
    /// The labels by which it groups. `None`: one group.
    pub grouping: Option<LabelGrouping>,
    /// The first argument of `topk` and the like.
    pub parameter: Option<NodeId>,
    /// The operand that is aggregated.
    pub of: NodeId,
}

impl Tree {
    /// The whole expression.
    ///
    /// # Panics
    /// Never: the parser makes no tree without a node.
    #[must_use]
    pub fn root(&self) -> &Expr {
        self.nodes.last().expect("a tree has a root")
    }

    /// All parts, each after the parts that it consists of.
    #[must_use]
    pub fn nodes(&self) -> &[Expr] {
        &self.nodes
    }

    /// The numbers of all parts, in the order of [`Tree::nodes`].
    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// One part.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Expr {
        &self.nodes[id.0 as usize]
    }

    /// A part without the parentheses around it.
    #[must_use]
    pub fn within_parentheses(&self, mut id: NodeId) -> NodeId {
        while let ExprKind::Paren(of) = self.node(id).kind {
            id = of;
        }
        id
    }

    /// The parts that a part consists of.
    #[must_use]
    pub fn parts(&self, node: &Expr) -> Vec<NodeId> {
        match &node.kind {
            ExprKind::Number | ExprKind::Text | ExprKind::Selector(_) => Vec::new(),
            ExprKind::Range(of)
            | ExprKind::Subquery(of)
            | ExprKind::Paren(of)
            | ExprKind::Unary(of) => vec![*of],
            ExprKind::Binary(binary) => vec![binary.left, binary.right],
            ExprKind::Call(call) => call.arguments.clone(),
            ExprKind::Aggregate(aggregate) => aggregate
                .parameter
                .into_iter()
                .chain([aggregate.of])
                .collect(),
        }
    }

    /// The selectors within a part.
    #[must_use]
    pub fn selectors<'t>(&'t self, node: &'t Expr) -> Vec<&'t VectorSelector> {
        let (mut todo, mut found) = (vec![node], Vec::new());
        while let Some(node) = todo.pop() {
            if let ExprKind::Selector(selector) = &node.kind {
                found.push(selector);
            }
            todo.extend(self.parts(node).into_iter().map(|part| self.node(part)));
        }
        found
    }

    /// The parts of what an `unless` takes away: if it finds nothing, the rest is as it was.
    #[must_use]
    pub fn taken_away(&self) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        // What a part consists of stands before it.
        let ids: Vec<NodeId> = self.ids().collect();
        for (node, id) in self.nodes.iter().zip(ids).rev() {
            if let ExprKind::Binary(binary) = &node.kind
                && binary.operator == "unless"
            {
                found.insert(binary.right);
            }
            if found.contains(&id) {
                found.extend(self.parts(node));
            }
        }
        found
    }

    /// Adds a part.
    pub(super) fn add(&mut self, node: Expr) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer parts than words"));
        self.nodes.push(node);
        id
    }
}
