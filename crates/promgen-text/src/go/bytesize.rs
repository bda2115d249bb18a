//! Sizes in bytes as Prometheus reads them: body size limits, retention sizes.
//!
//! In: `512MB`. Out: bytes. Mirrors `units.ParseBase2Bytes` of alecthomas/units: all multiples are of 1024, written `MB`
//! or `MiB`, and only one of the two spellings in a text. Where the library overflows in silence, at `8EiB` exactly, this
//! is an error.

/// Powers of 1024, from 0.
const MULTIPLES: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];

/// First number of bytes that does not fit in 64 bits with a sign.
const OVERFLOW: f64 = 9_223_372_036_854_775_808.0;

/// The number of bytes, which may be negative.
///
/// ```
/// use promgen_text::go::bytesize;
///
/// assert_eq!(bytesize::parse("1.5KB"), Ok(1536));
/// assert_eq!(bytesize::parse("1KiB512B"), Ok(1536));
/// assert_eq!(bytesize::parse("10"), Err("units: unknown unit  in 10".to_owned()));
/// ```
///
/// # Errors
/// The library's own text.
pub fn parse(text: &str) -> Result<i64, String> {
    // The library tries both spellings one after the other, so the error is that of the second.
    parse_with(text, "iB").or_else(|_| parse_with(text, "B"))
}

/// `suffix` is what follows the letter of a multiple.
fn parse_with(text: &str, suffix: &str) -> Result<i64, String> {
    let invalid = || format!("units: invalid {text}");
    let (sign, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (-1.0, &text[1..]),
        Some(b'+') => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match rest {
        // The only number that needs no unit.
        "0" => return Ok(0),
        "" => return Err(invalid()),
        _ => {}
    }
    let mut bytes = 0.0;
    while !rest.is_empty() {
        let (number, after) = read_number(rest).ok_or_else(invalid)?;
        let (unit, after) = after.split_at(
            after
                .find(|c: char| c == '.' || c.is_ascii_digit())
                .unwrap_or(after.len()),
        );
        let size = unit_size(unit, suffix)
            .ok_or_else(|| format!("units: unknown unit {unit} in {text}"))?;
        bytes += number * size;
        rest = after;
    }
    bytes *= sign;
    if !(-OVERFLOW..OVERFLOW).contains(&bytes) {
        return Err("units: overflow parsing unit".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the range, and Go drops the fraction too"
    )]
    Ok(bytes as i64)
}

fn unit_size(unit: &str, suffix: &str) -> Option<f64> {
    let power = if unit == "B" {
        0
    } else {
        let letter = unit
            .strip_suffix(suffix)
            .filter(|letter| !letter.is_empty())?;
        MULTIPLES.iter().position(|multiple| *multiple == letter)?
    };
    Some(1024_f64.powi(i32::try_from(power).ok()?))
}

/// A number with a fraction at the start of the text, and what follows.
fn read_number(text: &str) -> Option<(f64, &str)> {
    let (whole, n_whole, rest) = read_digits(text)?;
    let Some(after) = rest.strip_prefix('.') else {
        return (n_whole > 0).then_some((whole, rest));
    };
    let (fraction, n_fraction, rest) = read_digits(after)?;
    // By repeated multiplication, as the library does it: the last digit of a float depends on that.
    let scale = (0..n_fraction).fold(1.0, |scale, _| scale * 10.0);
    (n_whole + n_fraction > 0).then_some((whole + fraction / scale, rest))
}

/// Digits as a number, how many they are, and what follows. `None` if they do not fit in 63 bits, nearly.
fn read_digits(text: &str) -> Option<(f64, usize, &str)> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(n_digits);
    let number = digits.bytes().try_fold(0_i64, |sum, digit| {
        (sum < (i64::MAX - 9) / 10).then(|| sum * 10 + i64::from(digit - b'0'))
    })?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "the library computes in floating point"
    )]
    Some((number as f64, n_digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_of_1024_in_both_spellings() {
        for (text, bytes) in [
            ("0", 0),
            ("0B", 0),
            ("512B", 512),
            ("10MB", 10 << 20),
            ("10MiB", 10 << 20),
            ("1EB", 1 << 60),
            ("-1KB", -1024),
            ("1.5GB", 3 << 29),
            (".5KB", 512),
            ("1KB1B", 1025),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, error) in [
            ("", "units: invalid "),
            ("MB", "units: invalid MB"),
            ("10", "units: unknown unit  in 10"),
            ("10kB", "units: unknown unit kB in 10kB"),
            ("10iB", "units: unknown unit iB in 10iB"),
            ("1KiB1MB", "units: unknown unit KiB in 1KiB1MB"),
            ("10mb", "units: unknown unit mb in 10mb"),
            ("9EB", "units: overflow parsing unit"),
            (
                "9999999999999999999B",
                "units: invalid 9999999999999999999B",
            ),
        ] {
            assert_eq!(parse(text), Err(error.to_owned()), "{text}");
        }
    }
}
