//! `promgen route`.

pub(in crate::cli) mod print;

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use crate::cli::args::{Color, CompileArgs, RouteArgs, RouteFormat};
use crate::cli::write::status::cannot_write;
use crate::cli::{Exit, Failure, Io, charts, fs, load, pick, report};
use promgen_compile::output::{Layout, Output, Workload, WorkloadKind};
use promgen_driver::Project;
use promgen_driver::model::Kept;
use promgen_prometheus::routing::{Alert, AlertLabels, RoutingTree};
use promgen_targets::trace::find;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::LIMIT_EXCEEDED;

/// An Alertmanager, and its routing tree.
type AlertmanagerTree<'o> = (&'o Workload, &'o RoutingTree);

/// The note about an Alertmanager whose configuration is in a Secret.
const HIDDEN: &str =
    "its configuration is in a Secret; use --reveal-secrets to print its matchers, receivers and timings";

/// Compiles, prints the receivers and routes of an alert, then reports the findings.
pub(in crate::cli) fn run(args: &RouteArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let asked = if args.all_alerts { None } else { Some(asked(args)?) };
    let firing = args.firing.as_deref().map(|file| read_firing(file, &args.compile)).transpose()?;
    let firing = firing.as_deref().map(firing_alerts).transpose()?.unwrap_or_default();
    let mut compile = args.compile.clone();
    // With --all-alerts, the first path is in the place of the labels.
    if let Some(path) = args.labels.as_ref().filter(|_| args.all_alerts) {
        compile.paths.insert(0, PathBuf::from(path));
    }
    let (inputs, templates) = load(&compile, io)?;
    let options = compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &inputs, &compile, io)?;
    let model = Project::read(&inputs, &options).model(Kept::Text);
    let alerts = model.alerts();
    let (mut output, is_default) = match args.workload {
        Some(_) => (model.into_output(), false),
        None => model.into_output_with_default(&[WorkloadKind::Alertmanager]),
    };
    drop(inputs);
    let subjects = subjects(args, &output);
    if subjects.is_empty() {
        let exit = report::findings(&output, color, io);
        return pick::nothing(no_subject(args, &output), &output, exit, io);
    }
    let answer = match asked {
        Some(labels) => RouteAnswer::One { labels, firing },
        None => RouteAnswer::Rules(alerts),
    };
    if let RouteAnswer::Rules(alerts) = &answer
        && let Some(excess) = RoutingTree::excess(&options.limits, alerts.len(), subjects.iter().map(|(_, tree)| *tree))
    {
        let message = excess.message("what the alerts in the input take");
        let found = Diagnostic::placeless(&LIMIT_EXCEEDED, message).help(excess.help());
        output.diagnostics.push(found);
        return Ok(report::findings(&output, color, io));
    }
    io.print(|out| answer.print(args, &subjects, &output, out)).map_err(|error| cannot_write(&error))?;
    if is_default {
        report::note(
            "no Alertmanager found: routed as one with default settings does that takes every configuration",
            io,
        );
    }
    for (workload, _) in subjects.iter().filter(|(_, tree)| tree.root.source.is_secret) {
        report::note(&format!("{}: {HIDDEN}", workload.id), io);
    }
    Ok(report::findings(&output, color, io))
}

/// Why there is no Alertmanager to ask.
fn no_subject(args: &RouteArgs, output: &Output) -> String {
    let of_kind = output.each_workload().filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
    let all: Vec<_> = of_kind.collect();
    let named = args.workload.as_ref().map(|wanted| pick::find(wanted, &all, output));
    match named {
        Some(Err(reason)) => reason,
        Some(Ok(workload)) => format!("{} has no configuration", workload.id),
        None => "no Alertmanager with a configuration found".to_owned(),
    }
}

/// The text of a file on the command line.
fn read_firing(file: &Path, compile: &CompileArgs) -> Result<String, Failure> {
    let boundary = fs::Workspace::of(&compile.paths).typed(file);
    fs::read_text(file, &boundary).map_err(Failure::message)
}

/// The answer.
enum RouteAnswer {
    /// The routes of one alert.
    One { labels: AlertLabels, firing: Vec<AlertLabels> },
    /// The receivers of all alerts in the input.
    Rules(Vec<Alert>),
}

impl RouteAnswer {
    fn print(
        &self,
        args: &RouteArgs,
        subjects: &[AlertmanagerTree<'_>],
        output: &Output,
        out: &mut dyn std::io::Write,
    ) -> std::io::Result<()> {
        match (self, args.format) {
            (Self::One { labels, firing }, RouteFormat::Text | RouteFormat::Mermaid) => {
                subjects.iter().enumerate().try_for_each(|(index, subject)| {
                    if index > 0 {
                        writeln!(out)?;
                    }
                    print::text(*subject, labels, (firing, args.at), &output.sources, out)
                })
            }
            (Self::One { labels, firing }, RouteFormat::Json) => {
                print::json(subjects, labels, (firing, args.at), &output.sources, out)
            }
            (Self::Rules(alerts), RouteFormat::Text) => print::table(subjects, alerts, out),
            (Self::Rules(alerts), RouteFormat::Json) => print::table_json(subjects, alerts, &output.sources, out),
            (Self::Rules(alerts), RouteFormat::Mermaid) => print::mermaid(subjects, alerts, out),
        }
    }
}

/// The labels of the alert.
fn asked(args: &RouteArgs) -> Result<AlertLabels, Failure> {
    let usage = |text: &str| Failure::usage("route", ErrorKind::ValueValidation, text);
    let Some(text) = &args.labels else {
        return Err(Failure::usage(
            "route",
            ErrorKind::MissingRequiredArgument,
            "expected the labels of an alert, or --all-alerts",
        ));
    };
    if args.format == RouteFormat::Mermaid {
        return Err(usage("--format mermaid requires --all-alerts"));
    }
    labels(text).map_err(|error| usage(&error))
}

/// Labels, without the empty ones.
fn labels(text: &str) -> Result<AlertLabels, String> {
    let read = find::labels(text)?;
    let pairs = read.into_iter().map(|(name, value)| (name.to_string(), value.to_string()));
    Ok(pairs.filter(|(_, value)| !value.is_empty()).collect())
}

/// The firing alerts, one per line. Skips empty lines and lines that begin with `#`.
fn firing_alerts(text: &str) -> Result<Vec<AlertLabels>, Failure> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| labels(line).map_err(|error| Failure::message(format!("--firing: {error}")))).collect()
}

fn subjects<'o>(args: &RouteArgs, output: &'o Output) -> Vec<AlertmanagerTree<'o>> {
    let is_meant = |workload: &&Workload| args.workload.as_ref().is_none_or(|wanted| wanted.fits(&workload.id));
    let of_kind = output.each_workload().filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
    of_kind.filter(is_meant).filter_map(|workload| Some((workload, workload.routing.as_ref()?))).collect()
}
