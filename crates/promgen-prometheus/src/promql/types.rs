//! The types of the parts of an expression: what each part yields, and whether what it consists of fits.

use std::ops::Range;

use super::Features;
use super::fault::ExprFault;
use super::functions::{Arity, FUNCTIONS, Function, aggregation_named};
use super::parse::count;
use super::tree::{Aggregate, Binary, Call, ExprKind, NodeId, Tree, ValueType};
use promgen_text::suggest;

/// The operators that compare.
pub(super) const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
const SETS: [&str; 3] = ["and", "or", "unless"];

/// Checks parts as they are made, and keeps what is wrong with them.
#[derive(Debug)]
pub(super) struct Types {
    /// The features that are switched on.
    pub(super) features: Features,
    /// The faults so far.
    pub(super) faults: Vec<ExprFault>,
}

impl Types {
    /// The type of a part whose own parts are in the tree.
    pub(super) fn check(&mut self, tree: &Tree, kind: &ExprKind, span: &Range<usize>) -> ValueType {
        match kind {
            ExprKind::Number => ValueType::Scalar,
            ExprKind::Text => ValueType::Text,
            ExprKind::Selector(_) => ValueType::Vector,
            ExprKind::Range(_) => ValueType::Range,
            ExprKind::Paren(of) => tree.node(*of).yields,
            ExprKind::Subquery(of) => {
                self.expect(tree, *of, ValueType::Vector, "a subquery");
                ValueType::Range
            }
            ExprKind::Unary(of) => {
                let of = tree.node(*of);
                if !matches!(of.yields, ValueType::Scalar | ValueType::Vector) {
                    let found = of.yields.name();
                    self.fault(
                        &of.span,
                        format!("a sign belongs to a scalar or an instant vector, found {found}"),
                    );
                }
                of.yields
            }
            ExprKind::Binary(binary) => self.binary(tree, binary, span),
            ExprKind::Call(call) => self.call(tree, call, span),
            ExprKind::Aggregate(aggregate) => self.aggregate(tree, aggregate, span),
        }
    }

    fn fault(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.faults.push(ExprFault::new(span, message));
    }

    fn expect(&mut self, tree: &Tree, id: NodeId, wanted: ValueType, by: &str) {
        let node = tree.node(id);
        if node.yields == wanted {
            return;
        }
        let message = format!(
            "{by} takes {}, found {}",
            with_article(wanted),
            with_article(node.yields)
        );
        let fault = ExprFault::new(&node.span, message);
        self.faults.push(match (wanted, node.yields, &node.kind) {
            (ValueType::Range, ValueType::Vector, ExprKind::Selector(_)) => {
                fault.help("add a range, as in `[5m]`")
            }
            (ValueType::Range, ValueType::Vector, _) => {
                fault.help("add a range and a colon, as in `[5m:]`")
            }
            (ValueType::Vector, ValueType::Range, ExprKind::Range(_)) => {
                fault.help("remove the range, or aggregate it over time")
            }
            (ValueType::Vector, ValueType::Scalar, _) => {
                fault.help("vector(…) makes a vector of a scalar")
            }
            (ValueType::Scalar, ValueType::Vector, _) => {
                fault.help("scalar(…) makes a scalar of a vector")
            }
            _ => fault,
        });
    }

    fn binary(&mut self, tree: &Tree, binary: &Binary, span: &Range<usize>) -> ValueType {
        let (left, right) = (tree.node(binary.left), tree.node(binary.right));
        let (operator, matching) = (binary.operator, &binary.matching);
        let is_set = SETS.contains(&operator);
        let is_comparison = COMPARISONS.contains(&operator);
        let is_one = |yields: ValueType| matches!(yields, ValueType::Scalar | ValueType::Vector);
        for side in [left, right] {
            if !is_one(side.yields) {
                let found = with_article(side.yields);
                self.fault(
                    &side.span,
                    format!("`{operator}` takes scalars and instant vectors, found {found}"),
                );
                return ValueType::Vector;
            }
        }
        let of_vectors = left.yields == ValueType::Vector && right.yields == ValueType::Vector;
        let of_scalars = left.yields == ValueType::Scalar && right.yields == ValueType::Scalar;
        let labels = matching.labels.as_ref();
        if matching.is_bool && !is_comparison {
            self.fault(
                span,
                format!("`bool` stands behind a comparison only, not behind `{operator}`"),
            );
        }
        if is_comparison && of_scalars && !matching.is_bool {
            let fault = ExprFault::new(span, "a comparison of scalars lacks `bool`");
            self.faults
                .push(fault.help(format!("write `{operator} bool`")));
        }
        if let Some(label) = labels.filter(|labels| labels.keeps).and_then(|labels| {
            labels
                .labels
                .iter()
                .find(|label| matching.included.contains(label))
        }) {
            self.fault(
                span,
                format!("the label {label:?} is listed behind `on` and in the group"),
            );
        }
        if !of_vectors && is_set {
            self.fault(
                span,
                format!("`{operator}` takes instant vectors, found a scalar"),
            );
        }
        if !of_vectors && labels.is_some_and(|labels| !labels.labels.is_empty()) {
            self.fault(
                span,
                "only instant vectors are matched by labels, found a scalar",
            );
        }
        if !of_vectors && matching.fills {
            self.fault(
                span,
                "only instant vectors have series to fill in, found a scalar",
            );
        }
        if of_vectors && is_set && matching.many.is_some() {
            self.fault(span, format!("`{operator}` does not group"));
        }
        if of_vectors && is_set && matching.fills {
            self.fault(span, format!("`{operator}` has no series to fill in"));
        }
        if matching.fills && !self.features.fill_modifiers {
            self.fault(span, "fill modifiers are experimental and not enabled");
        }
        if of_scalars {
            ValueType::Scalar
        } else {
            ValueType::Vector
        }
    }

    fn call(&mut self, tree: &Tree, call: &Call, span: &Range<usize>) -> ValueType {
        let Function {
            name,
            arguments,
            arity,
            yields,
            is_experimental,
            is_stable_since_3_14,
        } = call.function;
        let is_stable = !is_experimental || *is_stable_since_3_14 && self.features.is_3_14;
        if !is_stable && !self.features.experimental_functions {
            let fault = ExprFault::new(
                span,
                format!("function {name} is experimental and not enabled"),
            );
            self.faults.push(match stable_like(name) {
                Some(stable) => fault.help(format!("did you mean \"{stable}\"?")),
                None => fault,
            });
        }
        let found = call.arguments.len();
        let wanted = match *arity {
            Arity::Exact if found != arguments.len() => Some(count(arguments.len(), "argument")),
            Arity::Between(least, _) | Arity::AtLeast(least) if found < least => {
                Some(format!("at least {}", count(least, "argument")))
            }
            Arity::Between(_, most) if found > most => {
                Some(format!("at most {}", count(most, "argument")))
            }
            Arity::Exact | Arity::Between(..) | Arity::AtLeast(_) => None,
        };
        if let Some(wanted) = wanted {
            let fault = ExprFault::new(span, format!("{name} takes {wanted}, found {found}"));
            let last = call.arguments.last().map(|last| &tree.node(*last).kind);
            let lacks_range =
                arguments.contains(&ValueType::Range) && matches!(last, Some(ExprKind::Number));
            self.faults.push(match lacks_range {
                true => {
                    fault.help("the range stands in brackets behind the selector, as in `x[10m]`")
                }
                false if arguments.is_empty() => fault,
                false => fault.help(format!("write {}", usage(name, arguments))),
            });
            return *yields;
        }
        for (index, argument) in call.arguments.iter().enumerate() {
            if let Some(wanted) = arguments.get(index).or(arguments.last()) {
                self.expect(tree, *argument, *wanted, name);
            }
        }
        if let ("info", [_, labels]) = (*name, &call.arguments[..]) {
            self.info(tree, *labels);
        }
        *yields
    }

    /// The second argument of `info` is a selector without a metric.
    fn info(&mut self, tree: &Tree, labels: NodeId) {
        let node = tree.node(labels);
        let is_named = match &node.kind {
            ExprKind::Selector(selector) => selector.name.is_some(),
            _ => true,
        };
        if is_named && node.yields == ValueType::Vector {
            self.fault(
                &node.span,
                "info takes matchers in braces, without the name of a metric",
            );
        }
    }

    fn aggregate(&mut self, tree: &Tree, aggregate: &Aggregate, span: &Range<usize>) -> ValueType {
        let name = aggregate.operator;
        let Some(aggregation) = aggregation_named(name) else {
            return ValueType::Vector;
        };
        if aggregation.is_experimental && !self.features.experimental_functions {
            self.fault(
                span,
                format!("aggregation {name} is experimental and not enabled"),
            );
        }
        self.expect(tree, aggregate.of, ValueType::Vector, name);
        if let (Some(wanted), Some(parameter)) = (aggregation.parameter, aggregate.parameter) {
            self.expect(tree, parameter, wanted, name);
        }
        ValueType::Vector
    }
}

/// A call as it is written: `histogram_quantile(scalar, instant vector)`.
fn usage(name: &str, arguments: &[ValueType]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(|argument| argument.name()).collect();
    format!("`{name}({})`", arguments.join(", "))
}

/// The stable function whose name is one letter away.
fn stable_like(name: &str) -> Option<&'static str> {
    let is_like =
        |known: &&Function| !known.is_experimental && suggest::edits(name, known.name) == Some(1);
    FUNCTIONS.iter().find(is_like).map(|known| known.name)
}

fn with_article(of: ValueType) -> String {
    format!(
        "{} {}",
        if of == ValueType::Vector { "an" } else { "a" },
        of.name()
    )
}
