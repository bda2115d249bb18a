//! Whether a Prometheus may discover the targets of a job, and reaches them.

use crate::explain::scrape::ScrapingWorkload;
use crate::explain::{ExplanationStep, StepState};
use promgen_compile::access::AccessVerdict;
use promgen_compile::output::Job;
use promgen_model::scraping::needs::{self, Requests, ScrapingServer};
use promgen_model::scraping::ways::{self, ScraperPods};

/// Adds what permissions and policies say to the step of a job. What they do not say leaves its state as it is.
pub(super) fn of_job(
    scraping: ScrapingWorkload<'_>,
    job: &Job,
    mut step: ExplanationStep,
) -> ExplanationStep {
    let Some(scraper) = ScrapingServer::of(scraping.cx.model, scraping.compiled) else {
        return step;
    };
    let lines: Vec<ExplanationStep> = permissions(scraper, job)
        .into_iter()
        .chain(policies(scraper, job))
        .collect();
    if lines.iter().any(|line| line.state == StepState::Breaks) {
        step.state = StepState::Breaks;
    }
    step.steps.splice(0..0, lines);
    step
}

/// The permissions of its service account. `None` for a job that asks no API server.
fn permissions(scraper: ScrapingServer<'_>, job: &Job) -> Option<ExplanationStep> {
    let needs = scraper.needs(job);
    let authority = scraper.authority();
    let account = &authority.account;
    if needs.is_empty() {
        let asks = job.kubernetes().next().is_some();
        let text = format!(
            "the discovery does not ask as service account {account}: its permissions are not known"
        );
        return asks.then(|| ExplanationStep::unknown(text));
    }
    let all = Requests::of(&needs);
    let (mut denied, mut unknown, mut place) = (Requests::default(), None, None);
    for (need, verb) in &all.0 {
        match authority.may(verb, need) {
            AccessVerdict::Granted(span) => place = place.or(span),
            AccessVerdict::Denied => {
                denied.0.insert((need.clone(), *verb));
            }
            AccessVerdict::Unknown(why) => unknown = unknown.or(Some(why)),
        }
    }
    Some(match (denied.is_empty(), unknown) {
        (false, _) => ExplanationStep::breaks(format!(
            "service account {account} may not {}",
            denied.text()
        ))
        .help(needs::remedy(&denied)),
        (true, Some(why)) => ExplanationStep::unknown(format!(
            "whether service account {account} may {}: {why}",
            all.text()
        )),
        (true, None) => {
            ExplanationStep::holds(format!("service account {account} may {}", all.text()))
                .at(place)
        }
    })
}

/// What NetworkPolicies let pass. `None` for jobs whose targets are no pods.
fn policies(scraper: ScrapingServer<'_>, job: &Job) -> Option<ExplanationStep> {
    let pods = ScraperPods::of(scraper);
    let ways = ways::of_job(scraper, job, &mut pods.ways(scraper.model))?;
    let first = ways.blocked.as_deref();
    Some(match (first, &ways.unknown, ways.n_open) {
        (Some(first), _, 0) if ways.is_blocked() => {
            let place = first.policies.first().and_then(|policy| policy.span);
            ExplanationStep::breaks(ways::why(scraper, first))
                .help(ways::remedy(scraper, first))
                .at(place)
        }
        (_, Some(why), _) => {
            ExplanationStep::unknown(format!("whether NetworkPolicies let it pass: {why}"))
        }
        (Some(first), None, _) => {
            let place = first.policies.first().and_then(|policy| policy.span);
            ExplanationStep::unknown(format!("of some pods: {}", ways::why(scraper, first)))
                .at(place)
        }
        (None, None, 0) => return None,
        (None, None, _) => ExplanationStep::holds(format!(
            "no NetworkPolicy in the input keeps {} from its pods",
            scraper.what()
        )),
    })
}
