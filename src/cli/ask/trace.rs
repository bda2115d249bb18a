//! `promgen which --trace`.

pub(crate) mod answer;
mod print;

use std::path::PathBuf;

use clap::error::ErrorKind;

use crate::cli::args::{TracedFormat, WhichArgs};
use crate::cli::ask::trace::answer::TracedTarget;
use crate::cli::ask::traced::{self, FoundTarget, TargetQuestion};
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, fs, json, pick, report};
use promgen_compile::output::Workload;
use promgen_model::Model;
use promgen_prometheus::relabel::cases;
use promgen_targets::trace::find::KnownTargets;
use promgen_targets::trace::{Trace, Tracer, Verdict};
use promgen_text::diag::escape;
use promgen_text::parallel;

/// The maximum number of traced targets, unless the user gives another.
const DEFAULT_LIMIT: usize = 10;

/// Prints the effect of rules on targets, or the results of cases.
pub(crate) fn run(args: &WhichArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    match &args.cases {
        Some(file) => {
            if let Some(option) = args.compile.meaningless(&[]) {
                let text = format!("{option} has no effect with --cases: each case is complete");
                return Err(Failure::usage("which", ErrorKind::ArgumentConflict, &text));
            }
            answer(file, io)
        }
        None => traced::each(args, "trace", io, of_environment),
    }
}

/// A target, and its trace through the rules of a shard.
#[derive(Debug)]
struct Traced<'j, 's> {
    checked: &'j FoundTarget<'s>,
    trace: Trace,
}

/// Prints the traces of targets in an environment, then reports the findings.
fn of_environment(
    args: &WhichArgs,
    model: &Model,
    workloads: &[&Workload],
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (output, origins) = (model.output(), model.rule_origins());
    let (subjects, mut left_out) = traced::subjects(workloads, args.scope.job.as_deref());
    let wanted = args.wanted();
    let limit = args.limit.map_or(DEFAULT_LIMIT, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let known = KnownTargets::default();
    let question = TargetQuestion {
        scope: &args.scope,
        wanted: &wanted,
        discovery: model.discovery(),
        limit,
        known: &known,
    };
    let mut answer = question.ask(&subjects);
    left_out.append(&mut answer.left_out);
    // With --job, the user wants the traces of dropped targets too.
    let (all, n_all) = if args.scope.job.is_some() {
        answer.all()
    } else {
        answer.relevant()
    };
    let traced = all
        .iter()
        .take(limit)
        .map(|checked| traced(args, checked))
        .collect::<Result<Vec<_>, _>>()?;
    let paint = Paint::of(io.terminal);
    let answer = |traced: &Traced<'_, '_>| TracedTarget::of(traced, &output.sources, &origins);
    io.print(|out| match args.format {
        TracedFormat::Text => {
            let answers: Vec<_> = traced.iter().map(|one| (one, answer(one))).collect();
            print::text(&answers, paint, out)
        }
        TracedFormat::Json => {
            let targets = traced.iter().map(answer).collect();
            json::write_answer("trace", &answer::Trace { targets }, out)
        }
    })?;
    let exit = report::findings(output, io);
    left_out.iter().for_each(|what| report::note(what, io));
    if n_all > traced.len() {
        report::note(
            &format!(
                "{} more targets are not traced; see --limit",
                n_all - traced.len()
            ),
            io,
        );
    }
    if traced.is_empty() {
        report::failures(&[question.nothing(&subjects, output)], io);
        return Ok(Exit::Findings);
    }
    Ok(exit)
}

fn traced<'j, 's>(
    args: &WhichArgs,
    checked: &'j FoundTarget<'s>,
) -> Result<Traced<'j, 's>, Failure> {
    let workload = checked.subject.workload;
    let index = args
        .shard
        .unwrap_or_else(|| relevant_shard(&checked.verdict));
    let shard = pick::shard(workload, index)?;
    let trace = Tracer::new(workload, checked.subject.job)
        .and_then(|tracer| tracer.trace(&checked.target.labels, shard));
    let trace = trace
        .map_err(|error| Failure::message(format!("{}: {error}", checked.subject.job.name)))?;
    Ok(Traced { checked, trace })
}

/// The most informative shard: one that keeps the target, or else the one that drops it last.
fn relevant_shard(verdict: &Verdict) -> u32 {
    let last = verdict
        .dropped
        .iter()
        .map(|(_, dropped)| dropped.rule)
        .max();
    let late = verdict
        .dropped
        .iter()
        .find(|(_, dropped)| Some(dropped.rule) == last)
        .map(|(shards, _)| shards);
    let kept = verdict.kept.first().map(|(shards, _)| shards);
    kept.or(late)
        .and_then(|shards| shards.first())
        .copied()
        .unwrap_or_default()
}

/// Runs every case of a file, one per line.
fn answer(file: &PathBuf, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let inputs = fs::read_files(
        std::slice::from_ref(file),
        &fs::Workspace::of(&[]),
        io.stdin,
    );
    let inputs = inputs.map_err(Failure::Messages)?.inputs;
    let mut answers = Vec::new();
    for input in &inputs {
        let not_utf8 = || Failure::message(format!("`{}` is not UTF-8", input.name));
        let text = input.bytes.as_text().ok_or_else(not_utf8)?;
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .collect();
        let answered = parallel::map(&lines, 1, |(index, line)| (*index, cases::answer(line)));
        for (index, answer) in answered {
            let at = || format!("{}:{}", input.name, index + 1);
            answers.push(answer.map_err(|error| Failure::message(format!("{}: {error}", at())))?);
        }
    }
    io.print(|out| {
        answers
            .iter()
            .try_for_each(|answer| writeln!(out, "{}", escape::json(answer)))
    })?;
    Ok(Exit::Clean)
}
