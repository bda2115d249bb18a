//! The status of a workload, and that of the resources that workloads select.
//!
//! In: [`facts::Facts`], which the modules of each kind collect (`prometheus`, …), and the results of workloads for
//! resources. Out: the `status` map in the format of a profile. Each profile is one module, which reads the facts and
//! no other profile. There is no clock: a condition keeps its time, or gets that of the run.

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

/// The format of a status.
#[derive(Clone, Copy, Debug)]
pub struct StatusFormat<'a> {
    /// The format of the status.
    pub profile: Profile,
    /// The time of the run, if there is one.
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
