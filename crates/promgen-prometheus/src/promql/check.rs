//! Whether the operator takes a text for an expression.
//!
//! The parser crate has the last word on grammar and types. Before it is asked, literals are checked here, because it
//! panics at some and lets others pass; and patterns are replaced by harmless ones, because it would read them as Rust
//! does. What it refuses only because it is older than Prometheus is told apart by the tokens.

use promql_parser::parser::token::{T_LIMIT_RATIO, T_LIMITK};
use promql_parser::parser::{self, Expr};

use crate::promql::lex::{Token, TokenKind, tokens};
use crate::promql::literal::{MAX_SECONDS, value};
use crate::promql::{Construct, Features, Validity};
use promgen_text::go::regex;
use promgen_text::go::unquote::unquote;

/// Most words of an expression that is looked at. The crate needs time that grows with the square of this, and stack.
const MAX_TOKENS: usize = 4000;

/// A function whose second argument is like no other.
const INFO: Construct = Construct { what: "the function `info`", feature: Some("promql-experimental-functions") };

/// A length of time that is computed.
const COMPUTED: Construct = Construct { what: "a duration that is computed", feature: Some("promql-duration-expr") };

/// Checks a text.
///
/// ```
/// use promgen_prometheus::promql::{Features, Validity, check};
///
/// let check = |text| check(text, Features::default());
/// assert_eq!(check("sum by (job) (rate(requests_total[5m])) > 1"), Validity::Valid);
/// assert!(matches!(check("sum(rate(requests_total))"), Validity::Invalid(_)));
/// assert!(matches!(check("rate(requests_total[5m] smoothed)"), Validity::Unknown(_)));
/// ```
#[must_use]
pub fn check(text: &str, features: Features) -> Validity {
    let tokens = tokens(text);
    if tokens.len() > MAX_TOKENS {
        return Validity::Unknown(Construct { what: "an expression of many thousand words", feature: None });
    }
    match tree(text, &tokens) {
        Ok(expr) => match switched_off(&expr, features) {
            Some(reason) => Validity::Invalid(reason),
            // What its second argument may be, the crate does not know.
            None if (0..tokens.len()).any(|index| is_call_of_info(&tokens[index..])) => Validity::Unknown(INFO),
            None => Validity::Valid,
        },
        Err(reason) => newer(&tokens).map_or(Validity::Invalid(reason), Validity::Unknown),
    }
}

/// The tree of an expression, with harmless patterns in place of its own.
///
/// # Errors
/// Why it has none.
pub(super) fn parse(text: &str) -> Result<Expr, String> {
    let tokens = tokens(text);
    if tokens.len() > MAX_TOKENS {
        return Err("an expression of many thousand words".to_owned());
    }
    tree(text, &tokens)
}

fn tree(text: &str, tokens: &[Token<'_>]) -> Result<Expr, String> {
    literals(tokens).and_then(|()| plain(text, tokens)).and_then(|plain| parser::parse(&plain))
}

/// Syntax of the expression that the crate does not know.
fn newer(tokens: &[Token<'_>]) -> Option<Construct> {
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
            "</" | ">/" => Some(Construct { what: "an operator that trims histograms", feature: None }),
            "::" => Some(Construct { what: "an aligned subquery", feature: None }),
            _ if token.is_word("anchored") => Some(extended("the modifier `anchored`")),
            _ if token.is_word("smoothed") => Some(extended("the modifier `smoothed`")),
            _ if is_call_of_info(&tokens[index..]) => Some(INFO),
            "-" if brackets > 0 => Some(COMPUTED),
            _ if computes(token) && (brackets > 0 || follows_offset(&tokens[..index])) => Some(COMPUTED),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a token makes a length of time one that is computed.
fn computes(token: &Token<'_>) -> bool {
    let words = ["step", "range", "min", "max", "min_of", "max_of"];
    let signs = ["+", "*", "/", "%", "^", "("];
    words.iter().any(|word| token.is_word(word)) || signs.iter().any(|sign| token.is_sign(sign))
}

/// Whether what follows these tokens is the length of an offset, its sign aside.
fn follows_offset(before: &[Token<'_>]) -> bool {
    match before {
        [.., last] if last.is_word("offset") => true,
        [.., offset, sign] => offset.is_word("offset") && (sign.is_sign("+") || sign.is_sign("-")),
        _ => false,
    }
}

fn is_call_of_info(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [name, open, ..] if name.kind == TokenKind::Word && name.text == "info" && open.is_sign("("))
}

const fn extended(what: &'static str) -> Construct {
    Construct { what, feature: Some("promql-extended-range-selectors") }
}

/// What a number is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Value,
    /// The range or step in square brackets.
    Range,
    Offset,
    /// Behind `@`.
    Moment,
}

/// Checks that every number has a value that can be used where it stands.
fn literals(tokens: &[Token<'_>]) -> Result<(), String> {
    let (mut brackets, mut purpose) = (0_usize, Use::Value);
    for token in tokens {
        match token.kind {
            TokenKind::Number | TokenKind::Duration => {
                in_range(token, if brackets > 0 { Use::Range } else { purpose })?;
                purpose = Use::Value;
            }
            TokenKind::Sign => match token.text {
                "[" => brackets += 1,
                "]" => brackets = brackets.saturating_sub(1),
                "@" => purpose = Use::Moment,
                "+" | "-" => {}
                _ => purpose = Use::Value,
            },
            TokenKind::Word => purpose = if token.is_word("offset") { Use::Offset } else { Use::Value },
            TokenKind::Text => purpose = Use::Value,
        }
    }
    Ok(())
}

fn in_range(token: &Token<'_>, purpose: Use) -> Result<(), String> {
    /// First second that no timestamp of 64 bits reaches.
    const END_OF_TIME: f64 = 9_223_372_036_854_775_807.0;
    let value = value(token)?;
    match purpose {
        Use::Range if value <= 0.0 => Err("duration must be greater than 0".to_owned()),
        Use::Range | Use::Offset if value.is_nan() || value > MAX_SECONDS => Err("duration out of range".to_owned()),
        Use::Moment if value.is_nan() || value >= END_OF_TIME => {
            Err("timestamp out of bounds for @ modifier".to_owned())
        }
        Use::Value | Use::Range | Use::Offset | Use::Moment => Ok(()),
    }
}

/// The text as the crate understands it: every pattern replaced by one of which it knows as much as it has to, which is
/// whether it matches nothing, and no `_` in numbers.
///
/// # Errors
/// A pattern that Go does not compile, in Go's words.
fn plain(text: &str, tokens: &[Token<'_>]) -> Result<String, String> {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    let mut before = None::<&Token<'_>>;
    for token in tokens {
        let follows_match = before.is_some_and(|b| b.is_sign("=~") || b.is_sign("!~"));
        let replacement = match token.kind {
            TokenKind::Text if follows_match => harmless(token)?,
            TokenKind::Number if separates_digits(token.text) => Some(token.text.replace('_', "")),
            _ => None,
        };
        if let Some(replacement) = replacement {
            out.extend([&text[done..token.span.start], &replacement]);
            done = token.span.end;
        }
        before = Some(token);
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// A pattern for Rust that matches nothing if the one for Go does. `None` for a text that is none, which the crate refuses.
fn harmless(token: &Token<'_>) -> Result<Option<String>, String> {
    let Some(pattern) = unquote(token.text) else { return Ok(None) };
    let pattern = String::from_utf8(pattern).map_err(|_| "error parsing regexp: invalid UTF-8")?;
    regex::check(&pattern).map_err(|error| error.to_string())?;
    let matches_empty = regex::matches_empty(&pattern).map_err(|error| error.to_string())?;
    // Compiled by the crate, for every matcher: no class that takes time to compile.
    Ok(Some(if matches_empty { "\"x*\"" } else { "\"x\"" }.to_owned()))
}

/// Whether a number has `_` between digits, and nowhere else.
fn separates_digits(number: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = number.as_bytes();
    let fits = |(at, _): (usize, &u8)| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    let mut separators = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_').peekable();
    separators.peek().is_some() && separators.all(fits)
}

/// What the expression uses that Prometheus, and with it the operator, only takes when it is switched on.
fn switched_off(expr: &Expr, features: Features) -> Option<String> {
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        match expr {
            Expr::Aggregate(aggregate) => {
                if matches!(aggregate.op.id(), T_LIMITK | T_LIMIT_RATIO) && !features.experimental_functions {
                    return Some(format!("aggregation {} is experimental and not enabled", aggregate.op));
                }
                todo.push(&aggregate.expr);
                todo.extend(aggregate.param.as_deref());
            }
            Expr::Call(call) if call.func.experimental && !features.experimental_functions => {
                return Some(format!("function {} is experimental and not enabled", call.func.name));
            }
            Expr::Call(call) => todo.extend(call.args.args.iter().map(|arg| &**arg)),
            Expr::Binary(binary) => {
                let fill = binary.modifier.as_ref().map(|m| &m.fill_values);
                if fill.is_some_and(|fill| fill.lhs.is_some() || fill.rhs.is_some()) && !features.fill_modifiers {
                    return Some("fill modifiers are experimental and not enabled".to_owned());
                }
                todo.extend([&*binary.lhs, &*binary.rhs]);
            }
            Expr::Unary(unary) => todo.push(&unary.expr),
            Expr::Paren(paren) => todo.push(&paren.expr),
            Expr::Subquery(subquery) => todo.push(&subquery.expr),
            Expr::NumberLiteral(_)
            | Expr::StringLiteral(_)
            | Expr::VectorSelector(_)
            | Expr::MatrixSelector(_)
            | Expr::Extension(_) => {}
        }
    }
    None
}
