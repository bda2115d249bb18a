//! The status of a workload, and that of the resources that workloads select.
//!
//! In: [`facts::Facts`], which the modules of each kind gather (`prometheus`, …), and what workloads made of resources.
//! Out: the `status` map in the format of a profile. Profiles are one module each: they read the same facts and know
//! nothing of each other. There is no clock here: a condition gets the time that it had, or that of the run.

pub mod alertmanager;
mod aso;
mod condition;
pub mod facts;
mod operator;
pub mod prometheus;
mod proposal;
mod resources;
mod stackable;
pub mod thanos_ruler;

use crate::options::Profile;
use facts::Facts;
use promgen_text::time::Timestamp;
use promgen_text::yaml::{Map, Value};
pub use resources::{SelectableResource, resources};

/// How a status is written.
#[derive(Clone, Copy, Debug)]
pub struct StatusFormat<'a> {
    /// The format of the status.
    pub profile: Profile,
    /// The time of the run, if it is known.
    pub at: Option<Timestamp>,
    /// The status that was there before; empty if there was none.
    pub earlier: &'a Map,
}

/// The status.
pub fn status(facts: &Facts, format: &StatusFormat<'_>) -> Value {
    let status = match format.profile {
        Profile::Operator => operator::status(facts, format),
        Profile::Proposal => proposal::status(facts, format),
        Profile::Stackable => stackable::status(facts, format),
        Profile::Aso => aso::status(facts, format),
    };
    status.into()
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
