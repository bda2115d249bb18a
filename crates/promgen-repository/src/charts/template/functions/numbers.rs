//! Functions of numbers.

use promgen_text::yaml::{Data, Node};

use super::{Called, Executed, FunctionCall, NotKnown, Yielded};
use crate::charts::node::list;
use crate::charts::template::MAX_NUMBERS;

/// The integers up to which floats have each.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// An integer of a template.
pub(in crate::charts::template) fn integer(number: i64) -> Data {
    u64::try_from(number).map_or(Data::Int(number), Data::Uint)
}

/// A float: what has no fraction stands as in a file.
pub(in crate::charts::template) fn float(number: f64) -> Data {
    if number.fract() == 0.0 && number.abs() < MAX_EXACT {
        Data::Int(number as i64)
    } else {
        Data::Float(number)
    }
}

/// The integer that a value is turned into: of what is no number, zero.
fn to_integer(node: &Node) -> Executed<i64> {
    match &node.data {
        Data::Null => Ok(0),
        Data::Bool(value) => Ok(i64::from(*value)),
        Data::Int(number) => Ok(*number),
        Data::Uint(number) => i64::try_from(*number).map_err(|_| NotKnown),
        Data::Float(number) => Ok(number.trunc() as i64),
        Data::String(text) => {
            let is_plain =
                text.parse::<i64>().is_ok() && (text.len() == 1 || !text.starts_with('0'));
            match is_plain {
                true => text.parse().map_err(|_| NotKnown),
                // Another base, perhaps.
                false if text.starts_with(|c: char| c.is_ascii_digit()) => Err(NotKnown),
                false => Ok(0),
            }
        }
        _ => Err(NotKnown),
    }
}

impl FunctionCall<'_, '_> {
    pub(super) fn arithmetic(&self, name: &str) -> Called {
        let number = match name {
            "gt" | "lt" | "ge" | "le" => return self.compared(name).map(Some),
            "float64" | "floor" | "ceil" | "addf" | "subf" | "mulf" | "divf" | "maxf" | "minf" => {
                return self.of_floats(name).map(Some);
            }
            "until" => return self.until(0, self.whole(0)?, 1).map(Some),
            "untilStep" => {
                return self
                    .until(self.whole(0)?, self.whole(1)?, self.whole(2)?)
                    .map(Some);
            }
            "int" | "int64" | "atoi" => self.whole(0)?,
            "add1" => self.whole(0)?.checked_add(1).ok_or(NotKnown)?,
            "add" => self.folded(i64::checked_add)?,
            "mul" => self.folded(i64::checked_mul)?,
            "max" | "biggest" => self.folded(|a, b| Some(a.max(b)))?,
            "min" => self.folded(|a, b| Some(a.min(b)))?,
            "sub" => self.of_two(i64::checked_sub)?,
            "div" => self.of_two(i64::checked_div)?,
            "mod" => self.of_two(i64::checked_rem)?,
            _ => return Ok(None),
        };
        self.number(number).map(Some)
    }

    pub(super) fn number(&self, number: i64) -> Executed<Yielded> {
        self.node(integer(number))
    }

    /// An argument as an integer.
    pub(super) fn whole(&self, at: usize) -> Executed<i64> {
        to_integer(&self.at(at)?.node)
    }

    fn folded(&self, of: impl Fn(i64, i64) -> Option<i64>) -> Executed<i64> {
        let first = self.whole(0)?;
        (1..self.arguments.len())
            .try_fold(first, |sum, at| of(sum, self.whole(at)?).ok_or(NotKnown))
    }

    fn of_two(&self, of: impl Fn(i64, i64) -> Option<i64>) -> Executed<i64> {
        of(self.whole(0)?, self.whole(1)?).ok_or(NotKnown)
    }

    fn compared(&self, name: &str) -> Executed<Yielded> {
        let (a, b) = (&self.at(0)?.node, &self.at(1)?.node);
        let order = match (&a.data, &b.data) {
            (Data::String(a), Data::String(b)) => a.as_str().cmp(b.as_str()),
            _ => {
                let (a, b) = a.as_f64().zip(b.as_f64()).ok_or(NotKnown)?;
                a.partial_cmp(&b).ok_or(NotKnown)?
            }
        };
        self.truth(match name {
            "gt" => order.is_gt(),
            "lt" => order.is_lt(),
            "ge" => order.is_ge(),
            _ => order.is_le(),
        })
    }

    fn of_floats(&self, name: &str) -> Executed<Yielded> {
        let at = |at: usize| {
            let node = &self.at(at)?.node;
            let parsed = node.as_str().and_then(|text| text.parse().ok());
            node.as_f64().or(parsed).ok_or(NotKnown)
        };
        let first = at(0)?;
        let folded = |of: fn(f64, f64) -> f64| {
            (1..self.arguments.len()).try_fold(first, |sum, next| Ok(of(sum, at(next)?)))
        };
        let made = match name {
            "float64" => first,
            "floor" => first.floor(),
            "ceil" => first.ceil(),
            "addf" => folded(|a, b| a + b)?,
            "subf" => folded(|a, b| a - b)?,
            "mulf" => folded(|a, b| a * b)?,
            "divf" => folded(|a, b| a / b)?,
            "maxf" => folded(f64::max)?,
            _ => folded(f64::min)?,
        };
        if !made.is_finite() {
            return Err(NotKnown);
        }
        self.node(float(made))
    }

    fn until(&self, start: i64, end: i64, step: i64) -> Executed<Yielded> {
        let bounds = 0..=MAX_NUMBERS;
        if !(bounds.contains(&start) && bounds.contains(&end) && step > 0) {
            return Err(NotKnown);
        }
        let step = usize::try_from(step).map_err(|_| NotKnown)?;
        let span = self.span();
        let item = |number| Node {
            data: integer(number),
            span,
        };
        let items = (start..end).step_by(step).map(item);
        Ok(list(items.collect(), span).into())
    }
}
