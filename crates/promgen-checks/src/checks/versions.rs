//! Deprecated fields, and settings that the target version does not support.
//!
//! Lowering reports fields that the target version ignores (PG301, PG302). The checks here report fields that still work but
//! are deprecated, fields that others override, and settings that only Prometheus itself would refuse.

mod deprecated;
pub(super) mod flags;
mod job_fields;
mod mode;
mod overridden;
mod raw_jobs;

use crate::checks::Family;
use promgen_model::model::World;
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[deprecated::RULES, flags::RULES, mode::RULES],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    deprecated::check(model, sink);
    flags::check(model, sink);
    job_fields::check(model, sink);
    mode::check(model, sink);
    overridden::check(model, sink);
    raw_jobs::check(model, sink);
}
