//! Merges the configuration file and the arguments. Arguments override the file, key by key.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use crate::cli::args::LintArgs;
use crate::cli::configured::{GivenConfig, ReadConfig, absolute_below, inside, read_config};
use crate::cli::fs::{Boundary, Workspace};
use crate::cli::{Failure, fs};
use promgen_checks::config::{ConfigFile, RuleSelection};
use promgen_checks::rules;
use promgen_compile::options::Options;
use promgen_text::diag::pattern::RulePattern;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::source::Sources;

/// The statement of the arguments on the configuration file.
pub(super) fn given(args: &LintArgs) -> GivenConfig<'_> {
    args.settings.given(args.compile.start())
}

/// Refuses patterns that match no rule: a policy that no file has.
fn known(option: &str, patterns: &[RulePattern]) -> Result<(), Failure> {
    let rules = rules::all();
    patterns.iter().try_for_each(|pattern| {
        let refused = |why| {
            let text = format!("invalid value '{pattern}' for '{option} <RULES>': {why}");
            Failure::usage("lint", ErrorKind::ValueValidation, &text)
        };
        RulePattern::parse(&pattern.to_string(), &rules)
            .map(drop)
            .map_err(refused)
    })
}

/// The merged settings.
pub(super) struct Settings {
    /// The paths to check.
    pub(super) paths: Vec<PathBuf>,
    /// One of them is a folder.
    pub(super) reads_folder: bool,
    /// The lowest level that fails the run. `None`: never.
    pub(super) fail_on: Option<Level>,
    /// The baseline, and what it must not lead out of.
    pub(super) baseline: Option<(PathBuf, Boundary)>,
    selection: RuleSelection,
    /// The absolute folder of the configuration file.
    folder: PathBuf,
    config: ConfigFile,
    disk: fs::Disk,
}

impl Settings {
    /// Reads the configuration file, if it exists, and merges the arguments.
    ///
    /// # Errors
    /// The file cannot be read, or is invalid.
    pub(super) fn new(args: &LintArgs) -> Result<Self, Failure> {
        let workspace = Workspace::of(&args.compile.paths);
        let limits = args.compile.limits.limits();
        let ReadConfig {
            config,
            folder,
            boundary,
        } = read_config(&given(args), &limits, &workspace)?;
        known("--select", &args.select)?;
        known("--ignore", &args.ignore)?;
        let given = |path: &String| fs::relative(&folder.join(path));
        let paths = match (args.compile.paths.as_slice(), config.paths.as_slice()) {
            ([], []) => vec![PathBuf::from(".")],
            ([], paths) => paths
                .iter()
                .map(|path| inside(given(path), &boundary))
                .collect::<Result<_, _>>()?,
            (paths, _) => paths.to_vec(),
        };
        let fail_on = args
            .fail_on
            .map(crate::cli::args::FailOnArg::level)
            .or(config.fail_on);
        let typed = args
            .baseline
            .clone()
            .map(|path| (path.clone(), workspace.typed(&path)));
        let in_folder = config
            .baseline
            .as_ref()
            .filter(|_| args.write_baseline.is_none());
        Ok(Self {
            reads_folder: paths.iter().any(|path| fs::is_folder(path)),
            paths,
            fail_on: fail_on.unwrap_or(Some(Level::Error)),
            baseline: typed.or_else(|| in_folder.map(|path| (given(path), boundary))),
            selection: RuleSelection::new(&config, &args.select, &args.ignore),
            folder,
            config,
            disk: fs::Disk::default(),
        })
    }

    /// The library's options from the file, without the arguments.
    pub(super) fn options(&self) -> Options {
        self.config.options()
    }

    /// Returns whether a file is excluded.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        !self.config.exclude.is_empty() && self.selection.excludes(&self.below(path))
    }

    /// Keeps the selected findings, with their configured levels.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>, sources: &Sources) {
        self.selection
            .apply(diagnostics, sources, |name| self.below(Path::new(name)));
    }

    /// The absolute path without links; unchanged if the file does not exist.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.disk.real(path).unwrap_or_else(|| path.to_owned())
    }

    fn below(&self, path: &Path) -> String {
        absolute_below(&self.absolute(path), &self.folder)
    }
}
