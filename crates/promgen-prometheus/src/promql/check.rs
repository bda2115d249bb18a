//! Whether the operator takes a text for an expression.
//!
//! The grammar and the types are those of `parse` and `types`. Literals are checked by the tokens. Syntax that a Prometheus
//! takes only with a feature that the operator may not pass on is told apart by the tokens, too, and left open.

use std::ops::Range;

use super::advice::advised;
use super::fault::ExprFault;
use super::lex::{Token, TokenKind, tokens};
use super::literal::{MAX_SECONDS, value};
use super::parse::{self, TOO_DEEP};
use super::tree::Tree;
use super::{
    Construct, DURATION_EXPRESSIONS, EXTENDED_SELECTORS, Features, NEWER_FUNCTION, Validity,
};

/// Most words of an expression that is checked: they bound the memory that a tree takes.
const MAX_TOKENS: usize = 100_000;

/// What is left open: an expression that no person wrote.
const TOO_LARGE: Construct = Construct {
    what: "an expression of too many words or levels",
    feature: None,
};

/// An operator of histograms.
const TRIMS: Construct = Construct {
    what: "an operator that trims histograms",
    feature: None,
};

/// A length of time that is computed.
const COMPUTED: Construct = Construct {
    what: "a duration that is computed",
    feature: Some(DURATION_EXPRESSIONS),
};

/// Checks a text.
///
/// ```
/// use promgen_prometheus::promql::{Features, Validity, check};
///
/// let check = |text| check(text, Features::default());
/// assert_eq!(check("sum by (job) (rate(requests_total[5m])) > 1"), Validity::Valid);
/// assert!(matches!(check("sum(rate(requests_total))"), Validity::Invalid(_)));
/// assert!(matches!(check("rate(requests_total[5m] smoothed)"), Validity::Invalid(_)));
/// assert!(matches!(check("requests_total </ 5"), Validity::Unknown(_)));
/// ```
#[must_use]
pub fn check(text: &str, features: Features) -> Validity {
    let tokens = tokens(text);
    match tree(text, &tokens, features) {
        Ok(_) => uncertain(&tokens).map_or(Validity::Valid, Validity::Unknown),
        Err(fault) if fault.message == TOO_DEEP => Validity::Unknown(TOO_LARGE),
        Err(fault) if fault.is_unknown_function && features.is_newer => {
            Validity::Unknown(NEWER_FUNCTION)
        }
        Err(fault) => match newer(&tokens) {
            None => Validity::Invalid(advised(text, &tokens, fault)),
            Some((construct, _)) if features.allow(&construct) => Validity::Unknown(construct),
            Some((construct, span)) => Validity::Invalid(ExprFault::new(
                &span,
                format!("{} is experimental and not enabled", construct.what),
            )),
        },
    }
}

/// The tree of an expression, whatever is switched on. `None` for a text that is none.
///
/// ```
/// use promgen_prometheus::promql::{ExprKind, parse};
///
/// let tree = parse("sum(rate(requests_total[5m]))").expect("an expression");
/// assert!(matches!(&tree.root().kind, ExprKind::Aggregate(sum) if sum.operator == "sum"));
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<Tree> {
    let features = Features {
        experimental_functions: true,
        fill_modifiers: true,
        ..Features::default()
    };
    tree(text, &tokens(text), features).ok()
}

fn tree(text: &str, tokens: &[Token<'_>], features: Features) -> Result<Tree, ExprFault> {
    if tokens.len() > MAX_TOKENS {
        return Err(ExprFault::new(&(0..0), TOO_DEEP));
    }
    literals(tokens)?;
    parse::parse(text, tokens, features)
}

/// An operator that newer releases of Prometheus take, and that of the operator may not.
fn uncertain(tokens: &[Token<'_>]) -> Option<Construct> {
    tokens
        .iter()
        .any(|token| token.is_sign("</") || token.is_sign(">/"))
        .then_some(TRIMS)
}

/// Syntax of the expression that the grammar lacks, and where it is.
fn newer(tokens: &[Token<'_>]) -> Option<(Construct, Range<usize>)> {
    let mut brackets = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let found = match token.text {
            "[" => {
                brackets += 1;
                None
            }
            "]" => {
                brackets = brackets.saturating_sub(1);
                None
            }
            "</" | ">/" => Some(TRIMS),
            "::" => Some(Construct {
                what: "an aligned subquery",
                feature: None,
            }),
            _ if token.is_word("anchored") => Some(extended("the modifier `anchored`")),
            _ if token.is_word("smoothed") => Some(extended("the modifier `smoothed`")),
            "-" if brackets > 0 => Some(COMPUTED),
            _ if computes(token) && (brackets > 0 || follows_offset(&tokens[..index])) => {
                Some(COMPUTED)
            }
            _ => None,
        };
        if let Some(found) = found {
            return Some((found, token.span.clone()));
        }
    }
    None
}

/// Returns whether a token makes a length of time one that is computed.
fn computes(token: &Token<'_>) -> bool {
    let words = ["step", "range", "min", "max", "min_of", "max_of"];
    let signs = ["+", "*", "/", "%", "^", "("];
    words.iter().any(|word| token.is_word(word)) || signs.iter().any(|sign| token.is_sign(sign))
}

/// Returns whether what follows these tokens is the length of an offset, its sign aside.
fn follows_offset(before: &[Token<'_>]) -> bool {
    match before {
        [.., last] if last.is_word("offset") => true,
        [.., offset, sign] => offset.is_word("offset") && (sign.is_sign("+") || sign.is_sign("-")),
        _ => false,
    }
}

const fn extended(what: &'static str) -> Construct {
    Construct {
        what,
        feature: Some(EXTENDED_SELECTORS),
    }
}

/// The use of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberUse {
    Value,
    /// The range or step in square brackets.
    Range,
    Offset,
    /// Behind `@`.
    Moment,
}

/// Checks that every number has a value that can be used where it stands.
fn literals(tokens: &[Token<'_>]) -> Result<(), ExprFault> {
    let (mut brackets, mut purpose) = (0_usize, NumberUse::Value);
    for token in tokens {
        match token.kind {
            TokenKind::Number | TokenKind::Duration => {
                let purpose_here = if brackets > 0 {
                    NumberUse::Range
                } else {
                    purpose
                };
                in_range(token, purpose_here)
                    .map_err(|message| ExprFault::new(&token.span, message))?;
                purpose = NumberUse::Value;
            }
            TokenKind::Sign => match token.text {
                "[" => brackets += 1,
                "]" => brackets = brackets.saturating_sub(1),
                "@" => purpose = NumberUse::Moment,
                "+" | "-" => {}
                _ => purpose = NumberUse::Value,
            },
            TokenKind::Word => {
                purpose = if token.is_word("offset") {
                    NumberUse::Offset
                } else {
                    NumberUse::Value
                }
            }
            TokenKind::Text => purpose = NumberUse::Value,
        }
    }
    Ok(())
}

fn in_range(token: &Token<'_>, purpose: NumberUse) -> Result<(), String> {
    /// First second that no timestamp of 64 bits reaches.
    const END_OF_TIME: f64 = 9_223_372_036_854_775_807.0;
    let value = value(token)?;
    match purpose {
        NumberUse::Range if value <= 0.0 => Err("duration must be greater than 0".to_owned()),
        NumberUse::Range if value.is_nan() => Err("duration out of range".to_owned()),
        NumberUse::Range | NumberUse::Offset if value > MAX_SECONDS => {
            Err("duration out of range".to_owned())
        }
        NumberUse::Moment if value.is_nan() || value >= END_OF_TIME => {
            Err("timestamp out of bounds for @ modifier".to_owned())
        }
        NumberUse::Value | NumberUse::Range | NumberUse::Offset | NumberUse::Moment => Ok(()),
    }
}
