//! Selectors: the name of a metric, matchers, or both.

use std::ops::Range;

use super::{ExprParser, text_of};
use crate::promql::fault::ExprFault;
use crate::promql::lex::{Token, TokenKind};
use crate::promql::tree::{ExprKind, LabelMatcher, NodeId, VectorSelector};
use crate::relabel::NameScheme;
use promgen_text::go::regex;

/// The label that holds the name of a metric.
const METRIC_NAME: &str = "__name__";

/// The message for a selector without a name and without a matcher that an empty value does not meet.
pub(super) const SELECTS_ALL: &str =
    "the selector selects all series: no matcher refuses an empty value";

const OPERATORS: [&str; 4] = ["=", "!=", "=~", "!~"];

impl<'t> ExprParser<'_, 't> {
    /// A name, matchers in braces, or both.
    pub(super) fn selector(&mut self) -> Result<NodeId, ExprFault> {
        let start = self.here().start;
        let outside = self.peek().filter(|token| token.kind == TokenKind::Word);
        self.at += usize::from(outside.is_some());
        let name = outside.map(|name| name.text.to_owned());
        let mut selector = VectorSelector {
            name,
            matchers: Vec::new(),
        };
        let open = self.here();
        if self.take_sign("{") {
            while !self.take_sign("}") {
                self.matcher(&mut selector, &open, outside.is_some())?;
                if !self.take_sign(",") {
                    self.close(
                        "}",
                        &open,
                        "the brace",
                        " in a selector, expected `,` or `}`",
                    )?;
                    break;
                }
            }
        }
        let span = self.since(start);
        if !selects_some(&selector) {
            let fault = ExprFault::new(&span, SELECTS_ALL);
            self.types
                .faults
                .push(fault.help("name a metric, or add a matcher such as `job!=\"\"`"));
        }
        Ok(self.add(ExprKind::Selector(selector), span))
    }

    fn matcher(
        &mut self,
        selector: &mut VectorSelector,
        open: &Range<usize>,
        is_named: bool,
    ) -> Result<(), ExprFault> {
        let Some(name) = self.peek() else {
            return Err(ExprFault::new(open, "the brace is not closed").help("add `}`"));
        };
        let Some(label) = label_of(name)? else {
            return Err(self.unexpected(" in a selector, expected a label or `}`"));
        };
        self.at += 1;
        let stands_alone = name.kind == TokenKind::Text && (self.follows(",") || self.follows("}"));
        if is_named && (stands_alone || label == METRIC_NAME) {
            return Err(ExprFault::new(&name.span, "the metric is named twice")
                .help("name it in front of the braces, or within"));
        }
        if stands_alone {
            // A text without an operator is the name of the metric.
            if selector.name.is_none() {
                selector.name = Some(label);
            } else {
                // `{"a", "b"}`: Prometheus takes both names, though no series has two.
                selector.matchers.push(LabelMatcher {
                    label: METRIC_NAME.to_owned(),
                    operator: "=",
                    value: label,
                });
            }
            return Ok(());
        }
        let (operator, value) = self.condition()?;
        selector.matchers.push(LabelMatcher {
            label,
            operator,
            value,
        });
        Ok(())
    }

    /// An operator and the text behind it.
    fn condition(&mut self) -> Result<(&'static str, String), ExprFault> {
        let operator = self.peek().and_then(|token| {
            OPERATORS
                .into_iter()
                .find(|operator| token.is_sign(operator))
        });
        let Some(operator) = operator else {
            let fault = self.unexpected(" in a selector, expected `=`, `!=`, `=~` or `!~`");
            let is_equality = self.peek().is_some_and(|token| token.is_sign("=="));
            return Err(if is_equality {
                fault.help("write `=` in a matcher; `==` compares values")
            } else {
                fault
            });
        };
        self.at += 1;
        let Some(value) = self.peek().filter(|token| token.kind == TokenKind::Text) else {
            return Err(self.unexpected(" in a selector, expected a text in quotes"));
        };
        let is_pattern = operator.ends_with('~');
        let text = match String::from_utf8(text_of(value)?) {
            Ok(text) => text,
            Err(_) if is_pattern => {
                return Err(ExprFault::new(
                    &value.span,
                    "error parsing regexp: invalid UTF-8",
                ));
            }
            // A text of any bytes is valid; a pattern is not.
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        if is_pattern {
            regex::check(&text).map_err(|error| {
                let fault = ExprFault::new(&value.span, error.to_string());
                regex::advice(&text)
                    .into_iter()
                    .fold(fault, ExprFault::help)
            })?;
        }
        self.at += 1;
        Ok((operator, text))
    }
}

/// The label of a matcher, in quotes or not. `None` for a token that is no label.
fn label_of(token: &Token<'_>) -> Result<Option<String>, ExprFault> {
    let label = match token.kind {
        TokenKind::Text => Some(String::from_utf8_lossy(&text_of(token)?).into_owned()),
        // `inf` is a number elsewhere.
        TokenKind::Word | TokenKind::Number => {
            Some(token.text.to_owned()).filter(|name| NameScheme::Legacy.is_label_name(name))
        }
        TokenKind::Duration | TokenKind::Sign => None,
    };
    Ok(label)
}

/// Returns whether a selector has a condition that an empty value does not meet.
fn selects_some(selector: &VectorSelector) -> bool {
    selector
        .name
        .as_deref()
        .is_some_and(|name| !name.is_empty())
        || selector.matchers.iter().any(
            |LabelMatcher {
                 operator, value, ..
             }| match *operator {
                "=" => !value.is_empty(),
                "!=" => value.is_empty(),
                // `=~` refuses the empty value if its pattern does, `!~` if its pattern takes it.
                operator => regex::matches_empty(value).unwrap_or(true) != (operator == "=~"),
            },
        )
}
