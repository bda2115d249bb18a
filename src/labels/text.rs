//! Selectors that are written as text: whether they parse, and Kubernetes' words where they do not.
//!
//! Mirrors `labels.Parse` and `fields.ParseSelector` of apimachinery.

use crate::go::quote::quote;
use crate::labels::{Operator, Requirement, complain, names};

/// Checks a label selector such as `app=web,tier in (a,b),!old`.
///
/// # Errors
/// Kubernetes' words on the first fault.
///
/// ```
/// use promgen::labels::text::check_labels;
///
/// assert_eq!(check_labels("app=web,tier in (a,b),!old"), Ok(()));
/// assert_eq!(check_labels("a=b,"), Err("found '', expected: identifier after ','".to_owned()));
/// ```
pub fn check_labels(text: &str) -> Result<(), String> {
    let mut tokens = Tokens::new(text);
    loop {
        match tokens.look() {
            Token::End => return Ok(()),
            token if token.is_word() || token == Token::Symbol("!") => {}
            token => return Err(format!("found '{}', expected: !, identifier, or 'end of string'", token.text())),
        }
        requirement(&mut tokens).map_err(|error| format!("unable to parse requirement: {error}"))?;
        match tokens.next() {
            Token::End => return Ok(()),
            Token::Symbol(",") => {}
            token => return Err(format!("found '{}', expected: ',' or 'end of string'", token.text())),
        }
        let token = tokens.look();
        if !token.is_word() && token != Token::Symbol("!") {
            return Err(format!("found '{}', expected: identifier after ','", token.text()));
        }
    }
}

fn requirement(tokens: &mut Tokens<'_>) -> Result<(), String> {
    let negated = tokens.look() == Token::Symbol("!");
    if negated {
        tokens.next();
    }
    let key = tokens.word()?;
    let mut errors = Vec::new();
    complain(&mut errors, "<nil>", key, &names::label_key_errors(key));
    if let Some(error) = errors.pop() {
        return Err(error);
    }
    if negated || matches!(tokens.look(), Token::End | Token::Symbol(",")) {
        return Ok(());
    }
    let operator = tokens.next();
    match operator {
        Token::Word("in" | "notin") => Requirement::check(key, Operator::In, &values(tokens)?),
        Token::Symbol("=" | "==" | "!=") => Requirement::check(key, Operator::Equals, &[exact(tokens)?]),
        Token::Symbol(">" | "<") => ordered(key, exact(tokens)?),
        token => Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", token.text())),
    }
}

fn ordered(key: &str, value: String) -> Result<(), String> {
    if value.parse::<i64>().is_ok() {
        return Requirement::check(key, Operator::Equals, &[value]);
    }
    let fault =
        format!("values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer", quote(&value));
    match Requirement::check(key, Operator::Equals, &[value]) {
        Ok(()) => Err(fault),
        Err(more) => Err(format!("[{fault}, {more}]")),
    }
}

/// The one value behind an operator; nothing is a value too.
fn exact(tokens: &mut Tokens<'_>) -> Result<String, String> {
    if matches!(tokens.look(), Token::End | Token::Symbol(",")) {
        return Ok(String::new());
    }
    tokens.word().map(str::to_owned)
}

/// Values in parentheses, sorted, each once.
fn values(tokens: &mut Tokens<'_>) -> Result<Vec<String>, String> {
    let open = tokens.next();
    if open != Token::Symbol("(") {
        return Err(format!("found '{}' expected: '('", open.text()));
    }
    let mut values = match tokens.look() {
        Token::Symbol(")") => vec![String::new()],
        token if token.is_word() || token == Token::Symbol(",") => list(tokens)?,
        token => return Err(format!("found '{}', expected: ',', ')' or identifier", token.text())),
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
            Token::Symbol(",") => {
                let next = tokens.look();
                if values.is_empty() || next == Token::Symbol(")") || next == Token::Symbol(",") {
                    values.push(String::new());
                }
                match next {
                    Token::Symbol(")") => return Ok(values),
                    Token::Symbol(",") => _ = tokens.next(),
                    Token::Symbol(_) | Token::Word(_) | Token::End => {}
                }
            }
            token if token.is_word() => {
                values.push(token.text().to_owned());
                match tokens.look() {
                    Token::Symbol(",") => {}
                    Token::Symbol(")") => return Ok(values),
                    token => return Err(format!("found '{}', expected: ',' or ')'", token.text())),
                }
            }
            token => return Err(format!("found '{}', expected: ',', or identifier", token.text())),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    /// A key or a value; `in` and `notin` too.
    Word(&'t str),
    /// `=`, `==`, `!=`, `!`, `<`, `>`, `(`, `)`, `,`.
    Symbol(&'t str),
    End,
}

impl<'t> Token<'t> {
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

    fn look(self) -> Token<'t> {
        let mut rest = self;
        rest.next()
    }

    fn next(&mut self) -> Token<'t> {
        let text = self.0.trim_start_matches(BLANKS);
        let symbol = |symbols: &[&str]| symbols.iter().find(|s| text.starts_with(**s)).map(|s| s.len());
        let (token, length) = if text.is_empty() {
            (Token::End, 0)
        } else if let Some(length) = symbol(&["==", "!="]).or(text.starts_with(SYMBOLS).then_some(1)) {
            (Token::Symbol(&text[..length]), length)
        } else {
            let end = text.find(|c| SYMBOLS.contains(&c) || BLANKS.contains(&c)).unwrap_or(text.len());
            (Token::Word(&text[..end]), end)
        };
        self.0 = &text[length..];
        token
    }

    fn word(&mut self) -> Result<&'t str, String> {
        match self.next() {
            Token::Word(word) => Ok(word),
            token => Err(format!("found '{}', expected: identifier", token.text())),
        }
    }
}

/// Checks a field selector such as `spec.nodeName=a,status.phase!=Failed`.
///
/// # Errors
/// Kubernetes' words on the first fault. Terms are looked at in sorted order.
pub fn check_fields(text: &str) -> Result<(), String> {
    let mut terms = terms(text);
    terms.sort_unstable();
    for term in terms.into_iter().filter(|term| !term.is_empty()) {
        let operator = term.char_indices().find_map(|(i, _)| {
            let operator = ["!=", "==", "="].into_iter().find(|operator| term[i..].starts_with(operator))?;
            Some(i + operator.len())
        });
        let Some(value) = operator else {
            return Err(format!("invalid selector: '{text}'; can't understand '{term}'"));
        };
        check_escapes(&term[value..])?;
    }
    Ok(())
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
            (_, true) => chars.next().map_or_else(|| "\\".to_owned(), |next| format!("\\{next}")),
            (',' | '=', false) => {
                return Err(format!("invalid field selector: unescaped character in value: {}", u32::from(c)));
            }
            _ => continue,
        };
        if !matches!(sequence.as_str(), "\\\\" | "\\," | "\\=") {
            return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
            ("=a", "found '=', expected: !, identifier, or 'end of string'"),
            ("a=b,", "found '', expected: identifier after ','"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("a=(b", "unable to parse requirement: found '(', expected: identifier"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
            ("a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(check_labels(text), Err(expected.to_owned()), "{text}");
        }
        let told = check_labels("-a=b").unwrap_err();
        assert!(
            told.starts_with("unable to parse requirement: <nil>: Invalid value: \"-a\": name part must"),
            "{told}"
        );
        let told = check_labels("a=-b").unwrap_err();
        assert!(told.starts_with("unable to parse requirement: values[0][a]: Invalid value: \"-b\": "), "{told}");
    }

    #[test]
    fn field_selectors() {
        for text in ["", "spec.nodeName=a", "a!=b,c==d", r"a=\,\=\\,b=", ",,", "=a"] {
            assert_eq!(check_fields(text), Ok(()), "{text}");
        }
        for (text, expected) in [
            ("z,a=b", "invalid selector: 'z,a=b'; can't understand 'z'"),
            ("a=b=c", "invalid field selector: unescaped character in value: 61"),
            (r"a=\n", r"invalid field selector: invalid escape sequence: \n"),
            (r"a=b\", r"invalid field selector: invalid escape sequence: \"),
        ] {
            assert_eq!(check_fields(text), Err(expected.to_owned()), "{text}");
        }
    }
}
