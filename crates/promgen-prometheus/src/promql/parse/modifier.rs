//! The modifiers behind an operand: ranges, steps, offsets and moments.

use std::ops::Range;

use super::{ExprParser, is_number};
use crate::promql::fault::ExprFault;
use crate::promql::functions::function_named;
use crate::promql::lex::TokenKind;
use crate::promql::literal::value;
use crate::promql::tree::{ExprKind, NodeId};

/// The modifiers that an operand has.
#[derive(Clone, Copy, Debug, Default)]
struct Modifiers {
    offset: bool,
    moment: bool,
}

impl ExprParser<'_, '_> {
    /// An operand with all that stands behind it.
    pub(super) fn modifiers(&mut self, mut operand: NodeId) -> Result<NodeId, ExprFault> {
        let mut has = Modifiers::default();
        loop {
            let modifier = self.here();
            if self.take_sign("[") {
                operand = self.ranged(operand, &modifier, &mut has)?;
            } else if self.take_sign("@") {
                self.moment()?;
                self.check_modified("@", operand, &modifier, has.moment);
                has.moment = true;
            } else if self.take_word("offset") {
                let offset = self.duration(" behind offset, expected a duration")?;
                self.check_modified("offset", operand, &modifier, has.offset);
                // An offset of 0 counts as none, so that a second one may follow.
                has.offset |= offset != 0.0;
            } else {
                return Ok(operand);
            }
        }
    }

    /// A range, or a range and a step, behind the opening bracket.
    fn ranged(
        &mut self,
        of: NodeId,
        open: &Range<usize>,
        has: &mut Modifiers,
    ) -> Result<NodeId, ExprFault> {
        let start = self.tree.node(of).span.start;
        self.length(" in brackets, expected a duration")?;
        let is_subquery = self.take_sign(":");
        if is_subquery && !self.follows("]") {
            self.length(" in brackets, expected a duration or `]`")?;
        }
        let wanted = if is_subquery {
            " in brackets, expected `]`"
        } else {
            " in brackets, expected `:` or `]`"
        };
        self.close("]", open, "the bracket", wanted)?;
        let span = self.since(start);
        if is_subquery {
            // The modifiers so far belong to what the subquery goes over; it may have its own.
            *has = Modifiers::default();
            return Ok(self.add(ExprKind::Subquery(of), span));
        }
        let message = if !matches!(self.tree.node(of).kind, ExprKind::Selector(_)) {
            Some("only a selector has a range")
        } else if has.offset || has.moment {
            Some("the range stands in front of `offset` and `@`")
        } else {
            None
        };
        if let Some(message) = message {
            let fault = ExprFault::new(open, message);
            let is_selector = has.offset || has.moment;
            let range = &self.text[open.start..span.end];
            self.types.faults.push(match self.rate_first(of, range) {
                _ if is_selector => fault.help(format!(
                    "write `{range}` right behind the selector, and `offset` or `@` after it"
                )),
                Some(help) => fault.help(help),
                None => fault.help(format!(
                    "a subquery takes any instant vector: write `{}:]` in place of `{range}`",
                    range.trim_end_matches(']')
                )),
            });
        }
        Ok(self.add(ExprKind::Range(of), span))
    }

    /// The expression that takes the rate first and aggregates then, of a range behind an aggregation in a call.
    fn rate_first(&self, of: NodeId, range: &str) -> Option<String> {
        let node = self.tree.node(of);
        let ExprKind::Aggregate(aggregate) = &node.kind else {
            return None;
        };
        let before = self
            .tokens
            .partition_point(|token| token.span.start < node.span.start);
        let [.., function, open] = self.tokens.get(..before)? else {
            return None;
        };
        let is_call = open.is_sign("(") && function_named(function.text).is_some();
        let inner = self.tree.node(aggregate.of);
        if !is_call || !matches!(inner.kind, ExprKind::Selector(_)) {
            return None;
        }
        let grouping = aggregate
            .grouping
            .as_ref()
            .map_or_else(String::new, |grouping| {
                let word = if grouping.keeps { "by" } else { "without" };
                format!(" {word} ({}) ", grouping.labels.join(", "))
            });
        let (operator, inner, function) = (
            aggregate.operator,
            &self.text[inner.span.clone()],
            function.text,
        );
        Some(format!(
            "take the {function} first, then aggregate: `{operator}{grouping}({function}({inner}{range}))`"
        ))
    }

    /// The length of a range or a step.
    fn length(&mut self, wanted: &str) -> Result<(), ExprFault> {
        let start = self.here().start;
        let is_negative = self.follows("-");
        self.duration(wanted)?;
        if is_negative {
            Err(ExprFault::new(
                &self.since(start),
                "duration must be greater than 0",
            ))
        } else {
            Ok(())
        }
    }

    /// A length of time with or without a sign, in seconds.
    fn duration(&mut self, wanted: &str) -> Result<f64, ExprFault> {
        let is_negative = self.take_sign("-");
        if !is_negative {
            self.take_sign("+");
        }
        let Some(token) = self.peek().filter(|token| is_number(token.kind)) else {
            return Err(self.unexpected(wanted));
        };
        self.at += 1;
        value(token).map_err(|message| ExprFault::new(&token.span, message))
    }

    /// The text behind `@`.
    fn moment(&mut self) -> Result<(), ExprFault> {
        const WANTED: &str = " behind @, expected a timestamp, start() or end()";
        if self
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Word)
        {
            if !self.take_word("start") && !self.take_word("end") {
                return Err(self.unexpected(WANTED));
            }
            let open = self.here();
            self.expect("(", WANTED)?;
            return self.close(")", &open, "the parenthesis", WANTED);
        }
        self.duration(WANTED).map(drop)
    }

    /// Checks that a modifier stands behind what can have it, and once.
    fn check_modified(
        &mut self,
        modifier: &str,
        operand: NodeId,
        place: &Range<usize>,
        is_repeated: bool,
    ) {
        let kind = &self.tree.node(operand).kind;
        let message = if !matches!(
            kind,
            ExprKind::Selector(_) | ExprKind::Range(_) | ExprKind::Subquery(_)
        ) {
            format!("`{modifier}` stands behind a selector, a range or a subquery only")
        } else if is_repeated {
            format!("`{modifier}` is there twice")
        } else {
            return;
        };
        self.types.faults.push(ExprFault::new(place, message));
    }
}
