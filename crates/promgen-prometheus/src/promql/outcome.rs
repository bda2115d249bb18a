//! Whether an expression has a result, as far as its text tells.
//!
//! In: a tree. Out: an [`ExprOutcome`]: whether the result depends on the values of series, and the range of its own values; and the
//! comparisons that hold always or never, which are the reason.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fixed::{FLAGS, FixedLabel};
use super::lex::tokens;
use super::literal;
use super::tree::{
    Aggregate, Binary, Call, Expr, ExprKind, LabelMatcher, NodeId, Tree, ValueType, VectorSelector,
};
use super::types::COMPARISONS;
use promgen_text::go::regex::GoRegex;

/// Whether there is a result, the less certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Presence {
    /// There is none.
    Never,
    /// That depends on values, or on the state that a series tells of.
    Conditional,
    /// There is one for each series of a metric that may be there in a state alone, and that says so.
    OfState,
    /// There is one for each series of a metric with a label of its own, which may be there in a state alone.
    OfPart,
    /// There is one for each series of a metric.
    OfMetric,
    /// There is one for each series of a metric of which the value is a quantity.
    OfQuantity,
    /// There is one for each series, whatever its value.
    OfSeries,
    /// There is one, whatever series there are.
    Always,
}

/// The range of values. What is no number lies in each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultRange {
    /// No value is less.
    pub least: f64,
    /// No value is more.
    pub most: f64,
}

/// Whether there is a result, and its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExprOutcome {
    /// Whether there is one.
    pub presence: Presence,
    /// Its values.
    pub range: ResultRange,
}

/// Why nothing meets a part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContradictionCause {
    /// Two conditions that no series meets together: comparisons of one part, or matchers of a label.
    Conditions,
    /// Something is taken away from itself, or is to be less or more than itself.
    Itself,
    /// Something is compared with `NaN`.
    NotANumber,
    /// A label is to have a value that its metric never has.
    NoSuchValue(&'static FixedLabel),
    /// `unless` takes away all that its left side can have.
    TakenAway,
}

/// The reason of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum OutcomeReason {
    /// A comparison holds always, or never.
    Settled {
        /// Its place.
        span: Range<usize>,
        /// The part that is compared with a number.
        compared: NodeId,
        /// Its values.
        range: ResultRange,
        /// The comparison, without that part: `== 0`.
        against: String,
        /// It holds always.
        holds: bool,
    },
    /// `absent` of what is always there.
    NeverAbsent {
        /// The place of the function.
        span: Range<usize>,
    },
    /// `bool` at a comparison of which only the presence counts.
    Bool {
        /// The place of the comparison.
        span: Range<usize>,
        /// Its operator.
        operator: &'static str,
    },
    /// Both sides of `>=` or `<=` are the same.
    OfItself {
        /// The place of the comparison.
        span: Range<usize>,
        /// Its operator.
        operator: &'static str,
    },
    /// Nothing meets a part, whatever the series are.
    Contradiction {
        /// Its place.
        span: Range<usize>,
        /// Why.
        by: ContradictionCause,
    },
    /// A side of `or` is always there.
    Or {
        /// The place of the side.
        span: Range<usize>,
    },
}

impl ResultRange {
    /// Any value.
    pub const ANY: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    const FLAG: Self = Self::new(0.0, 1.0);
    const POSITIVE: Self = Self::new(0.0, f64::INFINITY);
    const COUNT: Self = Self::new(1.0, f64::INFINITY);

    const fn new(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    const fn one(value: f64) -> Self {
        Self::new(value, value)
    }

    /// These values, and others.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self::new(self.least.min(other.least), self.most.max(other.most))
    }

    const fn and(self, other: Self) -> Self {
        Self::new(self.least.max(other.least), self.most.min(other.most))
    }

    /// The range of sums of one or more such values.
    const fn summed(self) -> Self {
        let least = if self.least >= 0.0 {
            self.least
        } else {
            f64::NEG_INFINITY
        };
        Self::new(
            least,
            if self.most <= 0.0 {
                self.most
            } else {
                f64::INFINITY
            },
        )
    }

    const fn negated(self) -> Self {
        Self::new(-self.most, -self.least)
    }

    fn joined(self, other: Self, join: fn(f64, f64) -> f64) -> Self {
        Self::new(join(self.least, other.least), join(self.most, other.most))
    }

    fn mapped(self, map: fn(f64) -> f64) -> Self {
        Self::new(map(self.least), map(self.most))
    }

    /// The range of an arithmetic operation.
    fn calculated(operator: &str, a: Self, b: Self) -> Self {
        let corners = |of: fn(f64, f64) -> f64| {
            let ends = [
                of(a.least, b.least),
                of(a.least, b.most),
                of(a.most, b.least),
                of(a.most, b.most),
            ];
            let is_known = ends.iter().all(|end| !end.is_nan());
            let most = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
            if is_known {
                Self::new(least, most)
            } else {
                Self::ANY
            }
        };
        match operator {
            "+" => corners(|a, b| a + b),
            "-" => corners(|a, b| a - b),
            "*" => corners(|a, b| a * b),
            "/" if b.least > 0.0 => corners(|a, b| a / b),
            _ => Self::ANY,
        }
    }

    /// Whether a comparison holds for all of these values, or for none.
    fn settles(self, operator: &str, other: Self) -> Option<bool> {
        let (a, b) = (self, other);
        let is_apart = a.most < b.least || a.least > b.most;
        let is_same = a.least == a.most && a == b;
        let (holds, fails) = match operator {
            ">" => (a.least > b.most, a.most <= b.least),
            "<" => (a.most < b.least, a.least >= b.most),
            ">=" => (a.least >= b.most, a.most < b.least),
            "<=" => (a.most <= b.least, a.least > b.most),
            "==" => (is_same, is_apart),
            "!=" => (is_apart, is_same),
            _ => (false, false),
        };
        (holds || fails).then_some(holds)
    }

    /// Those of these values for which a comparison holds.
    const fn filtered(self, operator: &str, other: Self) -> Self {
        match operator.as_bytes() {
            b">" | b">=" => self.and(Self::new(other.least, f64::INFINITY)),
            b"<" | b"<=" => self.and(Self::new(f64::NEG_INFINITY, other.most)),
            b"==" => self.and(other),
            _ => self,
        }
    }
}

impl ExprOutcome {
    const fn new(presence: Presence, range: ResultRange) -> Self {
        Self { presence, range }
    }

    const fn with(self, range: ResultRange) -> Self {
        Self { range, ..self }
    }

    /// The outcome of a calculation with it: nobody calculates with what only tells of a state.
    fn calculated(self) -> Self {
        let is_there = matches!(
            self.presence,
            Presence::OfState | Presence::OfPart | Presence::OfMetric | Presence::OfQuantity
        );
        let presence = if is_there {
            Presence::OfSeries
        } else {
            self.presence
        };
        Self { presence, ..self }
    }

    /// The outcome of what sums up metrics, but also the series that tell of a state.
    fn summed_up(self, from: Presence) -> Self {
        if self.presence >= from {
            self.calculated()
        } else {
            self
        }
    }
}

/// What is known of selectors beside their text. `None`: nothing.
pub type KnownSelectors<'k> = &'k dyn Fn(&VectorSelector) -> Option<ExprOutcome>;

/// The outcome of an expression, and its reasons.
#[must_use]
pub fn outcome(
    tree: &Tree,
    text: &str,
    known: KnownSelectors<'_>,
) -> (ExprOutcome, Vec<OutcomeReason>) {
    let mut walk = OutcomeWalk {
        tree,
        text,
        known,
        done: BTreeMap::new(),
        reasons: Vec::new(),
    };
    let mut last = ExprOutcome::new(Presence::Conditional, ResultRange::ANY);
    for (node, id) in tree.nodes().iter().zip(tree.ids()) {
        last = walk.of(node);
        walk.done.insert(id, last);
    }
    walk.useless_bools();
    (last, walk.reasons)
}

struct OutcomeWalk<'w> {
    tree: &'w Tree,
    text: &'w str,
    known: KnownSelectors<'w>,
    done: BTreeMap<NodeId, ExprOutcome>,
    reasons: Vec<OutcomeReason>,
}

/// Labels of targets: a condition on one of them tells of no state.
const OF_TARGETS: &[&str] = &[
    "cluster",
    "container",
    "endpoint",
    "env",
    "environment",
    "instance",
    "job",
    "namespace",
    "node",
    "pod",
    "service",
];

/// Parts of the names of metrics that exporters may expose in a state alone.
const STATES: &[&str] = &[
    "timestamp",
    "_status",
    "_state",
    "_phase",
    "_condition",
    "_failed",
    "_problem",
];

/// The ends of the names of metrics that measure.
const QUANTITIES: &[&str] = &[
    "_total", "_bytes", "_seconds", "_ratio", "_percent", "_count", "_sum", "_bucket",
];

/// What a selector tells of the series that it takes.
fn of_selector(selector: &VectorSelector) -> ExprOutcome {
    let name = selector.name.as_deref().unwrap_or_default();
    let tells_of_state = || {
        name.is_empty()
            || name.contains(':')
            || name.starts_with("kube_")
            || name.ends_with("_info")
            || STATES.iter().any(|part| name.contains(part))
    };
    let mut matchers = selector.matchers.iter();
    let mut is_part = || matchers.any(|matcher| !OF_TARGETS.contains(&matcher.label.as_str()));
    let range = match FLAGS.contains(&name) {
        true => ResultRange::FLAG,
        false => ResultRange::ANY,
    };
    match name {
        "up" => ExprOutcome::new(Presence::OfSeries, ResultRange::FLAG),
        "ALERTS" => ExprOutcome::new(Presence::Conditional, ResultRange::one(1.0)),
        _ if name.starts_with("ALERTS") => {
            ExprOutcome::new(Presence::Conditional, ResultRange::ANY)
        }
        _ if QUANTITIES.iter().any(|end| name.ends_with(end)) && !name.contains("timestamp") => {
            ExprOutcome::new(Presence::OfQuantity, ResultRange::ANY)
        }
        _ if tells_of_state() => ExprOutcome::new(Presence::OfState, range),
        _ if is_part() => ExprOutcome::new(Presence::OfPart, range),
        _ => ExprOutcome::new(Presence::OfMetric, range),
    }
}

/// Why no series meets the matchers of a selector. What may be filled in later is not judged.
fn contradiction(selector: &VectorSelector) -> Option<ContradictionCause> {
    let known = || {
        let matchers = selector.matchers.iter();
        matchers.filter(|matcher| !matcher.value.contains(['$', '<', '{']))
    };
    if known().any(|one| known().any(|other| excludes(one, other))) {
        return Some(ContradictionCause::Conditions);
    }
    known().find_map(|matcher| {
        let fixed = FixedLabel::of(selector.name.as_deref()?, &matcher.label)?;
        let texts = matcher.texts()?;
        let has = |text: &String| text.is_empty() || fixed.values.contains(&&**text);
        (!texts.iter().any(has)).then_some(ContradictionCause::NoSuchValue(fixed))
    })
}

/// Returns whether two matchers are of one label, and no value of it meets both.
fn excludes(one: &LabelMatcher, other: &LabelMatcher) -> bool {
    if one.label != other.label || std::ptr::eq(one, other) {
        return false;
    }
    let is_met = |text: &String| match other.operator {
        "=" => *text == other.value,
        "!=" => *text != other.value,
        operator => GoRegex::anchored(&other.value)
            .is_ok_and(|pattern| pattern.is_match(text) == (operator == "=~")),
    };
    match (one.operator, other.operator) {
        ("=~", "!~") if one.value == other.value => true,
        _ => one.texts().is_some_and(|texts| !texts.iter().any(is_met)),
    }
}

impl OutcomeWalk<'_> {
    fn get(&self, id: NodeId) -> ExprOutcome {
        let unknown = ExprOutcome::new(Presence::Conditional, ResultRange::ANY);
        self.done.get(&id).copied().unwrap_or(unknown)
    }

    fn is_vector(&self, id: NodeId) -> bool {
        self.tree.node(id).yields == ValueType::Vector
    }

    fn of(&mut self, node: &Expr) -> ExprOutcome {
        match &node.kind {
            ExprKind::Number => ExprOutcome::new(Presence::Always, self.number(node)),
            ExprKind::Text => ExprOutcome::new(Presence::Always, ResultRange::ANY),
            ExprKind::Selector(selector) => match contradiction(selector) {
                Some(by) => self.never(&node.span, by),
                None => (self.known)(selector).unwrap_or_else(|| of_selector(selector)),
            },
            ExprKind::Range(of) | ExprKind::Subquery(of) | ExprKind::Paren(of) => self.get(*of),
            ExprKind::Unary(of) => {
                let of = self.get(*of);
                let sign = self.text.get(node.span.clone()).unwrap_or_default();
                let is_negative = sign.starts_with('-');
                of.calculated().with(if is_negative {
                    of.range.negated()
                } else {
                    of.range
                })
            }
            ExprKind::Binary(binary) => self.of_binary(binary, &node.span),
            ExprKind::Call(call) => self.of_call(call, &node.span),
            ExprKind::Aggregate(aggregate) => self.of_aggregate(aggregate),
        }
    }

    /// The outcome of what nothing meets.
    fn never(&mut self, span: &Range<usize>, by: ContradictionCause) -> ExprOutcome {
        let span = span.clone();
        self.reasons.push(OutcomeReason::Contradiction { span, by });
        ExprOutcome::new(Presence::Never, ResultRange::ANY)
    }

    fn text_of(&self, id: NodeId) -> &str {
        let span = self.tree.node(id).span.clone();
        self.text.get(span).unwrap_or_default()
    }

    fn number(&self, node: &Expr) -> ResultRange {
        let text = self.text.get(node.span.clone()).unwrap_or_default();
        match &tokens(text)[..] {
            [token] => match literal::value(token) {
                Ok(value) if !value.is_nan() => ResultRange::one(value),
                Ok(_) | Err(_) => ResultRange::ANY,
            },
            _ => ResultRange::ANY,
        }
    }

    /// Returns whether both sides are the same, at the same time.
    fn is_itself(&self, binary: &Binary) -> bool {
        self.is_same(binary.left, binary.right)
    }

    fn is_same(&self, left: NodeId, right: NodeId) -> bool {
        let [left, right] = [left, right].map(|id| self.text_of(self.tree.within_parentheses(id)));
        !self.is_moved() && left.split_whitespace().eq(right.split_whitespace())
    }

    /// Returns whether a part may be of another time.
    fn is_moved(&self) -> bool {
        self.text.contains("offset") || self.text.contains('@')
    }

    /// Returns whether each series of the left side is one of the right side, too: it is a choice of its series.
    fn takes_all(&self, binary: &Binary) -> bool {
        let mut chosen = self.tree.within_parentheses(binary.left);
        let all = self.tree.within_parentheses(binary.right);
        while !self.is_same(chosen, all)
            && let ExprKind::Binary(choice) = &self.tree.node(chosen).kind
        {
            let is_filter = COMPARISONS.contains(&choice.operator) && !choice.matching.is_bool;
            let of = match (choice.operator, self.is_vector(choice.left)) {
                ("and" | "unless", _) => choice.left,
                _ if !is_filter => return false,
                (_, true) if !self.is_vector(choice.right) => choice.left,
                (_, false) => choice.right,
                (_, true) => return false,
            };
            chosen = self.tree.within_parentheses(of);
        }
        let [of_chosen, of_all] = [chosen, all].map(|id| &self.tree.node(id).kind);
        let asks_less = match (of_chosen, of_all) {
            (ExprKind::Selector(own), ExprKind::Selector(all)) => {
                own.name == all.name && all.matchers.iter().all(|of| own.matchers.contains(of))
            }
            _ => false,
        };
        self.is_same(chosen, all) || asks_less && !self.is_moved()
    }

    fn of_binary(&mut self, binary: &Binary, span: &Range<usize>) -> ExprOutcome {
        let (left, right) = (self.get(binary.left), self.get(binary.right));
        let operator = binary.operator;
        if COMPARISONS.contains(&operator) {
            return self.of_comparison(binary, span);
        }
        let least = left.presence.min(right.presence);
        match operator {
            "or" => {
                for (side, id) in [(left, binary.left), (right, binary.right)] {
                    if side.presence == Presence::Always {
                        let span = self.tree.node(id).span.clone();
                        self.reasons.push(OutcomeReason::Or { span });
                    }
                }
                let presence = left.presence.max(right.presence);
                ExprOutcome::new(presence, left.range.or(right.range))
            }
            "and" if self.is_contradicting(binary) => {
                self.never(span, ContradictionCause::Conditions)
            }
            "and" => ExprOutcome::new(least, left.range),
            "unless" if self.is_itself(binary) => self.never(span, ContradictionCause::Itself),
            "unless"
                if self.takes_all(binary)
                    || right.presence == Presence::Always && binary.matching.is_on_nothing() =>
            {
                self.never(span, ContradictionCause::TakenAway)
            }
            "unless" if right.presence == Presence::Never => left,
            "unless" => ExprOutcome::new(left.presence.min(Presence::Conditional), left.range),
            _ => {
                let range = ResultRange::calculated(operator, left.range, right.range);
                if binary.matching.fills {
                    return ExprOutcome::new(Presence::Conditional, range);
                }
                let outcome = ExprOutcome::new(least, range);
                // A factor of 1 joins the labels of another metric.
                let joins = operator == "*" && binary.matching.many.is_some();
                if joins { outcome } else { outcome.calculated() }
            }
        }
    }

    /// Returns whether both sides compare the same part, and no value of it holds for both.
    fn is_contradicting(&self, binary: &Binary) -> bool {
        let (left, right) = (self.compared(binary.left), self.compared(binary.right));
        left.zip(right).is_some_and(|((own, a), (other, b))| {
            binary.matching.labels.is_none()
                && (a.most < b.least || a.least > b.most)
                && own.split_whitespace().eq(other.split_whitespace())
        })
    }

    /// The text of what a side compares with a number, and the values for which that holds.
    fn compared(&self, side: NodeId) -> Option<(&str, ResultRange)> {
        let id = self.tree.within_parentheses(side);
        let ExprKind::Binary(binary) = &self.tree.node(id).kind else {
            return None;
        };
        let is_of_series = self.is_vector(binary.left) && !self.is_vector(binary.right);
        let is_comparison = COMPARISONS.contains(&binary.operator) && !binary.matching.is_bool;
        let [left, right] = [binary.left, binary.right].map(|id| self.tree.node(id).span.start);
        // What moves the time of a selector stands behind it.
        let text = self.text.get(left..right)?.trim_end();
        let text = text.strip_suffix(binary.operator)?;
        (is_of_series && is_comparison).then(|| (text, self.get(id).range))
    }

    fn of_comparison(&mut self, binary: &Binary, span: &Range<usize>) -> ExprOutcome {
        let (left, right) = (self.get(binary.left), self.get(binary.right));
        let operator = binary.operator;
        let both = self.is_vector(binary.left) && self.is_vector(binary.right);
        let outcome = ExprOutcome::new(left.presence.min(right.presence), left.range);
        if binary.matching.is_bool {
            let presence = if binary.matching.fills {
                Presence::Conditional
            } else {
                outcome.presence
            };
            return ExprOutcome::new(presence, ResultRange::FLAG).calculated();
        }
        if binary.matching.fills || outcome.presence == Presence::Never {
            return ExprOutcome::new(
                outcome.presence.min(Presence::Conditional),
                ResultRange::ANY,
            );
        }
        let is_nan = |id: NodeId| self.text_of(id).eq_ignore_ascii_case("nan");
        if operator != "!=" && (is_nan(binary.left) || is_nan(binary.right)) {
            return self.never(span, ContradictionCause::NotANumber);
        }
        let is_of_all = both && binary.matching.labels.is_none();
        if is_of_all && self.is_itself(binary) {
            if matches!(operator, "<" | ">") {
                return self.never(span, ContradictionCause::Itself);
            }
            // `x == x` is how one asks for what is a number.
            if matches!(operator, "<=" | ">=") {
                let span = span.clone();
                self.reasons
                    .push(OutcomeReason::OfItself { span, operator });
                return outcome;
            }
        }
        // The result has the values of the vector, on whichever side it is.
        let is_left = self.is_vector(binary.left);
        let (compared, constant, operator) = match is_left {
            true => (binary.left, binary.right, operator),
            false => (binary.right, binary.left, turned(operator)),
        };
        let (own, other) = (self.get(compared).range, self.get(constant).range);
        let holds = own
            .settles(operator, other)
            .filter(|holds| !(both && *holds));
        if let Some(holds) = holds {
            let against = format!("{operator} {}", self.text_of(constant).trim());
            self.reasons.push(OutcomeReason::Settled {
                span: span.clone(),
                compared,
                range: own,
                against,
                holds,
            });
        }
        match holds {
            Some(false) => ExprOutcome::new(Presence::Never, own),
            Some(true) => outcome.with(own),
            None => ExprOutcome::new(Presence::Conditional, own.filtered(operator, other)),
        }
    }

    fn of_call(&mut self, call: &Call, span: &Range<usize>) -> ExprOutcome {
        let is_of_series = |id: &&NodeId| {
            matches!(
                self.tree.node(**id).yields,
                ValueType::Vector | ValueType::Range
            )
        };
        let series = call.arguments.iter().find(is_of_series).copied();
        let inner = series.map(|id| self.get(id));
        let scalar = |at: usize| {
            call.arguments
                .get(at)
                .map_or(ResultRange::ANY, |id| self.get(*id).range)
        };
        let name = call.function.name;
        let of = inner.unwrap_or(ExprOutcome::new(Presence::Always, ResultRange::ANY));
        match name {
            "absent" | "absent_over_time" => {
                let presence = match of.presence {
                    Presence::Never => Presence::Always,
                    Presence::Always => Presence::Never,
                    _ => Presence::Conditional,
                };
                if presence == Presence::Never {
                    self.reasons
                        .push(OutcomeReason::NeverAbsent { span: span.clone() });
                }
                ExprOutcome::new(presence, ResultRange::one(1.0))
            }
            "vector" => of.with(scalar(0)),
            "scalar" => ExprOutcome::new(Presence::Always, ResultRange::ANY),
            "label_replace" | "label_join" | "sort" | "sort_desc" | "sort_by_label"
            | "sort_by_label_desc" | "info" => of,
            "last_over_time" | "first_over_time" => of,
            "max_over_time" | "min_over_time" => of.summed_up(Presence::OfQuantity),
            "present_over_time" => of.with(ResultRange::one(1.0)),
            "count_over_time" => of.with(ResultRange::COUNT),
            "avg_over_time" => of.summed_up(Presence::OfMetric),
            "sum_over_time" => of.summed_up(Presence::OfMetric).with(of.range.summed()),
            "clamp" => of
                .calculated()
                .with(ResultRange::new(scalar(1).least, scalar(2).most)),
            "clamp_min" => of.calculated().with(of.range.joined(scalar(1), f64::max)),
            "clamp_max" => of.calculated().with(of.range.joined(scalar(1), f64::min)),
            "ceil" => of.calculated().with(of.range.mapped(f64::ceil)),
            "floor" => of.calculated().with(of.range.mapped(f64::floor)),
            _ => of.calculated().with(range_of(name)),
        }
    }

    fn of_aggregate(&self, aggregate: &Aggregate) -> ExprOutcome {
        let of = self.get(aggregate.of);
        // Of all series, no group of them is there in a state alone.
        let summed = match aggregate.grouping {
            None => Presence::OfPart,
            Some(_) => Presence::OfMetric,
        };
        match aggregate.operator {
            "topk" | "bottomk" | "limitk" | "limit_ratio" => of,
            "count" | "count_values" => of.summed_up(Presence::OfQuantity).with(ResultRange::COUNT),
            "group" => of
                .summed_up(Presence::OfQuantity)
                .with(ResultRange::one(1.0)),
            "min" | "max" => of.summed_up(Presence::OfQuantity),
            "sum" => of.summed_up(summed).with(of.range.summed()),
            "avg" => of.summed_up(summed),
            "stddev" | "stdvar" => of.summed_up(summed).with(ResultRange::POSITIVE),
            _ => of.summed_up(summed).with(ResultRange::ANY),
        }
    }

    /// Comparisons with `bool` of which only the presence counts.
    fn useless_bools(&mut self) {
        let mut counts = Vec::from_iter(self.tree.ids().last());
        while let Some(id) = counts.pop() {
            let node = self.tree.node(id);
            match &node.kind {
                ExprKind::Paren(of) => counts.push(*of),
                ExprKind::Binary(binary) if matches!(binary.operator, "and" | "or" | "unless") => {
                    counts.extend([binary.right, binary.left]);
                }
                ExprKind::Binary(binary)
                    if binary.matching.is_bool && self.get(id).presence >= Presence::OfSeries =>
                {
                    let (span, operator) = (node.span.clone(), binary.operator);
                    self.reasons.push(OutcomeReason::Bool { span, operator });
                }
                _ => {}
            }
        }
    }
}

/// The values of a function, whatever its arguments are.
fn range_of(name: &str) -> ResultRange {
    match name {
        "rate" | "irate" | "increase" | "changes" | "resets" | "abs" | "exp" | "sqrt"
        | "stddev_over_time" | "stdvar_over_time" | "time" | "timestamp" | "histogram_count"
        | "histogram_stddev" | "histogram_stdvar" => ResultRange::POSITIVE,
        "hour" => ResultRange::new(0.0, 23.0),
        "minute" => ResultRange::new(0.0, 59.0),
        "day_of_week" => ResultRange::new(0.0, 6.0),
        "day_of_month" => ResultRange::new(1.0, 31.0),
        "day_of_year" => ResultRange::new(1.0, 366.0),
        "days_in_month" => ResultRange::new(28.0, 31.0),
        "month" => ResultRange::new(1.0, 12.0),
        "sgn" => ResultRange::new(-1.0, 1.0),
        "histogram_fraction" => ResultRange::FLAG,
        _ => ResultRange::ANY,
    }
}

/// The operator with its sides the other way round.
const fn turned(operator: &'static str) -> &'static str {
    match operator.as_bytes() {
        b">" => "<",
        b"<" => ">",
        b">=" => "<=",
        b"<=" => ">=",
        _ => operator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promql::parse;

    fn presence(text: &str) -> Presence {
        outcome(&parse(text).expect(text), text, &|_| None)
            .0
            .presence
    }

    #[test]
    fn what_compares_nothing_has_a_result_for_each_series() {
        for text in [
            "sum by (job) (rate(a_total[5m]))",
            "rate(a[5m]) > bool 5",
            "(a > bool 5) * on (b) (c > bool 1)",
            "histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m])))",
            "a / b",
            "time() - a_seconds",
            "sum(a)",
            "max by (b) (a_bytes)",
            "avg_over_time(a[1h])",
            "up",
            "count(up)",
            "rate(a[5m]) >= 0",
            "0 <= increase(a[5m])",
            "up < 2",
            "a > 5 or rate(b[5m])",
            "rate(a[5m]) and sum(b) > bool 5",
            "topk(3, rate(a[5m]))",
            "clamp_max(a, 1) <= 1",
            "-a",
            "sum(a{b=\"c\"})",
            "avg(a{code=~\"5..\", job=\"d\"})",
        ] {
            assert_eq!(presence(text), Presence::OfSeries, "{text}");
        }
        for text in [
            "sum(a) or vector(0)",
            "count(a > 5) or vector(0) == 0",
            "absent(count(a) == 0)",
        ] {
            assert_eq!(presence(text), Presence::Always, "{text}");
        }
    }

    #[test]
    fn what_filters_or_tells_of_a_state_is_left_open() {
        for text in [
            "a",
            "a_info",
            "max by (pod) (a)",
            "sum by (pod) (a{reason=\"Crash\"})",
            "a unless b",
            "rate(a[5m]) and b",
            "(a > 0.9) and on (b) c",
            "absent(a)",
            "absent(a) == 1",
            "absent_over_time(a[5m]) > 0",
            "ALERTS{alertstate=\"firing\"}",
            "count(ALERTS) > 0",
            "(a > bool 0.9) == 1",
            "((a > bool 1) + (b > bool 2)) >= 2",
            "count(a == 0) >= 1",
            "changes(a[1h]) > 0",
            "a * on (b) group_left (c) d_info",
            "(sum(a) or vector(0)) == 0",
            "(a > 5) / b",
            "max_over_time((a > 5)[1h:])",
            "absent(a) == bool 1",
            "a == on () group_left () fill (0) b",
            "count(kube_pod_info)",
            "sum(kube_pod_status_unschedulable)",
            "sum by (node) (disk_failed)",
            "max(kube_pod_deletion_timestamp)",
            "job:errors:ratio5m",
            "rate(a[5m]) > scalar(b)",
            "hour() > 8 and on () a",
            "a != NaN",
            "up != 1",
            "a{b=~\"c.*\", b!=\"cd\"}",
            "a{b=~\"c|d\", b!~\"d\"}",
            "a{b=\"${C}\", b!=\"${C}\"}",
            "a{b=~\"c.*\", d!~\"c.*\"}",
            "a unless b",
            "a unless a offset 5m",
            "a != a",
            "a >= a",
            "a > on (b) a",
            "a > a @ 0",
            "max by (b) (a{c=\"d\"})",
            "sum(kube_pod_status_phase{phase=\"Failed\"})",
            "ALERTS{alertstate!=\"pending\"}",
            "ALERTS{alertstate=~\"fir.*|pending\"} == 1",
            "ALERTS_FOR_STATE == 0",
            "sum(rate(a[5m])) / sum(rate(b[5m])) > 0.5",
            "1 - avg(up) > 0.5",
            "a > 10 and on (b) a < 5",
            "a > 5 and a < 10",
            "a > 10 and a offset 5m < 5",
            "a{b=\"c\", b!=\"d\"} > 1",
            "a == 0 unless on (b) vector(1)",
            "a == 0 unless on () b",
            "a unless a > 5",
            "a unless a{b=\"c\"}",
            "a > b unless a",
            "a > 5 unless a offset 5m",
            "a * 2 unless a",
            "probe_success == 1",
            "sum(probe_success) > 1",
            "kube_pod_status_phase{phase=~\"Failed|CrashLoopBackOff\"} > 0",
            "kube_pod_status_phase{phase!=\"CrashLoopBackOff\"} > 0",
            "kube_pod_status_phase{phase=\"${PHASE}\"} > 0",
            "rate(node_cpu_seconds_total{mode=\"idle\"}[5m]) < 1",
        ] {
            let presence = presence(text);
            assert!(
                presence > Presence::Never && presence < Presence::OfSeries,
                "{text}: {presence:?}"
            );
        }
    }

    #[test]
    fn what_no_value_meets_has_no_result() {
        for text in [
            "absent(a) == 0",
            "0 == absent(a)",
            "absent(a) != 1",
            "absent_over_time(a[5m]) < 1",
            "count(a) == 0",
            "(count by (b) (a)) < 1",
            "count_over_time(a[5m]) == 0",
            "up > 1",
            "sum(up) < 0",
            "rate(a[5m]) < 0",
            "(a > bool 5) == 2",
            "a > 10 and a < 5",
            "(rate(a[5m]) == 0) and rate(a[5m]) > 1",
            "a{b=\"c\", b=\"d\"}",
            "hour() > 23",
            "day_of_week() == 7",
            "absent(vector(1))",
            "absent(sum(a) or vector(0))",
            "count(a) == 0 and b",
            "b and on () count(a) == 0",
            "group(a) > 1",
            "a > 5 < 3",
            "sum(absent(a) == 0)",
            "count(a) - 1 < 0",
            "a == NaN",
            "nan > a",
            "a{b=\"c\", b!=\"c\"}",
            "a{b=~\"c.*\", b!~\"c.*\"}",
            "a{b=~\"c|d\", b=\"e\"}",
            "a{b=\"c\", b!~\"c|d\"} > 1",
            "a unless a",
            "sum by (b) (a) unless on (b) sum by  (b) (a)",
            "rate(a[5m]) > rate(a[5m])",
            "a < a",
            "vector(0) > 1",
            "vector(1) == 0",
            "a < -Inf",
            "ALERTS == 0",
            "ALERTS{alertstate=\"fireing\"}",
            "ALERTS{alertstate=~\"fire|pend\"}",
            "a == 0 unless on () vector(1)",
            "rate(a[5m]) > 1 unless on () (sum(b) or vector(0))",
            "up == 0 unless up",
            "a{b=\"c\"} > 1 unless a",
            "5 < (a > 1) unless on (b) a",
            "(sum by (b) (a) > 5 and c) unless sum by (b) (a)",
            "probe_success > 1",
            "sum(kube_pod_status_phase{phase=\"CrashLoopBackOff\"}) > 0",
            "rate(node_cpu_seconds_total{mode=~\"idel|idl\"}[5m]) < 1",
        ] {
            assert_eq!(presence(text), Presence::Never, "{text}");
        }
    }
}
