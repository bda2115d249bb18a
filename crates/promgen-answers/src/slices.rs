//! The workloads that a version of Kubernetes asks to move from Endpoints to EndpointSlices.

use std::collections::BTreeSet;
use std::sync::Arc;

use promgen_model::Project;
use promgen_model::scraping::endpoints;
use promgen_text::CollectOrdered;

/// The workloads of all environments that discover targets from Endpoints, although the cluster deprecates them.
#[must_use]
pub fn due(project: &Arc<Project>) -> BTreeSet<String> {
    let of = |environment| project.compile(environment).view(&[], endpoints::due);
    project.environments().iter().flat_map(of).collect_set()
}
