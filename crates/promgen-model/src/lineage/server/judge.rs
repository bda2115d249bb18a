//! Which parts of an expression find nothing, and whether it needs them.
//!
//! In: a tree. Out: what the expression requires and cannot have, `absent` of what is never there, and ranges that are too short.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::lineage::matcher::SeriesSelector;
use crate::lineage::server::{Absence, SelectorAnswer, SeriesServer};
use promgen_prometheus::promql::{
    Binary, Call, Expr, ExprKind, NodeId, Tree, ValueType, VectorSelector,
};
use promgen_text::go::duration::PromDuration;

/// The functions that need two samples.
const RANGE_FUNCTIONS: &[&str] = &["rate", "irate", "increase", "delta", "idelta", "deriv"];

/// Returns whether a function needs two samples of a range.
fn is_range_function(name: &str) -> bool {
    RANGE_FUNCTIONS.contains(&name)
}

/// The facts of an expression on a server.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Its result is surely empty.
    pub is_empty: bool,
    /// What it requires and cannot have.
    pub lacks: Vec<Lack>,
    /// What it says is absent, and always is.
    pub absent: Vec<AbsentAlways>,
    /// The ranges that are too short.
    pub short: Vec<ShortRange>,
}

/// A selector that finds nothing.
#[derive(Clone, Debug)]
pub struct Lack {
    /// Its place in the text of the expression.
    pub span: Range<usize>,
    /// The selector.
    pub selector: SeriesSelector,
    /// Why it finds nothing.
    pub absence: Absence,
}

/// An `absent` of what is never there.
#[derive(Clone, Debug)]
pub struct AbsentAlways {
    /// The function.
    pub function: &'static str,
    /// What is never there.
    pub lack: Lack,
}

/// A range that is shorter than twice the interval of every job that its selector can match.
#[derive(Clone, Debug)]
pub struct ShortRange {
    /// Its place in the text of the expression.
    pub span: Range<usize>,
    /// The function.
    pub function: &'static str,
    /// The range.
    pub range: PromDuration,
    /// The shortest interval of the jobs.
    pub interval: PromDuration,
    /// A job with that interval.
    pub job: String,
}

/// The facts of a part.
#[derive(Clone, Debug, Default)]
struct PartFindings {
    is_empty: bool,
    lacks: Vec<Lack>,
    /// It is made of no series.
    is_constant: bool,
}

impl SeriesServer {
    /// The facts of an expression. `is_open`: whether a selector is left open, whatever it asks for.
    #[must_use]
    pub fn judge(
        &self,
        tree: &Tree,
        text: &str,
        enforced: Option<(&str, &str)>,
        is_open: &dyn Fn(&VectorSelector) -> bool,
    ) -> Judgement {
        let mut walk = JudgeWalk {
            server: self,
            tree,
            text,
            enforced,
            is_open,
            judged: Judgement::default(),
            done: BTreeMap::new(),
        };
        let mut last = PartFindings::default();
        for (node, id) in tree.nodes().iter().zip(tree.ids()) {
            last = walk.of(node);
            walk.done.insert(id, last.clone());
        }
        Judgement {
            is_empty: last.is_empty,
            lacks: last.lacks,
            ..walk.judged
        }
    }
}

struct JudgeWalk<'w> {
    server: &'w SeriesServer,
    tree: &'w Tree,
    text: &'w str,
    enforced: Option<(&'w str, &'w str)>,
    is_open: &'w dyn Fn(&VectorSelector) -> bool,
    judged: Judgement,
    /// The facts of parts, as long as the part around them has not asked.
    done: BTreeMap<NodeId, PartFindings>,
}

impl JudgeWalk<'_> {
    fn take(&mut self, id: NodeId) -> PartFindings {
        self.done.remove(&id).unwrap_or_default()
    }

    fn of(&mut self, node: &Expr) -> PartFindings {
        match &node.kind {
            ExprKind::Number | ExprKind::Text => PartFindings {
                is_constant: true,
                ..PartFindings::default()
            },
            ExprKind::Selector(selector) => self.of_selector(selector, &node.span),
            ExprKind::Range(of)
            | ExprKind::Subquery(of)
            | ExprKind::Paren(of)
            | ExprKind::Unary(of) => self.take(*of),
            ExprKind::Binary(binary) => self.of_binary(binary),
            ExprKind::Call(call) => self.of_call(call),
            ExprKind::Aggregate(aggregate) => {
                aggregate
                    .parameter
                    .into_iter()
                    .for_each(|parameter| drop(self.take(parameter)));
                self.take(aggregate.of)
            }
        }
    }

    fn of_selector(&self, written: &VectorSelector, span: &Range<usize>) -> PartFindings {
        if (self.is_open)(written) {
            return PartFindings::default();
        }
        let selector = SeriesSelector::of(written, self.enforced);
        match self.server.find(&selector) {
            SelectorAnswer::Possible => PartFindings::default(),
            SelectorAnswer::Nothing(absence) => {
                let lack = Lack {
                    span: span.clone(),
                    selector,
                    absence: *absence,
                };
                PartFindings {
                    is_empty: true,
                    lacks: vec![lack],
                    is_constant: false,
                }
            }
        }
    }

    fn of_binary(&mut self, binary: &Binary) -> PartFindings {
        let (left, right) = (self.take(binary.left), self.take(binary.right));
        let is_constant = left.is_constant && right.is_constant;
        let is_vector = |id: NodeId| self.tree.node(id).yields == ValueType::Vector;
        let both = |left: PartFindings, right: PartFindings| {
            let mut lacks = left.lacks;
            lacks.extend(right.lacks);
            lacks
        };
        match binary.operator {
            "or" if left.is_constant || right.is_constant => PartFindings {
                is_empty: false,
                lacks: both(left, right),
                is_constant,
            },
            "or" => {
                let is_empty = left.is_empty && right.is_empty;
                let lacks = if is_empty {
                    both(left, right)
                } else {
                    Vec::new()
                };
                PartFindings {
                    is_empty,
                    lacks,
                    is_constant,
                }
            }
            "unless" => PartFindings {
                is_constant,
                ..left
            },
            _ if binary.matching.fills => PartFindings::default(),
            _ => {
                let is_empty = left.is_empty && is_vector(binary.left)
                    || right.is_empty && is_vector(binary.right);
                PartFindings {
                    is_empty,
                    lacks: both(left, right),
                    is_constant,
                }
            }
        }
    }

    fn of_call(&mut self, call: &Call) -> PartFindings {
        let name = call.function.name;
        let mut whole = PartFindings {
            is_constant: true,
            ..PartFindings::default()
        };
        for argument in &call.arguments {
            let part = self.take(*argument);
            whole.is_constant &= part.is_constant;
            whole.is_empty |= part.is_empty;
            whole.lacks.extend(part.lacks);
        }
        if is_range_function(name) && !whole.is_empty {
            call.arguments
                .first()
                .into_iter()
                .for_each(|argument| self.range(name, *argument));
        }
        match name {
            "absent" | "absent_over_time" => {
                if whole.is_empty {
                    let always = |lack| AbsentAlways {
                        function: name,
                        lack,
                    };
                    self.judged
                        .absent
                        .extend(whole.lacks.into_iter().map(always));
                }
                PartFindings::default()
            }
            // A number, though it is none.
            "scalar" => PartFindings {
                is_empty: false,
                ..whole
            },
            _ => whole,
        }
    }

    /// Compares the range of an argument with the intervals of the jobs that it can match.
    fn range(&mut self, function: &'static str, argument: NodeId) {
        let id = self.tree.within_parentheses(argument);
        let ExprKind::Range(of) = &self.tree.node(id).kind else {
            return;
        };
        let inner = self.tree.node(*of);
        let ExprKind::Selector(written) = &inner.kind else {
            return;
        };
        let Some(range) = self.written_range(inner.span.end) else {
            return;
        };
        if (self.is_open)(written) || self.server.open.is_some() {
            return;
        }
        let selector = SeriesSelector::of(written, self.enforced);
        let Some([name]) = selector.names.as_deref() else {
            return;
        };
        let is_recorded = name.contains(':') || !self.server.records(name).is_empty();
        if is_recorded || name.starts_with("ALERTS") {
            return;
        }
        let mut least: Option<(PromDuration, &str)> = None;
        for (job, _) in self.server.matching(&selector, Some(name)) {
            let Some(interval) = job.interval else { return };
            if job.federates {
                return;
            }
            if least.is_none_or(|(known, _)| interval < known) {
                least = Some((interval, &job.name));
            }
        }
        let Some((interval, job)) = least else { return };
        if range.millis < interval.millis.saturating_mul(2) {
            let job = job.to_owned();
            self.judged.short.push(ShortRange {
                span: inner.span.start..inner.span.end,
                function,
                range,
                interval,
                job,
            });
        }
    }

    /// The range that is written behind a selector.
    fn written_range(&self, end: usize) -> Option<PromDuration> {
        let (_, rest) = self.text.get(end..)?.split_once('[')?;
        let written = rest.split(']').next()?.trim();
        PromDuration::parse(written).ok().or_else(|| {
            let seconds: u64 = written.parse().ok()?;
            Some(PromDuration {
                millis: seconds.checked_mul(1000)?,
            })
        })
    }
}
