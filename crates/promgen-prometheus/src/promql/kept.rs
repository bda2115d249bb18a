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

    /// What an expression keeps of labels that it drops, in words. `dropped`: these labels.
    #[must_use]
    pub fn words(&self, dropped: &str) -> String {
        match self {
            Self::Only(labels) if labels.is_empty() => "the expression keeps no label".to_owned(),
            Self::Only(labels) => {
                let noun = if labels.len() == 1 { "label" } else { "labels" };
                let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
                format!("the expression keeps only the {noun} {}", labels.join(", "))
            }
            Self::AllBut(_) => format!("the expression drops {dropped}"),
        }
    }
}
