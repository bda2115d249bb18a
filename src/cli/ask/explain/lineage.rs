//! The explanation of a metric, a job, an alert or a recorded series.

use super::{conflict, tree};
use crate::cli::args::{ExplainArgs, ExplainFormat};
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::paint::Paint;
use crate::cli::read_project;
use crate::cli::{Exit, Failure, Io};
use promgen_driver::explain::StepState;
use promgen_driver::explain::lineage::{LineageQuery, explain, near};

/// Compiles, and prints who makes and who reads it in each environment that mentions it.
pub(super) fn run(args: &ExplainArgs, of: &LineageQuery, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let refused = match args.format {
        ExplainFormat::Text | ExplainFormat::Json => None,
        ExplainFormat::Markdown => Some("markdown"),
        ExplainFormat::Svg => Some("svg"),
        ExplainFormat::Mermaid => Some("mermaid"),
    };
    if let Some(format) = refused {
        let of = "does not apply to a metric, a job, an alert or a recorded series";
        return Err(conflict(&format!("`--format {format}` {of}")));
    }
    let paths = &args.compile.paths;
    let project = read_project(&args.compile, io, |options, io| {
        let options = args.live.over(options, paths, io.stdin)?;
        args.metrics.over(options, paths, io.stdin)
    })?;
    let form = AnswerForm::json_or_text(args.format == ExplainFormat::Json, "explain");
    let paint = Paint::of(io.terminal);
    environments::each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(form),
        io,
        &mut |model, io| {
            let nothing = || {
                let near = near(&model, of)
                    .map(|name| format!("; did you mean {}/{name}?", of.kind.as_str()));
                let near = near.unwrap_or_default();
                Failure::message(format!(
                    "nothing in the input mentions {of}: no job, rule or dashboard{near}"
                ))
            };
            let step = explain(&model, of).ok_or_else(nothing)?;
            let sources = &model.output().sources;
            let printed = io.print(|out| match form {
                AnswerForm::Json(_) => tree::json(&step, sources, out),
                _ => tree::text(&step, sources, paint, out),
            });
            printed?;
            Ok(if step.state == StepState::Breaks {
                Exit::Findings
            } else {
                Exit::Clean
            })
        },
    )
}
