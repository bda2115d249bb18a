//! Tokens become a [`Tree`]: the grammar of PromQL, by recursive descent with the precedence of operators.
//!
//! In: a text. Out: its tree, or the first [`ExprFault`]. The grammar is that of Prometheus' documentation and of its
//! verdicts on the expressions of `promql/tests.rs`. The types of the parts are checked as they are made, by `types`.

mod modifier;
mod selector;

use self::selector::SELECTS_ALL;
use std::ops::Range;

use super::Features;
use super::fault::ExprFault;
use super::functions::{AGGREGATIONS, Aggregation, FUNCTIONS, aggregation_named, function_named};
use super::lex::{Token, TokenKind};
use super::tree::{
    Aggregate, Binary, Call, Expr, ExprKind, GroupSide, LabelGrouping, Matching, NodeId, Tree,
};
use super::types::Types;
use promgen_text::go::unquote::unquote;
use promgen_text::suggest::closest;

/// Most parts within one another.
pub(super) const MAX_DEPTH: usize = 200;

/// The message for an expression that is nested too deeply, which is not an error of it.
pub(super) const TOO_DEEP: &str = "the expression is nested too deeply";

/// Words that no metric is called in front of an operand.
const RESERVED: [&str; 6] = [
    "atan2",
    "bool",
    "group_left",
    "group_right",
    "ignoring",
    "on",
];

/// Reads the tokens of a text.
///
/// # Errors
/// The first error.
pub(super) fn parse(
    text: &str,
    tokens: &[Token<'_>],
    features: Features,
) -> Result<Tree, ExprFault> {
    let types = Types {
        features,
        faults: Vec::new(),
    };
    let mut parser = ExprParser {
        text,
        tokens,
        at: 0,
        depth: 0,
        tree: Tree::default(),
        types,
    };
    parser.expression(Strength::Any)?;
    if let Some(token) = parser.peek() {
        return Err(if token.is_sign(")") {
            ExprFault::new(&token.span, "a parenthesis is closed that is not open")
                .help("remove it, or open it before")
        } else {
            parser.unexpected("")
        });
    }
    // Types are checked from the inside out; the first fault in the text is the one to show.
    match parser
        .types
        .faults
        .into_iter()
        .min_by_key(|fault| fault.span.start)
    {
        Some(fault) => Err(fault),
        None => Ok(parser.tree),
    }
}

/// The precedence of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Any,
    Or,
    And,
    Compare,
    Add,
    Multiply,
    /// Signs bind as multiplication does; their operand reaches over what binds closer.
    Power,
    Operand,
}

impl Strength {
    const fn next(self) -> Self {
        match self {
            Self::Any => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Compare,
            Self::Compare => Self::Add,
            Self::Add => Self::Multiply,
            Self::Multiply => Self::Power,
            Self::Power | Self::Operand => Self::Operand,
        }
    }
}

const OPERATORS: [(&str, Strength); 18] = [
    ("or", Strength::Or),
    ("and", Strength::And),
    ("unless", Strength::And),
    ("==", Strength::Compare),
    ("!=", Strength::Compare),
    ("<=", Strength::Compare),
    (">=", Strength::Compare),
    ("<", Strength::Compare),
    (">", Strength::Compare),
    ("</", Strength::Compare),
    (">/", Strength::Compare),
    ("+", Strength::Add),
    ("-", Strength::Add),
    ("*", Strength::Multiply),
    ("/", Strength::Multiply),
    ("%", Strength::Multiply),
    ("atan2", Strength::Multiply),
    ("^", Strength::Power),
];

struct ExprParser<'p, 't> {
    text: &'t str,
    tokens: &'p [Token<'t>],
    at: usize,
    depth: usize,
    tree: Tree,
    types: Types,
}

impl<'p, 't> ExprParser<'p, 't> {
    fn peek(&self) -> Option<&'p Token<'t>> {
        self.tokens.get(self.at)
    }

    fn follows(&self, sign: &str) -> bool {
        self.peek().is_some_and(|token| token.is_sign(sign))
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.follows(sign);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_word(word));
        self.at += usize::from(found);
        found
    }

    /// The place of the next token, or the end of the text.
    fn here(&self) -> Range<usize> {
        self.peek()
            .map_or(self.text.len()..self.text.len(), |token| token.span.clone())
    }

    /// From there to the end of the last token.
    fn since(&self, start: usize) -> Range<usize> {
        start
            ..self
                .at
                .checked_sub(1)
                .map_or(start, |last| self.tokens[last].span.end)
    }

    /// The fault of a token that does not fit. `wanted` begins with a blank, as in ` in x, expected y`.
    fn unexpected(&self, wanted: &str) -> ExprFault {
        let found = self
            .peek()
            .map_or("end of the expression".to_owned(), |token| {
                match token.kind {
                    TokenKind::Text => token.text.to_owned(),
                    _ => format!("`{}`", token.text),
                }
            });
        ExprFault::new(&self.here(), format!("unexpected {found}{wanted}"))
    }

    fn expect(&mut self, sign: &str, wanted: &str) -> Result<(), ExprFault> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.unexpected(wanted))
        }
    }

    /// Closes what was opened there.
    fn close(
        &mut self,
        sign: &str,
        open: &Range<usize>,
        what: &str,
        wanted: &str,
    ) -> Result<(), ExprFault> {
        if self.take_sign(sign) {
            return Ok(());
        }
        Err(match self.peek() {
            None => {
                ExprFault::new(open, format!("{what} is not closed")).help(format!("add `{sign}`"))
            }
            Some(_) => self.unexpected(wanted),
        })
    }

    fn add(&mut self, kind: ExprKind, span: Range<usize>) -> NodeId {
        let yields = self.types.check(&self.tree, &kind, &span);
        self.tree.add(Expr { kind, span, yields })
    }

    /// Operands between operators that bind at least as strongly.
    fn expression(&mut self, least: Strength) -> Result<NodeId, ExprFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ExprFault::new(&self.here(), TOO_DEEP));
        }
        let start = self.here().start;
        let mut left = self.signed()?;
        while let Some((operator, strength)) =
            self.operator().filter(|(_, strength)| *strength >= least)
        {
            self.at += 1;
            let matching = self.matching()?;
            // Powers bind to the right.
            let right = self.expression(if strength == Strength::Power {
                strength
            } else {
                strength.next()
            })?;
            let span = self.since(start);
            left = self.add(
                ExprKind::Binary(Binary {
                    operator,
                    left,
                    right,
                    matching,
                }),
                span,
            );
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(&'static str, Strength)> {
        let token = self.peek()?;
        let is_it = |operator: &str| match token.kind {
            TokenKind::Sign => token.text == operator,
            TokenKind::Word => token.is_word(operator),
            TokenKind::Number | TokenKind::Duration | TokenKind::Text => false,
        };
        OPERATORS
            .iter()
            .find(|(operator, _)| is_it(operator))
            .copied()
    }

    /// The modifiers between an operator and its right side.
    fn matching(&mut self) -> Result<Matching, ExprFault> {
        let mut matching = Matching {
            is_bool: self.take_word("bool"),
            ..Matching::default()
        };
        let on = self.take_word("on");
        if on || self.take_word("ignoring") {
            matching.labels = Some(LabelGrouping {
                keeps: on,
                labels: self.labels()?,
            });
            for (word, side) in [
                ("group_left", GroupSide::Left),
                ("group_right", GroupSide::Right),
            ] {
                if matching.many.is_none() && self.take_word(word) {
                    matching.many = Some(side);
                    matching.included = if self.follows("(") {
                        self.labels()?
                    } else {
                        Vec::new()
                    };
                }
            }
        }
        self.fill(&mut matching)?;
        Ok(matching)
    }

    /// The values for series that miss on one side.
    fn fill(&mut self, matching: &mut Matching) -> Result<(), ExprFault> {
        let mut sides: &[&str] = &["fill", "fill_left", "fill_right"];
        while let [word, open, ..] = &self.tokens[self.at.min(self.tokens.len())..] {
            let Some(side) = sides
                .iter()
                .find(|side| word.is_word(side))
                .filter(|_| open.is_sign("("))
            else {
                break;
            };
            sides = match *side {
                "fill_left" if sides.len() > 1 => &["fill_right"],
                "fill_right" if sides.len() > 1 => &["fill_left"],
                _ => &[],
            };
            self.at += 2;
            let _ = self.take_sign("-") || self.take_sign("+");
            if !self.peek().is_some_and(|token| is_number(token.kind)) {
                return Err(self.unexpected(" in a fill modifier, expected a number"));
            }
            self.at += 1;
            self.close(
                ")",
                &open.span,
                "the parenthesis",
                " in a fill modifier, expected `)`",
            )?;
            matching.fills = true;
        }
        Ok(())
    }

    /// Labels in parentheses.
    fn labels(&mut self) -> Result<Vec<String>, ExprFault> {
        let open = self.here();
        self.expect("(", " in a list of labels, expected `(`")?;
        let mut labels = Vec::new();
        while !self.take_sign(")") {
            labels.push(self.label()?);
            if !self.take_sign(",") {
                self.close(
                    ")",
                    &open,
                    "the list of labels",
                    " in a list of labels, expected `,` or `)`",
                )?;
                break;
            }
        }
        Ok(labels)
    }

    fn label(&mut self) -> Result<String, ExprFault> {
        let is_label = |token: &Token<'_>| match token.kind {
            TokenKind::Word => !token.is_word("without"),
            TokenKind::Text => true,
            TokenKind::Number | TokenKind::Duration | TokenKind::Sign => false,
        };
        let Some(token) = self.peek().filter(|token| is_label(token)) else {
            return Err(self.unexpected(" in a list of labels, expected a label"));
        };
        self.at += 1;
        if token.kind == TokenKind::Word {
            return Ok(token.text.to_owned());
        }
        let label = text_of(token)?;
        String::from_utf8(label)
            .ok()
            .filter(|label| !label.is_empty())
            .ok_or_else(|| {
                ExprFault::new(
                    &token.span,
                    format!("{} is not a name of a label", token.text),
                )
            })
    }

    /// Signs and what they belong to.
    fn signed(&mut self) -> Result<NodeId, ExprFault> {
        let start = self.here().start;
        if self.take_sign("+") || self.take_sign("-") {
            // `-2 ^ 2` is `-(2 ^ 2)`.
            let operand = self.expression(Strength::Power)?;
            let span = self.since(start);
            return Ok(self.add(ExprKind::Unary(operand), span));
        }
        let operand = self.operand()?;
        self.modifiers(operand)
    }

    fn operand(&mut self) -> Result<NodeId, ExprFault> {
        let Some(token) = self.peek() else {
            return Err(self.unexpected(", expected an operand"));
        };
        match token.kind {
            TokenKind::Number | TokenKind::Duration => {
                self.at += 1;
                Ok(self.add(ExprKind::Number, token.span.clone()))
            }
            TokenKind::Text => {
                self.at += 1;
                text_of(token)?;
                Ok(self.add(ExprKind::Text, token.span.clone()))
            }
            TokenKind::Sign if token.is_sign("(") => {
                self.at += 1;
                let inner = self.expression(Strength::Any)?;
                self.close(
                    ")",
                    &token.span,
                    "the parenthesis",
                    ", expected an operator or `)`",
                )?;
                let span = self.since(token.span.start);
                Ok(self.add(ExprKind::Paren(inner), span))
            }
            TokenKind::Sign if token.is_sign("{") => self.selector(),
            TokenKind::Sign => Err(self.unexpected(", expected an operand")),
            TokenKind::Word => self.word(token),
        }
    }

    /// A call, an aggregation or a selector, by what stands behind its name.
    fn word(&mut self, name: &Token<'t>) -> Result<NodeId, ExprFault> {
        let second = self.tokens.get(self.at + 1);
        let is_call = second.is_some_and(|token| token.is_sign("("));
        let is_grouped =
            second.is_some_and(|token| token.is_word("by") || token.is_word("without"));
        match aggregation_named(name.text).filter(|_| is_call || is_grouped) {
            Some(aggregation) => self.aggregate(aggregation, name),
            // Aggregations come first: `sum` without parentheses is the name of a metric.
            None if RESERVED.iter().any(|word| name.is_word(word)) => {
                Err(self.unexpected(", expected an operand"))
            }
            None if is_call => self.call(name),
            None => self.selector(),
        }
    }

    fn call(&mut self, name: &Token<'t>) -> Result<NodeId, ExprFault> {
        let Some(function) = function_named(name.text) else {
            let known = FUNCTIONS
                .iter()
                .map(|function| function.name)
                .chain(AGGREGATIONS.iter().map(|a| a.name));
            let fault = ExprFault::new(&name.span, format!("unknown function \"{}\"", name.text));
            let fault = ExprFault {
                is_unknown_function: true,
                ..fault
            };
            return Err(match closest(name.text, known) {
                Some(meant) => fault.help(format!("did you mean \"{meant}\"?")),
                None => fault,
            });
        };
        self.at += 1;
        let arguments = self.arguments(name.text)?;
        if let ("info", [_, labels]) = (function.name, &arguments[..]) {
            // Its matchers select labels, not series.
            let labels = &self.tree.node(*labels).span;
            // The selector has been judged before it was known whose argument it is.
            self.types
                .faults
                .retain(|fault| fault.message != SELECTS_ALL || fault.span != *labels);
        }
        let span = self.since(name.span.start);
        Ok(self.add(
            ExprKind::Call(Call {
                function,
                arguments,
            }),
            span,
        ))
    }

    fn aggregate(
        &mut self,
        aggregation: &'static Aggregation,
        name: &Token<'t>,
    ) -> Result<NodeId, ExprFault> {
        self.at += 1;
        let mut grouping = self.grouping()?;
        let arguments = self.arguments(aggregation.name)?;
        // `by` may stand on either side of the arguments, but once.
        if grouping.is_none() {
            grouping = self.grouping()?;
        }
        let span = self.since(name.span.start);
        let wanted = usize::from(aggregation.parameter.is_some()) + 1;
        let (parameter, of) = match arguments[..] {
            [of] if wanted == 1 => (None, of),
            [parameter, of] if wanted == 2 => (Some(parameter), of),
            _ => {
                let (name, found) = (aggregation.name, arguments.len());
                let message = format!("{name} takes {}, found {found}", count(wanted, "argument"));
                return Err(ExprFault::new(&span, message));
            }
        };
        let operator = aggregation.name;
        Ok(self.add(
            ExprKind::Aggregate(Aggregate {
                operator,
                grouping,
                parameter,
                of,
            }),
            span,
        ))
    }

    /// `by (…)` or `without (…)`.
    fn grouping(&mut self) -> Result<Option<LabelGrouping>, ExprFault> {
        let by = self.take_word("by");
        if by || self.take_word("without") {
            Ok(Some(LabelGrouping {
                keeps: by,
                labels: self.labels()?,
            }))
        } else {
            Ok(None)
        }
    }

    /// Arguments in parentheses.
    fn arguments(&mut self, of: &str) -> Result<Vec<NodeId>, ExprFault> {
        let open = self.here();
        self.expect("(", &format!(" behind {of}, expected `(`"))?;
        let mut arguments = Vec::new();
        if self.take_sign(")") {
            return Ok(arguments);
        }
        loop {
            if self.follows(")") {
                // Lists of labels may end with a comma, arguments may not.
                return Err(ExprFault::new(
                    &self.here(),
                    format!("an argument of {of} misses behind the comma"),
                ));
            }
            arguments.push(self.expression(Strength::Any)?);
            if !self.take_sign(",") {
                self.close(
                    ")",
                    &open,
                    "the parenthesis",
                    &format!(" in the arguments of {of}, expected `,` or `)`"),
                )?;
                return Ok(arguments);
            }
        }
    }
}

/// The bytes of a text in quotes.
fn text_of(token: &Token<'_>) -> Result<Vec<u8>, ExprFault> {
    unquote(token.text).ok_or_else(|| {
        let quote = &token.text[..1];
        let is_open = token.text.len() < 2 || !token.text.ends_with(quote);
        if is_open {
            ExprFault::new(&token.span, "the text is not closed").help(format!("add {quote}"))
        } else {
            let fault = ExprFault::new(
                &token.span,
                format!("{} has an escape that Prometheus does not know", token.text),
            );
            fault.help("double the backslash, or use backquotes")
        }
    })
}

const fn is_number(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Number | TokenKind::Duration)
}

/// `1 argument`, `2 arguments`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
