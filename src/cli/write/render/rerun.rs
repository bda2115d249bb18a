//! `render --watch`: the output follows the manifests, and stays as it is while they are broken.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::RenderArgs;
use crate::cli::spare::SparedFiles;
use crate::cli::times::timed;
use crate::cli::watch::{Rerun, changed};
use crate::cli::write::render::{conclude, of_model, read, redaction, write};
use crate::cli::{Exit, Failure, Io, charts, fs, report};
use promgen_compile::options::Options;
use promgen_compile::output::generated::is_marked_file;
use promgen_compile::output::{Emission, Output};
use promgen_model::Project;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, RuleRef};
use promgen_text::source::Input;

/// `render`, again and again.
pub(super) struct RenderRerun<'a> {
    args: &'a RenderArgs,
    emission: Emission,
    read: Option<ReadRender>,
    project: Option<Arc<Project>>,
    /// The errors of what was written last. `None` before the first time.
    accepted: Option<Vec<ErrorName>>,
    /// The files that were written, without links.
    written: BTreeSet<PathBuf>,
}

/// The input of a run.
struct ReadRender {
    manifests: fs::ReadManifests,
    options: Options,
    beside: Vec<Input>,
}

/// The code, the message and the resource of an error: the same one, wherever it stands.
type ErrorName = (RuleRef, String, String);

impl<'a> RenderRerun<'a> {
    pub(super) const fn new(args: &'a RenderArgs, emission: Emission) -> Self {
        let written = BTreeSet::new();
        Self {
            args,
            emission,
            read: None,
            project: None,
            accepted: None,
            written,
        }
    }

    /// Returns whether an input is output of this command or of an earlier one: it does not become part of the output.
    fn is_ours(&self, input: &Input) -> bool {
        self.written.contains(&fs::plain(Path::new(&input.name)))
            || input.bytes.as_text().is_some_and(is_marked_file)
    }

    /// The number of errors that are new since the output was written. Such an output would lack what the errors are
    /// about.
    fn n_new_errors(&self, output: &Output) -> usize {
        let Some(accepted) = &self.accepted else {
            return 0;
        };
        let mut accepted = accepted.clone();
        let is_new = |error: &ErrorName| match accepted.iter().position(|known| known == error) {
            Some(at) => {
                accepted.swap_remove(at);
                false
            }
            None => true,
        };
        errors(output).map(error_name).filter(is_new).count()
    }

    fn write(
        &mut self,
        output: &Output,
        spared: &SparedFiles,
        reveals: bool,
        io: &mut Io<'_>,
    ) -> Result<(), Failure> {
        let (path, access) = (self.args.output.as_deref(), fs::Access::of(reveals));
        let replaces = self.args.force.replaces();
        let written = timed("writing", io, |io| {
            write(output, &self.emission, path, spared, access, replaces, io)
        })?;
        self.written
            .extend(written.iter().map(|path| fs::plain(path)));
        self.accepted = Some(errors(output).map(error_name).collect());
        Ok(())
    }
}

fn errors(output: &Output) -> impl Iterator<Item = &Diagnostic> {
    output
        .diagnostics
        .iter()
        .filter(|found| found.level == Level::Error)
}

fn error_name(found: &Diagnostic) -> ErrorName {
    let resource = found
        .resource
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    (found.rule.clone(), found.message.clone(), resource)
}

impl Rerun for RenderRerun<'_> {
    fn read(&mut self, io: &mut Io<'_>) -> Result<Vec<String>, Failure> {
        let none = fs::ReadManifests::default();
        let earlier = self.read.as_ref().map_or(&none, |read| &read.manifests);
        let (manifests, options) = read(self.args, &self.emission, earlier, io)?;
        let workspace = fs::Workspace::of(&self.args.compile.paths);
        let previous: Vec<PathBuf> = self.args.profile.previous.iter().cloned().collect();
        let now = ReadRender {
            manifests,
            options,
            beside: fs::read_beside(&previous, &workspace),
        };
        let before = self.read.as_ref().map_or([&[][..]; 3], ReadRender::texts);
        let pairs = before.into_iter().zip(now.texts());
        let names = pairs
            .flat_map(|(before, now)| changed(before, now, |input| self.is_ours(input)))
            .collect();
        self.read = Some(now);
        Ok(names)
    }

    fn run(&mut self, io: &mut Io<'_>) -> Result<Exit, Failure> {
        let Some(ReadRender {
            manifests, options, ..
        }) = &self.read
        else {
            return Ok(Exit::Clean);
        };
        let options = charts::rendered(options.clone(), &manifests.inputs, &self.args.compile, io)?;
        let (project, mut output) = timed("compiling", io, |_| {
            let project = match &self.project {
                Some(project) => project.with(&manifests.inputs, &options),
                None => Project::read(&manifests.inputs, &options),
            };
            let output = of_model(project.model(), &self.emission);
            (project, output)
        });
        self.project = Some(project);
        output
            .diagnostics
            .extend(redaction(&output, &self.emission));
        let n_new = self.n_new_errors(&output);
        let spared = SparedFiles::of(&output, &manifests.files);
        let written = match n_new {
            0 => self.write(&output, &spared, options.reveal_secrets, io),
            _ => Ok(()),
        };
        let exit = conclude(&output, &self.emission, io);
        if n_new > 0 {
            let path = self.args.output.as_deref().unwrap_or(Path::new("-"));
            let errors = counted(n_new, "new error");
            report::note(
                &format!("`{}` stays as it is because of {errors}", path.display()),
                io,
            );
        }
        written.map(|()| exit)
    }

    fn paths(&self) -> &[PathBuf] {
        &self.args.compile.paths
    }

    fn places(&self) -> fs::WatchedPlaces {
        let compile = &self.args.compile;
        let read = self.read.as_ref().map(|read| &read.manifests);
        let mut places = fs::WatchedPlaces::of_run(read, &compile.paths, compile.no_ignore);
        places.add_files(&self.args.profile.previous);
        places.add_templates(compile.templates.as_deref());
        places
    }
}

impl ReadRender {
    fn texts(&self) -> [&[Input]; 3] {
        [
            &self.manifests.inputs,
            &self.options.templates,
            &self.beside,
        ]
    }
}
