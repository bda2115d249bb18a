//! Conversions between types, and the parts of durations.

use promgen_text::go::duration::TimeDuration;

use super::CelFunction;
use crate::fault::{self, CelMeter, CelResult, CelStop};
use crate::value::CelValue;

/// The nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

pub(super) fn call<'v>(
    function: CelFunction,
    of: &CelValue<'v>,
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    if let CelValue::Text(text) = of {
        meter.bytes(text.len())?;
    }
    Ok(match function {
        CelFunction::Bool => match of {
            CelValue::Bool(_) => Some(of.clone()),
            CelValue::Text(text) => Some(CelValue::Bool(match &**text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
                "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
                _ => return Err(invalid(text, "bool")),
            })),
            _ => None,
        },
        CelFunction::Bytes => match of {
            CelValue::Bytes(_) => Some(of.clone()),
            CelValue::Text(text) => Some(CelValue::Bytes(text.as_bytes().into())),
            _ => None,
        },
        CelFunction::Double => to_double(of)?.map(CelValue::Double),
        CelFunction::Duration => match of {
            CelValue::Duration(_) => Some(of.clone()),
            CelValue::Text(text) => {
                let duration = TimeDuration::parse(text);
                Some(CelValue::Duration(
                    duration.map_err(|_| invalid(text, "duration"))?.nanos,
                ))
            }
            _ => None,
        },
        CelFunction::Get(unit) => match of {
            CelValue::Duration(nanos) => Some(CelValue::Int(nanos / unit)),
            _ => None,
        },
        CelFunction::Int => to_int(of)?.map(CelValue::Int),
        CelFunction::Uint => to_uint(of)?.map(CelValue::Uint),
        _ => to_text(of, meter)?,
    })
}

fn invalid(text: &str, kind: &str) -> CelStop {
    CelStop::error(format!("`{}` is no {kind}", fault::short(text)))
}

fn overflow() -> CelStop {
    CelStop::error("the number is out of range")
}

#[expect(clippy::cast_precision_loss, reason = "the nearest one")]
fn to_double(of: &CelValue<'_>) -> CelResult<Option<f64>> {
    Ok(Some(match of {
        CelValue::Double(double) => *double,
        CelValue::Int(int) => *int as f64,
        CelValue::Uint(uint) => *uint as f64,
        CelValue::Text(text) => {
            let double: f64 = text.parse().map_err(|_| invalid(text, "double"))?;
            // A number that is out of range is no infinity.
            if double.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) {
                return Err(invalid(text, "double"));
            }
            double
        }
        _ => return Ok(None),
    }))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the range is checked as cel-go does"
)]
fn to_int(of: &CelValue<'_>) -> CelResult<Option<i64>> {
    Ok(Some(match of {
        CelValue::Int(int) => *int,
        CelValue::Uint(uint) => i64::try_from(*uint).map_err(|_| overflow())?,
        CelValue::Double(double) => {
            let is_inside = *double > i64::MIN as f64 && *double < i64::MAX as f64;
            is_inside.then_some(*double as i64).ok_or_else(overflow)?
        }
        CelValue::Duration(nanos) => *nanos,
        CelValue::Text(text) => text.parse().map_err(|_| invalid(text, "int"))?,
        _ => return Ok(None),
    }))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked as cel-go does"
)]
fn to_uint(of: &CelValue<'_>) -> CelResult<Option<u64>> {
    Ok(Some(match of {
        CelValue::Uint(uint) => *uint,
        CelValue::Int(int) => u64::try_from(*int).map_err(|_| overflow())?,
        CelValue::Double(double) => {
            let is_inside = *double >= 0.0 && *double < u64::MAX as f64;
            is_inside.then_some(*double as u64).ok_or_else(overflow)?
        }
        CelValue::Text(text) if !text.starts_with('+') => {
            text.parse().map_err(|_| invalid(text, "uint"))?
        }
        CelValue::Text(text) => return Err(invalid(text, "uint")),
        _ => return Ok(None),
    }))
}

fn to_text<'v>(of: &CelValue<'v>, meter: &mut CelMeter<'_>) -> CelResult<Option<CelValue<'v>>> {
    Ok(Some(match of {
        CelValue::Text(_) => of.clone(),
        CelValue::Bool(value) => CelValue::text(value.to_string()),
        CelValue::Int(value) => CelValue::text(value.to_string()),
        CelValue::Uint(value) => CelValue::text(value.to_string()),
        CelValue::Double(value) => CelValue::text(double_text(*value)),
        CelValue::Duration(nanos) => CelValue::text(duration_text(*nanos)),
        CelValue::Bytes(bytes) => {
            meter.bytes(bytes.len())?;
            let text = std::str::from_utf8(bytes);
            CelValue::text(text.map_err(|_| CelStop::error("the bytes are no UTF-8"))?)
        }
        _ => return Ok(None),
    }))
}

/// A duration in seconds, as Go prints its number.
pub(super) fn duration_text(nanos: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "Go adds the same two doubles")]
    let seconds = (nanos / SECOND) as f64 + (nanos % SECOND) as f64 / 1e9;
    format!("{seconds}s")
}

/// A double as Go's `%g` prints it: the shortest digits, with an exponent from a million on.
fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}
