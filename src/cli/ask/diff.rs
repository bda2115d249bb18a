//! `promgen diff`.

mod gate;
mod live;
mod markdown;
mod sides;
mod text;
pub(crate) mod upgrade;

use std::mem;
use std::path::Path;

use clap::error::ErrorKind;
use serde::Serialize;

use crate::cli::args::{DiffArgs, DiffFormat};
use crate::cli::ask::diff::markdown::CommentParts;
use crate::cli::configured::Configured;
use crate::cli::environments::unused_metrics;
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, json, read_templates, report};
use crate::compare::environments;
use promgen_answers::compare::environments::Compared;
use promgen_answers::diff::outline::DiffOutline;
use promgen_compile::output::{Layout, Output};
use promgen_model::Project;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::{Excess, LIMIT_EXCEEDED};
use promgen_text::source::{Sources, Span};

/// Compiles both sides, and prints what differs.
pub(crate) fn run(args: &DiffArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if let Some(dump) = &args.live {
        return live::run(args, dump, io);
    }
    let compared = compared(args, io)?;
    let whole = compared.whole();
    let Compared {
        changes,
        not_compared,
        broken,
        exceeded,
        ..
    } = &compared;
    let is_silent = args.omit_unchanged && changes.is_empty() && not_compared.is_empty();
    if !is_silent || args.format == DiffFormat::Json {
        let (name, maps) = (args.comment.as_deref(), compared.maps.as_slice());
        let parts = CommentParts {
            name,
            maps,
            n_maps_left_out: compared.n_maps_left_out,
        };
        print(&DiffOutline::new(&whole), parts, &whole, args.format, io)?;
    }
    if !broken.is_empty() {
        return Err(Failure::Messages(broken.clone()));
    }
    let exceeded = report_exceeded(&changes.exceeded, exceeded, io);
    let fails = gate::fails(&args.fail_on, changes, io) || args.exit_code && !changes.is_empty();
    Ok(if exceeded || fails {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// Reads and compares both sides.
pub(crate) fn compared(args: &DiffArgs, io: &mut Io<'_>) -> Result<Compared, Failure> {
    let start = sides::start(args);
    let configured = Configured::read(
        &args.settings.given(start),
        &args.compile,
        &[start.to_owned()],
    )?;
    let excludes = |path: &Path| configured.excludes(path);
    let sides::Sides {
        base,
        head,
        asked,
        from,
        notes,
    } = sides::read(args, &excludes, io)?;
    let templates = read_templates(&args.compile).map_err(Failure::Messages)?;
    let options = configured.options(&args.compile, Layout::PerShard, templates);
    let options = args.metrics.over(options, &[start.to_owned()], io.stdin)?;
    let select = |found: &mut Vec<Diagnostic>, sources: &Sources| {
        configured.apply(found, sources);
    };
    let (of_base, of_head) = (args.of_base(options.clone()), args.of_head(options));
    let head = head.as_deref().unwrap_or(&base);
    let of_base = from[0].rendered(of_base, &base, args, io)?;
    let of_head = from[1].rendered(of_head, head, args, io)?;
    let old = Project::read_side(&base, &of_base);
    let new = old.other_side(head, &of_head);
    unused_metrics(&[&old, &new], io);
    let mut compared =
        environments::projects(&old, &new, &asked, &select).map_err(|message| usage(&message))?;
    compared.notes.splice(0..0, notes);
    // The run is nearly over: to free the documents one by one would take longer than to print the rest.
    mem::forget((old, new));
    Ok(compared)
}

/// Prints an outline, in a comment with these parts, or the whole as JSON.
fn print(
    outline: &DiffOutline,
    comment: CommentParts<'_>,
    whole: &impl Serialize,
    format: DiffFormat,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let paint = Paint::of(io.terminal);
    io.print(|out| match format {
        DiffFormat::Text => text::print(outline, paint, out),
        DiffFormat::Markdown => markdown::print(outline, comment, out),
        DiffFormat::Json => json::write("diff", whole, out),
    })
}

/// Reports the limits that the comparison or one of its sides exceeds. Returns whether there are any.
fn report_exceeded(
    exceeded: &[(Excess, &'static str)],
    of_sides: &[(Diagnostic, Sources)],
    io: &mut Io<'_>,
) -> bool {
    let of_all = exceeded.iter().map(|(excess, what)| {
        Diagnostic::placeless(&LIMIT_EXCEEDED, excess.message(what)).help(excess.help())
    });
    let mut reported: Vec<(Option<Span>, String)> = Vec::new();
    let all = of_all
        .map(|diagnostic| (diagnostic, Sources::default()))
        .chain(of_sides.iter().cloned());
    for (diagnostic, sources) in all {
        let key = (diagnostic.span, diagnostic.message.clone());
        if !reported.contains(&key) {
            reported.push(key);
            report::in_full(
                &Output {
                    diagnostics: vec![diagnostic],
                    sources,
                    ..Output::default()
                },
                io,
            );
        }
    }
    !reported.is_empty()
}

/// Invalid arguments.
fn usage(text: &str) -> Failure {
    Failure::usage("diff", ErrorKind::ValueValidation, text)
}
