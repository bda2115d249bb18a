//! An explanation in short: what each workload does with a resource, in a line each.

use promgen_model::monitors::makes_jobs;
use std::collections::BTreeMap;

use crate::explain::scrape::ScrapingWorkload;
use crate::explain::targets;
use crate::explain::workload::{compiled, confinement, not_compiled, selection, why_not};
use crate::explain::{Explain, ExplanationStep, StepState, explain_in};
use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{SelectionResult, WorkloadSelector};
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::resource_name::ResourceName;
use promgen_text::diag::count::counted;
use promgen_text::route::DocId;

/// The maximum number of shards that a line lists.
const MAX_SHARDS: usize = 16;

/// The effect of workloads on a resource; of a workload, what it selects and how it shards. Empty for what does not
/// exist.
#[must_use]
pub fn lines(view: &World<'_>, of: &ResourceName) -> Vec<String> {
    let cx = Explain { model: view };
    let is_it = |candidate: &Candidate<'_>| of.is(candidate);
    let Some(candidate) = view.cluster().candidates().find(is_it) else {
        return of_others(view, of);
    };
    let selectors: Vec<_> = view.selectors_of(of.kind).collect();
    if selectors.is_empty() {
        return vec![format!(
            "no workload in the input selects {}s",
            of.kind.as_str()
        )];
    }
    selectors
        .into_iter()
        .map(|selector| line(cx, &candidate, selector))
        .collect()
}

/// The first steps of the explanation of a workload, or of what the API server refuses.
fn of_others(view: &World<'_>, of: &ResourceName) -> Vec<String> {
    let Ok(step) = explain_in(view, of) else {
        return Vec::new();
    };
    step.steps.into_iter().map(|step| step.text).collect()
}

fn line(cx: Explain<'_>, candidate: &Candidate<'_>, selector: &WorkloadSelector<'_>) -> String {
    let choice = selector.choose(candidate, cx.model.cluster());
    if choice != SelectionResult::Taken {
        return format!("{selector} does not select it: {}", why_not(&choice));
    }
    let Some(workload) = compiled(cx.model, selector) else {
        return format!(
            "{selector} selects it, but {}",
            not_compiled(cx.model, selector, "the workload").text
        );
    };
    let admission = cx.admission(candidate, workload);
    if admission.state == StepState::Breaks {
        return format!("{selector} selects it, but {}", admission.text);
    }
    let scraper = ScrapingWorkload {
        cx,
        compiled: workload,
        confinement: confinement(cx.model, selector),
    };
    match candidate.kind {
        kind if makes_jobs(kind) => {
            format!("{selector} selects it: {}", scraped(scraper, candidate))
        }
        _ => format!("{selector} selects it"),
    }
}

/// The objects that the selector in a field of a document's spec selects: resources, Services, or pods.
#[must_use]
pub fn selected(view: &World<'_>, doc: DocId, field: &str) -> Vec<String> {
    let cx = Explain { model: view };
    let of_workload = view
        .reach
        .selectors
        .iter()
        .filter(|selector| selector.by.doc == doc);
    let of_field = of_workload
        .filter(|selector| selector.labels.field == field || selector.namespaces.field == field);
    let steps = of_field.filter_map(|selector| selection(cx, selector));
    let mut lines: Vec<String> = steps.flat_map(texts).collect();
    if field == "selector" {
        lines.extend(matched(cx, doc));
    }
    lines
}

/// The objects that the selector of a monitor matches.
fn matched(cx: Explain<'_>, doc: DocId) -> Vec<String> {
    let Some(monitor) = Monitor::all(cx.model.cluster()).find(|monitor| monitor.doc() == doc)
    else {
        return Vec::new();
    };
    let seeker = monitor.seeker(cx.model.reach.others);
    texts(targets::selected(
        cx,
        monitor,
        &seeker,
        &seeker.scope(),
        None,
    ))
    .collect()
}

/// The text of a step, and those of the steps below it.
fn texts(step: ExplanationStep) -> impl Iterator<Item = String> {
    std::iter::once(step.text).chain(step.steps.into_iter().map(|step| step.text))
}

/// `3 targets: shard 0 scrapes 2, shard 1 scrapes 1`.
fn scraped(scraper: ScrapingWorkload<'_>, candidate: &Candidate<'_>) -> String {
    let jobs = scraper.jobs(candidate);
    if jobs.is_empty() {
        return scraper.no_jobs().text;
    }
    let (mut n_kept, mut n_dropped, mut by_shard) = (0, 0, BTreeMap::<u32, usize>::new());
    for job in &jobs {
        let assigned = match scraper.assigned(job) {
            Ok(Some(assigned)) => assigned,
            Ok(None) => continue,
            Err(step) => return step.text,
        };
        n_kept += assigned.kept.len();
        n_dropped += assigned.n_dropped;
        for shard in assigned.kept.iter().flat_map(|(_, shards)| shards) {
            *by_shard.entry(*shard).or_default() += 1;
        }
    }
    let n_shards = scraper.compiled.plan.shards.len();
    let of_shards = format!(
        "{}, {}",
        counted(jobs.len(), "job"),
        counted(n_shards, "shard")
    );
    if n_kept == 0 && n_dropped == 0 {
        return format!("{of_shards}; its targets are not in the input");
    }
    let listed = by_shard
        .iter()
        .take(MAX_SHARDS)
        .map(|(shard, n)| format!("shard {shard} scrapes {n}"));
    let listed: Vec<String> = listed.collect();
    let more = if by_shard.len() > MAX_SHARDS {
        ", …"
    } else {
        ""
    };
    let shards = if listed.is_empty() {
        "no shard scrapes them".to_owned()
    } else {
        listed.join(", ")
    };
    format!("{of_shards}, {}: {shards}{more}", counted(n_kept, "target"))
}
