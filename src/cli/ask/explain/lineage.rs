//! The explanation of a metric, a job, an alert or a recorded series.

use super::{cannot_write, conflict, tree};
use crate::cli::args::{Color, ExplainArgs, ExplainFormat};
use crate::cli::ask::traced::show::Paint;
use crate::cli::environments::{self, AnswerForm, EachEnvironment, has_workload};
use crate::cli::{Exit, Failure, Io, charts, load};
use promgen_compile::output::Layout;
use promgen_driver::Project;
use promgen_driver::explain::StepState;
use promgen_driver::explain::lineage::{LineageQuery, explain, near};

/// Compiles, and prints who makes and who reads it in each environment that mentions it.
pub(super) fn run(
    args: &ExplainArgs,
    of: &LineageQuery,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
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
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = args.live.over(options, &args.compile.paths, io.stdin)?;
    let options = args.metrics.over(options, &args.compile.paths, io.stdin)?;
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let form = if args.format == ExplainFormat::Json {
        AnswerForm::Json("explain")
    } else {
        AnswerForm::Text
    };
    let question = EachEnvironment {
        is_about_targets: false,
        form,
        is_asked: &has_workload,
    };
    let paint = Paint {
        is_colored: color.resolve(io.terminal.stdout_color),
    };
    environments::each(
        &project,
        &args.environments,
        &question,
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
            printed.map_err(cannot_write)?;
            Ok(if step.state == StepState::Breaks {
                Exit::Findings
            } else {
                Exit::Clean
            })
        },
    )
}
