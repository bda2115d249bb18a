//! `promgen diff`.

mod gate;
mod live;
mod markdown;
mod outline;
mod sides;
mod text;

use clap::error::ErrorKind;
use serde::Serialize;

use crate::cli::args::{Color, DiffArgs, DiffFormat};
use crate::cli::write::status::cannot_write;
use crate::cli::{Exit, Failure, Io, pick, read_templates, report};
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Layout, Output};
use promgen_driver::compare::compare;
use promgen_driver::diff::Changes;
use promgen_driver::model::Kept;
use promgen_driver::{Model, Project};
use promgen_repository::model::ALTERNATIVES;
use promgen_repository::rules::{INVALID_KUSTOMIZATION, UNSUPPORTED_KUSTOMIZATION};
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, escape};
use promgen_text::limits::{Excess, LIMIT_EXCEEDED};
use promgen_text::source::{Input, Sources, Span};

/// Compiles both sides, and prints what differs.
pub(in crate::cli) fn run(args: &DiffArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if let Some(dump) = &args.live {
        return live::run(args, dump, color, io);
    }
    let (base, head) = sides::read(args, io)?;
    let templates = read_templates(&args.compile).map_err(Failure::Messages)?;
    let options = args.compile.options(Layout::PerShard, templates);
    // As `lint` of a folder: findings about other objects are for --all there.
    let options = Options { operator_only: options.assume == Assume::Ready, ..options };
    let (of_base, of_head) = (args.of_base(options.clone()), args.of_head(options));
    let head = head.as_deref().unwrap_or(&base);
    let (old, new) = rayon::join(|| side(&base, &of_base), || side(head, &of_head));
    let changes = compare(&old, &new);
    let (old, new) = (old.output(), new.output());
    let unseen = unseen(old, new);
    let whole = Whole { changes: &changes, not_compared: &unseen };
    print(&outline::Outline::new(&changes, &unseen), &whole, (args.format, color), io)?;
    notes(&changes, (old, new), io);
    let broken = broken(old, new);
    if !broken.is_empty() {
        return Err(Failure::Messages(broken));
    }
    let exceeded = report_exceeded(&changes.exceeded, &[old, new], color, io);
    let fails = gate::fails(&args.fail_on, &changes, io) || args.exit_code && !changes.is_empty();
    Ok(if exceeded || fails { Exit::Findings } else { Exit::Clean })
}

/// A side, read and compiled.
fn side(inputs: &[Input], options: &Options) -> Model {
    Project::read_side(inputs, options).model(Kept::Origins)
}

/// All that JSON has.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Whole<'a> {
    #[serde(flatten)]
    changes: &'a Changes,
    /// What neither side was compared for, and why.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_compared: &'a [String],
}

const SIDES: [&str; 2] = ["base", "head"];

/// What is not compared: kustomizations that are not built, and environments but the first.
fn unseen(base: &Output, head: &Output) -> Vec<String> {
    let unseen = |diagnostic: &&Diagnostic| is_unbuilt(diagnostic) || *diagnostic.rule == ALTERNATIVES;
    SIDES.iter().zip([base, head]).flat_map(|(side, output)| messages(side, output, &unseen)).collect()
}

/// The kustomizations that no tool can build, as a file is missing.
fn broken(base: &Output, head: &Output) -> Vec<String> {
    let broken = |diagnostic: &&Diagnostic| is_unbuilt(diagnostic) && diagnostic.level == Level::Error;
    SIDES.iter().zip([base, head]).flat_map(|(side, output)| messages(side, output, &broken)).collect()
}

fn is_unbuilt(diagnostic: &Diagnostic) -> bool {
    *diagnostic.rule == INVALID_KUSTOMIZATION || *diagnostic.rule == UNSUPPORTED_KUSTOMIZATION
}

/// Findings of a side, each in a line.
fn messages<'o>(
    side: &'o str,
    output: &'o Output,
    is_meant: &'o dyn Fn(&&Diagnostic) -> bool,
) -> impl Iterator<Item = String> + 'o {
    output.diagnostics.iter().filter(|diagnostic| is_meant(diagnostic)).map(move |diagnostic| {
        let why = diagnostic.help.join("; ").replace('\n', ", ");
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        format!("{side}: {}{why} ({})", diagnostic.message, diagnostic.rule.code)
    })
}

/// Prints an outline, or the whole as JSON.
fn print(
    outline: &outline::Outline,
    whole: &impl Serialize,
    (format, color): (DiffFormat, Color),
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let is_colored = color.resolve(io.terminal.stdout_color);
    let printed = io.print(|out| match format {
        DiffFormat::Text => text::print(outline, is_colored, out),
        DiffFormat::Markdown => markdown::print(outline, out),
        DiffFormat::Json => escape::write_json(whole, out),
    });
    printed.map_err(|error| cannot_write(&error))
}

/// Reports the limits that the comparison or one of its sides exceeds. Returns whether there are any.
fn report_exceeded(exceeded: &[(Excess, &'static str)], sides: &[&Output], color: Color, io: &mut Io<'_>) -> bool {
    let of_all = exceeded
        .iter()
        .map(|(excess, what)| Diagnostic::placeless(&LIMIT_EXCEEDED, excess.message(what)).help(excess.help()));
    let mut reported: Vec<(Option<Span>, String)> = Vec::new();
    let mut report = |diagnostics: Vec<Diagnostic>, sources: &Sources| {
        let is_new = |found: &Diagnostic| !reported.contains(&(found.span, found.message.clone()));
        let diagnostics: Vec<Diagnostic> = diagnostics.into_iter().filter(is_new).collect();
        reported.extend(diagnostics.iter().map(|found| (found.span, found.message.clone())));
        if !diagnostics.is_empty() {
            report::findings(&Output { diagnostics, sources: sources.clone(), ..Output::default() }, color, io);
        }
    };
    report(of_all.collect(), &Sources::default());
    for side in sides {
        let of_side = side.diagnostics.iter().filter(|found| *found.rule == LIMIT_EXCEEDED);
        report(of_side.cloned().collect(), &side.sources);
    }
    !reported.is_empty()
}

/// Notes on what could not be compared.
fn notes(changes: &Changes, (base, head): (&Output, &Output), io: &mut Io<'_>) {
    for (side, output) in [("base", base), ("head", head)] {
        let is_about_all = |diagnostic: &&Diagnostic| diagnostic.span.is_none() && diagnostic.level < Level::Error;
        for diagnostic in output.diagnostics.iter().filter(is_about_all) {
            report::note(&format!("{side}: {}", diagnostic.message), io);
        }
        let n_errors = output.diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
        if n_errors > 0 {
            let errors = counted(n_errors, "error");
            report::note(&format!("{side}: {errors}, so that parts may be missing; see `promgen lint`"), io);
        }
        if output.copies > 0 {
            let values = counted(output.copies, "value");
            report::note(&format!("{side}: {values} copied from Secrets into other objects not compared"), io);
        }
        if output.workloads.is_empty() {
            report::note(&format!("{side}: {}", pick::no_workload(output)), io);
        }
    }
    let unknown: usize = changes.workloads.iter().map(|workload| workload.targets.unknown.total).sum();
    if unknown > 0 {
        report::note(&format!("{unknown} jobs that differ have targets that only a live server knows"), io);
    }
}

/// Invalid arguments.
fn usage(text: &str) -> Failure {
    Failure::usage("diff", ErrorKind::ValueValidation, text)
}
