//! The answers: functions of one model, of two, or of a project, each for a command. They know no rules.

/// Declares types of answers that can be compared: see [`promgen_text::answers`].
macro_rules! changes {
    ($($types:tt)+) => {
        promgen_text::answers! { (Clone, Debug, PartialEq, Eq, serde::Serialize) (pub) $($types)+ }
    };
}

pub mod compare;
pub mod deliveries;
pub mod diff;
pub mod drift;
pub mod explain;
pub mod map;
pub mod rbac;
pub mod reachable;
pub mod slices;
