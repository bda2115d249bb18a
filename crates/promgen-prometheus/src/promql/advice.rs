//! How to mend an expression that Prometheus refuses: what the same thing is called in other languages, and what is meant by it.
//!
//! In: a fault, and the tokens of the text. Out: the fault with a help, if something common explains it.

use super::fault::ExprFault;
use super::lex::{Token, TokenKind};
use promgen_text::confusable::{confusable_character, described};
use promgen_text::go::duration_advice;

/// Signs of other languages, and what PromQL has.
const SIGNS: [(&str, &str); 11] = [
    (";", "one expression in each rule"),
    ("//", "`#` before a comment"),
    ("&&", "`and`"),
    ("||", "`or`"),
    ("<>", "`!=`"),
    ("=<", "`<=`"),
    ("=>", "`>=`"),
    ("===", "`==`"),
    ("**", "`^`"),
    ("!", "`unless`, or `!=` and `!~`"),
    ("=", "`==` to compare; `=` is for matchers in braces"),
];

/// Words of other languages and of rules, and what PromQL has.
const WORDS: [(&str, &str); 16] = [
    (
        "select",
        "an expression names the series alone: write `x`, with matchers in braces",
    ),
    (
        "not",
        "write `unless` between two vectors, or `!=` and `!~` in a matcher",
    ),
    ("is", "write `==`"),
    ("equals", "write `==`"),
    (
        "in",
        "write a matcher with a pattern, as in `{job=~\"a|b\"}`",
    ),
    (
        "like",
        "write a matcher with a pattern, as in `{job=~\"a.*\"}`",
    ),
    (
        "contains",
        "write a matcher with a pattern, as in `{job=~\".*a.*\"}`",
    ),
    ("between", "write two comparisons, as in `x > 1 < 5`"),
    (
        "where",
        "write matchers in braces behind the metric, as in `{job=\"a\"}`",
    ),
    (
        "if",
        "a comparison keeps the series for which it holds: write `x > 5`",
    ),
    (
        "when",
        "a comparison keeps the series for which it holds: write `x > 5`",
    ),
    ("group", "write `sum by (label) (…)`"),
    ("per", "write `sum by (label) (…)`"),
    ("over", "write a range in brackets, as in `rate(x[5m])`"),
    ("last", "write a range in brackets, as in `rate(x[5m])`"),
    ("percent", "a share is a number: 5 percent is 0.05"),
];

/// Fields of a rule that people write within its expression.
const FIELDS: [&str; 6] = [
    "for",
    "keep_firing_for",
    "labels",
    "annotations",
    "alert",
    "record",
];

/// Multiples of units that numbers do not have.
const MULTIPLES: [(&str, &str); 10] = [
    ("ki", "1024"),
    ("mi", "1024^2"),
    ("gi", "1024^3"),
    ("ti", "1024^4"),
    ("k", "1e3"),
    ("m", "1e6"),
    ("g", "1e9"),
    ("t", "1e12"),
    ("", "1"),
    ("p", "1e15"),
];

/// The fault with a help, if it has none yet and something explains it.
pub(super) fn advised(text: &str, tokens: &[Token<'_>], fault: ExprFault) -> ExprFault {
    if fault.help.is_some() {
        return fault;
    }
    let at = tokens
        .iter()
        .position(|token| token.span.start >= fault.span.start)
        .unwrap_or(tokens.len());
    let (before, rest) = tokens.split_at(at);
    if let Some(fault) = unexpected_sign(text, &fault) {
        return fault;
    }
    if let Some(word) = rest
        .first()
        .filter(|_| fault.message.ends_with("expected a text in quotes"))
    {
        let is_value = matches!(
            word.kind,
            TokenKind::Word | TokenKind::Number | TokenKind::Duration
        );
        let help = format!("write `\"{}\"`", word.text);
        return if is_value { fault.help(help) } else { fault };
    }
    if let Some(label) = rest.first().filter(|token| token.kind == TokenKind::Word)
        && fault.message.ends_with("in a list of labels, expected `(`")
    {
        return fault.help(format!("write labels in parentheses: `({})`", label.text));
    }
    let help = rest
        .first()
        .and_then(|token| of_token(token, &rest[1..], before))
        .or_else(|| percent(before));
    match help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// A fault at a character that looks like another one, or like nothing.
fn unexpected_sign(text: &str, fault: &ExprFault) -> Option<ExprFault> {
    let found = text[fault.span.clone()]
        .chars()
        .find_map(|c| Some((confusable_character(c)?, described(c)?)));
    let (odd, name) = found?;
    let help = match odd.plain {
        "" => "remove it".to_owned(),
        " " => "type a plain space in its place".to_owned(),
        plain => format!("write `{plain}` in its place"),
    };
    let message = fault.message.strip_prefix("unexpected ").map_or_else(
        || format!("{}: there is {name}", fault.message),
        |_| format!("unexpected {name}"),
    );
    Some(
        ExprFault {
            message,
            ..fault.clone()
        }
        .help(help),
    )
}

fn of_token(token: &Token<'_>, behind: &[Token<'_>], before: &[Token<'_>]) -> Option<String> {
    match token.kind {
        TokenKind::Sign => sign(token, behind, before).or_else(|| percent(before)),
        TokenKind::Word => word(token, behind, before),
        TokenKind::Number | TokenKind::Duration => number(token),
        TokenKind::Text => None,
    }
}

/// The help about a sign, with those that stand right beside it.
fn sign(token: &Token<'_>, behind: &[Token<'_>], before: &[Token<'_>]) -> Option<String> {
    let touches =
        |a: &Token<'_>, b: &Token<'_>| a.span.end == b.span.start && b.kind == TokenKind::Sign;
    let with_next = behind
        .first()
        .filter(|next| touches(token, next))
        .map(|next| format!("{}{}", token.text, next.text));
    let with_last = before
        .last()
        .filter(|last| touches(last, token))
        .map(|last| format!("{}{}", last.text, token.text));
    let known = |sign: &str| {
        SIGNS
            .iter()
            .find(|(known, _)| *known == sign)
            .map(|(_, meant)| format!("write {meant}"))
    };
    if token.text == ","
        && before
            .last()
            .is_some_and(|last| last.kind == TokenKind::Number)
    {
        return Some("write a point before decimals, as in `0.5`".to_owned());
    }
    let pair = with_last
        .as_deref()
        .and_then(known)
        .or_else(|| with_next.as_deref().and_then(known));
    pair.or_else(|| known(token.text))
}

fn word(token: &Token<'_>, behind: &[Token<'_>], before: &[Token<'_>]) -> Option<String> {
    if token.is_word("by") || token.is_word("without") {
        return Some(format!(
            "close the parenthesis before `{}`, or write it in front of the parentheses",
            token.text
        ));
    }
    if let Some(field) = FIELDS.iter().find(|field| token.is_word(field)) {
        let length = behind
            .first()
            .filter(|next| next.kind == TokenKind::Duration)
            .map_or("…", |next| next.text);
        return Some(match *field {
            "for" | "keep_firing_for" => {
                format!("`{field}` is a field of its own beside `expr`: `{field}: {length}`")
            }
            field => format!("`{field}` is a field of its own beside `expr`"),
        });
    }
    if let Some(number) = before.last().filter(|last| last.kind == TokenKind::Number) {
        let together = format!("{}{}", number.text, token.text);
        if let Some(meant) = duration_advice::duration(&together) {
            return Some(format!("write `{meant}`"));
        }
        if let Some(help) = multiple(&together) {
            return Some(help);
        }
    }
    let last = before.last().filter(|last| last.kind == TokenKind::Word);
    let known = |token: &Token<'_>| {
        WORDS
            .iter()
            .find(|(word, _)| token.is_word(word))
            .map(|(_, help)| (*help).to_owned())
    };
    known(token).or_else(|| known(last?))
}

/// The help about a number with a unit that there is not.
fn number(token: &Token<'_>) -> Option<String> {
    let as_length = duration_advice::duration(token.text).filter(|meant| meant != token.text);
    as_length
        .map(|meant| format!("write `{meant}`; units are ms, s, m, h, d, w and y"))
        .or_else(|| multiple(token.text))
}

/// The help about a number with a unit of size.
fn multiple(text: &str) -> Option<String> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let _: f64 = number.parse().ok()?;
    let lower = unit.to_ascii_lowercase();
    let unit = lower.trim_end_matches("bytes").trim_end_matches('b');
    let (_, factor) = MULTIPLES.iter().find(|(known, _)| *known == unit)?;
    Some(format!("numbers have no unit: write `{number} * {factor}`"))
}

/// The help about a share that is written with a percent sign.
fn percent(before: &[Token<'_>]) -> Option<String> {
    let [.., number, sign] = before else {
        return None;
    };
    let is_share =
        sign.is_sign("%") && number.kind == TokenKind::Number && number.span.end == sign.span.start;
    let share = number.text.parse::<f64>().ok().filter(|_| is_share)? / 100.0;
    Some(format!(
        "`%` is the remainder of a division: {}% is {share}",
        number.text
    ))
}
