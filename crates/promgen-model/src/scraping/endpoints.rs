//! Workloads that discover targets from Endpoints, which Kubernetes has deprecated.

use crate::model::World;
use crate::scraping::needs::{JobOrigin, ScrapingServer};
use crate::servers::ServerSpec;
use promgen_compile::output::Job;
use promgen_compile::workload;
use promgen_resources::api::Kind;
use promgen_resources::gates;

/// The workloads that are to be moved, as messages name them.
pub fn due(model: &World<'_>) -> Vec<String> {
    let due = ScrapingServer::all(model).filter(|scraper| is_due(*scraper));
    let is_asked =
        |scraper: &ScrapingServer<'_>| scraper.jobs().iter().any(|job| of_monitor(job).is_some());
    due.filter(is_asked).map(ScrapingServer::what).collect()
}

/// A job of a ServiceMonitor that is discovered by Endpoints, and its namespaces.
pub fn of_monitor(job: &Job) -> Option<(JobOrigin<'_>, Vec<String>)> {
    let origin = JobOrigin::of(job).filter(|origin| origin.kind == Kind::ServiceMonitor)?;
    Some((origin.resource(), by_endpoints(job)?))
}

/// Returns whether the cluster deprecates Endpoints, and the workload can do without.
pub fn is_due(scraper: ScrapingServer<'_>) -> bool {
    let ServerSpec { common, server, .. } = scraper.own;
    let versions = workload::versions(&scraper.model.options().target, common, server);
    versions.is_ok_and(|versions| {
        versions.has(&gates::ENDPOINTS_DEPRECATED) && versions.has(&gates::ENDPOINT_SLICE_ROLE)
    })
}

/// The namespaces of a job of a ServiceMonitor that is discovered by Endpoints.
fn by_endpoints(job: &Job) -> Option<Vec<String>> {
    let discovery = job
        .kubernetes()
        .find(|discovery| discovery.role() == Some("endpoints"))?;
    Some(discovery.named_namespaces().map(str::to_owned).collect())
}
