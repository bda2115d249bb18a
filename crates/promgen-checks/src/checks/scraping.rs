//! Checks on the way from a Prometheus to its targets: what its service account may read, and what policies let pass.
//!
//! Only what the input proves is a finding: it needs one binding of the account, or the pods on both sides.

mod bindings;
mod blocked;
mod permission;
mod slices;
mod unseen;

use crate::checks::Family;
use promgen_model::model::World;
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        permission::RULES,
        blocked::RULES,
        slices::RULES,
        unseen::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    permission::check(model, sink);
    bindings::check(model, sink);
    blocked::check(model, sink);
    slices::check(model, sink);
    unseen::check(model, sink);
}

#[cfg(test)]
mod tests;
