//! Functions of lists that Kubernetes adds.

use std::cmp::Ordering;

use super::{CelFunction, int};
use crate::arithmetic::plus;
use crate::fault::{CelMeter, CelResult, CelStop};
use crate::value::CelValue;
use crate::value::compare::{self, CelVerdict};

/// What becomes of all items.
pub(super) fn call<'v>(
    function: CelFunction,
    of: &CelValue<'v>,
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let Some(items) = of.items() else {
        return Ok(None);
    };
    let mut result: Option<CelValue<'v>> = None;
    for item in items.iter() {
        meter.take(1)?;
        let item = item.resolved();
        if item.is_unknown() {
            return Ok(Some(item));
        }
        if function != CelFunction::Sum && !has_order(&item) {
            return Ok(None);
        }
        let Some(last) = &result else {
            result = Some(item);
            continue;
        };
        if function == CelFunction::Sum {
            result = Some(plus(last, &item, meter)?);
            continue;
        }
        let order = match compare::order(last, &item, meter) {
            Ok(order) => order,
            // Items of several types: none of them is less.
            Err(CelStop::Error(_)) => Ordering::Equal,
            Err(CelStop::Fuel) => return Err(CelStop::Fuel),
        };
        let is_taken = match function {
            CelFunction::IsSorted if order.is_gt() => return Ok(Some(CelValue::Bool(false))),
            CelFunction::IsSorted => true,
            CelFunction::Max => order.is_lt(),
            _ => order.is_gt(),
        };
        if is_taken {
            result = Some(item);
        }
    }
    match (function, result) {
        (CelFunction::IsSorted, _) => Ok(Some(CelValue::Bool(true))),
        (CelFunction::Sum, None) => Ok(Some(CelValue::Int(0))),
        (CelFunction::Sum, Some(CelValue::Text(_) | CelValue::Bytes(_) | CelValue::Bool(_))) => {
            Ok(None)
        }
        (_, None) => Err(CelStop::error(
            "an empty list has no least and no greatest item",
        )),
        (_, result) => Ok(result),
    }
}

/// Returns whether values of that type have an order.
const fn has_order(value: &CelValue<'_>) -> bool {
    matches!(
        value,
        CelValue::Bool(_)
            | CelValue::Int(_)
            | CelValue::Uint(_)
            | CelValue::Double(_)
            | CelValue::Text(_)
            | CelValue::Bytes(_)
            | CelValue::Duration(_)
    )
}

/// The first or the last index of an item, or -1.
pub(super) fn index<'v>(
    function: CelFunction,
    arguments: &[CelValue<'v>],
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let [list, wanted] = arguments else {
        return Ok(None);
    };
    let Some(items) = list.items() else {
        return Ok(None);
    };
    let mut found = None;
    for (index, item) in items.iter().enumerate() {
        match compare::equal(item, wanted.clone(), meter)? {
            CelVerdict::Yes if function == CelFunction::IndexOf => return Ok(Some(int(index))),
            CelVerdict::Yes => found = Some(int(index)),
            CelVerdict::No => {}
            CelVerdict::Unknown(why) => return Ok(Some(CelValue::Unknown(why))),
        }
    }
    Ok(Some(found.unwrap_or(CelValue::Int(-1))))
}
