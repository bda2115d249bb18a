//! The explanation of a metric, a job, an alert or a recorded series.

use super::{conflict, print};
use crate::cli::args::{ExplainArgs, ExplainFormat};
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::{Exit, Failure, Io, read_project, report};
use promgen_answers::explain::lineage::{LineageQuery, explain, near};
use promgen_model::model::Model;

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
    environments::each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(form),
        io,
        &mut |model, io| {
            let nothing = || {
                let near = near(&model, of)
                    .map(|name| format!("; did you mean {}/{name}?", of.kind.as_str()));
                let near = near.unwrap_or_default() + &unread(&model);
                Failure::message(format!(
                    "nothing in the input mentions {of}: no job, rule or dashboard{near}"
                ))
            };
            let step = explain(&model, of).ok_or_else(nothing)?;
            let sources = &model.output().sources;
            print(&step, sources, form, io)
        },
    )
}

/// The objects that the API server refuses, and that may have what is asked for.
fn unread(model: &Model) -> String {
    const MAX_NAMED: usize = 3;
    let refused = model.refused_objects();
    if refused.is_empty() {
        return String::new();
    }
    let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let names = report::listed(&refused, MAX_NAMED);
    format!("; the API server refuses {names}, of which nothing is known")
}
