//! PromQL: the tree of an expression, whether the operator takes it, and the same expression for one namespace only.
//!
//! In: the text of a rule. Out: a [`Tree`] with places and types, a [`Validity`], or the text as Prometheus prints it with a
//! label enforced. `lex` makes tokens of a text, `parse` a tree of tokens, `types` checks its parts by the table in
//! `functions`; `print` follows the tokens, because a tree forgets how a number was written.

mod advice;
mod check;
mod fault;
mod fixed;
mod functions;
mod kept;
mod lex;
mod literal;
mod outcome;
mod parse;
mod print;
mod scattered;
mod tree;
mod types;

pub use check::{check, parse};
pub use fault::ExprFault;
pub use fixed::FixedLabel;
pub use functions::{Arity, Function};
pub use kept::KeptLabels;
pub use outcome::{
    ContradictionCause, ExprOutcome, KnownSelectors, OutcomeReason, Presence, ResultRange, outcome,
};
pub use print::enforce;
pub use scattered::{Join, ScatteredPart, joins, scattered};
pub use tree::{
    Aggregate, Binary, Call, Expr, ExprKind, GroupSide, LabelGrouping, LabelMatcher, Matching,
    NodeId, Tree, ValueType, VectorSelector,
};

/// The facts of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// The operator takes it.
    Valid,
    /// It uses something that cannot be checked here.
    Unknown(Construct),
    /// The operator refuses it, for this reason.
    Invalid(ExprFault),
}

/// Something in an expression that is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Construct {
    /// What it is.
    pub what: &'static str,
    /// The feature flag without which Prometheus, and with it the operator, does not take it.
    pub feature: Option<&'static str>,
}

/// What is switched on in a Prometheus. The operator looks at `spec.enableFeatures` for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// `promql-experimental-functions`.
    pub experimental_functions: bool,
    /// `promql-binop-fill-modifiers`.
    pub fill_modifiers: bool,
    /// `promql-duration-expr`.
    pub duration_expressions: bool,
    /// `promql-extended-range-selectors`.
    pub extended_selectors: bool,
    /// The parser is that of Prometheus 3.14 or later, in which more is stable.
    pub is_3_14: bool,
    /// There may be functions that promgen does not know.
    pub is_newer: bool,
}

/// A function of a release that promgen does not know.
pub const NEWER_FUNCTION: Construct = Construct {
    what: "a function that promgen does not know",
    feature: None,
};

/// The feature flag of lengths of time that are computed.
const DURATION_EXPRESSIONS: &str = "promql-duration-expr";
/// The feature flag of the modifiers of range selectors.
const EXTENDED_SELECTORS: &str = "promql-extended-range-selectors";

impl Features {
    /// The features that these flags switch on.
    pub fn of<'f>(flags: impl IntoIterator<Item = &'f str>, is_3_14: bool) -> Self {
        let mut features = Self {
            is_3_14,
            ..Self::default()
        };
        for flag in flags {
            features.experimental_functions |= flag == "promql-experimental-functions";
            features.fill_modifiers |= flag == "promql-binop-fill-modifiers";
            features.duration_expressions |= flag == DURATION_EXPRESSIONS;
            features.extended_selectors |= flag == EXTENDED_SELECTORS;
        }
        features
    }

    /// Returns whether the flag without which a construct is refused is on, if there is one.
    fn allow(self, construct: &Construct) -> bool {
        match construct.feature {
            Some(DURATION_EXPRESSIONS) => self.duration_expressions,
            Some(EXTENDED_SELECTORS) => self.extended_selectors,
            Some(_) | None => true,
        }
    }
}

#[cfg(test)]
mod tests;
