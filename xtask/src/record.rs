//! The recordings: what releases of the operator answer to the corpus, packed.
use crate::Outcome;
pub(crate) fn command(_releases: &[&str]) -> Outcome { Ok(()) }
