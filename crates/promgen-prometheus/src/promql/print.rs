//! An expression as Prometheus prints it, with a label enforced on every series that it reads.
//!
//! In: the text of a valid expression. Out: the text that `Expr.String` gives after prom-label-proxy went over it. What
//! is printed follows the tokens rather than the tree, because the tree forgets whether a number was
//! written as a duration, signs, and bytes that are no text; precedence, which only the tree has, changes no character.

use crate::promql::functions::{Aggregation, aggregation_named};
use crate::promql::lex::{Token, TokenKind, tokens};
use crate::promql::literal::{duration, value};
use crate::relabel::NameScheme;
use promgen_text::go::quote::{quote, quote_bytes};
use promgen_text::go::unquote::unquote;

/// Most brackets in one another.
const MAX_DEPTH: usize = 200;

const OPERATORS: [&str; 14] = [
    "+", "-", "*", "/", "%", "^", "==", "!=", "<=", ">=", "<", ">", "</", ">/",
];
const WORD_OPERATORS: [&str; 4] = ["and", "or", "unless", "atan2"];

/// Prints a valid expression with the label enforced: a matcher of that name gives way to `label="value"`. The first
/// argument of aggregations that take two is left alone, as prom-label-proxy does. `None` for a text that is no
/// expression, or too deep.
///
/// ```
/// use promgen_prometheus::promql::enforce;
///
/// let printed = enforce("sum(up{namespace='x',a!=''}) by (a)", "namespace", "team");
/// assert_eq!(printed.as_deref(), Some(r#"sum by (a) (up{a!="",namespace="team"})"#));
/// ```
#[must_use]
pub fn enforce(text: &str, label: &str, value: &str) -> Option<String> {
    printed(text, Some((label, value)))
}

/// Prints a valid expression as it is.
#[cfg(test)]
pub(super) fn print(text: &str) -> Option<String> {
    printed(text, None)
}

fn printed(text: &str, enforced: Option<(&str, &str)>) -> Option<String> {
    let tokens = tokens(text);
    let mut printer = ExprPrinter {
        tokens: &tokens,
        at: 0,
        out: String::with_capacity(text.len() + 64),
        enforced,
        depth: 0,
    };
    printer.expression()?;
    // Something is left of a text that is no expression.
    printer.peek().is_none().then_some(printer.out)
}

/// The kind of the first argument of a call or an aggregation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstArgument {
    /// A parameter, such as that of `topk`: no label is enforced in it.
    Parameter,
    /// One of those that the series come from.
    Expression,
}

struct ExprPrinter<'p, 't> {
    tokens: &'p [Token<'t>],
    at: usize,
    out: String,
    /// The label and its value, where they are to be enforced.
    enforced: Option<(&'p str, &'p str)>,
    depth: usize,
}

/// What may stand behind a selector or a subquery, and is printed in another order than it is written in.
#[derive(Default)]
struct PrintedModifiers {
    at: Option<String>,
    offset: Option<String>,
}

impl<'p, 't> ExprPrinter<'p, 't> {
    fn peek(&self) -> Option<&'p Token<'t>> {
        self.tokens.get(self.at)
    }

    fn peek_second(&self) -> Option<&'p Token<'t>> {
        self.tokens.get(self.at + 1)
    }

    fn next(&mut self) -> Option<&'p Token<'t>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_sign(sign));
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_word(word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Option<()> {
        self.take_sign(sign).then_some(())
    }

    /// Operands between operators, up to what is neither.
    fn expression(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.signed()?;
        while let Some(operator) = self.operator() {
            self.out.extend([" ", &operator]);
            self.matching()?;
            self.out.push(' ');
            self.signed()?;
        }
        self.depth -= 1;
        Some(())
    }

    fn operator(&mut self) -> Option<String> {
        let token = self.peek()?;
        let is_operator = match token.kind {
            TokenKind::Sign => OPERATORS.contains(&token.text),
            TokenKind::Word => WORD_OPERATORS.iter().any(|word| token.is_word(word)),
            TokenKind::Number | TokenKind::Duration | TokenKind::Text => false,
        };
        self.at += usize::from(is_operator);
        is_operator.then(|| token.text.to_ascii_lowercase())
    }

    /// The modifiers between an operator and its right side.
    fn matching(&mut self) -> Option<()> {
        if self.take_word("bool") {
            self.out.push_str(" bool");
        }
        let (on, ignoring) = (self.take_word("on"), self.take_word("ignoring"));
        if !on && !ignoring {
            return Some(());
        }
        let labels = self.labels()?;
        let side = ["left", "right"]
            .into_iter()
            .find(|side| self.take_word(&format!("group_{side}")));
        // Prometheus does not print `ignoring ()`, which changes nothing.
        if on || side.is_some() || labels != "()" {
            self.out
                .extend([if on { " on " } else { " ignoring " }, &labels]);
        }
        if let Some(side) = side {
            // A parenthesis that is next always holds labels to include, never the right side.
            let is_list = self.peek().is_some_and(|token| token.is_sign("("));
            let included = if is_list {
                self.labels()?
            } else {
                "()".to_owned()
            };
            self.out.extend([" group_", side, " ", &included]);
        }
        Some(())
    }

    /// Labels in parentheses.
    fn labels(&mut self) -> Option<String> {
        self.expect("(")?;
        let mut labels = Vec::new();
        while !self.take_sign(")") {
            let token = self.next()?;
            labels.push(match token.kind {
                TokenKind::Text => label(unquote(token.text)?),
                TokenKind::Word | TokenKind::Number | TokenKind::Duration => token.text.to_owned(),
                TokenKind::Sign => return None,
            });
            self.take_sign(",");
        }
        Some(format!("({})", labels.join(", ")))
    }

    /// Signs and the operand that they belong to. The sign of a number becomes part of it, unless a power binds closer.
    fn signed(&mut self) -> Option<()> {
        let start = self.at;
        while self.take_sign("+") || self.take_sign("-") {}
        let signs = &self.tokens[start..self.at];
        let operand = self.peek()?;
        let is_number = matches!(operand.kind, TokenKind::Number | TokenKind::Duration);
        if is_number && !self.peek_second().is_some_and(|token| token.is_sign("^")) {
            self.at += 1;
            let n_minus = signs.iter().filter(|token| token.is_sign("-")).count();
            let sign = if n_minus % 2 == 1 {
                Sign::Minus
            } else {
                Sign::Plus
            };
            self.out.push_str(&number(operand, sign)?);
            return Some(());
        }
        signs.iter().for_each(|sign| self.out.push_str(sign.text));
        self.operand()
    }

    fn operand(&mut self) -> Option<()> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Number | TokenKind::Duration => {
                self.at += 1;
                self.out.push_str(&number(token, Sign::Plus)?);
            }
            TokenKind::Text => {
                self.at += 1;
                self.out.push_str(&quote_bytes(&unquote(token.text)?));
            }
            TokenKind::Sign if token.is_sign("(") => {
                self.at += 1;
                self.out.push('(');
                self.expression()?;
                self.expect(")")?;
                self.out.push(')');
            }
            TokenKind::Sign if token.is_sign("{") => self.selector()?,
            TokenKind::Sign => return None,
            TokenKind::Word => self.word(token)?,
        }
        self.modifiers()
    }

    /// A call, an aggregation or a selector, by what stands behind its name.
    fn word(&mut self, name: &Token<'t>) -> Option<()> {
        let second = self.peek_second();
        let is_call = second.is_some_and(|token| token.is_sign("("));
        let is_grouped =
            second.is_some_and(|token| token.is_word("by") || token.is_word("without"));
        match aggregation_named(name.text) {
            Some(aggregation) if is_call || is_grouped => {
                self.at += 1;
                self.aggregate(aggregation)
            }
            _ if is_call => {
                self.at += 1;
                self.out.push_str(name.text);
                self.arguments(FirstArgument::Expression)
            }
            _ => self.selector(),
        }
    }

    fn aggregate(&mut self, aggregation: &Aggregation) -> Option<()> {
        self.out.push_str(aggregation.name);
        let mut grouping = self.grouping()?;
        let arguments = self.at;
        let mut behind = None;
        if grouping.is_none() {
            self.at = self.closing(arguments)? + 1;
            grouping = self.grouping()?;
            behind = Some(self.at);
            self.at = arguments;
        }
        self.out.push_str(&grouping.unwrap_or_default());
        self.arguments(match aggregation.parameter.is_some() {
            true => FirstArgument::Parameter,
            false => FirstArgument::Expression,
        })?;
        self.at = behind.unwrap_or(self.at);
        Some(())
    }

    /// `by (…)` or `without (…)` with blanks around it, or nothing where there is none to print. `Some(None)` if there is
    /// no such clause.
    fn grouping(&mut self) -> Option<Option<String>> {
        let (by, without) = (self.take_word("by"), self.take_word("without"));
        if !by && !without {
            return Some(None);
        }
        let labels = self.labels()?;
        Some(Some(match labels.as_str() {
            "()" if by => String::new(),
            labels => format!(" {} {labels} ", if by { "by" } else { "without" }),
        }))
    }

    /// The index of the parenthesis that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text {
                "(" if token.kind == TokenKind::Sign => depth += 1,
                ")" if token.kind == TokenKind::Sign => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// Arguments in parentheses.
    fn arguments(&mut self, first: FirstArgument) -> Option<()> {
        self.expect("(")?;
        self.out.push('(');
        let enforced = self.enforced;
        let mut index = 0;
        while !self.take_sign(")") {
            if index > 0 {
                self.expect(",")?;
                self.out.push_str(", ");
            }
            self.enforced = enforced.filter(|_| !(first == FirstArgument::Parameter && index == 0));
            self.expression()?;
            self.enforced = enforced;
            index += 1;
        }
        self.out.push(')');
        Some(())
    }

    /// A name, matchers, or both.
    fn selector(&mut self) -> Option<()> {
        if self.peek()?.kind == TokenKind::Word {
            let name = self.next()?;
            self.out.push_str(name.text);
        }
        let mut matchers = if self.take_sign("{") {
            self.matchers()?
        } else {
            Vec::new()
        };
        if let Some((name, value)) = self.enforced {
            matchers.retain(|(matcher, _)| matcher != name.as_bytes());
            matchers.push((name.as_bytes().to_vec(), format!("={}", quote(value))));
        }
        let mut printed: Vec<_> = matchers
            .into_iter()
            .map(|(name, rest)| label(name) + &rest)
            .collect();
        printed.sort_unstable();
        if !printed.is_empty() {
            self.out.extend(["{", &printed.join(","), "}"]);
        }
        Some(())
    }

    /// Matchers up to the closing brace: the label, and the operator with the value.
    fn matchers(&mut self) -> Option<Vec<(Vec<u8>, String)>> {
        let mut matchers = Vec::new();
        while !self.take_sign("}") {
            let name = self.next()?;
            let text = match name.kind {
                TokenKind::Text => unquote(name.text)?,
                TokenKind::Word | TokenKind::Number | TokenKind::Duration => {
                    name.text.as_bytes().to_vec()
                }
                TokenKind::Sign => return None,
            };
            let ends = self
                .peek()
                .is_some_and(|token| token.is_sign(",") || token.is_sign("}"));
            if ends && name.kind == TokenKind::Text {
                // A name in quotes stands for itself.
                matchers.push((b"__name__".to_vec(), format!("={}", quote_bytes(&text))));
            } else {
                let operator = self.next()?;
                let value = self.next().filter(|value| value.kind == TokenKind::Text)?;
                matchers.push((
                    text,
                    format!("{}{}", operator.text, quote_bytes(&unquote(value.text)?)),
                ));
            }
            self.take_sign(",");
        }
        Some(matchers)
    }

    fn modifiers(&mut self) -> Option<()> {
        let mut pending = PrintedModifiers::default();
        loop {
            if self.take_sign("[") {
                self.range(&mut pending)?;
            } else if self.take_sign("@") {
                pending.at = Some(self.moment()?);
            } else if self.take_word("offset") {
                pending.offset =
                    duration(self.signed_value()?).map(|offset| format!(" offset {offset}"));
            } else {
                break;
            }
        }
        self.flush(&mut pending);
        Some(())
    }

    fn flush(&mut self, pending: &mut PrintedModifiers) {
        self.out.extend(pending.at.take());
        self.out.extend(pending.offset.take());
    }

    /// A range, or a range and a step, behind the opening bracket.
    fn range(&mut self, pending: &mut PrintedModifiers) -> Option<()> {
        let range = duration(self.signed_value()?)?;
        if !self.take_sign(":") {
            self.expect("]")?;
            self.out.extend(["[", &range, "]"]);
            return Some(());
        }
        let step = if self.take_sign("]") {
            String::new()
        } else {
            let step = duration(self.signed_value()?)?;
            self.expect("]")?;
            step
        };
        // What stands in front of a subquery belongs to what it is about.
        self.flush(pending);
        self.out.extend(["[", &range, ":", &step, "]"]);
        Some(())
    }

    /// The text behind `@`.
    fn moment(&mut self) -> Option<String> {
        if let Some(name) = self.peek().filter(|token| token.kind == TokenKind::Word) {
            self.at += 1;
            self.expect("(")?;
            self.expect(")")?;
            return Some(format!(" @ {}()", name.text.to_ascii_lowercase()));
        }
        // Whole milliseconds. Without a sign where nothing is left to sign.
        let millis = (self.signed_value()? * 1000.0).round() + 0.0;
        Some(format!(" @ {:.3}", millis / 1000.0))
    }

    fn signed_value(&mut self) -> Option<f64> {
        let is_negative = self.take_sign("-");
        if !is_negative {
            self.take_sign("+");
        }
        let value = value(self.next()?).ok()?;
        Some(if is_negative { -value } else { value })
    }
}

/// A label, in quotes where it needs them.
fn label(name: Vec<u8>) -> String {
    match String::from_utf8(name) {
        Ok(name) if NameScheme::Legacy.is_label_name(&name) => name,
        Ok(name) => quote(&name),
        Err(error) => quote_bytes(error.as_bytes()),
    }
}

/// The sign of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// A number as Go's `FormatFloat` prints it, or a duration as a duration.
fn number(token: &Token<'_>, sign: Sign) -> Option<String> {
    let value = value(token).ok()?;
    let value = if sign == Sign::Minus { -value } else { value };
    if token.kind == TokenKind::Duration {
        return Some(duration(value).unwrap_or_else(|| "0s".to_owned()));
    }
    Some(match value {
        v if v.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        v => v.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(print(text).as_deref(), Some(expected));
        assert_eq!(
            print(expected).as_deref(),
            Some(expected),
            "what is printed stays as it is"
        );
    }

    #[test]
    fn expressions_are_printed_as_prometheus_prints_them() {
        check(
            "sum(rate(x[90m]))BY(a,b)/ON(a)GROUP_LEFT sum(y)",
            "sum by (a, b) (rate(x[1h30m])) / on (a) group_left () sum(y)",
        );
        check("sum by () (x)", "sum(x)");
        check("sum without () (x)", "sum without () (x)");
        check("a and ignoring() b", "a and b");
        check(
            "a * ignoring() group_right(c, 'd.e') (b)",
            "a * ignoring () group_right (c, \"d.e\") (b)",
        );
        check("a == BOOL on() b", "a == bool on () b");
        check("x{b='1',a=~\"2\",}", "x{a=~\"2\",b=\"1\"}");
        check("{'x.y', 'l.m'='v'}", "{\"l.m\"=\"v\",__name__=\"x.y\"}");
        check("x offset -5m @ 1.5", "x @ 1.500 offset -5m");
        check("x[5m:] offset 1h @ end()", "x[5m:] @ end() offset 1h");
        check("x offset 1m [5m:30] offset 0s", "x offset 1m[5m:30s]");
        check("topk(0x10, x) > 0755", "topk(16, x) > 493");
    }

    #[test]
    fn signs_and_numbers() {
        check("-1", "-1");
        check("--1", "1");
        check("+1 - -1", "1 - -1");
        check("-1^2", "-1 ^ 2");
        check("2^-1", "2 ^ -1");
        check("-x", "-x");
        check("+ x", "+x");
        check("-(1)", "-(1)");
        check("Inf + inf - NaN", "+Inf + +Inf - NaN");
        check("1e6 + 5m + .5", "1000000 + 5m + 0.5");
    }

    #[test]
    fn texts_keep_their_bytes() {
        check(
            r#"label_replace(x, 'a', "\xff\n", `\d`, "☺")"#,
            r#"label_replace(x, "a", "\xff\n", "\\d", "☺")"#,
        );
    }

    #[test]
    fn a_label_is_enforced_wherever_series_are_read() {
        let enforced = |text| enforce(text, "ns", "a\"b").unwrap();
        assert_eq!(enforced("x"), r#"x{ns="a\"b"}"#);
        assert_eq!(
            enforced("{ns=~'.+',z='1'}[5m:] + 1"),
            r#"{ns="a\"b",z="1"}[5m:] + 1"#
        );
        assert_eq!(
            enforced("quantile(scalar(q), x{ns!='y'})"),
            r#"quantile(scalar(q), x{ns="a\"b"})"#
        );
        assert_eq!(enforced("vector(1)"), "vector(1)");
    }

    #[test]
    fn what_is_no_expression_is_not_printed() {
        for text in [
            "", "(", "a b", "x{", "x{a}", "sum(", "x[5m", "x offset", "'a", "x @", "a +",
            "sum by (", ")",
        ] {
            assert_eq!(print(text), None, "{text}");
        }
        assert_eq!(print(&"(".repeat(100_000)), None);
    }
}
