//! The rows of the gates, which stand in `facts/gates.txt`: a constant for each of them, and the list of all.

use crate::gates::{Axis, Gate, GateSubject, UnsupportedEffect};
use promgen_text::version::Version;

include!(concat!(env!("OUT_DIR"), "/gates.rs"));
