//! PromQL: whether a text is an expression, and the same expression for one namespace only.
//!
//! In: the text of a rule. Out: a [`Validity`], or the text as Prometheus prints it with a label enforced. The grammar is
//! that of the parser crate, named in `check` alone. It knows Prometheus 3.8 and tells little, so what it leaves open is
//! looked at in the tokens: literals out of range, patterns of Go, syntax that is newer than it, how things were written.

mod check;
mod kept;
mod lex;
mod literal;
mod print;
mod scattered;

pub use check::check;
pub use kept::{KeptLabels, kept_labels};
pub use print::enforce;
pub use scattered::{Scattered, scattered};

/// What is known of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// The operator takes it.
    Valid,
    /// It uses something that cannot be checked here.
    Unknown(Construct),
    /// The operator refuses it, for this reason.
    Invalid(String),
}

/// Something in an expression that the parser at hand does not know.
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
}

impl Features {
    /// What these flags switch on.
    pub fn of<'f>(flags: impl IntoIterator<Item = &'f str>) -> Self {
        let mut features = Self::default();
        for flag in flags {
            features.experimental_functions |= flag == "promql-experimental-functions";
            features.fill_modifiers |= flag == "promql-binop-fill-modifiers";
        }
        features
    }
}

#[cfg(test)]
mod tests;
