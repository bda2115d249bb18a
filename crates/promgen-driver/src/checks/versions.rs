//! What is on its way out, and what the target no longer knows or does not know yet.
//!
//! Fields that the target version ignores are reported where they are lowered (PG301, PG302). Here is what is still read
//! but should not be written any more, and what only Prometheus itself would complain about.

mod deprecated;
mod flags;
mod mode;

use crate::checks::{Family, Model};
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family =
    Family { rules: &[&deprecated::DEPRECATED_FIELD, &flags::REMOVED_FLAG, &mode::IGNORED_MODE], check };

fn check(model: &Model<'_>, sink: &mut Sink) {
    deprecated::check(model, sink);
    flags::check(model, sink);
    mode::check(model, sink);
}
