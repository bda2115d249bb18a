//! Merges the configuration file and the arguments. Arguments override the file, key by key.

use std::path::{Path, PathBuf};

use crate::cli::args::LintArgs;
use crate::cli::fs::{Boundary, Workspace};
use crate::cli::{Failure, fs, report};
use promgen_compile::options::Options;
use promgen_driver::config::{ConfigFile, FILE_NAME, Selection};
use promgen_driver::rules;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::Level;
use promgen_text::source::Sources;

/// The merged settings.
pub(super) struct Settings {
    /// The paths to check.
    pub(super) paths: Vec<PathBuf>,
    /// Whether one of them is a folder.
    pub(super) reads_folder: bool,
    /// The lowest level that fails the run. `None`: never.
    pub(super) fail_on: Option<Level>,
    /// The baseline, and what it must not lead out of.
    pub(super) baseline: Option<(PathBuf, Boundary)>,
    selection: Selection,
    /// The absolute folder of the configuration file.
    folder: PathBuf,
    config: ConfigFile,
}

impl Settings {
    /// Reads the configuration file, if it exists, and merges the arguments.
    ///
    /// # Errors
    /// The file cannot be read, or is invalid.
    pub(super) fn new(args: &LintArgs) -> Result<Self, Failure> {
        let workspace = Workspace::of(&args.compile.paths);
        let ReadConfig { config, folder, boundary } = read_config(args, &workspace)?;
        let given = |path: &String| fs::relative(&folder.join(path));
        let paths = match (args.compile.paths.as_slice(), config.paths.as_slice()) {
            ([], []) => vec![PathBuf::from(".")],
            ([], paths) => paths.iter().map(|path| inside(given(path), &boundary)).collect::<Result<_, _>>()?,
            (paths, _) => paths.to_vec(),
        };
        let fail_on = args.fail_on.map(crate::cli::args::FailOn::level).or(config.fail_on);
        let typed = args.baseline.clone().map(|path| (path.clone(), workspace.typed(&path)));
        let in_folder = config.baseline.as_ref().filter(|_| args.write_baseline.is_none());
        Ok(Self {
            reads_folder: paths.iter().any(|path| fs::is_folder(path)),
            paths,
            fail_on: fail_on.unwrap_or(Some(Level::Error)),
            baseline: typed.or_else(|| in_folder.map(|path| (given(path), boundary))),
            selection: Selection::new(&config, &args.select, &args.ignore),
            folder,
            config,
        })
    }

    /// The library's options from the file, without the arguments.
    pub(super) fn options(&self) -> Options {
        self.config.options()
    }

    /// Whether a file is excluded.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.selection.excludes(&self.below(path))
    }

    /// Keeps the selected findings, with their configured levels.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>, sources: &Sources) {
        self.selection.apply(diagnostics, sources, |name| self.below(Path::new(name)));
    }

    /// A path for globs: relative to the folder of the configuration file, with `/`.
    fn below(&self, path: &Path) -> String {
        let path = fs::absolute(path);
        let below = path.strip_prefix(&self.folder).unwrap_or(&path);
        below.to_string_lossy().replace('\\', "/")
    }
}

/// A configuration.
struct ReadConfig {
    config: ConfigFile,
    /// The absolute folder that its paths are relative to.
    folder: PathBuf,
    /// What its paths must not lead out of.
    boundary: Boundary,
}

/// The configuration that the arguments name, or the closest one.
fn read_config(args: &LintArgs, workspace: &Workspace) -> Result<ReadConfig, Failure> {
    let start = args.compile.paths.first().map_or(Path::new("."), PathBuf::as_path);
    let path = match (&args.config, args.no_config) {
        (_, true) => None,
        (Some(path), false) => Some(path.clone()),
        (None, false) => fs::find_upwards(&inside(start.to_owned(), &workspace.typed(start))?, FILE_NAME),
    };
    let Some(path) = path else {
        let (config, folder) = (ConfigFile::default(), fs::absolute(Path::new(".")));
        return Ok(ReadConfig { config, boundary: workspace.found(&folder), folder });
    };
    let found = || path.parent().map_or(Boundary::Left, |folder| workspace.found(folder));
    let boundary = if args.config.is_some() { workspace.typed(&path) } else { found() };
    let text = fs::read_ordinary_text(&path, &boundary).map_err(Failure::message)?;
    let mut sources = Sources::default();
    let file = sources.add(fs::relative(&path).display().to_string(), text.trim_start_matches('\u{feff}').to_owned());
    let config = ConfigFile::parse(file, &sources.file(file).text, &rules::all(), &args.compile.limits.limits())
        .map_err(|faults| Failure::Messages(vec![report::text(faults, &sources)]))?;
    let folder = fs::absolute(&path).parent().map(Path::to_owned).unwrap_or_default();
    Ok(ReadConfig { config, folder, boundary })
}

/// A path that does not lead out of a boundary. Whether it exists is for others to say.
fn inside(path: PathBuf, boundary: &Boundary) -> Result<PathBuf, Failure> {
    match boundary.check(&path).err().filter(|_| path.exists()) {
        Some(error) => Err(Failure::message(fs::cannot_read(&path, &error))),
        None => Ok(path),
    }
}
