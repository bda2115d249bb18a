//! `promgen config`.

use std::path::PathBuf;

use crate::cli::args::ConfigArgs;
use crate::cli::ask::jobless;
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::output::OutputTarget;
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::write::rules;
use crate::cli::{Exit, Failure, Io, charts, load, pick, report};
use promgen_compile::output::{Format, Layout, Output, OutputDocument, Workload, WorkloadKind};
use promgen_model::Project;

/// Compiles, prints one configuration, then reports the findings.
pub(crate) fn run(args: &ConfigArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.rules {
        return rules::run(args, io);
    }
    let output = args.output.as_deref();
    let (manifests, templates) = load(
        &args.compile,
        &is_earlier_output(output, &args.compile.paths),
        io,
    )?;
    SparedFiles::files(manifests.files.iter().flatten().map(PathBuf::as_path))
        .check_output(output, args.force.replaces())?;
    let inputs = manifests.inputs;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(AnswerForm::Single),
        io,
        &mut |model, io| of_environment(args, model.into_output(), io),
    )
}

/// Prints one configuration of an environment, then reports the findings.
fn of_environment(args: &ConfigArgs, mut output: Output, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.annotate {
        output.annotate();
    }
    let printed = print(args, &output, io);
    let exit = report::findings(&output, io);
    match printed? {
        None => Ok(exit),
        Some(reason) => pick::nothing(reason, &output, exit, io),
    }
}

/// Prints the configuration, or returns why it does not exist.
fn print(args: &ConfigArgs, output: &Output, io: &mut Io<'_>) -> Result<Option<String>, Failure> {
    let candidates = candidates(args, output);
    let workload = match (&args.workload, candidates.as_slice()) {
        (None, []) => return Ok(Some(pick::no_workload(output))),
        (None, [only]) => only,
        (None, [_, ..]) => {
            let text = format!(
                "several workloads found; select one with --workload{}",
                pick::list(&candidates)
            );
            return Err(Failure::message(text));
        }
        (Some(id), _) => match pick::find(id, &candidates, output) {
            Ok(workload) => workload,
            Err(reason) => return Ok(Some(reason)),
        },
    };
    let shard = args
        .shard
        .map(|index| pick::shard(workload, index))
        .transpose()?;
    let Some(config) = &workload.config else {
        let reason = workload
            .error
            .as_deref()
            .or_else(|| workload.idle())
            .unwrap_or("the operator writes none");
        jobless::note(workload, io);
        return Ok(Some(format!(
            "{} has no configuration: {reason}",
            workload.id
        )));
    };
    let document = OutputDocument::Config(config, shard);
    let destination = OutputTarget {
        path: args.output.as_deref(),
        reveals_secrets: args.compile.reveal_secrets,
        force: args.force,
    };
    destination.write(1, "configuration", io, |out| {
        document.write(Format::Yaml, out)
    })?;
    jobless::note(workload, io);
    Ok(None)
}

/// The candidate workloads: the given one; otherwise those that scrape; otherwise all.
fn candidates<'o>(args: &ConfigArgs, output: &'o Output) -> Vec<&'o Workload> {
    const BY_RANK: [&[WorkloadKind]; 3] = [
        &[WorkloadKind::Prometheus, WorkloadKind::PrometheusAgent],
        &[WorkloadKind::Alertmanager],
        &[WorkloadKind::ThanosRuler],
    ];
    if args.workload.is_some() {
        return output.each_workload().collect();
    }
    let of = |kinds: &[WorkloadKind]| -> Vec<&'o Workload> {
        output
            .each_workload()
            .filter(|w| kinds.contains(&w.id.kind))
            .collect()
    };
    BY_RANK
        .into_iter()
        .map(of)
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::Terminal;
    use crate::cli::args::{Cli, Command};
    use promgen_compile::output::sample;
    use std::sync::Arc;

    /// The text that `promgen config . ARGS` prints for that output, or why it cannot.
    fn config(output: &Output, args: &[&str]) -> Result<String, String> {
        let cli = Cli::try_parse_from(["promgen", "config", "."].iter().chain(args)).unwrap();
        let Command::Config(args) = cli.command else {
            unreachable!("the command is config")
        };
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut io = Io {
            stdin: &mut std::io::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal: Terminal::default(),
        };
        match print(&args, output, &mut io) {
            Ok(None) => Ok(String::from_utf8(stdout).unwrap()),
            Ok(Some(reason)) => Err(reason),
            Err(Failure::Messages(messages)) => Err(messages.concat()),
            Err(Failure::Usage(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_only_workload_needs_no_name() {
        let output = sample::operator();
        assert_eq!(
            config(&output, &[]).unwrap(),
            output.workloads[0].config.as_ref().unwrap().text()
        );
        assert_eq!(
            config(&output, &["--shard", "1"]).unwrap(),
            "shard: 1\n\nzone:\n- b $(POD_NAME)\n"
        );
        assert_eq!(
            config(&output, &["--shard", "2"]).unwrap_err(),
            "Prometheus/monitoring/k8s has no shard 2; existing shards: 0 to 1"
        );
    }

    #[test]
    fn of_several_workloads_one_is_named() {
        let workloads = vec![sample::workload("a", vec![]), sample::workload("b", vec![])];
        let output = Output {
            workloads,
            ..Output::default()
        };
        let list = "\n  Prometheus/monitoring/a\n  Prometheus/monitoring/b";
        let failed = |args: &[&str]| config(&output, args).unwrap_err();
        assert_eq!(
            failed(&[]),
            format!("several workloads found; select one with --workload{list}")
        );
        assert_eq!(
            failed(&["--workload", "Prometheus/x/a"]),
            format!("Prometheus/x/a not found; existing ones:{list}")
        );
        assert!(config(&output, &["--workload", "prometheus/monitoring/b"]).is_ok());
        assert_eq!(
            config(&Output::default(), &[]).unwrap_err(),
            "no Prometheus, PrometheusAgent, Alertmanager or ThanosRuler found"
        );
    }

    #[test]
    fn a_workload_without_a_configuration_says_why() {
        let mut output = sample::operator();
        Arc::make_mut(&mut output.workloads[0]).config = None;
        let failed = |output: &Output| config(output, &[]).unwrap_err();
        assert_eq!(
            failed(&output),
            "Prometheus/monitoring/k8s has no configuration: the operator writes none"
        );
        Arc::make_mut(&mut output.workloads[0]).error = Some("no such secret".into());
        assert_eq!(
            failed(&output),
            "Prometheus/monitoring/k8s has no configuration: no such secret"
        );
    }
}
