//! From the endpoints of monitors to services and pods.

use crate::explain::scrape::ScrapingWorkload;
use crate::explain::targets::selected;
use crate::explain::{Explain, ExplanationStep, StepState};
use promgen_compile::cluster::Candidate;
use promgen_compile::output::Job;
use promgen_model::monitors::{Monitor, MonitorEndpoint};
use promgen_model::scraping::overlaps::{Overlap, overlaps_of};
use promgen_model::selection::namespaces;
use promgen_resources::api::NamespaceSelector;
use promgen_targets::resolve::port::MonitorPort;
use promgen_text::route::{At, DocId};

/// The most ports that are listed as scraped twice.
const MAX_OVERLAPS: usize = 5;

/// The endpoints of a ServiceMonitor.
pub(super) fn monitor(
    scraper: ScrapingWorkload<'_>,
    candidate: &Candidate<'_>,
) -> Vec<ExplanationStep> {
    let (cx, key) = (scraper.cx, candidate.key());
    let Some(monitor) = Monitor::find(cx.model.cluster(), candidate.kind, &key) else {
        return Vec::new();
    };
    let seeker = monitor.seeker(cx.model.reach.others);
    let scope = seeker.scope_under(scraper.confinement);
    let mut steps = of_namespaces(cx, monitor.doc(), seeker.namespaces);
    steps.extend(endpoints(scraper, candidate, monitor, |wanted| {
        selected(cx, monitor, &seeker, &scope, wanted)
    }));
    steps.extend(twice(scraper, candidate));
    steps
}

/// The ports that something else of the workload scrapes, too.
fn twice(scraper: ScrapingWorkload<'_>, candidate: &Candidate<'_>) -> Vec<ExplanationStep> {
    let all = overlaps_of(scraper.cx.model, scraper.compiled, candidate);
    let step = |overlap: &Overlap| {
        let text = format!(
            "port {} of {} is scraped twice: {}",
            overlap.port,
            overlap.pods,
            overlap.by()
        );
        let place = overlap
            .places
            .iter()
            .find(|place| place.doc != candidate.doc)
            .unwrap_or(&overlap.places[1]);
        ExplanationStep::open(text).at(scraper.cx.span(place))
    };
    all.iter().take(MAX_OVERLAPS).map(step).collect()
}

/// The namespaces that a monitor names and that the input does not have. If it names no other, it selects nothing.
fn of_namespaces(
    cx: Explain<'_>,
    monitor: DocId,
    selector: Option<&NamespaceSelector>,
) -> Vec<ExplanationStep> {
    let (absent, is_known) = namespaces::absent(cx.model, selector);
    let n_named = selector
        .and_then(|selector| selector.match_names.as_ref())
        .map_or(0, Vec::len);
    let state = if is_known && absent.len() == n_named {
        StepState::Breaks
    } else {
        StepState::Open
    };
    let step = |(index, name): (usize, &str)| {
        let at = At::spec(monitor)
            .key("namespaceSelector")
            .key("matchNames")
            .index(index);
        let text = format!("namespace `{name}`, from which it selects, is not in the input");
        ExplanationStep::new(state, text).at(cx.span(&at))
    };
    absent.into_iter().map(step).collect()
}

fn endpoints(
    scraper: ScrapingWorkload<'_>,
    candidate: &Candidate<'_>,
    monitor: Monitor<'_>,
    leads: impl Fn(Option<&MonitorPort>) -> ExplanationStep,
) -> Vec<ExplanationStep> {
    let jobs = scraper.jobs(candidate);
    let endpoint = |endpoint: MonitorEndpoint<'_>| {
        let (index, wanted) = (endpoint.index, endpoint.port());
        let text = match &wanted {
            Some(wanted) => format!("endpoint {index} requires {wanted}"),
            None => format!("endpoint {index} accepts any port"),
        };
        let name = format!("/{index}");
        let job = jobs.iter().find(|job| job.name.ends_with(&name));
        let mut steps = vec![leads(wanted.as_ref())];
        steps.push(job_step(scraper, job.copied(), steps[0].state));
        let at = match &wanted {
            Some(wanted) => endpoint.at().key(wanted.field),
            None => endpoint.at(),
        };
        ExplanationStep::all(text, steps).at(scraper.cx.span(&at))
    };
    let steps: Vec<ExplanationStep> = monitor.endpoints().map(endpoint).collect();
    let has_port = |step: &ExplanationStep| {
        step.steps
            .first()
            .is_some_and(|leads| leads.state != StepState::Breaks)
    };
    let why = if steps.iter().any(has_port) {
        "can be scraped"
    } else {
        "matches a port"
    };
    if steps.is_empty() {
        return vec![ExplanationStep::breaks(
            "it has no endpoints, so it has no job",
        )];
    }
    let text = match (
        steps
            .iter()
            .filter(|step| step.state != StepState::Breaks)
            .count(),
        steps.len(),
    ) {
        (good, all) if good == all => "its endpoints match ports".to_owned(),
        (1, all) => format!("1 of its {all} endpoints matches a port"),
        (good, all) => format!("{good} of its {all} endpoints match ports"),
    };
    vec![ExplanationStep::any(text, steps).or_broken(format!("none of its endpoints {why}"))]
}

/// The job of an endpoint. Its targets are listed only if the preceding steps hold.
fn job_step(
    scraper: ScrapingWorkload<'_>,
    job: Option<&Job>,
    before: StepState,
) -> ExplanationStep {
    match job {
        Some(job) if before == StepState::Breaks => {
            ExplanationStep::open(format!("job {}", job.name))
        }
        Some(job) => scraper.job(job),
        None => scraper.no_jobs(),
    }
}
