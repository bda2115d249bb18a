//! Merges the configuration file and the arguments. Arguments override the file, key by key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::args::LintArgs;
use crate::cli::configured::{GivenConfig, ReadConfig, absolute_below, inside, read_config};
use crate::cli::fs::{Boundary, Workspace};
use crate::cli::{Failure, fs};
use promgen_checks::config::{ConfigFile, RuleSelection};
use promgen_compile::options::Options;
use promgen_compile::output::PolicyCount;
use promgen_text::diag::{Diagnostic, Level, POLICY};
use promgen_text::source::{Input, Sources};

/// The statement of the arguments on the configuration file.
pub(super) fn given(args: &LintArgs) -> GivenConfig<'_> {
    args.settings.given(args.compile.start())
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
    policies: Vec<Input>,
    /// A revision is trusted, and not what is checked.
    is_trusting: bool,
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
            policies,
            folder,
            boundary,
        } = read_config(&given(args), &limits, &workspace)?;
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
            policies,
            is_trusting: args.settings.trust.is_some(),
            disk: fs::Disk::default(),
        })
    }

    /// The library's options from the file, without the arguments.
    pub(super) fn options(&self) -> Options {
        Options {
            policies: self.policies.clone(),
            trusts_given_policies: self.is_trusting,
            ..self.config.options()
        }
    }

    /// The files of policies that the settings name.
    pub(super) fn policy_files(&self) -> impl Iterator<Item = PathBuf> {
        self.policies.iter().map(|file| PathBuf::from(&file.name))
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

    /// The policies that are named for their findings, and that there are none of.
    pub(super) fn unknown_policies(&self, known: &BTreeMap<String, PolicyCount>) -> Vec<String> {
        let is_known = |code: &str| {
            let name = code.strip_prefix(POLICY).unwrap_or(code);
            known.contains_key(name)
        };
        self.selection.unknown_policies(&is_known)
    }

    /// Returns whether a policy is selected by its code.
    pub(super) fn selects(&self, code: &str) -> bool {
        self.selection.names(code)
    }

    /// The absolute path without links; unchanged if the file does not exist.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.disk.real(path).unwrap_or_else(|| path.to_owned())
    }

    fn below(&self, path: &Path) -> String {
        absolute_below(&self.absolute(path), &self.folder)
    }
}
