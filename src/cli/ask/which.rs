//! `promgen which`.

mod print;

use clap::error::ErrorKind;

use crate::cli::args::{Color, TracedFormat, WhichArgs};
use crate::cli::ask::trace;
use crate::cli::ask::traced::show::Paint;
use crate::cli::ask::traced::{self, TargetQuestion, TracedTarget};
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::write::status::cannot_write;
use crate::cli::{Exit, Failure, Io, charts, load, pick, report};
use promgen_compile::output::Layout;
use promgen_driver::reachable::UnreachableJobs;
use promgen_driver::{Model, Project};
use promgen_targets::trace::find::KnownTargets;
use promgen_targets::trace::scraped::scraped;

/// The maximum number of printed targets.
const MAX_SHOWN: usize = 50;

/// Compiles, prints which shards scrape a target and why the others do not, then reports the findings.
pub(in crate::cli) fn run(
    args: &WhichArgs,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    if args.trace || args.cases.is_some() {
        return trace::run(args, color, io);
    }
    if let Some(option) = args.needs_trace() {
        return Err(Failure::usage(
            "which",
            ErrorKind::ArgumentConflict,
            &format!("{option} requires --trace"),
        ));
    }
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let form = if args.format == TracedFormat::Json {
        AnswerForm::Json("which")
    } else {
        AnswerForm::Text
    };
    let question = EachEnvironment {
        is_about_targets: true,
        form,
        is_asked: &has_workload,
    };
    each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| of_environment(args, &model, color, io),
    )
}

/// Prints which shards of an environment scrape a target, then reports the findings.
fn of_environment(
    args: &WhichArgs,
    model: &Model,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let unreachable = UnreachableJobs::of(model);
    let (output, origins) = (model.output(), model.rule_origins());
    let workloads = match traced::choose(&args.scope, output) {
        Ok(workloads) => workloads,
        Err(reason) => {
            let exit = report::in_full(output, color, io);
            return pick::nothing(reason, output, exit, io);
        }
    };
    let (subjects, mut left_out) = traced::subjects(&workloads, args.scope.job.as_deref());
    // The exit code depends on every target, including those that are not printed.
    let (known, limit) = (KnownTargets::default(), usize::MAX);
    let wanted = args.wanted();
    let question = TargetQuestion {
        scope: &args.scope,
        wanted: &wanted,
        discovery: model.discovery(),
        limit,
        known: &known,
    };
    let mut answer = question.ask(&subjects);
    left_out.append(&mut answer.left_out);
    let paint = Paint {
        is_colored: color.resolve(io.terminal.stdout_color),
    };
    let (targets, _) = answer.relevant();
    let shown = targets.get(..MAX_SHOWN).unwrap_or(&targets);
    let sources = print::AnswerSources {
        output,
        unreachable: &unreachable,
        origins: &origins,
    };
    io.print(|out| match args.format {
        TracedFormat::Text => print::text(shown, sources, paint, out),
        TracedFormat::Json => print::json(shown, sources, out),
    })
    .map_err(|error| cannot_write(&error))?;
    let exit = report::findings(output, color, io);
    left_out.iter().for_each(|what| report::note(what, io));
    if targets.len() > shown.len() {
        report::note(
            &format!("{} more targets are not shown", targets.len() - shown.len()),
            io,
        );
    }
    if targets.is_empty() {
        report::failures(&[question.nothing(&subjects, output)], io);
    }
    let is_reached =
        |checked: &TracedTarget<'_>| print::why_unreached(checked, &unreachable).is_none();
    let is_good = targets
        .iter()
        .all(|checked| is_scraped_once(checked) && is_reached(checked))
        && !targets.is_empty();
    Ok(if is_good { exit } else { Exit::Findings })
}

fn is_scraped_once(checked: &TracedTarget<'_>) -> bool {
    let TracedTarget {
        subject, verdict, ..
    } = checked;
    let version = subject.workload.prometheus.as_ref();
    let is_valid = |labels| scraped(labels, subject.job, version).is_ok();
    verdict.n_keepers() == 1 && verdict.kept.iter().all(|(_, labels)| is_valid(labels))
}
