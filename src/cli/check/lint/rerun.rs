//! `lint --watch`.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::args::LintArgs;
use crate::cli::check::lint::settings::{Settings, given};
use crate::cli::check::lint::{SelectedFindings, asked, finish, load, project, read_baseline};
use crate::cli::configured::config_files;
use crate::cli::spare::SparedFiles;
use crate::cli::times::timed;
use crate::cli::watch::{Rerun, changed};
use crate::cli::{Exit, Failure, Io, charts, fs};
use promgen_checks::baseline::Baseline;
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::source::Input;

/// `lint`, again and again.
pub(super) struct LintRerun<'a> {
    args: &'a LintArgs,
    read: Option<ReadLint>,
    project: Option<Arc<Project>>,
}

/// The input of a run.
struct ReadLint {
    settings: Settings,
    baseline: Option<Baseline>,
    manifests: fs::ReadManifests,
    options: Options,
    /// The configuration file and the baseline.
    beside: Vec<Input>,
}

impl<'a> LintRerun<'a> {
    pub(super) const fn new(args: &'a LintArgs) -> Self {
        Self {
            args,
            read: None,
            project: None,
        }
    }

    /// The files beside the manifests, which need not exist.
    fn beside(&self, settings: Option<&Settings>) -> Vec<PathBuf> {
        let mut files = config_files(&given(self.args));
        files.extend(self.args.baseline.clone());
        files.extend(
            settings
                .and_then(|settings| settings.baseline.as_ref())
                .map(|(path, _)| path.clone()),
        );
        let policies = settings.into_iter().flat_map(Settings::policy_files);
        files.extend(policies);
        files
    }
}

impl Rerun for LintRerun<'_> {
    fn read(&mut self, io: &mut Io<'_>) -> Result<Vec<String>, Failure> {
        let settings = Settings::new(self.args)?;
        let baseline = settings.baseline.as_ref().map(read_baseline).transpose()?;
        let none = fs::ReadManifests::default();
        let earlier = self.read.as_ref().map_or(&none, |read| &read.manifests);
        let (manifests, options) = load(self.args, &[], &settings, earlier, io)?;
        let beside = fs::read_beside(
            &self.beside(Some(&settings)),
            &fs::Workspace::of(&settings.paths),
        );
        let now = ReadLint {
            settings,
            baseline,
            manifests,
            options,
            beside,
        };
        let before = self.read.as_ref().map_or([&[][..]; 3], ReadLint::texts);
        let pairs = before.into_iter().zip(now.texts());
        let names = pairs
            .flat_map(|(before, now)| changed(before, now, |_| false))
            .collect();
        self.read = Some(now);
        Ok(names)
    }

    fn run(&mut self, io: &mut Io<'_>) -> Result<Exit, Failure> {
        let Some(read) = &self.read else {
            return Ok(Exit::Clean);
        };
        let ReadLint {
            settings,
            baseline,
            manifests,
            options,
            ..
        } = read;
        let inputs = &manifests.inputs;
        if let Some(report) = &self.args.report {
            SparedFiles::files(manifests.files.iter().flatten().map(PathBuf::as_path))
                .check_output(Some(report), self.args.force.replaces())?;
        }
        let options = charts::of(
            options.clone(),
            inputs,
            &asked(self.args, &settings.paths),
            io,
        )?;
        let known = baseline.as_ref();
        let (project, found) = timed("compiling and checking", io, |_| {
            let project = project(self.project.as_deref(), inputs, &options);
            SelectedFindings::of(&project, self.args, settings, known, None)
                .map(|found| (project, found))
        })?;
        self.project = Some(project);
        finish(self.args, &found, known, settings, io)
    }

    fn paths(&self) -> &[PathBuf] {
        &self.args.compile.paths
    }

    fn places(&self) -> fs::WatchedPlaces {
        let read = self.read.as_ref();
        let paths = read.map_or(&self.args.compile.paths, |read| &read.settings.paths);
        let compile = &self.args.compile;
        let mut places =
            fs::WatchedPlaces::of_run(read.map(|read| &read.manifests), paths, compile.no_ignore);
        places.add_files(self.beside(read.map(|read| &read.settings)));
        places.add_templates(compile.templates.as_deref());
        places
    }
}

impl ReadLint {
    fn texts(&self) -> [&[Input]; 3] {
        [
            &self.manifests.inputs,
            &self.options.templates,
            &self.beside,
        ]
    }
}
