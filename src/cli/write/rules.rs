//! `promgen config --rules`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::cli::args::ConfigArgs;
use crate::cli::environments::{AnswerForm, EachEnvironment, each, only};
use crate::cli::output::cannot_write;
use crate::cli::spare::SparedFiles;
use crate::cli::write::outdated::Outdated;
use crate::cli::{Exit, Failure, Io, charts, fs, load, pick, report};
use promgen_compile::output::{
    Folder, Layout, Output, OutputFile, Part, RULES_FOLDER, Workload, WorkloadKind,
};
use promgen_model::{Model, Project};
use promgen_text::diag::escape;

/// The workloads that evaluate rules.
const EVALUATORS: [WorkloadKind; 2] = [WorkloadKind::Prometheus, WorkloadKind::ThanosRuler];

/// Compiles, writes the rule files, then reports the findings.
pub(crate) fn run(args: &ConfigArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if let Some(root) = args.output.as_deref() {
        fs::check_apart(root, &args.compile.paths).map_err(|error| cannot_write(root, &error))?;
    }
    let (manifests, templates) = load(&args.compile, &|_| false, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let project = Project::read(&manifests.inputs, &options);
    if args.output.is_some() {
        only(&project, &args.environments, "the rules", io)?;
    }
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(AnswerForm::Commented),
        io,
        &mut |model, io| of_environment(args, model, &manifests, io),
    )
}

/// Writes the rule files of an environment, then reports the findings.
fn of_environment(
    args: &ConfigArgs,
    model: Model,
    manifests: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (mut output, is_default) = match args.workload {
        Some(_) => (model.into_output(), false),
        None => model.into_output_with_default(&EVALUATORS),
    };
    let spared = SparedFiles::of(&output, &manifests.files);
    if args.annotate {
        output.annotate();
    }
    let chosen = choose(args, &output);
    let written = match &chosen {
        Ok(workloads) => write(args, workloads, &spared, io),
        Err(_) => Ok(()),
    };
    let exit = report::findings(&output, io);
    written?;
    match chosen {
        Ok(workloads) => {
            if workloads
                .iter()
                .all(|workload| workload.rule_files.is_empty())
            {
                let what = if exit == Exit::Findings {
                    "a valid PrometheusRule"
                } else {
                    "any"
                };
                report::note(&format!("no rules: no workload selects {what}"), io);
            } else if is_default {
                report::note(
                    "no Prometheus or ThanosRuler found: the rules are those that one with default settings has",
                    io,
                );
            }
            Ok(exit)
        }
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}

/// The workload given by the user, or all workloads.
fn choose<'o>(args: &ConfigArgs, output: &'o Output) -> Result<Vec<&'o Workload>, String> {
    let all: Vec<_> = output.each_workload().collect();
    match &args.workload {
        Some(id) => pick::find(id, &all, output).map(|workload| vec![workload]),
        None => Ok(all),
    }
}

fn write(
    args: &ConfigArgs,
    workloads: &[&Workload],
    spared: &SparedFiles,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let files: Vec<OutputFile<'_>> = workloads
        .iter()
        .flat_map(|workload| Output::rule_files(workload))
        .collect();
    match args.output.as_deref() {
        None => io.print(|out| print(&files, out)),
        Some(root) => {
            let folders: Vec<_> = workloads
                .iter()
                .map(|workload| Folder::of(&workload.id))
                .collect();
            let outdated = Outdated::new(BTreeSet::from([Part::Raw]), workloads.iter().copied());
            // What other runs wrote for other workloads stays.
            let is_rules = |path: &str| {
                folders
                    .iter()
                    .any(|folder| path.starts_with(&format!("{}/{RULES_FOLDER}/", folder.path)))
            };
            let is_outdated = |path: &str| is_rules(path) && outdated.contains(path);
            let targets: Vec<PathBuf> = files.iter().map(|file| root.join(&file.path)).collect();
            spared.check(targets.iter().map(PathBuf::as_path))?;
            let tree = fs::FileTree {
                root,
                files: &files,
                folders: &folders,
                gone: &[],
                is_outdated: &is_outdated,
            };
            // Rules never contain Secrets.
            let changes = fs::write_tree(&tree, fs::Access::Usual, args.force.replaces())
                .map_err(|error| cannot_write(root, &error))?;
            outdated.note_paused(root, io);
            report::written_tree(changes, files.len(), "file", root, io);
            Ok(())
        }
    }
}

/// A stream of documents, each below a comment with its path in a tree.
fn print(files: &[OutputFile<'_>], out: &mut dyn Write) -> io::Result<()> {
    for (index, file) in files.iter().enumerate() {
        if index > 0 {
            writeln!(out, "---")?;
        }
        writeln!(out, "# {}", escape::line(&file.path))?;
        file.write(out)?;
    }
    Ok(())
}
