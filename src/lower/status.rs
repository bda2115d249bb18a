//! The status of a workload.
//!
//! In: [`facts::Facts`], which the modules of each kind gather (`prometheus`). Out: the `status` map, in the manner of a
//! profile: one module each.

pub(crate) mod alertmanager;
pub(crate) mod facts;
mod operator;
pub(crate) mod prometheus;
pub(crate) mod thanos_ruler;

use crate::yaml::Value;
use facts::Facts;

/// The status.
pub(crate) fn status(facts: &Facts) -> Value {
    operator::status(facts).into()
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
