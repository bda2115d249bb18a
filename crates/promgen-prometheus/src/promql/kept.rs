//! The labels that the result of an expression can have.

use std::collections::BTreeSet;

/// Labels that a result can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptLabels {
    /// These at most.
    Only(BTreeSet<String>),
    /// All but these.
    AllBut(BTreeSet<String>),
}

impl KeptLabels {
    /// Returns whether the result can have a label.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        match self {
            Self::Only(labels) => labels.contains(label),
            Self::AllBut(labels) => !labels.contains(label),
        }
    }
}
