//! Amounts of resources as Kubernetes reads and writes them: `500m`, `1.5Gi`, `1e3`.
//!
//! In: a text. Out: an exact amount that compares by value, and the text that Kubernetes writes in its place. Mirrors
//! `resource.ParseQuantity` and `Quantity.String` of apimachinery, which keep some texts as they came and bring others
//! to a canonical form.
//!
//! Amounts are whole nanos; smaller ones are rounded up, as Kubernetes does. Amounts of more than 10²⁹, which Kubernetes
//! can hold as decimals, are refused here.

use std::cmp::Ordering;
use std::fmt;

/// Nanos of one.
const ONE: i128 = 1_000_000_000;

/// Suffixes of multiples of 1000, with the power of ten.
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// Suffixes of multiples of 1024, by power, from 1.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// An amount.
///
/// ```
/// use promgen_text::go::quantity::ParsedQuantity;
///
/// let text = |text| ParsedQuantity::parse(text).map(|quantity| quantity.to_string());
/// assert_eq!(text("1000m"), Ok("1".to_owned()));
/// assert_eq!(text("1.5Gi"), Ok("1536Mi".to_owned()));
/// assert!(ParsedQuantity::parse("1Gi") > ParsedQuantity::parse("1G"));
/// ```
#[derive(Clone, Debug)]
pub struct ParsedQuantity {
    nanos: i128,
    /// Go's approximation of the amount.
    float: f64,
    /// The canonical form of Kubernetes.
    text: String,
}

/// The notation of the suffix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuantityFormat {
    /// `5M`.
    Decimal,
    /// `5Mi`.
    Binary,
    /// `5e6`.
    Exponent,
}

/// A text in its parts.
struct Parts<'t> {
    negative: bool,
    /// Digits before the point, without leading zeros, but at least one digit.
    whole: &'t str,
    /// Digits behind the point.
    fraction: &'t str,
    format: QuantityFormat,
    /// Power of ten, or of two if binary.
    exponent: i32,
}

impl ParsedQuantity {
    /// Reads an amount.
    ///
    /// # Errors
    /// Kubernetes' own text.
    pub fn parse(text: &str) -> Result<Self, String> {
        // Kubernetes trims values from JSON.
        let text = text.trim();
        let parts = Parts::read(text)?;
        let magnitude = match parts.format {
            QuantityFormat::Binary => parts.binary_nanos(),
            QuantityFormat::Decimal | QuantityFormat::Exponent => parts.decimal_nanos(),
        };
        let magnitude = magnitude.ok_or("unable to parse numeric part of quantity")?;
        let sign = if parts.negative { -1 } else { 1 };
        let nanos = sign * magnitude;
        // Go remembers a short text as its digits and a power of ten, any other as nanos.
        let (number, power) = parts.short().unwrap_or((magnitude, -9));
        // Nothing is nothing, though its exponent be beyond what a float has.
        let float = if number == 0 {
            0.0
        } else {
            (sign * number) as f64 * power_of_ten(power)
        };
        let text = if parts.is_kept() {
            text.to_owned()
        } else {
            canonical(nanos, parts.format)
        };
        Ok(Self { nanos, float, text })
    }

    /// The amount in thousand-millionths.
    #[must_use]
    pub const fn nanos(&self) -> i128 {
        self.nanos
    }

    /// The amount, approximately. Mirrors `Quantity.AsApproximateFloat64` to the last digit.
    #[must_use]
    pub const fn as_f64(&self) -> f64 {
        self.float
    }

    /// The amount as a whole number, rounded away from zero. Mirrors `Quantity.Value`, but for its overflow.
    #[must_use]
    pub const fn value(&self) -> i128 {
        let rest = self.nanos % ONE;
        self.nanos / ONE + rest.signum()
    }
}

/// The nearest floating-point number.
fn power_of_ten(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(f64::INFINITY)
}

impl PartialEq for ParsedQuantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for ParsedQuantity {}

impl PartialOrd for ParsedQuantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ParsedQuantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl fmt::Display for ParsedQuantity {
    /// The canonical form of Kubernetes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

impl<'t> Parts<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        const WRONG: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        if text.is_empty() {
            return Err(WRONG.to_owned());
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        // Go counts digits to decide how it remembers a number, and leading zeros do not count.
        let whole = whole.trim_start_matches('0');
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        let (_, tail) = suffix.split_at(
            suffix
                .bytes()
                .take_while(|b| b"eEinumkKMGTP".contains(b))
                .count(),
        );
        let (_, tail) = split_digits(tail.strip_prefix(['-', '+']).unwrap_or(tail));
        if !tail.is_empty() {
            return Err(WRONG.to_owned());
        }
        let (format, exponent) = read_suffix(suffix).ok_or("unable to parse quantity's suffix")?;
        let whole = if whole.is_empty() { "0" } else { whole };
        Ok(Self {
            negative: text.starts_with('-'),
            whole,
            fraction,
            format,
            exponent,
        })
    }

    /// The amount without sign, rounded up to nanos. `None` if it is too big.
    fn decimal_nanos(&self) -> Option<i128> {
        let digits = [self.whole, self.fraction].concat();
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Some(0);
        }
        let n_fraction = i64::try_from(self.fraction.len()).ok()?;
        let shift = i64::from(self.exponent) - n_fraction + 9;
        match u32::try_from(shift) {
            Ok(shift) => digits
                .parse::<i128>()
                .ok()?
                .checked_mul(10_i128.checked_pow(shift)?),
            Err(_) => {
                let n_dropped = usize::try_from(shift.unsigned_abs()).ok()?;
                let (kept, dropped) = digits.split_at(digits.len().saturating_sub(n_dropped));
                let kept: i128 = if kept.is_empty() {
                    0
                } else {
                    kept.parse().ok()?
                };
                let is_exact = dropped.bytes().all(|digit| digit == b'0');
                Some(kept + i128::from(!is_exact))
            }
        }
    }

    /// The value of a power of two, in units of 10⁻⁹. Kubernetes caps these at the largest number of 63 bits.
    fn binary_nanos(&self) -> Option<i128> {
        const MAX: i128 = i64::MAX as i128 * ONE;
        // Doubling digit by digit is exact for any length of the fraction.
        let mut fraction: Vec<u8> = self.fraction.bytes().map(|digit| digit - b'0').collect();
        let mut whole = self.whole.parse::<i128>().unwrap_or(i128::MAX);
        for _ in 0..self.exponent {
            let mut carry = 0;
            for digit in fraction.iter_mut().rev() {
                let doubled = *digit * 2 + carry;
                (*digit, carry) = (doubled % 10, doubled / 10);
            }
            whole = whole.saturating_mul(2).saturating_add(i128::from(carry));
        }
        let nano_digits = fraction.iter().copied().chain(std::iter::repeat(0)).take(9);
        let fraction_nanos = nano_digits.fold(0, |sum, digit| sum * 10 + i128::from(digit));
        let is_exact = fraction.iter().skip(9).all(|&digit| digit == 0);
        let nanos = whole
            .saturating_mul(ONE)
            .saturating_add(fraction_nanos + i128::from(!is_exact));
        Some(nanos.min(MAX))
    }

    /// The digits as a number, and the power of ten that they are multiplied with, where that is short enough for Go
    /// to remember it so.
    fn short(&self) -> Option<(i128, i32)> {
        let n_digits = self.whole.len() + self.fraction.len();
        match self.format {
            QuantityFormat::Binary => {
                // Kubernetes estimates the decimal digits of a power of two by 3/10, and keeps to what 15 digits hold.
                let precision = 14 - n_digits as i64 - i64::from(self.exponent) * 3 / 10;
                let number = self.whole.parse::<i128>().ok()? << self.exponent;
                (precision >= 0 && self.fraction.is_empty()).then_some((number, 0))
            }
            QuantityFormat::Decimal | QuantityFormat::Exponent => {
                let power = i64::from(self.exponent) - self.fraction.len() as i64;
                let number = [self.whole, self.fraction].concat().parse().ok()?;
                (n_digits <= 18 && power >= -9).then_some((number, i32::try_from(power).ok()?))
            }
        }
    }

    /// Returns whether Kubernetes keeps the text unchanged. It checks little more than the first and the last digits,
    /// so it keeps `1.500` and `+1`, though they are not canonical.
    fn is_kept(&self) -> bool {
        let Some((number, power)) = self.short() else {
            return false;
        };
        match self.format {
            // Kubernetes looks at the last three bits only, and keeps the text if one of them is set.
            QuantityFormat::Binary => (number >> self.exponent) & 7 != 0,
            QuantityFormat::Decimal | QuantityFormat::Exponent => {
                let digits = [self.whole, self.fraction].concat();
                power % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
            }
        }
    }
}

/// The notation and the exponent of a suffix.
fn read_suffix(suffix: &str) -> Option<(QuantityFormat, i32)> {
    if let Some((_, power)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Some((QuantityFormat::Decimal, *power));
    }
    if let Some(at) = BINARY.iter().position(|known| *known == suffix) {
        return Some((QuantityFormat::Binary, 10 * i32::try_from(at + 1).ok()?));
    }
    let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Kubernetes cuts it to 32 bits too"
    )]
    Some((QuantityFormat::Exponent, exponent as i32))
}

/// The shortest number with the largest suffix that represents the amount exactly.
fn canonical(nanos: i128, format: QuantityFormat) -> String {
    if nanos == 0 {
        return "0".to_owned();
    }
    // A binary amount that is no whole number, or less than 1024, is written with decimal suffixes.
    let binary = format == QuantityFormat::Binary && nanos % ONE == 0 && nanos.abs() >= 1024 * ONE;
    if binary {
        let (number, power) = take_out(nanos / ONE, 1024);
        return format!(
            "{number}{}",
            power.checked_sub(1).map_or("", |at| BINARY[at])
        );
    }
    let (mut number, power) = take_out(nanos, 10);
    let mut power = power as i32 - 9;
    // Suffixes are three powers of ten apart.
    while power % 3 != 0 {
        number *= 10;
        power -= 1;
    }
    let suffix = match format {
        QuantityFormat::Exponent if power == 0 => String::new(),
        QuantityFormat::Exponent => format!("e{power}"),
        QuantityFormat::Decimal | QuantityFormat::Binary => DECIMAL
            .iter()
            .find(|(_, known)| *known == power)
            .map_or("", |(suffix, _)| suffix)
            .to_owned(),
    };
    format!("{number}{suffix}")
}

/// The number without its factors, and how many there were.
fn take_out(mut number: i128, factor: i128) -> (i128, usize) {
    let mut n_factors = 0;
    while number % factor == 0 {
        number /= factor;
        n_factors += 1;
    }
    (number, n_factors)
}

#[cfg(test)]
mod tests {
    use promgen_testing::texts::{any_text, text_between};
    use proptest::option::of;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn written(text: &str) -> String {
        ParsedQuantity::parse(text).map_or_else(
            |error| format!("error: {error}"),
            |quantity| quantity.to_string(),
        )
    }

    #[test]
    fn texts_become_canonical() {
        for (text, expected) in [
            ("0", "0"),
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("0.5", "500m"),
            ("1.5Gi", "1536Mi"),
            ("1000", "1k"),
            ("1024", "1024"),
            ("1000Ki", "1000Ki"),
            ("0.5Ki", "512"),
            ("1.1Ki", "1126400m"),
            ("-0.5Gi", "-512Mi"),
            ("1e2", "100"),
            ("100e2", "10e3"),
            ("0.1n", "1n"),
            ("100Ei", "9223372036854775807"),
            ("0.0Gi", "0"),
            (".", "0"),
            (" 1 ", "1"),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn some_texts_are_kept_though_not_canonical() {
        for text in ["1.", "+1", "01", "1.500", "1E3", "12e-3", "+3Ki"] {
            assert_eq!(written(text), text);
        }
        assert_eq!(written("+8Ki"), "8Ki", "the last three bits are zero");
    }

    #[test]
    fn other_texts_are_refused() {
        let wrong = "error: quantities must match the regular expression \
                     '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        for text in ["", "1..2", "1 Gi", "1B", "é"] {
            assert_eq!(written(text), wrong, "{text}");
        }
        for text in ["1e", "1ki", "--1", "1GiGi", "1e99999999999999999999"] {
            assert_eq!(
                written(text),
                "error: unable to parse quantity's suffix",
                "{text}"
            );
        }
    }

    #[test]
    fn amounts_compare_by_value() {
        let quantity = |text| ParsedQuantity::parse(text).expect(text);
        assert_eq!(quantity("1000m"), quantity("1"));
        assert!(quantity("1023Mi") < quantity("1Gi"));
        assert_eq!(
            (quantity("1500m").value(), quantity("-1500m").value()),
            (2, -2)
        );
        assert_eq!(quantity("1Ki").nanos(), 1024 * ONE);
        assert_eq!(
            (quantity("1.10").as_f64(), quantity("-1005m").as_f64()),
            (1.1, -1.0050000000000001)
        );
        assert_eq!(
            (quantity("0e400").as_f64(), quantity("-0.0e1191").as_f64()),
            (0.0, 0.0)
        );
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same(
            sign in select(vec!["", "-", "+"]),
            (whole, fraction) in (text_between('0', '9', 0..=30), of(text_between('0', '9', 0..=30))),
            (suffix, exponent) in (select(vec!["", "m", "u", "n", "k", "M", "G", "Ki", "Mi", "Ei", "e", "E-"]), 0..=99_u8),
        ) {
            let fraction = fraction.map_or_else(String::new, |digits| format!(".{digits}"));
            let exponent = if suffix.starts_with(['e', 'E']) { exponent.to_string() } else { String::new() };
            let text = format!("{sign}{whole}{fraction}{suffix}{exponent}");
            if let Ok(quantity) = ParsedQuantity::parse(&text) {
                // A number of 10²¹ or more has no suffix in the decimal format.
                prop_assume!(quantity.nanos().abs() < ONE * 1_000_000_000_000_000_000_000);
                let again = ParsedQuantity::parse(&quantity.to_string());
                prop_assert_eq!(Ok(quantity), again);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in any_text()) {
            let _ = ParsedQuantity::parse(&text);
            let _ = crate::go::bytesize::parse(&text);
            let _ = crate::go::duration::PromDuration::parse(&text);
            let _ = crate::go::duration::TimeDuration::parse(&text);
        }
    }
}
