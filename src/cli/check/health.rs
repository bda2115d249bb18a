//! `promgen status --health`.

use crate::cli::io::read_once;
use crate::cli::{Exit, Failure, Io, charts, json, load, pick, report, table};

use crate::cli::args::{StatusArgs, StatusSyntax};
use crate::cli::json::answers;
use crate::cli::write::status::write_values;
use crate::health::{Conclusion, conclude};
use promgen_compile::output::{Layout, Output, WorkloadId};
use promgen_model::Project;
use promgen_resources::observed_status::{ObservedObject, Statuses};
use promgen_text::source::Input;
use promgen_text::yaml::Value;

answers! {
    /// The verdicts of tools on statuses.
    Health {
        /// By workload.
        workloads: Vec<WorkloadHealth>,
    }

    /// The verdicts of tools on a workload.
    WorkloadHealth {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// Whether its status is the one in the input, or the expected one.
        status: StatusSource,
        /// The verdict of each tool.
        conclusions: Vec<ToolVerdict>,
        /// Its name.
        #[serde(skip)]
        id: WorkloadId,
    }

    /// The verdict of a tool.
    ToolVerdict {
        /// The tool.
        tool: &'static str,
        /// Its own word.
        verdict: &'static str,
        /// Whether it takes the workload for healthy.
        good: bool,
        /// Why.
        reason: String,
    }
}

answers! {
    /// The source of a status.
    #[derive(Clone, Copy)]
    enum StatusSource {
        /// From the input.
        Live,
        /// Computed.
        Expected,
    }
}

impl WorkloadHealth {
    fn is_good(&self) -> bool {
        self.conclusions.iter().all(|conclusion| conclusion.good)
    }
}

/// Compiles, prints the conclusion of each tool, then reports the findings.
pub(crate) fn run(args: &StatusArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once("status", &args.compile.paths, &[&args.profile.previous])?;
    let (manifests, templates) = load(&args.compile, &|_| false, io)?;
    let inputs = manifests.inputs;
    let options = args.compile.options(Layout::default(), templates);
    let options = args.profile.over(options, &args.compile.paths, io)?;
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let output = Project::read(&inputs, &options).model().into_output();
    let assessed = assess(args, &output, &inputs, &options.namespace);
    let (is_empty, is_good) = (
        assessed.is_empty(),
        assessed.iter().all(WorkloadHealth::is_good),
    );
    let printed = print(args, assessed, io);
    let exit = report::findings(&output, io);
    if is_empty {
        report::note(
            &format!("nothing to assess: {}", pick::no_workload(&output)),
            io,
        );
    }
    printed?;
    Ok(if is_good { exit } else { Exit::Findings })
}

/// Assesses the observed status in the input, unless --expected is given.
fn assess(
    args: &StatusArgs,
    output: &Output,
    inputs: &[Input],
    namespace: &str,
) -> Vec<WorkloadHealth> {
    let (statuses, _, _) = Statuses::read(inputs, namespace);
    let assess = |(id, status): (&WorkloadId, &Value)| {
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
        let verdict = |conclusion: Conclusion| ToolVerdict {
            tool: conclusion.tool.as_str(),
            verdict: conclusion.verdict,
            good: conclusion.is_good,
            reason: conclusion.reason,
        };
        Some(WorkloadHealth {
            workload: id.to_string(),
            status: match live {
                Some(_) => StatusSource::Live,
                None => StatusSource::Expected,
            },
            conclusions: conclusions.into_iter().map(verdict).collect(),
            id: id.clone(),
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
    workloads: Vec<WorkloadHealth>,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    match args.syntax() {
        StatusSyntax::Table => {
            let look = table::Look {
                tone,
                ..table::Look::plain(io.terminal)
            };
            io.print(|out| table::write(&rows(&workloads), look, out))
        }
        // What tools say is no object: there is one JSON of it.
        StatusSyntax::Json | StatusSyntax::List => {
            io.print(|out| json::write_answer("health", &Health { workloads }, out))
        }
        StatusSyntax::Yaml => {
            let values = workloads.iter().map(json::value).collect();
            io.print(|out| write_values(values, args.syntax(), out))
        }
    }
}

fn rows(workloads: &[WorkloadHealth]) -> table::Rows<6> {
    let head = [
        "NAMESPACE",
        "RESOURCE",
        "STATUS",
        "TOOL",
        "VERDICT",
        "REASON",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for WorkloadHealth {
        id,
        status,
        conclusions,
        ..
    } in workloads
    {
        let resource = format!("{}/{}", id.kind.kind(), id.name);
        let status = match status {
            StatusSource::Live => "live",
            StatusSource::Expected => "expected",
        };
        rows.extend(conclusions.iter().map(|of| {
            let cells = [&*id.namespace, &resource, status, of.tool, of.verdict];
            let [namespace, resource, status, tool, verdict] = cells.map(str::to_owned);
            [
                namespace,
                resource,
                status,
                tool,
                verdict,
                of.reason.clone(),
            ]
        }));
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
