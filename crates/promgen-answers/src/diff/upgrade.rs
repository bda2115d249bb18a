//! What a newer Prometheus does in silence: what its migration guide says, where the workload is concerned.

use promgen_compile::output::Workload;
use promgen_model::lineage::bounds::is_three;
use promgen_model::words;
use promgen_text::diag::count::counted;
use promgen_text::yaml::{Map, Value};

/// The most names that a note lists.
const MAX_NAMED: usize = 5;

/// The outcome for a workload whose version crosses a border.
pub(super) fn notes(old: &Workload, new: &Workload) -> Vec<String> {
    let is_known = old.prometheus.is_some() && !new.is_stand_in;
    if !is_known || is_three(old) || !is_three(new) {
        return Vec::new();
    }
    content_type(new)
        .into_iter()
        .chain(names(new))
        .chain(first_api(old))
        .collect()
}

/// Jobs that scrape targets which send no type that Prometheus 3 knows.
fn content_type(workload: &Workload) -> Option<String> {
    let jobs = workload.jobs().iter();
    let names: Vec<&str> = jobs
        .filter(|job| job.section.get("fallback_scrape_protocol").is_none())
        .map(|job| job.name.as_str())
        .collect();
    let text = "Prometheus 3 refuses scrapes without a valid Content-Type: set `fallbackScrapeProtocol` where targets send none";
    (!names.is_empty()).then(|| {
        format!(
            "{text} ({} without it: {})",
            names.len(),
            words::first(&names, MAX_NAMED)
        )
    })
}

/// Jobs whose targets may have names that Prometheus 2 asks for in another form.
fn names(workload: &Workload) -> Option<String> {
    let is_legacy = |key: &str, section: &Map| {
        let says = |word: &str| section.text_of(key) == Some(word);
        says("legacy") || says("underscores")
    };
    let keys = [
        "metric_name_validation_scheme",
        "metric_name_escaping_scheme",
    ];
    let is_open = |section: &Map| !keys.iter().any(|key| is_legacy(key, section));
    let global = workload.config.as_ref().and_then(|config| config.global());
    let n = workload
        .jobs()
        .iter()
        .filter(|job| is_open(&job.section))
        .count();
    let text = "Prometheus 3 keeps `http.requests` of a target, which Prometheus 2 gets as `http_requests`: `nameValidationScheme: Legacy` \
                stays with the latter";
    (n > 0 && global.is_none_or(is_open)).then(|| format!("{text} ({})", counted(n, "job")))
}

/// Alertmanagers that Prometheus 2 talks to by the first version of their API.
fn first_api(old: &Workload) -> Option<String> {
    let alerting = old.config.as_ref()?.sections.get("alerting")?;
    let all = alerting.items_of("alertmanagers");
    let is_first = |entry: &&Value| entry.text_of("api_version") == Some("v1");
    let text = "Prometheus 3 has no `apiVersion: v1` of Alertmanagers: it sends alerts by version 2, which Alertmanager has since 0.16";
    match all.iter().filter(is_first).count() {
        0 => None,
        n => Some(format!("{text} ({n} with v1)")),
    }
}
