//! What a workload selects, and why it does not select the rest.

use crate::explain::{Explain, ExplanationStep, MAX_LISTED, StepState, requirements};
use promgen_compile::output::Workload;
use promgen_compile::select::selector::{NamespaceMiss, SelectionResult, WorkloadSelector};
use promgen_compile::sharding::plan::Plan;
use promgen_model::model::World;
use promgen_model::operator::unwatched::Unwatched;
use promgen_model::resource_name::ResourceName;
use promgen_model::servers::ServerSpec;
use promgen_targets::resolve::Confinement;
use promgen_text::diag::count::counted;

/// The compiled workload of a selector.
pub(super) fn compiled<'a>(
    model: &World<'a>,
    selector: &WorkloadSelector<'_>,
) -> Option<&'a Workload> {
    let by = &selector.by;
    let is_it = |workload: &&Workload| {
        let id = &workload.id;
        id.kind.resource() == Some(by.kind) && id.namespace == by.namespace && id.name == by.name
    };
    model.workloads.iter().copied().find(is_it)
}

/// Why nothing becomes of a workload.
pub(super) fn not_compiled(
    model: &World<'_>,
    selector: &WorkloadSelector<'_>,
    what: &str,
) -> ExplanationStep {
    match Unwatched::of_picker(model.cluster(), &selector.by) {
        Some(unwatched) => ExplanationStep::breaks(unwatched.why).help(unwatched.help),
        None => ExplanationStep::breaks(format!("{what} does not compile"))
            .help("run `promgen lint` for the reason"),
    }
}

/// The namespaces that its monitors may select from, whatever their selectors are.
pub(super) fn confinement(model: &World<'_>, selector: &WorkloadSelector<'_>) -> Confinement {
    let by = &selector.by;
    let mut servers = ServerSpec::all(model.cluster());
    servers
        .find(|of| {
            of.kind.resource() == Some(by.kind)
                && (of.key.namespace(), of.key.name()) == (by.namespace, by.name)
        })
        .map_or(Confinement::None, ServerSpec::confinement)
}

/// Explains a workload. `None` if the resource is not a workload.
pub(super) fn explain(cx: Explain<'_>, of: &ResourceName) -> Option<ExplanationStep> {
    let is_it = |selector: &&WorkloadSelector<'_>| {
        selector.by.kind == of.kind
            && selector.by.namespace == of.namespace
            && selector.by.name == of.name
    };
    let selectors: Vec<_> = cx.model.reach.selectors.iter().filter(is_it).collect();
    let first = *selectors.first()?;
    let mut steps: Vec<ExplanationStep> = selectors
        .iter()
        .filter_map(|selector| selection(cx, selector))
        .collect();
    let is_unknown = steps.iter().any(|step| step.state == StepState::Unknown);
    let is_empty = !is_unknown && !steps.iter().any(|step| step.state == StepState::Holds);
    let compiled = compiled(cx.model, first);
    match compiled {
        None => steps.push(not_compiled(cx.model, first, "it")),
        Some(compiled) => steps.extend(result(compiled)),
    }
    if is_empty {
        steps.push(ExplanationStep::breaks("it selects nothing in the input"));
    }
    let state = match is_empty || compiled.is_none_or(|compiled| compiled.error.is_some()) {
        true => StepState::Breaks,
        false if is_unknown && !steps.iter().any(|step| step.state == StepState::Holds) => {
            StepState::Unknown
        }
        false => StepState::Holds,
    };
    let span = cx.span(&first.by.place());
    Some(ExplanationStep {
        steps,
        ..ExplanationStep::new(state, first.to_string()).at(span)
    })
}

/// The resources of a kind that it selects, and why not the others. `None` if the input has none of that kind.
pub(super) fn selection(
    cx: Explain<'_>,
    selector: &WorkloadSelector<'_>,
) -> Option<ExplanationStep> {
    let (mut taken, mut missed) = (Vec::new(), Vec::new());
    for candidate in cx
        .model
        .cluster()
        .candidates()
        .filter(|candidate| candidate.kind == selector.takes)
    {
        let name = candidate.key();
        let span = cx.span(&candidate.place());
        match selector.choose(&candidate, cx.model.cluster()) {
            SelectionResult::Taken => {
                let step = match compiled(cx.model, selector) {
                    Some(compiled) => cx.admission(&candidate, compiled),
                    None => ExplanationStep::open("it is selected"),
                };
                taken.push(
                    ExplanationStep {
                        text: format!("{name}: {}", step.text),
                        ..step
                    }
                    .at(span),
                );
            }
            choice => {
                let why = format!("{name}: {}", why_not(&choice));
                let doubt = cx.model.unknowns().of_selection(
                    cx.model.documents(),
                    selector,
                    &candidate,
                    &choice,
                );
                let doubt = doubt.or_else(|| cx.undeclared(&candidate, &choice));
                missed.push(match doubt {
                    Some(doubt) => ExplanationStep::unknown(format!("{why}; {doubt}")).at(span),
                    None => ExplanationStep::open(why).at(span),
                });
            }
        }
    }
    let (n_taken, n_all) = (taken.len(), taken.len() + missed.len());
    if n_all == 0 {
        return None;
    }
    let kind = selector.takes.as_str();
    let text = match selector.is_open() {
        true => format!(
            "`{}` selects {n_taken} of {n_all} {kind}s",
            selector.labels.field
        ),
        false => format!(
            "`{}` is not set: it selects none of {n_all} {kind}s",
            selector.labels.field
        ),
    };
    let state = match n_taken {
        1.. => StepState::Holds,
        0 if missed.iter().any(|step| step.state == StepState::Unknown) => StepState::Unknown,
        0 => StepState::Open,
    };
    let span = cx.span(&selector.labels.place());
    let steps = if selector.is_open() {
        listed(taken).into_iter().chain(listed(missed)).collect()
    } else {
        listed(taken)
    };
    Some(ExplanationStep::new(state, text).at(span).with(steps))
}

/// The first steps, and the number of further ones.
pub(super) fn listed(mut steps: Vec<ExplanationStep>) -> Vec<ExplanationStep> {
    let n_more = steps.len().saturating_sub(MAX_LISTED);
    if n_more > 0 {
        steps.truncate(MAX_LISTED);
        steps.push(ExplanationStep::open(format!("and {n_more} more")));
    }
    steps
}

pub(super) fn why_not(choice: &SelectionResult) -> String {
    match choice {
        SelectionResult::Taken => "it is selected".to_owned(),
        SelectionResult::NoSelector => "no selector for this kind is set".to_owned(),
        SelectionResult::Broken => "a selector does not parse".to_owned(),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Foreign),
            ..
        } => "not in the namespace of the workload".to_owned(),
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Unwatched(flag)),
            ..
        } => {
            format!(
                "the operator does not watch its namespace: `--{}`",
                flag.name()
            )
        }
        SelectionResult::Missed {
            namespace: Some(NamespaceMiss::Labels(misses)),
            ..
        } => {
            format!("its namespace lacks {}", requirements(misses))
        }
        SelectionResult::Missed {
            namespace: None,
            labels,
        } => format!("it lacks {}", requirements(labels)),
    }
}

/// The result: jobs, rule files, shards.
fn result(compiled: &Workload) -> Vec<ExplanationStep> {
    let mut steps = Vec::new();
    if let Some(error) = &compiled.error {
        steps.push(ExplanationStep::breaks(format!(
            "the operator stops: {error}"
        )));
    }
    steps.extend(compiled.idle().map(ExplanationStep::open));
    if let Some(config) = compiled
        .config
        .as_ref()
        .filter(|_| compiled.id.kind.has_shards())
    {
        let jobs = counted(config.jobs.len(), "job");
        steps.push(ExplanationStep::open(format!(
            "{jobs} in its configuration"
        )));
    }
    if !compiled.rule_files.is_empty() {
        steps.push(ExplanationStep::open(counted(
            compiled.rule_files.len(),
            "rule file",
        )));
    }
    if compiled.id.kind.has_shards() {
        steps.push(ExplanationStep::open(plan_text(&compiled.plan)));
    }
    steps
}

/// The shards in words.
pub(super) fn plan_text(plan: &Plan) -> String {
    let n_shards = plan.shards.len();
    let idle: Vec<_> = plan.idle().map(|shard| shard.index.to_string()).collect();
    let idle = if idle.is_empty() {
        String::new()
    } else {
        format!("; idle: {}", idle.join(", "))
    };
    match (n_shards, plan.zones.len()) {
        (1, 0) => "one shard scrapes everything".to_owned(),
        (n, 0) => format!("{n} shards, targets distributed by hash"),
        (n, _) => format!(
            "{n} shards, targets distributed by zone ({}) and by hash{idle}",
            plan.zones.join(", ")
        ),
    }
}
