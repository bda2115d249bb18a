//! Which values are equal, and which one is less.

use std::cmp::Ordering;

use super::{CelText, CelValue};
use crate::fault::{CelMeter, CelResult, CelStop};

/// How deep values are in each other at most where they are compared: each level takes stack.
const MAX_DEPTH: usize = 200;

/// Whether two values are equal.
#[derive(Clone, Debug)]
pub(crate) enum CelVerdict<'v> {
    Yes,
    No,
    /// Nobody knows a part that would decide.
    Unknown(CelText<'v>),
}

impl<'v> CelVerdict<'v> {
    /// The value of `==`, or of `!=`.
    pub(crate) fn value(self, is_equal: bool) -> CelValue<'v> {
        match self {
            Self::Yes => CelValue::Bool(is_equal),
            Self::No => CelValue::Bool(!is_equal),
            Self::Unknown(why) => CelValue::Unknown(why),
        }
    }
}

impl From<bool> for CelVerdict<'_> {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

/// A double that is a whole number, of the range of a type of whole numbers.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the result is compared with the double"
)]
pub(crate) fn whole<T: TryFrom<i128>>(double: f64) -> Option<T> {
    let int = double as i128;
    (int as f64 == double)
        .then(|| T::try_from(int).ok())
        .flatten()
}

/// The order of keys of maps: by their type, then by their value.
pub(crate) fn keys(one: &CelValue<'_>, other: &CelValue<'_>) -> Ordering {
    let rank = |value: &CelValue<'_>| match value {
        CelValue::Null => 0,
        CelValue::Bool(_) => 1,
        CelValue::Int(_) => 2,
        CelValue::Uint(_) => 3,
        CelValue::Double(_) => 4,
        CelValue::Text(_) => 5,
        _ => 6,
    };
    match (one, other) {
        (CelValue::Bool(one), CelValue::Bool(other)) => one.cmp(other),
        (CelValue::Int(one), CelValue::Int(other)) => one.cmp(other),
        (CelValue::Uint(one), CelValue::Uint(other)) => one.cmp(other),
        (CelValue::Double(one), CelValue::Double(other)) => one.total_cmp(other),
        (CelValue::Text(one), CelValue::Text(other)) => (**one).cmp(&**other),
        _ => rank(one).cmp(&rank(other)),
    }
}

/// The order of two numbers of any types. `None`: one is no number.
#[expect(
    clippy::cast_precision_loss,
    reason = "cel-go compares with the nearest double"
)]
fn numbers(one: &CelValue<'_>, other: &CelValue<'_>) -> Option<Ordering> {
    // Beyond the range of the whole numbers a double is less or more, within it the nearest doubles are compared.
    let double = |one: f64, other: f64, least: f64, most: f64| {
        if one < least {
            Ordering::Less
        } else if one > most {
            Ordering::Greater
        } else {
            one.partial_cmp(&other).unwrap_or(Ordering::Equal)
        }
    };
    let int = |one: f64, other: i64| double(one, other as f64, i64::MIN as f64, i64::MAX as f64);
    let uint = |one: f64, other: u64| double(one, other as f64, 0.0, u64::MAX as f64);
    Some(match (one, other) {
        (CelValue::Int(one), CelValue::Int(other)) => one.cmp(other),
        (CelValue::Uint(one), CelValue::Uint(other)) => one.cmp(other),
        (CelValue::Int(one), CelValue::Uint(other)) => i128::from(*one).cmp(&i128::from(*other)),
        (CelValue::Uint(one), CelValue::Int(other)) => i128::from(*one).cmp(&i128::from(*other)),
        (CelValue::Double(one), CelValue::Double(other)) => {
            one.partial_cmp(other).unwrap_or(Ordering::Equal)
        }
        (CelValue::Double(one), CelValue::Int(other)) => int(*one, *other),
        (CelValue::Int(one), CelValue::Double(other)) => int(*other, *one).reverse(),
        (CelValue::Double(one), CelValue::Uint(other)) => uint(*one, *other),
        (CelValue::Uint(one), CelValue::Double(other)) => uint(*other, *one).reverse(),
        _ => return None,
    })
}

fn is_nan(value: &CelValue<'_>) -> bool {
    matches!(value, CelValue::Double(double) if double.is_nan())
}

/// The order of two values that have one.
pub(crate) fn order(
    one: &CelValue<'_>,
    other: &CelValue<'_>,
    meter: &mut CelMeter<'_>,
) -> CelResult<Ordering> {
    if let Some(order) = numbers(one, other) {
        return match is_nan(one) || is_nan(other) {
            true => Err(CelStop::error("NaN has no order")),
            false => Ok(order),
        };
    }
    Ok(match (one, other) {
        (CelValue::Text(one), CelValue::Text(other)) => {
            meter.bytes(one.len().min(other.len()))?;
            (**one).cmp(&**other)
        }
        (CelValue::Bytes(one), CelValue::Bytes(other)) => {
            meter.bytes(one.len().min(other.len()))?;
            one.cmp(other)
        }
        (CelValue::Bool(one), CelValue::Bool(other)) => one.cmp(other),
        (CelValue::Duration(one), CelValue::Duration(other)) => one.cmp(other),
        _ => {
            let (one, other) = (one.type_name(), other.type_name());
            let message = format!("{one} and {other} cannot be compared by order");
            return Err(CelStop::error(message));
        }
    })
}

/// Returns whether two values are equal; numbers are by value, whatever their type.
pub(crate) fn equal<'v>(
    one: CelValue<'v>,
    other: CelValue<'v>,
    meter: &mut CelMeter<'_>,
) -> CelResult<CelVerdict<'v>> {
    equal_at(one, other, meter, 0)
}

fn equal_at<'v>(
    one: CelValue<'v>,
    other: CelValue<'v>,
    meter: &mut CelMeter<'_>,
    depth: usize,
) -> CelResult<CelVerdict<'v>> {
    meter.take(1)?;
    if depth == MAX_DEPTH {
        return Err(CelStop::Fuel);
    }
    let (one, other) = (one.resolved(), other.resolved());
    Ok(match (&one, &other) {
        (CelValue::Unknown(why), _) | (_, CelValue::Unknown(why)) => {
            CelVerdict::Unknown(why.clone())
        }
        (CelValue::Text(one), CelValue::Text(other)) => {
            meter.bytes(one.len().min(other.len()))?;
            (**one == **other).into()
        }
        (CelValue::Bytes(one), CelValue::Bytes(other)) => {
            meter.bytes(one.len().min(other.len()))?;
            (one == other).into()
        }
        (CelValue::Null, CelValue::Null) => CelVerdict::Yes,
        (CelValue::Bool(one), CelValue::Bool(other)) => (one == other).into(),
        (CelValue::Duration(one), CelValue::Duration(other)) => (one == other).into(),
        (CelValue::Type(one), CelValue::Type(other)) => (one == other).into(),
        (CelValue::Optional(Some(one)), CelValue::Optional(Some(other))) => {
            equal_at((**one).clone(), (**other).clone(), meter, depth + 1)?
        }
        (CelValue::Optional(one), CelValue::Optional(other)) => {
            (one.is_none() && other.is_none()).into()
        }
        _ => match numbers(&one, &other) {
            Some(order) => (order.is_eq() && !is_nan(&one) && !is_nan(&other)).into(),
            None => parts(&one, &other, meter, depth)?,
        },
    })
}

/// Compares lists and maps.
fn parts<'v>(
    one: &CelValue<'v>,
    other: &CelValue<'v>,
    meter: &mut CelMeter<'_>,
    depth: usize,
) -> CelResult<CelVerdict<'v>> {
    let mut verdict = CelVerdict::Yes;
    if let (Some(own), Some(others)) = (one.items(), other.items()) {
        if own.len() != others.len() {
            return Ok(CelVerdict::No);
        }
        for (own, other) in own.iter().zip(others.iter()) {
            match equal_at(own, other, meter, depth + 1)? {
                CelVerdict::Yes => {}
                CelVerdict::No => return Ok(CelVerdict::No),
                unknown @ CelVerdict::Unknown(_) => verdict = unknown,
            }
        }
        return Ok(verdict);
    }
    let (Some(own), Some(others)) = (one.fields(), other.fields()) else {
        return Ok(CelVerdict::No);
    };
    if own.len() != others.len() {
        return Ok(CelVerdict::No);
    }
    for key in own.keys(meter)? {
        let (Some(own), Some(other)) = (own.get(&key, meter)?, others.get(&key, meter)?) else {
            return Ok(CelVerdict::No);
        };
        match equal_at(own, other, meter, depth + 1)? {
            CelVerdict::Yes => {}
            CelVerdict::No => return Ok(CelVerdict::No),
            unknown @ CelVerdict::Unknown(_) => verdict = unknown,
        }
    }
    Ok(verdict)
}
