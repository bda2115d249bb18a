//! Two projects, compared: every environment with its counterpart.

use std::sync::Arc;

pub use promgen_answers::compare::environments::{
    ChangedMap, Compared, ComparedSide, EnvironmentFilter, Select,
};
pub use promgen_model::environments::{is_named, names};

use super::LINT;
use promgen_answers::compare::environments::{self, ComparedFindings};
use promgen_model::Project;

/// Compares two projects of [`Project::read_side`]. Of the findings, those are compared that `select` leaves.
///
/// # Errors
/// No environment of either side is one of those that are asked about; lists what there is.
pub fn projects(
    base: &Arc<Project>,
    head: &Arc<Project>,
    asked: &EnvironmentFilter,
    select: Select<'_>,
) -> Result<Compared, String> {
    environments::projects(base, head, asked, ComparedFindings { lint: LINT, select })
}

/// The same, where the base was the head of a comparison before.
///
/// # Errors
/// As [`projects`].
pub fn in_turn(
    base: &Arc<Project>,
    known: ComparedSide,
    head: &Arc<Project>,
    asked: &EnvironmentFilter,
    select: Select<'_>,
) -> Result<(Compared, ComparedSide), String> {
    environments::in_turn(
        base,
        known,
        head,
        asked,
        ComparedFindings { lint: LINT, select },
    )
}
