//! `promgen render`.

mod folder;
mod rerun;

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::RenderArgs;
use crate::cli::ask::jobless;
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::io::read_once;
use crate::cli::output::cannot_write;
use crate::cli::spare::SparedFiles;
use crate::cli::times::timed;
use crate::cli::write::render::rerun::RenderRerun;
use crate::cli::{Exit, Failure, Io, charts, fs, load_again, pick, report, watch};
use promgen_answers::rbac;
use promgen_compile::options::Options;
use promgen_compile::output::{Emission, Format, Output, Part, REDACTED_SECRETS};
use promgen_model::{Model, Project};
use promgen_repository::model::Environment;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::count::counted;

/// Compiles, writes the output, then reports the findings.
pub(crate) fn run(args: &RenderArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let emission = args.emission();
    check(args, &emission)?;
    if args.rerun.watch {
        return watch::run(&mut RenderRerun::new(args, emission), args.rerun, io);
    }
    let (manifests, options) = read(args, &emission, &fs::ReadManifests::default(), io)?;
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let project = Project::read(&manifests.inputs, &options);
    let asked = environments::asked(&project, &args.environments, &environments::has_workload)?;
    let rendered = Rendering {
        args,
        emission: &emission,
        files: &manifests.files,
    };
    let none = Environment::default();
    if let [] | [_] = asked.as_slice() {
        let environment = asked.first().map_or(&none, |(_, environment)| *environment);
        return rendered.one(&project, environment, args.output.as_deref(), io);
    }
    rendered.several(&project, &asked, io)
}

/// What is rendered, and where to.
struct Rendering<'r> {
    args: &'r RenderArgs,
    emission: &'r Emission,
    files: &'r [Option<PathBuf>],
}

impl Rendering<'_> {
    /// Renders an environment.
    fn one(
        &self,
        project: &Arc<Project>,
        environment: &Environment,
        path: Option<&Path>,
        io: &mut Io<'_>,
    ) -> Result<Exit, Failure> {
        let compile = |_: &mut Io<'_>| compiled(project, environment, self.emission);
        let mut output = timed("compiling", io, compile);
        let spared = SparedFiles::of(&output, self.files);
        output.diagnostics.extend(redaction(&output, self.emission));
        let access = fs::Access::of(project.options().reveal_secrets);
        let replaces = self.args.force.replaces();
        let written = timed("writing", io, |io| {
            write(&output, self.emission, path, &spared, access, replaces, io)
        });
        let exit = conclude(&output, self.emission, io);
        // The process ends: the system takes back the memory at once, while each object would be freed on its own.
        mem::forget(output);
        written.map(|_| exit)
    }

    /// Renders several environments: each to a folder of its own, or all as one stream if they share no object.
    fn several(
        &self,
        project: &Arc<Project>,
        asked: &[(String, &Environment)],
        io: &mut Io<'_>,
    ) -> Result<Exit, Failure> {
        let path = self
            .args
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        if let Some(root) = path.filter(|path| fs::is_folder(path)) {
            let folders: Vec<PathBuf> = asked
                .iter()
                .map(|(name, _)| folder_of(root, name))
                .collect();
            folders
                .iter()
                .try_for_each(|folder| check_folder(folder, self.args))?;
            let mut worst = Exit::Clean;
            for (folder, (_, environment)) in folders.iter().zip(asked) {
                let exit = self.one(project, environment, Some(folder), io)?;
                worst = if exit.code() > worst.code() {
                    exit
                } else {
                    worst
                };
            }
            return Ok(worst);
        }
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for (name, environment) in asked {
            let output = project.compile(environment).into_output();
            for workload in output.each_workload() {
                if owners.insert(workload.id.to_string(), name).is_some() {
                    let names = asked.iter().map(|(name, _)| name.as_str());
                    return Err(environments::cannot_share(
                        &workload.id.to_string(),
                        names,
                        io,
                    ));
                }
            }
        }
        if path.is_some() {
            let names = asked.iter().map(|(name, _)| name.as_str());
            return Err(environments::cannot_share("what one file holds", names, io));
        }
        let question = EachEnvironment {
            is_about_targets: false,
            form: match self.emission.format {
                Format::Yaml => AnswerForm::Commented,
                Format::Json => AnswerForm::List,
                Format::Answer(head) => AnswerForm::Json(head.command),
            },
            is_asked: &environments::has_workload,
        };
        environments::each(
            project,
            &self.args.environments,
            &question,
            io,
            &mut |model, io| {
                let mut output = of_model(model, self.emission);
                output.diagnostics.extend(redaction(&output, self.emission));
                io.print(|out| output.write_stream(self.emission, out))?;
                Ok(conclude(&output, self.emission, io))
            },
        )
    }
}

/// The folder of an environment: below the root, wherever the environment is.
fn folder_of(root: &Path, environment: &str) -> PathBuf {
    let parts = Path::new(environment)
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    root.join(parts.collect::<PathBuf>()).join("")
}

fn check_folder(folder: &Path, args: &RenderArgs) -> Result<(), Failure> {
    fs::check_folder(folder, args.force.replaces()).map_err(|error| cannot_write(folder, &error))
}

/// The output of a model, with the parts that depend on all of it.
fn of_model(model: Model, emission: &Emission) -> Output {
    if emission.parts.contains(&Part::Rbac) {
        rbac::into_output(model)
    } else {
        model.into_output()
    }
}

/// The output of an environment.
pub(super) fn compiled(
    project: &Arc<Project>,
    environment: &Environment,
    emission: &Emission,
) -> Output {
    of_model(project.compile(environment), emission)
}

/// The manifests, and the options of the run.
fn read(
    args: &RenderArgs,
    emission: &Emission,
    earlier: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<(fs::ReadManifests, Options), Failure> {
    let (manifests, templates) = load_again(earlier, &args.compile, &|_| false, io)?;
    let options = Options {
        heeds_marks: !args.no_allow,
        ..args.compile.options(emission.layout, templates)
    };
    Ok((
        manifests,
        args.profile.over(options, &args.compile.paths, io)?,
    ))
}

/// Raw files and reports are not objects, so a stream cannot contain them.
fn check(args: &RenderArgs, emission: &Emission) -> Result<(), Failure> {
    read_once("render", &args.compile.paths, &[&args.profile.previous])?;
    args.rerun.check(
        "render",
        args.compile.paths.iter().chain(&args.profile.previous),
    )?;
    let only_files = emission.parts.iter().any(|part| !part.is_objects());
    if only_files && !args.output.as_deref().is_some_and(fs::is_folder) {
        let text = "`--emit raw` and `--emit selection` write files: set a folder with `-o DIR/`";
        return Err(Failure::usage("render", ErrorKind::ArgumentConflict, text));
    }
    if args.rerun.watch
        && args
            .output
            .as_deref()
            .is_none_or(|path| path == Path::new("-"))
    {
        let text = "--watch requires a file or a folder: set it with `-o FILE` or `-o DIR/`";
        return Err(Failure::usage(
            "render",
            ErrorKind::MissingRequiredArgument,
            text,
        ));
    }
    match args.output.as_deref() {
        Some(root) if fs::is_folder(root) => {
            fs::check_apart(root, &args.compile.paths).map_err(|error| cannot_write(root, &error))
        }
        _ => Ok(()),
    }
}

/// Reports the findings, and what the output lacks.
fn conclude(output: &Output, emission: &Emission, io: &mut Io<'_>) -> Exit {
    let exit = report::findings(output, io);
    let is_empty = output.workloads.is_empty() && output.resources.is_empty();
    if is_empty {
        report::note(
            &format!("nothing to render: {}", pick::no_workload(output)),
            io,
        );
    }
    if emission.parts.contains(&Part::Config) {
        output.workloads.iter().for_each(|workload| {
            jobless::note(workload, io);
        });
    }
    exit
}

/// Writes the output. Returns the paths of all its files.
fn write(
    output: &Output,
    emission: &Emission,
    path: Option<&Path>,
    spared: &SparedFiles,
    access: fs::Access,
    replaces: fs::Replaces,
    io: &mut Io<'_>,
) -> Result<Vec<PathBuf>, Failure> {
    match path.filter(|path| *path != Path::new("-")) {
        None => {
            io.print(|out| output.write_stream(emission, out))?;
            Ok(Vec::new())
        }
        Some(path) if fs::is_folder(path) => {
            let folder = folder::FolderPlan::plan(path, output, emission, spared, replaces)?;
            let changes = folder
                .write(access, replaces, io)
                .map_err(|error| cannot_write(path, &error))?;
            let (n, what) = match folder.n_objects() {
                0 => (folder.n_files(), "file"),
                n => (n, "object"),
            };
            report::written_tree(changes, n, what, path, io);
            Ok(folder.targets().collect())
        }
        Some(path) => {
            spared.check([path])?;
            let fill = |out: &mut dyn io::Write| output.write_stream(emission, out);
            let is_written = fs::update_file(path, access, replaces, fill);
            match is_written.map_err(|error| cannot_write(path, &error))? {
                true => report::written(output.n_documents(emission), "object", path, io),
                false => report::unchanged(path, io),
            }
            Ok(vec![path.to_owned()])
        }
    }
}

/// The warning that the output cannot be deployed. A status contains no secrets.
pub(crate) fn redaction(output: &Output, emission: &Emission) -> Option<Diagnostic> {
    let shows = emission.parts.contains(&Part::Config) || emission.parts.contains(&Part::Workloads);
    redacted(output.redacted).filter(|_| shows)
}

/// The same, of an output that omits so many values.
pub(crate) fn redacted(n: usize) -> Option<Diagnostic> {
    let values = counted(n, "value");
    (n > 0).then(|| {
        Diagnostic::placeless(
            &REDACTED_SECRETS,
            format!("{values} of Secrets omitted: this output cannot be deployed"),
        )
        .help("use --reveal-secrets to print the values")
    })
}
