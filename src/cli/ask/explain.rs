//! `promgen explain`.

mod gates;
mod limits;
mod rules;
mod tree;

use std::io::Write;

use clap::error::ErrorKind;

use crate::cli::args::{Color, ExplainArgs, ExplainFormat, Topic};
use crate::cli::ask::explain::gates::About;
use crate::cli::ask::traced::show::Paint;
use crate::cli::{Exit, Failure, Io, charts, load, report};
use promgen_compile::output::Layout;
use promgen_driver::Project;
use promgen_driver::explain::{ResourceName, StepState, explain};
use promgen_text::diag::{Level, LintRule};

/// Prints a rule, the list of rules, the table of version gates, that of limits, or the explanation of a resource.
pub(in crate::cli) fn run(args: &ExplainArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let about = match (args.compile.prometheus_version(), args.compile.operator_version()) {
        (Some(version), _) => About::Prometheus(version),
        (None, Some(version)) => About::Operator(version),
        (None, None) => About::All,
    };
    let meaningful: &[&str] = match &args.topic {
        Some(Topic::Resource(of)) => return resource(args, of, color, io),
        Some(Topic::Gates) => &["prometheus_version", "operator_version"],
        Some(Topic::Limits | Topic::Rule(_) | Topic::Family(_)) | None => &[],
    };
    if let Some(option) = args.compile.meaningless(meaningful) {
        let text = match &args.topic {
            Some(Topic::Gates) => format!("{option} has no effect on the table of versions"),
            Some(Topic::Limits) => format!("{option} has no effect on the table of limits"),
            _ => format!("{option} has no effect on rules: they are the same for every target"),
        };
        return Err(conflict(&text));
    }
    if !args.compile.paths.is_empty() {
        return Err(conflict("a PATH requires a resource, such as `promgen explain servicemonitor/shop/cart PATH`"));
    }
    let topic = match &args.topic {
        Some(Topic::Rule(rule)) => FixedTopic::Rule(rule),
        Some(Topic::Gates) => FixedTopic::Gates(about),
        Some(Topic::Limits) => FixedTopic::Limits,
        Some(Topic::Family(family)) => FixedTopic::Rules(rules::of_family(family)),
        Some(Topic::Resource(_)) | None => FixedTopic::Rules(promgen_driver::rules::all()),
    };
    io.print(|out| topic.print(args.format, out)).map_err(cannot_write)?;
    Ok(Exit::Clean)
}

fn conflict(text: &str) -> Failure {
    Failure::usage("explain", ErrorKind::ArgumentConflict, text)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn cannot_write(error: std::io::Error) -> Failure {
    Failure::message(format!("cannot write standard output: {error}"))
}

/// The topics that do not depend on manifests.
enum FixedTopic<'a> {
    Rule(&'static LintRule),
    Rules(Vec<&'static LintRule>),
    Gates(About<'a>),
    Limits,
}

impl FixedTopic<'_> {
    fn print(&self, format: ExplainFormat, out: &mut dyn Write) -> std::io::Result<()> {
        use ExplainFormat::{Json, Markdown, Text};
        match (self, format) {
            (Self::Rule(rule), Text) => rules::one(rule, out),
            (Self::Rule(rule), Markdown) => rules::section(rule, out),
            (Self::Rule(rule), Json) => rules::json(&[rule], out),
            (Self::Rules(rules), Text) => rules::list(rules, out),
            (Self::Rules(rules), Markdown) => rules::page(rules, out),
            (Self::Rules(rules), Json) => rules::json(rules, out),
            (Self::Gates(about), Text) => gates::table(*about, out),
            (Self::Gates(about), Markdown) => gates::page(*about, out),
            (Self::Gates(about), Json) => gates::json(*about, out),
            (Self::Limits, Text) => limits::table(out),
            (Self::Limits, Markdown) => limits::page(out),
            (Self::Limits, Json) => limits::json(out),
        }
    }
}

/// Compiles, and prints the explanation of a resource. Prints findings only if the resource does not exist, as they may
/// be the reason.
fn resource(args: &ExplainArgs, of: &ResourceName, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.format == ExplainFormat::Markdown {
        return Err(conflict("`--format markdown` does not apply to a resource"));
    }
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let model = Project::read(&inputs, &options).model_with_targets();
    let (output, step) = (model.output(), explain(&model, of));
    match step {
        Ok(step) => {
            let paint = Paint { is_colored: color.resolve(io.terminal.stdout_color) };
            let printed = io.print(|out| match args.format {
                ExplainFormat::Json => tree::json(&step, &output.sources, out),
                ExplainFormat::Text | ExplainFormat::Markdown => tree::text(&step, &output.sources, paint, out),
            });
            printed.map_err(cannot_write)?;
            Ok(if step.state == StepState::Breaks { Exit::Findings } else { Exit::Clean })
        }
        Err(near) => {
            if output.worst_level() == Some(Level::Error) {
                report::findings(output, color, io);
            }
            let near: String = near.iter().map(|name| format!("\n  {name}")).collect();
            let meant = if near.is_empty() { String::new() } else { format!("; did you mean{near}") };
            Err(Failure::message(format!("{of} not found{meant}")))
        }
    }
}
