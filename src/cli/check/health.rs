//! `promgen status --health`.

use crate::cli::args::{Color, StatusArgs, StatusSyntax};
use crate::cli::write::status::{cannot_write, read_once, table, with_format, write_values};
use crate::cli::{Exit, Failure, Io, charts, json, load, pick, report};
use crate::health::{Conclusion, conclude};
use promgen_compile::output::{Layout, Output, WorkloadId};
use promgen_driver::Project;
use promgen_resources::observed_status::{ObservedObject, Statuses};
use promgen_text::source::Input;
use promgen_text::yaml::{Map, Value};

/// The conclusions of the tools about a workload.
struct Assessed<'o> {
    id: &'o WorkloadId,
    /// Its status is from the input.
    is_live: bool,
    conclusions: [Conclusion; 3],
}

/// Compiles, prints the conclusion of each tool, then reports the findings.
pub(in crate::cli) fn run(
    args: &StatusArgs,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    read_once("status", &args.compile.paths, &[&args.profile.previous])?;
    let (inputs, templates) = load(&args.compile, io)?;
    let options = with_format(
        &args.profile,
        (
            &args.compile,
            args.compile.options(Layout::default(), templates),
        ),
        color,
        io,
    )?;
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let output = Project::read(&inputs, &options).model().into_output();
    let assessed = assess(args, &output, &inputs, &options.namespace);
    let printed = print(args, &assessed, color, io);
    let exit = report::findings(&output, color, io);
    if assessed.is_empty() {
        report::note(
            &format!("nothing to assess: {}", pick::no_workload(&output)),
            io,
        );
    }
    printed?;
    let is_good = assessed
        .iter()
        .flat_map(|assessed| &assessed.conclusions)
        .all(|conclusion| conclusion.is_good);
    Ok(if is_good { exit } else { Exit::Findings })
}

/// Assesses the observed status in the input, unless --expected is given.
fn assess<'o>(
    args: &StatusArgs,
    output: &'o Output,
    inputs: &[Input],
    namespace: &str,
) -> Vec<Assessed<'o>> {
    let (statuses, _, _) = Statuses::read(inputs, namespace);
    let assess = |(id, status): (&'o WorkloadId, &Value)| {
        let kind = id.kind.resource()?;
        let found = statuses.get(kind, &id.namespace, &id.name);
        let live = found.filter(|live| !args.expected && !live.status.is_empty());
        let expected = || ObservedObject {
            generation: None,
            is_deleting: found.is_some_and(|live| live.is_deleting),
            status: status.as_map().cloned().unwrap_or_default(),
        };
        let conclusions =
            live.map_or_else(|| conclude(kind, &expected()), |live| conclude(kind, live));
        Some(Assessed {
            id,
            is_live: live.is_some(),
            conclusions,
        })
    };
    output
        .workloads
        .iter()
        .map(|workload| (&workload.id, &workload.status))
        .filter_map(assess)
        .collect()
}

fn print(
    args: &StatusArgs,
    assessed: &[Assessed<'_>],
    color: Color,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let printed = if args.syntax() == StatusSyntax::Table {
        let look = table::Look {
            tone,
            ..table::Look::plain(color, io.terminal)
        };
        io.print(|out| table::write(&rows(assessed), look, out))
    } else if matches!(args.syntax(), StatusSyntax::Json | StatusSyntax::List) {
        // What tools say is no object: there is one JSON of it.
        io.print(|out| {
            json::write_list(
                "health",
                "workloads",
                assessed.iter().map(value).collect(),
                out,
            )
        })
    } else {
        io.print(|out| write_values(assessed.iter().map(value).collect(), args.syntax(), out))
    };
    printed.map_err(|error| cannot_write(&error))
}

const fn source(assessed: &Assessed<'_>) -> &'static str {
    if assessed.is_live { "live" } else { "expected" }
}

fn rows(assessed: &[Assessed<'_>]) -> table::Rows<6> {
    let mut rows = vec![
        [
            "NAMESPACE",
            "RESOURCE",
            "STATUS",
            "TOOL",
            "VERDICT",
            "REASON",
        ]
        .map(str::to_owned),
    ];
    for one in assessed {
        let resource = format!("{}/{}", one.id.kind.kind(), one.id.name);
        for Conclusion {
            tool,
            verdict,
            reason,
            ..
        } in &one.conclusions
        {
            let cells = [
                &one.id.namespace,
                &resource,
                source(one),
                tool.as_str(),
                verdict,
                reason,
            ];
            rows.push(cells.map(str::to_owned));
        }
    }
    rows
}

/// Returns whether a tool takes the status for healthy, for the verdicts that say so.
fn tone(row: &[String]) -> table::Tone {
    match row.get(4).map(String::as_str) {
        Some("Healthy" | "Current" | "met" | "none") => table::Tone::Good,
        Some("Degraded" | "Failed") => table::Tone::Bad,
        _ => table::Tone::Plain,
    }
}

fn value(assessed: &Assessed<'_>) -> Value {
    let conclusion = |c: &Conclusion| {
        Map::new()
            .with("tool", c.tool.as_str())
            .with("verdict", c.verdict)
            .with("good", c.is_good)
            .with("reason", c.reason.clone())
    };
    Map::new()
        .with("workload", assessed.id.to_string())
        .with("status", source(assessed))
        .with(
            "conclusions",
            assessed
                .conclusions
                .iter()
                .map(conclusion)
                .collect::<Vec<_>>(),
        )
        .into()
}
