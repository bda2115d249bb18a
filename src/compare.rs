//! Two models, or two projects, compared: with their findings, as `lint` has them.

pub mod environments;

pub use promgen_answers::compare::{ClusterComparison, drift};

use promgen_answers::compare;
use promgen_answers::compare::SideLint;
use promgen_answers::diff::Changes;
use promgen_checks::lint;
use promgen_model::Model;

/// The checks of both sides.
const LINT: SideLint = SideLint {
    of_model: lint::of_side,
    of_environments: lint::of_chosen,
};

/// Compares two models: of two inputs, or of one that is compiled for two targets. Both are of [`Project::read_side`].
/// Values of Secrets are compared, and not part of the result.
///
/// [`Project::read_side`]: crate::Project::read_side
#[must_use]
pub fn compare(base: &Model, head: &Model) -> Changes {
    compare::compare(base, head, &LINT)
}
