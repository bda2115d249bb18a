//! Matchers of Alertmanager's configuration.
//!
//! In: texts such as `severity=~"warning|critical"`. Out: [`AlertMatcher`]s. Alertmanager parses a text in two ways: as since
//! 0.27, with names of any text, and as before; if the results differ, the older one wins.

use std::fmt;
use std::sync::OnceLock;

use crate::routing::AlertLabels;
use promgen_text::go::quote::quote;
use promgen_text::go::regex::{self, GoRegex};

/// A comparison with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOperator {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `=~`.
    Matches,
    /// `!~`.
    MatchesNot,
}

impl MatchOperator {
    /// The operators; the longer ones first.
    const ALL: [(&'static str, Self); 4] = [
        ("=~", Self::Matches),
        ("!~", Self::MatchesNot),
        ("!=", Self::NotEqual),
        ("=", Self::Equal),
    ];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Matches => "=~",
            Self::MatchesNot => "!~",
        }
    }
}

/// A condition on a label. A missing label has the empty value.
#[derive(Clone, Debug)]
pub struct AlertMatcher {
    /// The label.
    pub name: String,
    /// The comparison.
    pub operator: MatchOperator,
    /// The value to compare with.
    pub value: String,
    regex: Option<Expression>,
}

/// An expression, compiled when it is first used: many are never used, and to compile one takes long.
#[derive(Clone, Debug)]
struct Expression {
    pattern: String,
    /// About how many bytes it takes.
    weight: usize,
    compiled: OnceLock<Option<GoRegex>>,
}

impl Expression {
    fn new(pattern: String) -> Result<Self, String> {
        let weight = regex::weight(&pattern).map_err(|error| error.to_string())?;
        Ok(Self {
            pattern,
            weight,
            compiled: OnceLock::new(),
        })
    }

    fn is_match(&self, value: &str) -> bool {
        if value.is_empty() {
            // A label that an alert lacks: no engine is needed for that.
            return regex::matches_empty(&self.pattern).unwrap_or_default();
        }
        let compiled = self
            .compiled
            .get_or_init(|| GoRegex::weighed(&self.pattern));
        compiled.as_ref().is_some_and(|regex| regex.is_match(value))
    }
}

impl PartialEq for AlertMatcher {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.operator, &self.value) == (&other.name, other.operator, &other.value)
    }
}

impl fmt::Display for AlertMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}",
            self.name,
            self.operator.as_str(),
            quote(&self.value)
        )
    }
}

impl AlertMatcher {
    /// A condition.
    ///
    /// # Errors
    /// The value is not a valid regular expression, in Go's words.
    pub fn new(name: &str, operator: MatchOperator, value: &str) -> Result<Self, String> {
        let regex = match operator {
            MatchOperator::Matches | MatchOperator::MatchesNot => {
                Some(Expression::new(format!("^(?:{value})$"))?)
            }
            MatchOperator::Equal | MatchOperator::NotEqual => None,
        };
        Ok(Self {
            name: name.to_owned(),
            operator,
            value: value.to_owned(),
            regex,
        })
    }

    /// A condition from `match` or `match_re`.
    pub(super) fn of_pair(name: &str, value: &str, is_regex: bool) -> Result<Self, String> {
        Self::new(
            name,
            if is_regex {
                MatchOperator::Matches
            } else {
                MatchOperator::Equal
            },
            value,
        )
    }

    /// About how many bytes its expression takes once it is compiled.
    pub(super) fn weight(&self) -> usize {
        self.regex.as_ref().map_or(0, |regex| regex.weight)
    }

    /// Returns whether the labels match.
    #[must_use]
    pub fn matches(&self, labels: &AlertLabels) -> bool {
        self.accepts(labels.get(&self.name).map_or("", String::as_str))
    }

    /// The values that it names, if these are all: those that it accepts, or those that it does not accept.
    #[must_use]
    pub fn values(&self) -> Option<Vec<String>> {
        match self.operator {
            MatchOperator::Equal | MatchOperator::NotEqual => Some(vec![self.value.clone()]),
            MatchOperator::Matches | MatchOperator::MatchesNot => regex::texts(&self.value),
        }
    }

    /// Returns whether a value of its label matches; a missing label has the empty value.
    #[must_use]
    pub fn accepts(&self, value: &str) -> bool {
        let is_match =
            |regex: &Option<Expression>| regex.as_ref().is_some_and(|regex| regex.is_match(value));
        match self.operator {
            MatchOperator::Equal => value == self.value,
            MatchOperator::NotEqual => value != self.value,
            MatchOperator::Matches => is_match(&self.regex),
            MatchOperator::MatchesNot => !is_match(&self.regex),
        }
    }
}

/// Returns whether all conditions hold.
#[must_use]
pub fn all(matchers: &[AlertMatcher], labels: &AlertLabels) -> bool {
    matchers.iter().all(|matcher| matcher.matches(labels))
}

/// Parses a text of conditions, as Alertmanager does.
///
/// # Errors
/// The text is invalid.
pub fn parse(text: &str) -> Result<Vec<AlertMatcher>, String> {
    classic(text).or_else(|error| utf8(text).map_err(|_| error))
}

/// Reads conditions as versions before 0.27 do.
///
/// # Errors
/// In the words of Alertmanager.
pub fn classic(text: &str) -> Result<Vec<AlertMatcher>, String> {
    let inner = text.strip_prefix('{').unwrap_or(text);
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let parts = split(inner);
    let last = parts.len().saturating_sub(1);
    let mut out = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        // Neither nothing nor a comma at the end starts a condition.
        if part.trim().is_empty() && index == last {
            continue;
        }
        out.push(classic_one(part)?);
    }
    Ok(out)
}

/// The parts between commas that are not inside quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped, mut start) = (false, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' if !is_escaped => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    parts.push(&text[start..]);
    parts
}

fn classic_one(text: &str) -> Result<AlertMatcher, String> {
    let bad = || format!("bad matcher format: {text}");
    let trimmed = text.trim();
    let is_name = |(index, c): (usize, char)| {
        c.is_ascii_alphabetic() || c == '_' || c == ':' || index > 0 && c.is_ascii_digit()
    };
    let end = trimmed
        .char_indices()
        .find(|c| !is_name(*c))
        .map_or(trimmed.len(), |(at, _)| at);
    let (name, rest) = trimmed.split_at(end);
    if name.is_empty() {
        return Err(bad());
    }
    let (operator, raw) = operator(rest.trim_start()).ok_or_else(bad)?;
    AlertMatcher::new(name, operator, &classic_value(raw.trim())?)
}

fn operator(text: &str) -> Option<(MatchOperator, &str)> {
    MatchOperator::ALL
        .iter()
        .find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))
}

/// A value, with or without quotes around it.
fn classic_value(raw: &str) -> Result<String, String> {
    let wrong = || format!("matcher value contains unescaped double quote: {raw}");
    let (inner, is_quoted) = match raw.strip_prefix('"') {
        Some(inner) => (inner, true),
        None => (raw, false),
    };
    let (mut out, mut is_escaped, mut is_closed) = (String::new(), false, false);
    for (at, c) in inner.char_indices() {
        if is_closed {
            return Err(wrong());
        }
        match (is_escaped, c) {
            (true, 'n') => out.push('\n'),
            (true, '"' | '\\') => out.push(c),
            (true, c) => out.extend(['\\', c]),
            (false, '\\') if at + 1 < inner.len() => {
                is_escaped = true;
                continue;
            }
            (false, '"') => {
                is_closed = true;
                continue;
            }
            (false, c) => out.push(c),
        }
        is_escaped = false;
    }
    if is_closed == is_quoted {
        Ok(out)
    } else {
        Err(wrong())
    }
}

/// Reads conditions as versions since 0.27 do.
fn utf8(text: &str) -> Result<Vec<AlertMatcher>, String> {
    let mut reader = MatcherParser {
        rest: text.trim_start(),
    };
    let is_open = reader.take("{");
    let mut out = Vec::new();
    loop {
        if is_open && reader.take("}") || !is_open && reader.rest.is_empty() {
            break;
        }
        let name = reader.token().ok_or("expected a label name")?;
        let (operator, rest) = operator(reader.rest).ok_or("expected an operator")?;
        reader.rest = rest.trim_start();
        let value = reader.token().ok_or("expected a value")?;
        out.push(AlertMatcher::new(&name, operator, &value)?);
        if !reader.take(",") {
            if is_open && !reader.take("}") {
                return Err("expected a brace".to_owned());
            }
            break;
        }
    }
    if reader.rest.is_empty() {
        Ok(out)
    } else {
        Err("expected the end".to_owned())
    }
}

struct MatcherParser<'t> {
    rest: &'t str,
}

impl MatcherParser<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    /// A name or a value, with or without quotes.
    fn token(&mut self) -> Option<String> {
        if self.rest.starts_with('"') {
            let end = closing_quote(self.rest)?;
            let token =
                String::from_utf8(promgen_text::go::unquote::unquote(&self.rest[..=end])?).ok()?;
            self.rest = self.rest[end + 1..].trim_start();
            return Some(token);
        }
        let is_reserved = |c: char| c.is_whitespace() || "{}!=~,\\\"'`".contains(c);
        let end = self.rest.find(is_reserved).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!token.is_empty()).then(|| token.to_owned())
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        parse(text)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn texts_are_read_as_alertmanager_reads_them() {
        assert_eq!(read("a=b"), ["a=\"b\""]);
        assert_eq!(read(" team =~ \"a|b\" "), ["team=~\"a|b\""]);
        assert_eq!(
            read("{foo=\"bar\", x!~\"y,z\",}"),
            ["foo=\"bar\"", "x!~\"y,z\""]
        );
        assert_eq!(read("\"a b\"=\"c\""), ["a b=\"c\""]);
        assert_eq!(read("a=\"b\\\"c\""), ["a=\"b\\\"c\""]);
        assert_eq!(read("a="), ["a=\"\""]);
        assert_eq!(parse("nothing").unwrap_err(), "bad matcher format: nothing");
    }

    #[test]
    fn a_label_that_is_not_there_is_empty() {
        let none = AlertLabels::new();
        assert!(all(&parse("a!=b,c=\"\"").unwrap(), &none));
        assert!(!all(&parse("a=~.+").unwrap(), &none));
    }
}
