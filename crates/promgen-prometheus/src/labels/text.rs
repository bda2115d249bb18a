//! Selectors that are written as text: what they ask for, and Kubernetes' words where they do not parse.
//!
//! Mirrors `labels.Parse` and `fields.ParseSelector` of apimachinery.

use crate::labels::{Operator, Requirement, Selector, complain, names};
use promgen_text::go::quote::quote;

/// Checks a label selector such as `app=web,tier in (a,b),!old`.
///
/// # Errors
/// Kubernetes' words on the first fault.
///
/// ```
/// use promgen_prometheus::labels::text::check_labels;
///
/// assert_eq!(check_labels("app=web,tier in (a,b),!old"), Ok(()));
/// assert_eq!(check_labels("a=b,"), Err("found '', expected: identifier after ','".to_owned()));
/// ```
pub fn check_labels(text: &str) -> Result<(), String> {
    parse_labels(text).map(drop)
}

/// Reads a label selector such as `app=web,tier in (a,b),!old`. Empty text picks everything.
///
/// # Errors
/// Kubernetes' words on the first fault.
///
/// ```
/// use promgen_prometheus::labels::text::parse_labels;
///
/// let selector = parse_labels("app in (web,db),size>3").expect("a valid selector");
/// let labels = [("app", "db"), ("size", "4")].map(|(name, value)| (name.into(), value.into()));
/// assert!(selector.matches(&labels.into_iter().collect()));
/// ```
pub fn parse_labels(text: &str) -> Result<Selector, String> {
    let (mut tokens, mut requirements) = (Tokens::new(text), Vec::new());
    loop {
        match tokens.look() {
            SelectorToken::End => return Ok(Selector::from_requirements(requirements)),
            token if token.is_word() || token == SelectorToken::Symbol("!") => {}
            token => {
                return Err(format!(
                    "found '{}', expected: !, identifier, or 'end of string'",
                    token.text()
                ));
            }
        }
        let requirement = requirement(&mut tokens);
        requirements
            .push(requirement.map_err(|error| format!("unable to parse requirement: {error}"))?);
        match tokens.next() {
            SelectorToken::End => return Ok(Selector::from_requirements(requirements)),
            SelectorToken::Symbol(",") => {}
            token => {
                return Err(format!(
                    "found '{}', expected: ',' or 'end of string'",
                    token.text()
                ));
            }
        }
        // A comma at the end is a fault of its own, with words of its own.
        let token = tokens.look();
        if !token.is_word() && token != SelectorToken::Symbol("!") {
            return Err(format!(
                "found '{}', expected: identifier after ','",
                token.text()
            ));
        }
    }
}

fn requirement(tokens: &mut Tokens<'_>) -> Result<Requirement, String> {
    let negated = tokens.look() == SelectorToken::Symbol("!");
    if negated {
        tokens.next();
    }
    let key = tokens.word()?;
    let mut errors = Vec::new();
    complain(&mut errors, "<nil>", key, &names::label_key_errors(key));
    if let Some(error) = errors.pop() {
        return Err(error);
    }
    if negated
        || matches!(
            tokens.look(),
            SelectorToken::End | SelectorToken::Symbol(",")
        )
    {
        let operator = if negated {
            Operator::DoesNotExist
        } else {
            Operator::Exists
        };
        return Requirement::new(key, operator, &[]);
    }
    match tokens.next() {
        SelectorToken::Word("in") => Requirement::new(key, Operator::In, &values(tokens)?),
        SelectorToken::Word("notin") => Requirement::new(key, Operator::NotIn, &values(tokens)?),
        SelectorToken::Symbol("=" | "==") => {
            Requirement::new(key, Operator::Equals, &[exact(tokens)?])
        }
        SelectorToken::Symbol("!=") => Requirement::new(key, Operator::NotIn, &[exact(tokens)?]),
        SelectorToken::Symbol(">") => ordered(key, Operator::Above, exact(tokens)?),
        SelectorToken::Symbol("<") => ordered(key, Operator::Below, exact(tokens)?),
        token => Err(format!(
            "found '{}', expected: in, notin, =, ==, !=, gt, lt",
            token.text()
        )),
    }
}

fn ordered(key: &str, operator: Operator, value: String) -> Result<Requirement, String> {
    if value.parse::<i64>().is_ok() {
        return Requirement::new(key, operator, &[value]);
    }
    let fault = format!(
        "values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
        quote(&value)
    );
    // What is no number may be no label value either, and Kubernetes says both.
    match Requirement::check(key, Operator::Equals, &[value]) {
        Ok(()) => Err(fault),
        Err(more) => Err(format!("[{fault}, {more}]")),
    }
}

/// The one value behind an operator; nothing is a value too.
fn exact(tokens: &mut Tokens<'_>) -> Result<String, String> {
    if matches!(
        tokens.look(),
        SelectorToken::End | SelectorToken::Symbol(",")
    ) {
        return Ok(String::new());
    }
    tokens.word().map(str::to_owned)
}

/// Values in parentheses, sorted, each once.
fn values(tokens: &mut Tokens<'_>) -> Result<Vec<String>, String> {
    let open = tokens.next();
    if open != SelectorToken::Symbol("(") {
        return Err(format!("found '{}' expected: '('", open.text()));
    }
    let mut values = match tokens.look() {
        SelectorToken::Symbol(")") => vec![String::new()],
        token if token.is_word() || token == SelectorToken::Symbol(",") => list(tokens)?,
        token => {
            return Err(format!(
                "found '{}', expected: ',', ')' or identifier",
                token.text()
            ));
        }
    };
    // A list ends before a parenthesis.
    tokens.next();
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

/// Values between commas. An empty one counts at the start, at the end and between two commas.
fn list(tokens: &mut Tokens<'_>) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    loop {
        match tokens.next() {
            SelectorToken::Symbol(",") => {
                let next = tokens.look();
                if values.is_empty()
                    || next == SelectorToken::Symbol(")")
                    || next == SelectorToken::Symbol(",")
                {
                    values.push(String::new());
                }
                match next {
                    SelectorToken::Symbol(")") => return Ok(values),
                    // The second comma is taken with the first: `(a,,b)` has one empty value.
                    SelectorToken::Symbol(",") => _ = tokens.next(),
                    SelectorToken::Symbol(_) | SelectorToken::Word(_) | SelectorToken::End => {}
                }
            }
            token if token.is_word() => {
                values.push(token.text().to_owned());
                match tokens.look() {
                    SelectorToken::Symbol(",") => {}
                    SelectorToken::Symbol(")") => return Ok(values),
                    token => return Err(format!("found '{}', expected: ',' or ')'", token.text())),
                }
            }
            token => {
                return Err(format!(
                    "found '{}', expected: ',', or identifier",
                    token.text()
                ));
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SelectorToken<'t> {
    /// A key or a value; `in` and `notin` too.
    Word(&'t str),
    /// `=`, `==`, `!=`, `!`, `<`, `>`, `(`, `)`, `,`.
    Symbol(&'t str),
    End,
}

impl<'t> SelectorToken<'t> {
    const fn text(self) -> &'t str {
        match self {
            Self::Word(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }

    const fn is_word(self) -> bool {
        matches!(self, Self::Word(_))
    }
}

/// The rest of a text.
#[derive(Clone, Copy)]
struct Tokens<'t>(&'t str);

const SYMBOLS: [char; 7] = ['=', '!', '(', ')', ',', '>', '<'];
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'t> Tokens<'t> {
    /// Tokens up to the end of the text, or to a NUL, which is an end for the operator's lexer.
    fn new(text: &'t str) -> Self {
        Self(text.split('\0').next().unwrap_or_default())
    }

    fn look(self) -> SelectorToken<'t> {
        let mut rest = self;
        rest.next()
    }

    fn next(&mut self) -> SelectorToken<'t> {
        let text = self.0.trim_start_matches(BLANKS);
        let symbol = |symbols: &[&str]| {
            symbols
                .iter()
                .find(|s| text.starts_with(**s))
                .map(|s| s.len())
        };
        let (token, length) = if text.is_empty() {
            (SelectorToken::End, 0)
        } else if let Some(length) =
            symbol(&["==", "!="]).or(text.starts_with(SYMBOLS).then_some(1))
        {
            (SelectorToken::Symbol(&text[..length]), length)
        } else {
            let end = text
                .find(|c| SYMBOLS.contains(&c) || BLANKS.contains(&c))
                .unwrap_or(text.len());
            (SelectorToken::Word(&text[..end]), end)
        };
        self.0 = &text[length..];
        token
    }

    fn word(&mut self) -> Result<&'t str, String> {
        match self.next() {
            SelectorToken::Word(word) => Ok(word),
            token => Err(format!("found '{}', expected: identifier", token.text())),
        }
    }
}

/// Checks a field selector such as `spec.nodeName=a,status.phase!=Failed`.
///
/// # Errors
/// Kubernetes' words on the first fault. Terms are looked at in sorted order.
pub fn check_fields(text: &str) -> Result<(), String> {
    parse_fields(text).map(drop)
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    /// The field, such as `spec.nodeName`.
    pub field: String,
    /// The value that it must have, or must not have.
    pub value: String,
    /// It must have it.
    pub equals: bool,
}

/// Reads a field selector such as `spec.nodeName=a,status.phase!=Failed`. Empty text picks everything.
///
/// # Errors
/// Kubernetes' words on the first fault. Terms are looked at in sorted order.
pub fn parse_fields(text: &str) -> Result<Vec<FieldTerm>, String> {
    let mut terms = terms(text);
    // Kubernetes sorts the terms before it parses them.
    terms.sort_unstable();
    let mut parsed = Vec::new();
    for term in terms.into_iter().filter(|term| !term.is_empty()) {
        let operator = term.char_indices().find_map(|(i, _)| {
            let operator = ["!=", "==", "="]
                .into_iter()
                .find(|operator| term[i..].starts_with(operator))?;
            Some((i, operator))
        });
        let Some((at, operator)) = operator else {
            return Err(format!(
                "invalid selector: '{text}'; can't understand '{term}'"
            ));
        };
        let value = &term[at + operator.len()..];
        check_escapes(value)?;
        parsed.push(FieldTerm {
            field: term[..at].to_owned(),
            value: unescaped(value),
            equals: operator != "!=",
        });
    }
    Ok(parsed)
}

/// A value without the backslashes that protect what follows them.
fn unescaped(value: &str) -> String {
    let mut chars = value.chars();
    std::iter::from_fn(|| match chars.next() {
        Some('\\') => chars.next(),
        other => other,
    })
    .collect()
}

/// The text between commas that no backslash stands before.
fn terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut escaped) = (Vec::new(), 0, false);
    for (i, c) in text.char_indices() {
        if c == ',' && !escaped {
            terms.push(&text[start..i]);
            start = i + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    terms.push(&text[start..]);
    terms
}

fn check_escapes(value: &str) -> Result<(), String> {
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        let sequence = match (c, c == '\\') {
            (_, true) => chars
                .next()
                .map_or_else(|| "\\".to_owned(), |next| format!("\\{next}")),
            (',' | '=', false) => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            _ => continue,
        };
        if !matches!(sequence.as_str(), "\\\\" | "\\," | "\\=") {
            return Err(format!(
                "invalid field selector: invalid escape sequence: {sequence}"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use promgen_text::yaml::StringMap;

    use super::*;

    #[test]
    fn label_selectors_that_parse() {
        for text in [
            "",
            "  ",
            "a",
            "!a",
            "a=b",
            "a==b, c != d",
            "a=",
            "a in (x,y),b notin (z)",
            "a in ()",
            "a in (,x,,y,)",
            "in in (in)",
            "a=in",
            "a>1,b<2",
            "example.com/a=b",
        ] {
            assert_eq!(check_labels(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn label_selectors_that_do_not_parse() {
        for (text, expected) in [
            (
                "=a",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            ("a=b,", "found '', expected: identifier after ','"),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            (
                "a=(b",
                "unable to parse requirement: found '(', expected: identifier",
            ),
            (
                "a in b",
                "unable to parse requirement: found 'b' expected: '('",
            ),
            (
                "a in (b",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "a in (=",
                "unable to parse requirement: found '=', expected: ',', ')' or identifier",
            ),
            (
                "a in (b,=)",
                "unable to parse requirement: found '=', expected: ',', or identifier",
            ),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(check_labels(text), Err(expected.to_owned()), "{text}");
        }
        let error = check_labels("-a=b").unwrap_err();
        assert!(
            error.starts_with(
                "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must"
            ),
            "{error}"
        );
        let error = check_labels("a=-b").unwrap_err();
        assert!(
            error.starts_with("unable to parse requirement: values[0][a]: Invalid value: \"-b\": "),
            "{error}"
        );
    }

    #[test]
    fn what_label_selectors_ask_for() {
        let labels = |text: &str| {
            let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
            pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect::<StringMap>()
        };
        for (selector, of, expected) in [
            ("", "", true),
            ("a", "a=", true),
            ("!a", "a=", false),
            ("a=b", "a=b", true),
            ("a==b", "a=c", false),
            ("a!=b", "", true),
            ("a!=b", "a=b", false),
            ("a in (b,c),d", "a=c,d=", true),
            ("a notin (b,c)", "a=c", false),
            ("a notin (b,c)", "", true),
            ("a>3", "a=4", true),
            ("a>3", "a=3", false),
            ("a<3", "a=-4", true),
            ("a<3", "a=x", false),
            ("a<3", "", false),
        ] {
            assert_eq!(
                parse_labels(selector).unwrap().matches(&labels(of)),
                expected,
                "{selector} {of}"
            );
        }
        assert_eq!(parse_labels("b>1,a<2,c").unwrap().to_string(), "a<2,b>1,c");
    }

    #[test]
    fn what_field_selectors_ask_for() {
        let term = |field: &str, value: &str, equals| FieldTerm {
            field: field.into(),
            value: value.into(),
            equals,
        };
        let terms = [term("a", r",=\", true), term("b", "x", false)];
        assert_eq!(parse_fields(r"b!=x,,a==\,\=\\").unwrap(), terms);
    }

    #[test]
    fn field_selectors() {
        for text in [
            "",
            "spec.nodeName=a",
            "a!=b,c==d",
            r"a=\,\=\\,b=",
            ",,",
            "=a",
        ] {
            assert_eq!(check_fields(text), Ok(()), "{text}");
        }
        for (text, expected) in [
            ("z,a=b", "invalid selector: 'z,a=b'; can't understand 'z'"),
            (
                "a=b=c",
                "invalid field selector: unescaped character in value: 61",
            ),
            (
                r"a=\n",
                r"invalid field selector: invalid escape sequence: \n",
            ),
            (
                r"a=b\",
                r"invalid field selector: invalid escape sequence: \",
            ),
        ] {
            assert_eq!(check_fields(text), Err(expected.to_owned()), "{text}");
        }
    }
}
