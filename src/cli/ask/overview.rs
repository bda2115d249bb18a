//! `promgen PATH`: what is in a repository, in a few lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use crate::cli::args::OverviewArgs;
use crate::cli::ask::route::print::{or_unknown, paged, receiver};
use crate::cli::environments::{self, AnswerForm, EachEnvironment, each};
use crate::cli::report::one_line;
use crate::cli::{Exit, Failure, Io, charts, load, report};
use promgen_answers::deliveries::{Deliveries, Delivery};
use promgen_answers::explain::{self, ExplanationStep, StepState};
use promgen_answers::reachable::UnreachableJobs;
use promgen_checks::lint::lint;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Layout, Workload};
use promgen_model::environments::names;
use promgen_model::{Model, Project};
use promgen_text::CollectOrdered;
use promgen_text::diag::count::{self, counted};
use promgen_text::diag::format::text::{self, Style};
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::source::Sources;
use promgen_text::yaml::read::INVALID_YAML;

/// The most lines of the whole.
const MAX_LINES: usize = 25;
/// The most environments that get lines of their own; of more, only the numbers are printed.
const MAX_ENVIRONMENTS: usize = 3;
/// The most errors that are named.
const MAX_ERRORS: usize = 4;
/// The most lines of each part of an environment.
const MAX_WORKLOADS: usize = 8;
const MAX_UNSELECTED: usize = 4;
const MAX_RECEIVERS: usize = 4;
const MAX_UNREACHED: usize = 4;

/// Reads a repository, and prints what is in it.
pub(crate) fn run(args: &OverviewArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let (manifests, templates) = load(&args.compile, &|_| false, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let options = Options {
        is_repository: true,
        operator_only: options.assume == Assume::Ready,
        ..options
    };
    let project = Project::read(&manifests.inputs, &options);
    drop(manifests);
    let linted = lint(&project);
    let found = &linted.diagnostics;
    // Errors stand in the answer itself.
    let (below, n_errors) = (
        found.iter().filter(|of| of.level < Level::Error),
        found.iter().filter(|of| of.level == Level::Error).count(),
    );
    report::deciding(&below.cloned().collect::<Vec<_>>(), &linted.sources, io);
    io.print(|out| errors(found, &linted.sources, out))?;
    let unread = project.unread_charts();
    // What stands below the environments, and the errors above them.
    let n_others = 3
        + 2 * usize::from(unread.is_some())
        + (n_errors + 2 * usize::from(n_errors > 0)).min(MAX_ERRORS + 3);
    environments(&project, args, MAX_LINES - n_others, io)?;
    if let Some(unread) = unread {
        let unread = one_line(&unread);
        io.print(|out| writeln!(out, "charts\n  {unread}"))?;
    }
    io.print(|out| conclusion(found, out))?;
    Ok(if n_errors > 0 {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// The first errors, each in a line: they decide what the rest is worth.
fn errors(found: &[Diagnostic], sources: &Sources, out: &mut dyn Write) -> io::Result<()> {
    let errors: Vec<&Diagnostic> = found.iter().filter(|of| of.level == Level::Error).collect();
    if !errors.is_empty() {
        writeln!(out, "errors")?;
    }
    for error in errors.iter().take(MAX_ERRORS) {
        writeln!(
            out,
            "  {}",
            text::line(error, sources, Style::default()).trim_end()
        )?;
    }
    more(errors.len(), MAX_ERRORS, out)?;
    match errors.iter().any(|error| *error.rule == INVALID_YAML) {
        true => writeln!(out, "  what cannot be read is in no answer below"),
        false => Ok(()),
    }
}

/// What is in each environment, in as many lines as there is room for: of few environments as much as fits, of many the numbers.
fn environments(
    project: &Arc<Project>,
    args: &OverviewArgs,
    room: usize,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let asked = &args.environments;
    let n_environments = environments::asked(project, asked, &environments::has_workload)?.len();
    let is_asked = !asked.environment.is_empty();
    if n_environments > MAX_ENVIRONMENTS && !is_asked {
        return io.print(|out| many(project, out));
    }
    // Two lines of each environment are its head and the line before it.
    let n_heads = if n_environments > 1 { 2 } else { 0 };
    let own = (room / n_environments.max(1)).saturating_sub(n_heads);
    let (mut printed, terminal) = (Vec::new(), io.terminal);
    each(
        project,
        asked,
        &EachEnvironment::of_targets(AnswerForm::Text),
        &mut Io {
            stdin: &mut *io.stdin,
            stdout: &mut printed,
            stderr: &mut *io.stderr,
            terminal,
        },
        &mut |model, io| {
            io.print(|out| out.write_all(&fitting(&model, own)?))?;
            Ok(Exit::Clean)
        },
    )?;
    let n_lines = String::from_utf8_lossy(&printed).lines().count();
    io.print(
        |out| match n_lines > room && n_environments > 1 && !is_asked {
            true => many(project, out),
            false => out.write_all(&printed),
        },
    )
}

/// The lines of an environment: with fewer items of each part, if there is no room for all.
fn fitting(model: &Model, room: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for divisor in [1, 2, 4, 8] {
        text.clear();
        of_environment(model, divisor, &mut text)?;
        if text.iter().filter(|byte| **byte == b'\n').count() <= room {
            break;
        }
    }
    Ok(text)
}

/// A line for each of many environments, those alike in one.
fn many(project: &Arc<Project>, out: &mut dyn Write) -> io::Result<()> {
    const MAX_GROUPS: usize = 10;
    const MAX_NAMES: usize = 3;
    let names = names(project.environments());
    writeln!(out, "{}", counted(names.len(), "environment"))?;
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (name, environment) in names.iter().zip(project.environments()) {
        let (name, numbers) = (one_line(name), numbers(&project.compile(environment)));
        match groups.iter_mut().find(|(known, _)| *known == numbers) {
            Some((_, names)) => names.push(name),
            None => groups.push((numbers, vec![name])),
        }
    }
    for (numbers, names) in groups.iter().take(MAX_GROUPS) {
        writeln!(out, "  {}: {numbers}", report::listed(names, MAX_NAMES))?;
    }
    more(groups.len(), MAX_GROUPS, out)?;
    writeln!(out, "  `--environment NAME` shows one of them")
}

/// What is in an environment, counted.
fn numbers(model: &Model) -> String {
    let output = model.output();
    let kinds = output
        .each_workload()
        .flat_map(|workload| &workload.selected.kinds);
    let alerts = model.alerts();
    let rules: BTreeSet<_> = alerts
        .iter()
        .map(|alert| (&alert.resource, alert.span))
        .collect_set();
    let unselected = explain::unselected(model, 0).total;
    let why = match output.workloads.is_empty() {
        true => " that nobody selects: no workload in the input",
        false => " that nobody selects",
    };
    let all = [
        (output.workloads.len(), "workload", ""),
        (
            kinds.map(|kind| kind.resources.len()).sum(),
            "selected resource",
            "",
        ),
        (UnreachableJobs::of(model).len(), "job", " not reached"),
        (rules.len(), "alert", ""),
        (unselected, "resource", why),
    ];
    let parts = all.into_iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> = parts
        .map(|(n, what, rest)| format!("{}{rest}", counted(n, what)))
        .collect();
    if parts.is_empty() {
        "nothing of the operator".to_owned()
    } else {
        parts.join(", ")
    }
}

fn of_environment(model: &Model, divisor: usize, out: &mut dyn Write) -> io::Result<()> {
    let share = |max: usize| (max / divisor).max(1);
    let output = model.output();
    writeln!(out, "workloads")?;
    let (n_workloads, n_refused) = (output.workloads.len(), output.refused.len());
    if n_workloads + n_refused == 0 {
        writeln!(out, "  none in the input")?;
    }
    for (id, why) in output.refused.iter().take(share(MAX_WORKLOADS)) {
        writeln!(
            out,
            "  {}: the API server refuses it: {}",
            one_line(&id.to_string()),
            one_line(why)
        )?;
    }
    let left = share(MAX_WORKLOADS).saturating_sub(n_refused);
    for workload in output.each_workload().take(left) {
        writeln!(out, "  {}", one_line(&about(workload)))?;
    }
    more(n_workloads + n_refused, share(MAX_WORKLOADS), out)?;
    unreached(model, share(MAX_UNREACHED), out)?;
    unselected(model, share(MAX_UNSELECTED), out)?;
    all_paged(model, share(MAX_RECEIVERS), out)
}

/// `Prometheus/monitoring/main: 2 shards, selects 3 ServiceMonitors and 1 PrometheusRule, 4 jobs`
fn about(workload: &Workload) -> String {
    let mut selected: Vec<String> = Vec::new();
    for kind in workload
        .selected
        .kinds
        .iter()
        .filter(|kind| !kind.resources.is_empty())
    {
        let refused = kind
            .resources
            .iter()
            .filter(|resource| resource.refusal.is_some())
            .count();
        let but = if refused > 0 {
            format!(" ({refused} rejected)")
        } else {
            String::new()
        };
        selected.push(format!("{}{but}", counted(kind.resources.len(), kind.kind)));
    }
    let mut parts: Vec<String> = workload.idle().map(str::to_owned).into_iter().collect();
    if workload.id.kind.has_shards() {
        parts.push(counted(workload.plan.shards.len(), "shard"));
    }
    parts.push(if selected.is_empty() {
        "selects nothing".to_owned()
    } else {
        format!("selects {}", selected.join(", "))
    });
    if let Some(config) = workload
        .config
        .as_ref()
        .filter(|config| !config.jobs.is_empty())
    {
        parts.push(counted(config.jobs.len(), "job"));
    }
    if let Some(tree) = &workload.routing {
        parts.push(counted(tree.n_routes(), "route"));
    }
    if let Some(error) = &workload.error {
        parts.push(format!("not reconciled: {error}"));
    }
    format!("{}: {}", workload.id, parts.join(", "))
}

/// The jobs that get no targets.
fn unreached(model: &Model, max: usize, out: &mut dyn Write) -> io::Result<()> {
    let unreachable = UnreachableJobs::of(model);
    let workloads = model.output().each_workload();
    let jobs = workloads.flat_map(|workload| {
        unreachable
            .of_workload(&workload.id)
            .map(move |job| (&workload.id, job))
    });
    let n_jobs = unreachable.len();
    if n_jobs > 0 {
        writeln!(out, "not reached")?;
    }
    for (workload, (job, why)) in jobs.take(max) {
        writeln!(
            out,
            "  job {} of {workload}: {}",
            one_line(job),
            one_line(why)
        )?;
    }
    more(n_jobs, max, out)
}

fn unselected(model: &Model, max: usize, out: &mut dyn Write) -> io::Result<()> {
    let unselected = explain::unselected(model, max);
    if unselected.total == 0 {
        return Ok(());
    }
    writeln!(out, "nobody selects")?;
    for (name, step) in &unselected.first {
        writeln!(out, "  {name}: {}", one_line(&reason(step).text))?;
    }
    more(unselected.total, max, out)
}

/// The deepest step that does not hold, or else that nobody knows: of several workloads, the one where the most holds. Explanations
/// are a few steps deep.
fn reason(step: &ExplanationStep) -> &ExplanationStep {
    // A reason of one step says the most.
    let n_holding = |step: &ExplanationStep| match step.steps.as_slice() {
        [] => usize::MAX,
        steps => steps
            .iter()
            .filter(|of| of.state == StepState::Holds)
            .count(),
    };
    let first = |state| {
        let of_state = step.steps.iter().filter(|step| step.state == state);
        // The first of those alike.
        of_state.rev().max_by_key(|step| n_holding(step))
    };
    let found = [StepState::Breaks, StepState::Unknown, StepState::Open]
        .into_iter()
        .find_map(first);
    found.map_or(step, reason)
}

/// The maximum number of alerts that are named because they reach nobody.
const MAX_SILENT: usize = 5;

/// The receivers, each with the number of alerts that reach it.
fn all_paged(model: &Model, max: usize, out: &mut dyn Write) -> io::Result<()> {
    let deliveries = Deliveries::of(model);
    let alerts = deliveries.alerts();
    if deliveries.excess().is_some() {
        return Ok(());
    }
    let mut reached: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    let mut silent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut unrouted: BTreeMap<String, usize> = BTreeMap::new();
    for alert in alerts {
        let of_alert = deliveries.of_alert(alert);
        let notifying = of_alert.filter(|Delivery { tree, node, .. }| tree.has_integrations(node));
        let receivers: BTreeSet<(String, Option<String>)> = notifying
            .map(|of| (receiver(of.tree, of.node), of.unknown))
            .collect_set();
        let mut unknown = deliveries.unrouted(alert).peekable();
        if receivers.is_empty() && unknown.peek().is_none() {
            let name = alert.labels.get("alertname").map_or("", String::as_str);
            let why = deliveries.nobody(alert).or_else(|| {
                let of = deliveries.of_alert(alert).next()?;
                Some(paged(of.tree, of.node))
            });
            if let Some(why) = why {
                silent.entry(why).or_default().push(name);
            }
        }
        unknown.for_each(|why| *unrouted.entry(why).or_default() += 1);
        receivers
            .into_iter()
            .for_each(|receiver| *reached.entry(receiver).or_default() += 1);
    }
    if !reached.is_empty() || !silent.is_empty() || !unrouted.is_empty() {
        writeln!(out, "who is paged")?;
    }
    for ((receiver, unknown), n) in reached.iter().take(max) {
        let alerts = or_unknown(counted(*n, "alert"), unknown.as_deref());
        writeln!(out, "  {receiver}: {}", one_line(&alerts))?;
    }
    more(reached.len(), max, out)?;
    for (why, n) in unrouted.iter().take(max) {
        let alerts = counted(*n, "alert");
        writeln!(out, "  unknown: {alerts}: {}", one_line(why))?;
    }
    more(unrouted.len(), max, out)?;
    let n_reasons = silent.len();
    for (why, mut names) in silent.into_iter().take(max) {
        let n_silent = names.len();
        names.dedup();
        let others = if names.len() > MAX_SILENT {
            ", …"
        } else {
            ""
        };
        names.truncate(MAX_SILENT);
        let why = one_line(why.trim_start_matches("nobody: "));
        let names = one_line(&names.join(", "));
        let alerts = counted(n_silent, "alert");
        writeln!(out, "  nobody: {alerts}: {names}{others}: {why}")?;
    }
    more(n_reasons, max, out)
}

fn more(n_all: usize, n_shown: usize, out: &mut dyn Write) -> io::Result<()> {
    match n_all.saturating_sub(n_shown) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

fn conclusion(found: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    match count::by_level(found) {
        Some(summary) => writeln!(out, "findings\n  {summary}: `promgen lint` shows them")?,
        None => writeln!(out, "findings\n  none")?,
    }
    writeln!(
        out,
        "more: promgen explain KIND/NAME, promgen route, promgen report -o report.html, promgen --help"
    )
}
