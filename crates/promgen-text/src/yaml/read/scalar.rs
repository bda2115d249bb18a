//! The value of a scalar in Go.
//!
//! In: the text of a scalar, whether it stood plain, and its tag. Out: a typed [`Scalar`]. The rules are those of
//! go-yaml v2's `resolve` and of Go's `strconv`, on which it stands; YAML 1.2 agrees with few of them.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// A tag, as far as go-yaml distinguishes tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// No tag on a plain scalar.
    Plain,
    /// No tag on a quoted or block scalar: text.
    Quoted,
    /// `!!str`.
    Str,
    /// `!!bool`.
    Bool,
    /// `!!int`.
    Int,
    /// `!!float`.
    Float,
    /// `!!null`.
    Null,
    /// `!!binary`.
    Binary,
    /// `!!merge`.
    Merge,
    /// The bare `!`. Text, except that a plain `<<` still merges.
    Bang,
    /// Any other: the scalar is text. So is a `!!timestamp`, which go-yaml leaves as it stands.
    Other,
}

/// A scalar's value with the type that Go gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// Empty, `~`, `null`.
    Null,
    /// `yes`, `true`, ….
    Bool(bool),
    /// Fits `i64`.
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    /// Any other number, infinite and NaN too.
    Float(f64),
    /// Text.
    Text(Cow<'a, str>),
}

/// Why a scalar does not carry its tag: the wanted and the found type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The tag requires one type, the text has another.
    Type {
        /// Such as `!!int`.
        wanted: &'static str,
        /// Such as `!!str`.
        found: &'static str,
    },
    /// `!!binary` without base64.
    Base64,
}

/// Resolves a scalar.
///
/// # Errors
/// The text does not fit the tag.
pub fn resolve(text: Cow<'_, str>, tag: Tag) -> Result<Scalar<'_>, Misfit> {
    match tag {
        Tag::Plain => Ok(match plain(&text) {
            Some(scalar) => scalar,
            None => Scalar::Text(text),
        }),
        Tag::Quoted | Tag::Str | Tag::Merge | Tag::Bang | Tag::Other => Ok(Scalar::Text(text)),
        Tag::Binary => binary(&text).map(|decoded| Scalar::Text(Cow::Owned(decoded))),
        Tag::Bool => tagged(&text, "!!bool", |scalar| matches!(scalar, Scalar::Bool(_))),
        Tag::Int => tagged(&text, "!!int", |scalar| {
            matches!(scalar, Scalar::Int(_) | Scalar::Uint(_))
        }),
        Tag::Null => tagged(&text, "!!null", |scalar| matches!(scalar, Scalar::Null)),
        // go-yaml makes a float of a whole number, but not of one above `i64`.
        Tag::Float => match tagged(&text, "!!float", |scalar| {
            matches!(scalar, Scalar::Int(_) | Scalar::Float(_))
        })? {
            Scalar::Int(int) => Ok(Scalar::Float(int as f64)),
            scalar => Ok(scalar),
        },
    }
}

fn tagged(
    text: &str,
    wanted: &'static str,
    fits: fn(&Scalar<'_>) -> bool,
) -> Result<Scalar<'static>, Misfit> {
    match plain(text) {
        Some(scalar) if fits(&scalar) => Ok(scalar),
        other => Err(misfit(wanted, other.as_ref())),
    }
}

fn misfit(wanted: &'static str, found: Option<&Scalar<'_>>) -> Misfit {
    let found = match found {
        Some(Scalar::Null) => "!!null",
        Some(Scalar::Bool(_)) => "!!bool",
        Some(Scalar::Int(_) | Scalar::Uint(_)) => "!!int",
        Some(Scalar::Float(_)) => "!!float",
        Some(Scalar::Text(_)) | None => "!!str",
    };
    Misfit::Type { wanted, found }
}

/// The types that a first byte leaves possible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    /// Nothing but text.
    Text,
    /// A word such as `yes`.
    Word,
    /// A number, or one of the words with a sign or dot.
    Number,
    /// A number without leading digits, or `.inf`, `.nan`.
    Dot,
}

const HINTS: [Hint; 256] = {
    let mut hints = [Hint::Text; 256];
    let words = b"yYnNtTfFoO~";
    let numbers = b"+-0123456789";
    let mut i = 0;
    while i < words.len() {
        hints[words[i] as usize] = Hint::Word;
        i += 1;
    }
    i = 0;
    while i < numbers.len() {
        hints[numbers[i] as usize] = Hint::Number;
        i += 1;
    }
    hints[b'.' as usize] = Hint::Dot;
    hints
};

/// The value of a plain scalar that is not text.
fn plain(text: &str) -> Option<Scalar<'static>> {
    let Some(first) = text.as_bytes().first() else {
        return Some(Scalar::Null);
    };
    match HINTS[usize::from(*first)] {
        Hint::Text => None,
        Hint::Word => word(text),
        Hint::Number => word(text).or_else(|| number(text)),
        Hint::Dot => word(text).or_else(|| dot_float(text)),
    }
}

fn word(text: &str) -> Option<Scalar<'static>> {
    // `false` is the longest of the words.
    if text.len() > 5 {
        return None;
    }
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// A number that starts with a digit or a sign. Underscores do not count.
fn number(text: &str) -> Option<Scalar<'static>> {
    let plain = without_underscores(text);
    // In go-yaml's order: `010` is octal, while `08` fails as an octal number and becomes a float.
    int(&plain)
        .or_else(|| float(&plain))
        .or_else(|| plain.strip_prefix("0b").and_then(signed_binary))
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Go's `strconv.ParseInt(s, 0, 64)`, then `ParseUint`.
fn int(plain: &str) -> Option<Scalar<'static>> {
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    let (signed, negative) = (unsigned.len() < plain.len(), plain.starts_with('-'));
    let (digits, radix) = radix(unsigned)?;
    let magnitude = magnitude(digits, radix)?;
    if negative {
        return 0_i64.checked_sub_unsigned(magnitude).map(Scalar::Int);
    }
    match i64::try_from(magnitude) {
        Ok(int) => Some(Scalar::Int(int)),
        // `ParseUint` takes no sign.
        Err(_) if signed => None,
        Err(_) => Some(Scalar::Uint(magnitude)),
    }
}

/// Digits and radix of an unsigned number: a prefix counts only before at least one digit, and a leading zero means octal.
fn radix(unsigned: &str) -> Option<(&str, u32)> {
    let bytes = unsigned.as_bytes();
    if *bytes.first()? != b'0' {
        return Some((unsigned, 10));
    }
    Some(match bytes {
        [_, b'b' | b'B', _, ..] => (&unsigned[2..], 2),
        // YAML 1.1 has only `017`; `0o17` comes from Go's base 0.
        [_, b'o' | b'O', _, ..] => (&unsigned[2..], 8),
        [_, b'x' | b'X', _, ..] => (&unsigned[2..], 16),
        [_] => ("0", 10),
        _ => (unsigned.get(1..)?, 8),
    })
}

fn magnitude(digits: &str, radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0_u64, |value, digit| {
        value
            .checked_mul(u64::from(radix))?
            .checked_add(u64::from(digit.to_digit(radix)?))
    })
}

/// `0b` before a number with a sign of its own, which go-yaml accepts by a second look.
fn signed_binary(rest: &str) -> Option<Scalar<'static>> {
    i64::from_str_radix(rest, 2).ok().map(Scalar::Int)
}

/// A decimal float: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, if it is finite.
fn float(plain: &str) -> Option<Scalar<'static>> {
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    if !digits(whole)
        || !digits(fraction)
        || (whole.is_empty() && fraction.is_empty())
        || !exponent_fits
    {
        return None;
    }
    finite(plain)
}

fn finite(plain: &str) -> Option<Scalar<'static>> {
    // Go's `ParseFloat` fails on overflow, and the scalar stays text.
    plain
        .parse()
        .ok()
        .filter(|f: &f64| f.is_finite())
        .map(Scalar::Float)
}

/// A float that starts with its dot. Here Go wants underscores between digits.
fn dot_float(text: &str) -> Option<Scalar<'static>> {
    let bytes = text.as_bytes();
    let between_digits = |i: usize| {
        let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        digit(i - 1) && digit(i + 1)
    };
    let underscores_fit = bytes
        .iter()
        .enumerate()
        .all(|(i, b)| *b != b'_' || between_digits(i));
    if underscores_fit {
        float(&without_underscores(text))
    } else {
        None
    }
}

/// Decodes `!!binary` as Go's `base64.StdEncoding` does, which skips line breaks and nothing else. Bytes that are not
/// UTF-8 become U+FFFD each, as in Go's JSON.
fn binary(text: &str) -> Result<String, Misfit> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        // Go's decoder is not strict about bits that belong to no byte.
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
    let text: Cow<'_, str> = if text.contains(['\r', '\n']) {
        Cow::Owned(text.replace(['\r', '\n'], ""))
    } else {
        Cow::Borrowed(text)
    };
    let bytes = ENGINE.decode(text.as_bytes()).map_err(|_| Misfit::Base64)?;
    let mut decoded = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        decoded.push_str(chunk.valid());
        decoded.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Ok(decoded)
}

/// A key as text, the way sigs.k8s.io/yaml writes it. `None` for what it refuses: null, and whole numbers above `i64`.
pub(crate) fn key_text(scalar: Scalar<'_>) -> Option<Cow<'_, str>> {
    Some(match scalar {
        Scalar::Null | Scalar::Uint(_) => return None,
        Scalar::Bool(true) => Cow::Borrowed("true"),
        Scalar::Bool(false) => Cow::Borrowed("false"),
        Scalar::Int(int) => Cow::Owned(int.to_string()),
        Scalar::Float(float) => Cow::Owned(float_key(float)),
        Scalar::Text(text) => text,
    })
}

/// Go's `strconv.FormatFloat(f, 'g', -1, 32)`: keys are printed with the precision of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "32 bits are what Go keeps")]
fn float_key(float: f64) -> String {
    let float = float as f32;
    if float.is_nan() {
        // sigs.k8s.io/yaml replaces Go's `NaN`, `+Inf` and `-Inf` by YAML's words.
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // With the shortest precision, Go's `%g` switches to an exponent at six digits.
    if (-4..6).contains(&exponent) {
        return format!("{float}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar<'_> {
        resolve(text.into(), Tag::Plain).unwrap()
    }

    #[test]
    fn whole_numbers_are_those_of_go() {
        for (text, int) in [
            ("0", 0),
            ("-0", 0),
            ("+12", 12),
            ("017", 15),
            ("0o17", 15),
            ("0O17", 15),
            ("0x1F", 31),
            ("-0X1f", -31),
            ("0b11", 3),
            ("0b+1", 1),
            ("0b-1", -1),
            ("-0b1", -1),
            ("1_000", 1000),
            ("0_7", 7),
            ("0_", 0),
            ("00", 0),
            ("1__0_", 10),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(plain(text), Scalar::Int(int), "{text}");
        }
        assert_eq!(plain("9223372036854775808"), Scalar::Uint(1 << 63));
        assert_eq!(plain("0xffffffffffffffff"), Scalar::Uint(u64::MAX));
    }

    #[test]
    fn floats_are_those_of_go() {
        for (text, float) in [
            ("08", 8.0),
            ("1.5", 1.5),
            ("5.", 5.0),
            (".5", 0.5),
            ("+.5", 0.5),
            ("1e3", 1000.0),
            ("1.e5", 1e5),
            ("-1E-2", -0.01),
            ("1_0.5", 10.5),
            (".5_9", 0.59),
            (".5e1_0", 5e9),
            ("1e-400", 0.0),
            ("+9223372036854775808", 9_223_372_036_854_775_808.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            (".inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
        ] {
            assert_eq!(plain(text), Scalar::Float(float), "{text}");
        }
        assert!(matches!(plain(".NaN"), Scalar::Float(nan) if nan.is_nan()));
    }

    #[test]
    fn what_looks_like_a_number_may_be_text() {
        for text in [
            "0x",
            "0b12",
            "0b",
            "+",
            "-",
            "--1",
            "+-1",
            "1e",
            "1e+",
            "1e400",
            ".",
            "..",
            "._5",
            ".5_",
            ".e5",
            "1:20",
            "1.2.3",
            "0x1.8p1",
            "2001-01-01",
            "1_000,5",
            "é",
            "<<",
            "=",
            "yEs",
            "nULL",
            "tRue",
            "٣",
            "infinity",
            ".infinity",
            "0xfffffffffffffffff",
        ] {
            assert_eq!(plain(text), Scalar::Text(text.into()));
        }
    }

    #[test]
    fn words_mean_what_they_do_in_yaml_1_1() {
        for text in [
            "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON",
        ] {
            assert_eq!(plain(text), Scalar::Bool(true));
        }
        for text in [
            "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF",
        ] {
            assert_eq!(plain(text), Scalar::Bool(false));
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Scalar::Null);
        }
    }

    #[test]
    fn tags_decide_and_may_not_fit() {
        let tagged = |text: &'static str, tag| resolve(text.into(), tag);
        let text = |text: &'static str| Ok(Scalar::Text(text.into()));
        assert_eq!(tagged("1", Tag::Quoted), text("1"));
        assert_eq!(tagged("1", Tag::Str), text("1"));
        assert_eq!(tagged("12", Tag::Bang), text("12"));
        assert_eq!(tagged("12", Tag::Other), text("12"));
        assert_eq!(tagged("1", Tag::Float), Ok(Scalar::Float(1.0)));
        assert_eq!(tagged("yes", Tag::Bool), Ok(Scalar::Bool(true)));
        assert_eq!(tagged("aG\nk=", Tag::Binary), text("hi"));
        assert_eq!(tagged("gP8=", Tag::Binary), text("\u{fffd}\u{fffd}"));
        assert_eq!(tagged("aG k=", Tag::Binary), Err(Misfit::Base64));
        assert_eq!(
            tagged("1.5", Tag::Int),
            Err(Misfit::Type {
                wanted: "!!int",
                found: "!!float"
            })
        );
        assert_eq!(
            tagged("18446744073709551615", Tag::Float),
            Err(Misfit::Type {
                wanted: "!!float",
                found: "!!int"
            })
        );
        assert_eq!(
            tagged("", Tag::Int),
            Err(Misfit::Type {
                wanted: "!!int",
                found: "!!null"
            })
        );
        assert_eq!(
            tagged("x", Tag::Null),
            Err(Misfit::Type {
                wanted: "!!null",
                found: "!!str"
            })
        );
    }

    #[test]
    fn keys_become_text_with_the_precision_of_32_bits() {
        for (text, key) in [
            ("1", "1"),
            ("0x10", "16"),
            ("yes", "true"),
            ("off", "false"),
            ("1.5", "1.5"),
            ("1e3", "1000"),
            ("100000.0", "100000"),
            ("1e6", "1e+06"),
            ("1.5e-7", "1.5e-07"),
            ("0.0001", "0.0001"),
            ("16777217.0", "1.6777216e+07"),
            ("-0.0", "-0"),
            ("1e300", ".inf"),
            ("-.inf", "-.inf"),
            (".nan", ".nan"),
            ("a", "a"),
        ] {
            assert_eq!(key_text(plain(text)).as_deref(), Some(key));
        }
        assert_eq!(key_text(Scalar::Null), None);
        assert_eq!(key_text(Scalar::Uint(u64::MAX)), None);
    }
}
