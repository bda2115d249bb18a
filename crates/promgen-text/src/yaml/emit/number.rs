//! Numbers as Go prints them.

use std::fmt::{self, Display, Formatter, Write as _};

/// Writes a number and ends the line.
pub(super) fn line(out: &mut String, number: impl Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{number}");
}

/// A float as go-yaml writes it, by `strconv.FormatFloat(f, 'g', -1, 64)`: the shortest digits that give the number
/// again, in exponent form below 0.0001 and from 1000000 on.
pub struct GoFloat(pub f64);

impl Display for GoFloat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let float = self.0;
        if float.is_nan() {
            return f.write_str(".nan");
        }
        if float.is_infinite() {
            return f.write_str(if float > 0.0 { ".inf" } else { "-.inf" });
        }
        // Where the digits are the shortest ones, Go's `'g'` takes an exponent as if the precision were 6.
        exponent_form(f, float, -4..6)
    }
}

/// A float that went through JSON, where whole numbers lose their fraction and come back as integers.
pub(super) struct ThroughJson(pub(super) f64);

/// From here on JSON has an exponent, which makes the number a float for YAML.
const JSON_EXPONENT: f64 = 1e21;

impl Display for ThroughJson {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // JSON has no fraction `.0`, so the reader on the other side takes the digits for an integer.
        if self.0.trunc() == self.0 && self.0.abs() < JSON_EXPONENT {
            let digits = self.0.to_string();
            if let Ok(int) = digits.parse::<i64>() {
                return int.fmt(f);
            }
            if let Ok(int) = digits.parse::<u64>() {
                return int.fmt(f);
            }
        }
        GoFloat(self.0).fmt(f)
    }
}

/// A finite float as JSON text, by the rule of Go's `encoding/json`.
pub(super) struct JsonFloat(pub(super) f64);

impl Display for JsonFloat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        exponent_form(f, self.0, -6..21)
    }
}

/// The shortest digits; with an exponent of two digits at least if it is not one of the `written_out`.
fn exponent_form(
    f: &mut Formatter<'_>,
    float: f64,
    written_out: std::ops::Range<i32>,
) -> fmt::Result {
    let scientific = format!("{float:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return f.write_str(&scientific);
    };
    match exponent.parse::<i32>() {
        Ok(exponent) if !written_out.contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(f, "{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => float.fmt(f),
    }
}
