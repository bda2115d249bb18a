//! Reads functions and macros.

use super::{CelFault, CelKind, CelNode, CelParser, CelSpan, node};
use crate::functions::{self, CelFunction, CelPattern, CelStyle};
use crate::tree::{CelCall, CelConstant, CelFold, CelFoldName};

/// The macros: the number of variables, and the least and the most parts behind them.
const MACROS: [(&str, usize, usize, usize, CelFoldName); 14] = [
    ("all", 1, 1, 1, CelFoldName::All),
    ("all", 2, 1, 1, CelFoldName::All),
    ("exists", 1, 1, 1, CelFoldName::Exists),
    ("exists", 2, 1, 1, CelFoldName::Exists),
    ("exists_one", 1, 1, 1, CelFoldName::ExistsOne),
    ("exists_one", 2, 1, 1, CelFoldName::ExistsOne),
    ("existsOne", 2, 1, 1, CelFoldName::ExistsOne),
    ("filter", 1, 1, 1, CelFoldName::Filter),
    ("map", 1, 1, 2, CelFoldName::List),
    ("transformList", 2, 1, 2, CelFoldName::List),
    ("transformMap", 2, 1, 2, CelFoldName::Values),
    ("transformMapEntry", 2, 1, 2, CelFoldName::Entries),
    ("optMap", 1, 1, 1, CelFoldName::OptMap),
    ("optFlatMap", 1, 1, 1, CelFoldName::OptFlatMap),
];

impl CelParser {
    /// A function or a macro of a value, behind its `(`; `n_names` were known in front of the value.
    pub(super) fn method(
        &mut self,
        of: CelNode,
        n_names: usize,
        name: &str,
        name_span: CelSpan,
    ) -> Result<CelNode, CelFault> {
        if let CelKind::Slot(slot) = of.kind {
            let qualified = format!("{}.{name}", self.names[slot]);
            if functions::is_known(&qualified) {
                // The namespace is no variable.
                self.names.truncate(n_names.max(slot));
                return self.function(&qualified, of.span.to(name_span));
            }
        }
        let n_arguments = self.count_arguments();
        let found = MACROS.iter().find(|(known, n_variables, least, most, _)| {
            *known == name && (n_variables + least..=n_variables + most).contains(&n_arguments)
        });
        if let Some((_, n_variables, _, _, fold)) = found {
            return self.fold(of, *fold, *n_variables, n_arguments - n_variables);
        }
        let start = of.span;
        let arguments = self.arguments(vec![of])?;
        self.call(name, name_span, start, CelStyle::Method, arguments)
    }

    /// The number of arguments up to the bracket that closes the list.
    fn count_arguments(&self) -> usize {
        let mut depth = 0_usize;
        let mut commas = 0;
        for token in &self.tokens[self.at.min(self.tokens.len())..] {
            let crate::token::CelWord::Sign(sign) = token.word else {
                continue;
            };
            match sign {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 0 => break,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => commas += 1,
                _ => {}
            }
        }
        commas + usize::from(!self.is(")"))
    }

    /// Arguments behind `(`, and its `)`.
    fn arguments(&mut self, mut arguments: Vec<CelNode>) -> Result<Vec<CelNode>, CelFault> {
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn fold(
        &mut self,
        of: CelNode,
        name: CelFoldName,
        n_variables: usize,
        n_parts: usize,
    ) -> Result<CelNode, CelFault> {
        let mut variables: Vec<String> = Vec::new();
        for _ in 0..n_variables {
            let (variable, span) = self.name()?;
            if super::RESERVED.contains(&&*variable) || variables.contains(&variable) {
                let message = format!("`{variable}` cannot be the name of a variable here");
                return Err(CelFault::new(message, span));
            }
            variables.push(variable);
            self.expect(",")?;
        }
        self.locals.extend(variables);
        let filter = match n_parts {
            2 => {
                let filter = self.expression()?;
                self.expect(",")?;
                Some(filter)
            }
            _ => None,
        };
        let body = self.expression()?;
        self.locals.truncate(self.locals.len() - n_variables);
        self.expect(")")?;
        let span = of.span.to(self.last_span());
        let has_two = n_variables == 2;
        let fold = CelFold {
            name,
            of,
            has_two,
            filter,
            body,
        };
        node(CelKind::Fold(Box::new(fold)), span)
    }

    /// A function that belongs to no value, behind its `(`.
    pub(super) fn function(&mut self, name: &str, span: CelSpan) -> Result<CelNode, CelFault> {
        let arguments = self.arguments(Vec::new())?;
        if name != "has" {
            return self.call(name, span, span, CelStyle::Function, arguments);
        }
        let span = span.to(self.last_span());
        let mut kinds = arguments.into_iter().map(|node| node.kind);
        match (kinds.next(), kinds.next()) {
            (Some(CelKind::Field(of, field, false)), None) => node(CelKind::Has(of, field), span),
            _ => Err(CelFault::new(
                "expected one field in `has`, as in `has(a.b)`",
                span,
            )),
        }
    }

    fn call(
        &mut self,
        name: &str,
        name_span: CelSpan,
        start: CelSpan,
        style: CelStyle,
        arguments: Vec<CelNode>,
    ) -> Result<CelNode, CelFault> {
        let function = functions::find(name, style, arguments.len())
            .map_err(|message| CelFault::new(message, name_span))?;
        let pattern = arguments.get(1).and_then(|argument| match &argument.kind {
            CelKind::Constant(CelConstant::Text(text)) if function.takes_pattern() => {
                CelPattern::of(text, &mut self.weight_left)
            }
            _ => None,
        });
        let span = start.to(self.last_span());
        let call = CelCall {
            function,
            arguments,
            pattern,
        };
        node(CelKind::Call(Box::new(call)), span)
    }
}

impl CelFunction {
    /// Returns whether the second argument is a pattern.
    const fn takes_pattern(self) -> bool {
        matches!(self, Self::Matches | Self::Find | Self::FindAll)
    }
}
