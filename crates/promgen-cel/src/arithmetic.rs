//! Operators between numbers, texts, lists and durations.

use crate::fault::{CelMeter, CelResult, CelStop};
use crate::value::{CelText, CelValue};

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelOperator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
    In,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

impl CelOperator {
    /// How it is written.
    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::In => "in",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
            Self::Modulo => "%",
        }
    }
}

fn no_overload(sign: &str, left: &CelValue<'_>, right: &CelValue<'_>) -> CelStop {
    let (left, right) = (left.type_name(), right.type_name());
    CelStop::error(format!("no such overload: {left} {sign} {right}"))
}

fn overflow() -> CelStop {
    CelStop::error("integer overflow")
}

/// `-`.
pub(crate) fn negative<'v>(value: &CelValue<'v>) -> CelResult<CelValue<'v>> {
    match value {
        CelValue::Int(value) => value.checked_neg().map(CelValue::Int).ok_or_else(overflow),
        CelValue::Double(value) => Ok(CelValue::Double(-value)),
        CelValue::Duration(value) => {
            let negative = value.checked_neg().map(CelValue::Duration);
            negative.ok_or_else(overflow)
        }
        _ => {
            let message = format!("no such overload: -{}", value.type_name());
            Err(CelStop::error(message))
        }
    }
}

/// `+`.
pub(crate) fn plus<'v>(
    left: &CelValue<'v>,
    right: &CelValue<'v>,
    meter: &mut CelMeter<'_>,
) -> CelResult<CelValue<'v>> {
    match (left, right) {
        (CelValue::Text(left), CelValue::Text(right)) => {
            meter.bytes(left.len() + right.len())?;
            Ok(CelValue::Text(CelText::Shared(
                [&**left, &**right].concat().into(),
            )))
        }
        (CelValue::Bytes(left), CelValue::Bytes(right)) => {
            meter.bytes(left.len() + right.len())?;
            Ok(CelValue::Bytes([&**left, &**right].concat().into()))
        }
        _ => match (left.items(), right.items()) {
            (Some(left), Some(right)) => {
                meter.take(left.len() + right.len())?;
                Ok(CelValue::List(left.iter().chain(right.iter()).collect()))
            }
            _ => numbers(CelOperator::Plus, left, right),
        },
    }
}

/// `+`, `-`, `*`, `/` and `%` between numbers and durations.
pub(crate) fn numbers<'v>(
    of: CelOperator,
    left: &CelValue<'v>,
    right: &CelValue<'v>,
) -> CelResult<CelValue<'v>> {
    let sign = of.sign();
    let is_division = matches!(of, CelOperator::Over | CelOperator::Modulo);
    match (left, right) {
        (_, CelValue::Int(0)) | (_, CelValue::Uint(0))
            if is_division && left.type_name() == right.type_name() =>
        {
            Err(CelStop::error(match of {
                CelOperator::Over => "division by zero",
                _ => "modulus by zero",
            }))
        }
        (CelValue::Int(left), CelValue::Int(right)) => match of {
            CelOperator::Plus => left.checked_add(*right),
            CelOperator::Minus => left.checked_sub(*right),
            CelOperator::Times => left.checked_mul(*right),
            CelOperator::Over => left.checked_div(*right),
            _ => left.checked_rem(*right),
        }
        .map(CelValue::Int)
        .ok_or_else(overflow),
        (CelValue::Uint(left), CelValue::Uint(right)) => match of {
            CelOperator::Plus => left.checked_add(*right),
            CelOperator::Minus => left.checked_sub(*right),
            CelOperator::Times => left.checked_mul(*right),
            CelOperator::Over => left.checked_div(*right),
            _ => left.checked_rem(*right),
        }
        .map(CelValue::Uint)
        .ok_or_else(|| CelStop::error("unsigned integer overflow")),
        (CelValue::Double(left), CelValue::Double(right)) if of != CelOperator::Modulo => {
            Ok(CelValue::Double(match of {
                CelOperator::Plus => left + right,
                CelOperator::Minus => left - right,
                CelOperator::Times => left * right,
                _ => left / right,
            }))
        }
        (CelValue::Duration(one), CelValue::Duration(other)) => match of {
            CelOperator::Plus => one.checked_add(*other),
            CelOperator::Minus => one.checked_sub(*other),
            _ => return Err(no_overload(sign, left, right)),
        }
        .map(CelValue::Duration)
        .ok_or_else(overflow),
        _ => Err(no_overload(sign, left, right)),
    }
}
