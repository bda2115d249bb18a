//! `promgen which`.

mod print;

use crate::cli::args::{Color, TracedFormat, WhichArgs};
use crate::cli::ask::traced::show::Paint;
use crate::cli::ask::traced::{self, Checked, Question};
use crate::cli::write::status::cannot_write;
use crate::cli::{Exit, Failure, Io, load, pick, report};
use promgen_compile::output::Layout;
use promgen_driver::compile::compile_and_discover;
use promgen_targets::trace::scraped::scraped;

/// How many targets are told of.
const MAX_TOLD: usize = 50;

/// Compiles, tells which shards scrape a target and why the others do not, then reports what was found.
pub(in crate::cli) fn run(args: &WhichArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let (output, discovery) = compile_and_discover(&inputs, &options);
    drop(inputs);
    let workloads = match traced::choose(&args.scope, &output) {
        Ok(workloads) => workloads,
        Err(reason) => {
            let exit = report::findings(&output, color, io);
            return pick::nothing(reason, &output, exit, io);
        }
    };
    let (subjects, mut left_out) = traced::subjects(&workloads, args.scope.job.as_deref());
    // Every target counts, as all of them have to be scraped once.
    let question = Question { scope: &args.scope, wanted: &args.target, discovery: &discovery, limit: usize::MAX };
    let mut answer = question.ask(&subjects);
    left_out.append(&mut answer.left_out);
    let paint = Paint { is_colored: color.resolve(io.terminal.stdout_color) };
    let (told, _) = answer.told();
    let shown = told.get(..MAX_TOLD).unwrap_or(&told);
    io.print(|out| match args.format {
        TracedFormat::Text => print::text(shown, &output, paint, out),
        TracedFormat::Json => print::json(shown, &output, out),
    })
    .map_err(|error| cannot_write(&error))?;
    let exit = report::findings(&output, color, io);
    left_out.iter().for_each(|what| report::note(what, io));
    if told.len() > shown.len() {
        report::note(&format!("{} more targets are not told of", told.len() - shown.len()), io);
    }
    if told.is_empty() {
        report::failures(&[question.nothing(&subjects, &output)], io);
    }
    let is_good = told.iter().all(|checked| is_scraped_once(checked)) && !told.is_empty();
    Ok(if is_good { exit } else { Exit::Findings })
}

fn is_scraped_once(checked: &Checked<'_>) -> bool {
    let Checked { subject, verdict, .. } = checked;
    let version = subject.workload.prometheus.as_ref();
    let is_valid = |labels| scraped(labels, &subject.job.section, version).is_ok();
    verdict.n_keepers() == 1 && verdict.kept.iter().all(|(_, labels)| is_valid(labels))
}
