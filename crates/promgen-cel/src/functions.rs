//! The functions: their names, and what they make of values that are known.

mod convert;
pub(crate) mod format;
mod lists;
mod strings;

use promgen_text::go::regex::{self, ErrorKind, GoRegex, RegexError};

use crate::fault::{CelMeter, CelResult, CelStop};
use crate::value::CelValue;

/// Most arguments of a function, with the value that it belongs to.
pub(crate) const MAX_ARGUMENTS: usize = 4;

/// How a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelStyle {
    /// `f(x)`.
    Function,
    /// `x.f()`.
    Method,
    Both,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelFunction {
    Bool,
    Bytes,
    CharAt,
    Contains,
    Double,
    Duration,
    Dyn,
    EndsWith,
    Find,
    FindAll,
    Format,
    /// The unit, in nanoseconds.
    Get(i64),
    HasValue,
    IndexOf,
    Int,
    IsSorted,
    Join,
    LastIndexOf,
    LowerAscii,
    Matches,
    Max,
    Min,
    Or,
    OrValue,
    OptionalNone,
    OptionalOf,
    OptionalOfNonZero,
    Quote,
    Replace,
    Reverse,
    Size,
    Split,
    StartsWith,
    String,
    Substring,
    Sum,
    Timestamp,
    Trim,
    Type,
    Uint,
    UpperAscii,
    Value,
}

/// The functions: how they are written, and the least and the most arguments with the value that they belong to.
pub(crate) const FUNCTIONS: [(&str, CelStyle, usize, usize, CelFunction); 45] = [
    ("bool", CelStyle::Function, 1, 1, CelFunction::Bool),
    ("bytes", CelStyle::Function, 1, 1, CelFunction::Bytes),
    ("charAt", CelStyle::Method, 2, 2, CelFunction::CharAt),
    ("contains", CelStyle::Method, 2, 2, CelFunction::Contains),
    ("double", CelStyle::Function, 1, 1, CelFunction::Double),
    ("duration", CelStyle::Function, 1, 1, CelFunction::Duration),
    ("dyn", CelStyle::Function, 1, 1, CelFunction::Dyn),
    ("endsWith", CelStyle::Method, 2, 2, CelFunction::EndsWith),
    ("find", CelStyle::Method, 2, 2, CelFunction::Find),
    ("findAll", CelStyle::Method, 2, 3, CelFunction::FindAll),
    ("format", CelStyle::Method, 2, 2, CelFunction::Format),
    (
        "getHours",
        CelStyle::Method,
        1,
        1,
        CelFunction::Get(3_600_000_000_000),
    ),
    (
        "getMilliseconds",
        CelStyle::Method,
        1,
        1,
        CelFunction::Get(1_000_000),
    ),
    (
        "getMinutes",
        CelStyle::Method,
        1,
        1,
        CelFunction::Get(60_000_000_000),
    ),
    (
        "getSeconds",
        CelStyle::Method,
        1,
        1,
        CelFunction::Get(1_000_000_000),
    ),
    ("hasValue", CelStyle::Method, 1, 1, CelFunction::HasValue),
    ("indexOf", CelStyle::Method, 2, 3, CelFunction::IndexOf),
    ("int", CelStyle::Function, 1, 1, CelFunction::Int),
    ("isSorted", CelStyle::Method, 1, 1, CelFunction::IsSorted),
    ("join", CelStyle::Method, 1, 2, CelFunction::Join),
    (
        "lastIndexOf",
        CelStyle::Method,
        2,
        3,
        CelFunction::LastIndexOf,
    ),
    (
        "lowerAscii",
        CelStyle::Method,
        1,
        1,
        CelFunction::LowerAscii,
    ),
    ("matches", CelStyle::Both, 2, 2, CelFunction::Matches),
    ("max", CelStyle::Method, 1, 1, CelFunction::Max),
    ("min", CelStyle::Method, 1, 1, CelFunction::Min),
    (
        "optional.none",
        CelStyle::Function,
        0,
        0,
        CelFunction::OptionalNone,
    ),
    (
        "optional.of",
        CelStyle::Function,
        1,
        1,
        CelFunction::OptionalOf,
    ),
    (
        "optional.ofNonZeroValue",
        CelStyle::Function,
        1,
        1,
        CelFunction::OptionalOfNonZero,
    ),
    ("or", CelStyle::Method, 2, 2, CelFunction::Or),
    ("orValue", CelStyle::Method, 2, 2, CelFunction::OrValue),
    ("replace", CelStyle::Method, 3, 4, CelFunction::Replace),
    ("reverse", CelStyle::Method, 1, 1, CelFunction::Reverse),
    ("size", CelStyle::Both, 1, 1, CelFunction::Size),
    ("split", CelStyle::Method, 2, 3, CelFunction::Split),
    (
        "startsWith",
        CelStyle::Method,
        2,
        2,
        CelFunction::StartsWith,
    ),
    ("string", CelStyle::Function, 1, 1, CelFunction::String),
    (
        "strings.quote",
        CelStyle::Function,
        1,
        1,
        CelFunction::Quote,
    ),
    ("substring", CelStyle::Method, 2, 3, CelFunction::Substring),
    ("sum", CelStyle::Method, 1, 1, CelFunction::Sum),
    (
        "timestamp",
        CelStyle::Function,
        1,
        1,
        CelFunction::Timestamp,
    ),
    ("trim", CelStyle::Method, 1, 1, CelFunction::Trim),
    ("type", CelStyle::Function, 1, 1, CelFunction::Type),
    ("uint", CelStyle::Function, 1, 1, CelFunction::Uint),
    (
        "upperAscii",
        CelStyle::Method,
        1,
        1,
        CelFunction::UpperAscii,
    ),
    ("value", CelStyle::Method, 1, 1, CelFunction::Value),
];

/// Returns whether there is a function of that name.
pub(crate) fn is_known(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, ..)| *known == name)
}

/// The name of a function.
pub(crate) fn name(function: CelFunction) -> &'static str {
    let found = FUNCTIONS.iter().find(|(.., known)| *known == function);
    found.map_or("", |(name, ..)| name)
}

/// The function of a name.
///
/// # Errors
/// Why there is none.
pub(crate) fn find(name: &str, style: CelStyle, n_arguments: usize) -> Result<CelFunction, String> {
    let found = FUNCTIONS.iter().find(|(known, ..)| *known == name);
    let Some((_, known, least, most, function)) = found else {
        return Err(format!("unknown function `{name}`"));
    };
    if *function == CelFunction::Timestamp {
        return Err("timestamps are not supported".to_owned());
    }
    let n_own = usize::from(style == CelStyle::Method);
    match known {
        CelStyle::Method if style == CelStyle::Function => {
            Err(format!("`{name}` is a function of a value: `x.{name}(…)`"))
        }
        CelStyle::Function if style == CelStyle::Method => {
            Err(format!("`{name}` is no function of a value: `{name}(…)`"))
        }
        _ if (*least..=*most).contains(&n_arguments) => Ok(*function),
        _ => {
            let n_found = n_arguments - n_own;
            let plural = if n_found == 1 { "" } else { "s" };
            Err(format!("`{name}` does not take {n_found} argument{plural}"))
        }
    }
}

/// What a function makes of its arguments, none of which is unknown, and none of which is a scalar of a document.
pub(crate) fn call<'v>(
    function: CelFunction,
    arguments: &[CelValue<'v>],
    pattern: Option<&'v CelPattern>,
    meter: &mut CelMeter<'_>,
) -> CelResult<CelValue<'v>> {
    let no_overload = || {
        let types: Vec<_> = arguments.iter().map(CelValue::type_name).collect();
        CelStop::error(format!("no such overload for ({})", types.join(", ")))
    };
    let [of, ..] = arguments else {
        return Ok(CelValue::Optional(None));
    };
    let result = match function {
        CelFunction::Size => {
            let size = match of {
                CelValue::Text(text) => {
                    meter.bytes(text.len())?;
                    text.chars().count()
                }
                CelValue::Bytes(bytes) => bytes.len(),
                _ => match (of.items(), of.fields()) {
                    (Some(items), _) => items.len(),
                    (_, Some(fields)) => fields.len(),
                    _ => return Err(no_overload()),
                },
            };
            Some(int(size))
        }
        CelFunction::Type => Some(CelValue::Type(of.type_name())),
        CelFunction::Dyn => Some(of.clone()),
        CelFunction::OptionalNone
        | CelFunction::OptionalOf
        | CelFunction::OptionalOfNonZero
        | CelFunction::HasValue
        | CelFunction::Value => optional(function, of)?,
        CelFunction::Matches | CelFunction::Find | CelFunction::FindAll => {
            patterns(function, arguments, pattern, meter)?
        }
        CelFunction::Bool
        | CelFunction::Bytes
        | CelFunction::Double
        | CelFunction::Duration
        | CelFunction::Get(_)
        | CelFunction::Int
        | CelFunction::String
        | CelFunction::Uint
        | CelFunction::Timestamp => convert::call(function, of, meter)?,
        CelFunction::IsSorted | CelFunction::Max | CelFunction::Min | CelFunction::Sum => {
            lists::call(function, of, meter)?
        }
        CelFunction::IndexOf | CelFunction::LastIndexOf if of.items().is_some() => {
            lists::index(function, arguments, meter)?
        }
        CelFunction::Format => format::format(arguments, meter)?,
        _ => strings::call(function, arguments, meter)?,
    };
    result.ok_or_else(no_overload)
}

/// A number of things.
pub(crate) fn int<'v>(n: usize) -> CelValue<'v> {
    CelValue::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn optional<'v>(function: CelFunction, of: &CelValue<'v>) -> CelResult<Option<CelValue<'v>>> {
    let some = || CelValue::Optional(Some(of.clone().into()));
    Ok(match (function, of) {
        (CelFunction::OptionalOf, _) => Some(some()),
        (CelFunction::OptionalOfNonZero, _) => {
            let is_zero = match of {
                CelValue::Null | CelValue::Bool(false) => true,
                CelValue::Int(0) | CelValue::Uint(0) | CelValue::Duration(0) => true,
                CelValue::Double(double) => *double == 0.0,
                CelValue::Text(text) => text.is_empty(),
                CelValue::Bytes(bytes) => bytes.is_empty(),
                _ => {
                    of.items().is_some_and(|items| items.len() == 0)
                        || of.fields().is_some_and(|fields| fields.len() == 0)
                }
            };
            Some(if is_zero {
                CelValue::Optional(None)
            } else {
                some()
            })
        }
        (CelFunction::HasValue, CelValue::Optional(of)) => Some(CelValue::Bool(of.is_some())),
        (CelFunction::Value, CelValue::Optional(Some(of))) => Some((**of).clone()),
        (CelFunction::Value, CelValue::Optional(None)) => {
            return Err(CelStop::error("the optional has no value"));
        }
        _ => None,
    })
}

/// A pattern that is compiled once.
#[derive(Debug)]
pub(crate) struct CelPattern {
    /// As [`regex::weight`] has it.
    pub(crate) weight: usize,
    pub(crate) compiled: GoRegex,
}

impl CelPattern {
    /// Compiles a pattern that is within a weight. The others are compiled, and paid, where they are used.
    pub(crate) fn of(text: &str, weight_left: &mut usize) -> Option<Self> {
        let weight = regex::weight(text).ok()?;
        *weight_left = weight_left.checked_sub(weight)?;
        let compiled = GoRegex::new(text).ok()?;
        Some(Self { weight, compiled })
    }
}

/// How many bytes of a compiled pattern cost as much as a step.
const WEIGHT_OF_A_STEP: usize = 32;

/// The functions of patterns.
fn patterns<'v>(
    function: CelFunction,
    arguments: &[CelValue<'v>],
    pattern: Option<&'v CelPattern>,
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let [CelValue::Text(text), CelValue::Text(wanted), more @ ..] = arguments else {
        return Ok(None);
    };
    let own;
    let compiled = match pattern {
        Some(pattern) => {
            meter.take(pattern.weight / WEIGHT_OF_A_STEP)?;
            &pattern.compiled
        }
        None => {
            own = compile(wanted, meter)?;
            &own
        }
    };
    meter.take(text.len().saturating_mul(compiled.steps_per_byte()) / WEIGHT_OF_A_STEP)?;
    let most = match more {
        [] => usize::MAX,
        // Less than none: all of them.
        [CelValue::Int(most)] => usize::try_from(*most).unwrap_or(usize::MAX),
        _ => return Ok(None),
    };
    Ok(Some(match function {
        CelFunction::Matches => CelValue::Bool(compiled.is_match(text)),
        CelFunction::Find => {
            let found = compiled.find_all(text, 1).first().copied();
            CelValue::text(found.unwrap_or_default())
        }
        _ => {
            let found = compiled.find_all(text, most);
            meter.take(found.len())?;
            CelValue::List(found.into_iter().map(CelValue::text).collect())
        }
    }))
}

fn compile(pattern: &str, meter: &mut CelMeter<'_>) -> CelResult<GoRegex> {
    meter.take(pattern.len())?;
    let stop = |error: RegexError| match error.kind {
        // Go takes it.
        ErrorKind::BeyondLimit => CelStop::Fuel,
        _ => CelStop::error(error.to_string()),
    };
    let weight = regex::weight(pattern).map_err(stop)?;
    meter.take(weight / WEIGHT_OF_A_STEP)?;
    GoRegex::new(pattern).map_err(stop)
}
