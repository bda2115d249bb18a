//! Expressions of policies, and the values that they are evaluated with.

use promgen_cel::{CelExpression, CelOutcome, CelType, CelValue};

use crate::facts::PolicyFacts;

/// A variable of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicyVariable {
    /// The facts of what is looked at.
    Facts,
    /// Its object.
    Object,
    /// The name of the environment.
    Environment,
    /// The variables of the policy.
    Own,
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub(crate) struct PolicyProgram {
    pub(crate) text: String,
    pub(crate) expression: CelExpression,
    /// The type of its value.
    pub(crate) yields: CelType,
    /// What its variables are, in their order.
    pub(crate) slots: Vec<PolicyVariable>,
}

/// The values of variables.
pub(crate) struct PolicyValues<'v> {
    pub(crate) facts: Option<&'v dyn PolicyFacts>,
    pub(crate) object: CelValue<'v>,
    pub(crate) environment: CelValue<'v>,
    /// The variables of the policy, as far as they are evaluated.
    pub(crate) own: CelValue<'v>,
    /// One of them tells what stands in a Secret.
    pub(crate) own_is_secret: bool,
    /// What stands in Secrets may be told.
    pub(crate) reveals: bool,
}

/// The most variables that are on the stack.
const FEW: usize = 4;

impl<'v> PolicyValues<'v> {
    /// Returns whether a fact was asked for since the last time that tells what stands in a Secret.
    pub(crate) fn take_secret(&self) -> bool {
        let is_told = self.facts.is_some_and(PolicyFacts::take_secret);
        is_told && !self.reveals
    }

    /// Returns whether an expression that was evaluated last tells what stands in a Secret.
    pub(crate) fn is_told_by(&self, program: &PolicyProgram) -> bool {
        let asks_own = program.slots.contains(&PolicyVariable::Own);
        self.take_secret() || self.own_is_secret && asks_own
    }

    fn of(&self, variable: PolicyVariable) -> CelValue<'v> {
        match variable {
            PolicyVariable::Facts => match self.facts {
                Some(facts) => CelValue::Object(facts),
                None => CelValue::Null,
            },
            PolicyVariable::Object => self.object.clone(),
            PolicyVariable::Environment => self.environment.clone(),
            PolicyVariable::Own => self.own.clone(),
        }
    }
}

impl PolicyProgram {
    pub(crate) fn evaluate<'v>(
        &'v self,
        values: &PolicyValues<'v>,
        fuel: &mut u64,
    ) -> CelOutcome<'v> {
        let mut slots = [const { CelValue::Null }; FEW];
        for (slot, variable) in slots.iter_mut().zip(&self.slots) {
            *slot = values.of(*variable);
        }
        self.expression
            .evaluate(&slots[..self.slots.len().min(FEW)], fuel)
    }
}
