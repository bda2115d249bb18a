//! `promgen which`.

pub(crate) mod answer;
mod print;

use clap::error::ErrorKind;

use crate::cli::args::{TracedFormat, WhichArgs};
use crate::cli::ask::trace;
use crate::cli::ask::traced::{self, FoundTarget, TargetQuestion};
use crate::cli::ask::which::answer::{AnswerSources, CheckedTarget, Which, why_unreached};
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, json, report};
use promgen_answers::reachable::UnreachableJobs;
use promgen_compile::output::Workload;
use promgen_model::Model;
use promgen_targets::trace::find::KnownTargets;
use promgen_targets::trace::scraped::scraped;

/// The maximum number of printed targets.
const MAX_SHOWN: usize = 50;

/// Compiles, prints which shards scrape a target and why the others do not, then reports the findings.
pub(crate) fn run(args: &WhichArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.trace || args.cases.is_some() {
        return trace::run(args, io);
    }
    if let Some(option) = args.needs_trace() {
        return Err(Failure::usage(
            "which",
            ErrorKind::ArgumentConflict,
            &format!("{option} requires --trace"),
        ));
    }
    traced::each(args, "which", io, of_environment)
}

/// Prints which shards of an environment scrape a target, then reports the findings.
fn of_environment(
    args: &WhichArgs,
    model: &Model,
    workloads: &[&Workload],
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let unreachable = UnreachableJobs::of(model);
    let (output, origins) = (model.output(), model.rule_origins());
    let (subjects, mut left_out) = traced::subjects(workloads, args.scope.job.as_deref());
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
    let paint = Paint::of(io.terminal);
    let (targets, _) = answer.relevant();
    let shown = targets.get(..MAX_SHOWN).unwrap_or(&targets);
    let sources = AnswerSources {
        output,
        unreachable: &unreachable,
        origins: &origins,
    };
    let answer = |found| CheckedTarget::of(found, sources);
    io.print(|out| match args.format {
        TracedFormat::Text => {
            let answers: Vec<_> = shown.iter().map(|found| (*found, answer(found))).collect();
            print::text(&answers, paint, out)
        }
        TracedFormat::Json => {
            let targets = shown.iter().map(|found| answer(found)).collect();
            json::write_answer("which", &Which { targets }, out)
        }
    })?;
    let exit = report::findings(output, io);
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
    let is_reached = |checked: &FoundTarget<'_>| why_unreached(checked, &unreachable).is_none();
    let is_good = targets
        .iter()
        .all(|checked| is_scraped_once(checked) && is_reached(checked))
        && !targets.is_empty();
    Ok(if is_good { exit } else { Exit::Findings })
}

fn is_scraped_once(checked: &FoundTarget<'_>) -> bool {
    let FoundTarget {
        subject, verdict, ..
    } = checked;
    let version = subject.workload.prometheus.as_ref();
    let is_valid = |labels| scraped(labels, subject.job, version).is_ok();
    verdict.n_keepers() == 1 && verdict.kept.iter().all(|(_, labels)| is_valid(labels))
}
