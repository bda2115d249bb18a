//! The status of a workload, and that of the resources that workloads select.
//!
//! In: [`facts::Facts`], which the modules of each kind gather (`prometheus`, …), and what workloads made of resources.
//! Out: the `status` map in the manner of a profile. Profiles are one module each: they read the same facts and know
//! nothing of each other. There is no clock here: a condition gets the time that it had, or that of the run.

pub(crate) mod alertmanager;
mod aso;
mod condition;
pub(crate) mod facts;
mod operator;
pub(crate) mod prometheus;
mod proposal;
mod resources;
mod stackable;
pub(crate) mod thanos_ruler;

use crate::options::Profile;
use crate::time::Timestamp;
use crate::yaml::{Map, Value};
use facts::Facts;
pub(crate) use resources::{Subject, resources};

/// How a status is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner<'a> {
    /// In whose manner.
    pub(crate) profile: Profile,
    /// The time of the run, if it is known.
    pub(crate) at: Option<Timestamp>,
    /// The status that was there before; empty if there was none.
    pub(crate) earlier: &'a Map,
}

/// The status.
pub(crate) fn status(facts: &Facts, manner: &Manner<'_>) -> Value {
    let status = match manner.profile {
        Profile::Operator => operator::status(facts, manner),
        Profile::Proposal => proposal::status(facts, manner),
        Profile::Stackable => stackable::status(facts, manner),
        Profile::Aso => aso::status(facts, manner),
    };
    status.into()
}

fn number(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
