//! `promgen which`.

mod print;

use rayon::prelude::*;

use crate::cli::args::{Color, JudgedFormat, WhichArgs};
use crate::cli::judged::{self, Judged, Paint, Subject};
use crate::cli::status::cannot_write;
use crate::cli::{Exit, Failure, Io, load, pick, report};
use crate::compile::compile_and_discover;
use crate::discovery::{ADDRESS, Discovery};
use crate::judge::find::{Finder, Wanted, near};
use crate::judge::runs_on_every_node;
use crate::judge::scraped::scraped;
use crate::output::{Layout, Output};

/// How many targets are told of.
const MAX_TOLD: usize = 50;
/// How many similar addresses are named.
const MAX_NEAR: usize = 3;

/// Compiles, tells which shards scrape a target and why the others do not, then reports what was found.
pub(super) fn run(args: &WhichArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let (inputs, templates) = load("which", &args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let (output, discovery) = compile_and_discover(&inputs, &options);
    drop(inputs);
    let all = judged::workloads(&output);
    let workloads = match &args.scope.workload {
        Some(id) => match pick::find(id, &all) {
            Ok(workload) => vec![workload],
            Err(reason) => {
                let exit = report::findings(&output, color, io);
                return pick::nothing(reason, &output, exit, io);
            }
        },
        None => all,
    };
    let (subjects, mut left_out) = judged::subjects(&workloads, args.scope.job.as_deref());
    let (judged, unknown) = ask(args, &subjects, &discovery);
    left_out.extend(unknown);
    let paint = Paint { is_colored: color.resolve(io.terminal.stdout_color) };
    let told = told(&judged);
    let shown = told.get(..MAX_TOLD).unwrap_or(&told);
    io.print(|out| match args.format {
        JudgedFormat::Text => print::text(shown, &output, paint, out),
        JudgedFormat::Json => print::json(shown, &output, out),
    })
    .map_err(|error| cannot_write(&error))?;
    let exit = report::findings(&output, color, io);
    left_out.iter().for_each(|what| report::note(what, io));
    if told.len() > shown.len() {
        report::note(&format!("{} more targets are not told of", told.len() - shown.len()), io);
    }
    if told.is_empty() {
        report::failures(&[nothing(args, &subjects, &discovery, &output)], io);
    }
    let is_good = told.iter().all(|judged| is_scraped_once(judged)) && !told.is_empty();
    Ok(if is_good { exit } else { Exit::Findings })
}

/// The targets that fit, in the order of workloads and jobs.
fn ask<'s>(args: &WhichArgs, subjects: &'s [Subject<'s>], discovery: &Discovery) -> (Vec<Judged<'s>>, Vec<String>) {
    let asked: Vec<_> = subjects
        .par_iter()
        .map(|subject| judged::judged(subject, &finder(args, &args.target, subject, discovery)))
        .collect();
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    for (judged, unknown) in asked {
        all.extend(judged);
        left_out.extend(unknown);
    }
    (all, left_out)
}

fn finder<'a>(
    args: &'a WhichArgs,
    wanted: &'a Wanted,
    subject: &'a Subject<'_>,
    discovery: &'a Discovery,
) -> Finder<'a> {
    judged::finder(&args.scope, wanted, subject, discovery)
}

/// What to tell of: targets of jobs; if there is none, what jobs might have taken for one.
fn told<'j, 's>(judged: &'j [Judged<'s>]) -> Vec<&'j Judged<'s>> {
    let targets: Vec<_> = judged.iter().filter(|judged| judged.verdict.is_target).collect();
    if targets.is_empty() { judged.iter().collect() } else { targets }
}

fn is_scraped_once(judged: &Judged<'_>) -> bool {
    let Judged { subject, verdict, .. } = judged;
    let version = subject.workload.prometheus.as_ref();
    let is_valid = |labels| scraped(labels, &subject.job.section, version).is_ok();
    verdict.n_keepers() == 1 && verdict.kept.iter().all(|(_, labels)| is_valid(labels))
}

/// Why there is nothing to tell.
fn nothing(args: &WhichArgs, subjects: &[Subject<'_>], discovery: &Discovery, output: &Output) -> String {
    if judged::workloads(output).is_empty() {
        return "no Prometheus or PrometheusAgent found".to_owned();
    }
    if subjects.is_empty() {
        return match &args.scope.job {
            Some(job) => no_job(job, output),
            None => "there are no scrape jobs".to_owned(),
        };
    }
    let targets: Vec<_> = subjects
        .par_iter()
        .flat_map_iter(|subject| finder(args, &Wanted::Any, subject, discovery).targets(&subject.job).targets)
        .collect();
    if targets.is_empty() {
        return "no targets are discovered; give Services, Pods, EndpointSlices, … beside the manifests, or labels instead \
                of an address"
            .to_owned();
    }
    let mut text = "no discovered target fits".to_owned();
    if let Wanted::Address(wanted) = &args.target {
        let addresses = targets.iter().map(|target| target.labels.get(ADDRESS));
        let similar = near(wanted, addresses, MAX_NEAR);
        if !similar.is_empty() {
            text = format!("{text}; similar ones: {}", similar.join(", "));
        }
    }
    if judged::workloads(output).into_iter().any(runs_on_every_node) {
        text.push_str("; the agent of a node scrapes the pods that run there, and no others");
    }
    text
}

/// That there is no such job, and which there are.
fn no_job(name: &str, output: &Output) -> String {
    let (subjects, _) = judged::subjects(&judged::workloads(output), None);
    let names = subjects.iter().map(|subject| subject.job.name.as_str());
    match near(name, names, MAX_NEAR).as_slice() {
        [] => format!("no job {name} found"),
        similar => format!("no job {name} found; similar ones: {}", similar.join(", ")),
    }
}
