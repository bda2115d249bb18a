//! Finds and reads `promgen.yaml`.

use std::path::{Path, PathBuf};

use crate::cli::args::{CompileArgs, SettingsArgs};
use crate::cli::fs::{Boundary, Workspace};
use crate::cli::{Failure, fs, report};
use promgen_checks::config::{ConfigFile, FILE_NAME, RuleSelection};
use promgen_checks::rules;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::Layout;
use promgen_repository::path;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::Limits;
use promgen_text::source::{Input, Sources};

/// The arguments that concern the configuration file.
pub(super) struct GivenConfig<'a> {
    /// The arguments.
    pub(super) settings: &'a SettingsArgs,
    /// The folder where it is looked for, and in those above.
    pub(super) start: &'a Path,
}

/// A configuration.
pub(super) struct ReadConfig {
    pub(super) config: ConfigFile,
    /// The files of policies that it names, and itself if it has some.
    pub(super) policies: Vec<Input>,
    /// The absolute folder that its paths are relative to.
    pub(super) folder: PathBuf,
    /// The boundary that its paths must not leave.
    pub(super) boundary: Boundary,
}

/// What a configuration says of a run whose arguments select no rules.
pub(super) struct Configured {
    config: ConfigFile,
    policies: Vec<Input>,
    selection: RuleSelection,
    folder: PathBuf,
    heeds_marks: bool,
}

impl Configured {
    /// Reads the configuration of a run with these paths.
    pub(super) fn read(
        given: &GivenConfig<'_>,
        args: &CompileArgs,
        paths: &[PathBuf],
    ) -> Result<Self, Failure> {
        let workspace = Workspace::of(paths);
        let ReadConfig {
            config,
            policies,
            folder,
            ..
        } = read_config(given, &args.limits.limits(), &workspace)?;
        Ok(Self {
            selection: RuleSelection::new(&config, &[], &[]),
            config,
            policies,
            folder,
            heeds_marks: given.settings.trust.is_none(),
        })
    }

    /// Returns whether a file is excluded.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.selection.excludes(&below(path, &self.folder))
    }

    /// Keeps the selected findings, with their configured levels.
    pub(super) fn apply(&self, found: &mut Vec<Diagnostic>, sources: &Sources) {
        let below = |name: &str| below(Path::new(name), &self.folder);
        self.selection.apply(found, sources, below);
    }

    /// The options of the run, as of `lint` of a folder: findings about other objects are for --all there.
    pub(super) fn options(
        &self,
        args: &CompileArgs,
        layout: Layout,
        templates: Vec<Input>,
    ) -> Options {
        let options = args.options_over(Options {
            layout,
            templates,
            policies: self.policies.clone(),
            trusts_given_policies: !self.heeds_marks,
            ..self.config.options()
        });
        Options {
            operator_only: options.assume == Assume::Ready,
            heeds_marks: self.heeds_marks,
            ..options
        }
    }
}

/// The places where the configuration may be: what is there decides which one counts.
pub(super) fn config_files(given: &GivenConfig<'_>) -> Vec<PathBuf> {
    let settings = given.settings;
    match (
        &settings.config,
        settings.no_config || settings.trust.is_some(),
    ) {
        (_, true) => Vec::new(),
        (Some(path), false) => vec![path.clone()],
        (None, false) => fs::upwards(given.start, FILE_NAME),
    }
}

/// The configuration that the arguments name, or the closest one.
pub(super) fn read_config(
    given: &GivenConfig<'_>,
    limits: &Limits,
    workspace: &Workspace,
) -> Result<ReadConfig, Failure> {
    let &GivenConfig { settings, start } = given;
    if let Some(revision) = &settings.trust {
        return read_trusted(revision, start, limits, workspace);
    }
    let path = match (&settings.config, settings.no_config) {
        (_, true) => None,
        (Some(path), false) => Some(path.clone()),
        (None, false) => fs::find_upwards(
            &inside(start.to_owned(), &workspace.typed(start))?,
            FILE_NAME,
        ),
    };
    let Some(path) = path else {
        return Ok(ReadConfig::none(workspace));
    };
    let found = || {
        path.parent()
            .map_or(Boundary::Left, |folder| workspace.found(folder))
    };
    let boundary = if settings.config.is_some() {
        workspace.typed(&path)
    } else {
        found()
    };
    let text = fs::read_ordinary_text(&path, &boundary).map_err(Failure::message)?;
    let name = fs::relative(&path).display().to_string();
    let config = parse(name.clone(), &text, limits)?;
    let folder = fs::absolute(&path)
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default();
    let read = |file: &str| {
        let file = fs::relative(&folder.join(file));
        let text = fs::read_ordinary_text(&file, &boundary)
            .map_err(|why| Failure::message(format!("`policies` of `{name}`: {why}")))?;
        Ok(Input::new(file.display().to_string(), text))
    };
    let policies = policies(&config, &read, Input::new(name.clone(), text))?;
    Ok(ReadConfig {
        config,
        policies,
        folder,
        boundary,
    })
}

/// The file that was meant as the configuration, but has another name, if none is read.
pub(super) fn misnamed(given: &GivenConfig<'_>) -> Option<PathBuf> {
    let is_there = |file: &PathBuf| file.symlink_metadata().is_ok();
    let files = config_files(given);
    let names = ["promgen.yml", ".promgen.yaml"];
    let others = files
        .iter()
        .flat_map(|file| names.map(|name| file.with_file_name(name)));
    others
        .filter(|_| !files.iter().any(is_there))
        .find(is_there)
}

impl ReadConfig {
    /// The settings without a file.
    fn none(workspace: &Workspace) -> Self {
        let (config, folder) = (ConfigFile::default(), fs::absolute(Path::new(".")));
        Self {
            config,
            policies: Vec::new(),
            boundary: workspace.found(&folder),
            folder,
        }
    }
}

/// The files of policies that a configuration names, and itself if it has policies.
fn policies(
    config: &ConfigFile,
    read: &dyn Fn(&str) -> Result<Input, Failure>,
    itself: Input,
) -> Result<Vec<Input>, Failure> {
    let named = config.policies.iter().map(|file| read(file));
    let mut policies: Vec<Input> = named.collect::<Result<_, _>>()?;
    policies.extend(config.has_policies.then_some(itself));
    Ok(policies)
}

fn parse(name: String, text: &str, limits: &Limits) -> Result<ConfigFile, Failure> {
    let mut sources = Sources::default();
    let file = sources.add(name, text.trim_start_matches('\u{feff}').to_owned());
    ConfigFile::parse(file, &sources.file(file).text, &rules::all(), limits)
        .map_err(|faults| Failure::Messages(vec![report::text(faults, &sources)]))
}

/// The configuration of a revision, whatever is on the disk.
fn read_trusted(
    revision: &str,
    start: &Path,
    limits: &Limits,
    workspace: &Workspace,
) -> Result<ReadConfig, Failure> {
    let start = if start == Path::new("-") {
        Path::new(".")
    } else {
        start
    };
    let own = trusted_policies(revision, start, limits)?;
    let found = fs::closest_in(revision, start, FILE_NAME, limits).map_err(cannot_trust)?;
    let Some((path, bytes)) = found else {
        return Ok(ReadConfig {
            policies: own,
            ..ReadConfig::none(workspace)
        });
    };
    let name = format!("{} of {revision}", path.display());
    let not_utf8 = || Failure::message(format!("cannot read `{name}`: it is not UTF-8"));
    let text = bytes.as_text().ok_or_else(not_utf8)?;
    let config = parse(name.clone(), text, limits)?;
    // The folder may be another one on the disk, or none.
    let folder =
        fs::absolute(&fs::absolute(Path::new(".")).join(path.parent().unwrap_or(Path::new("."))));
    let read = |file: &str| {
        let file = fs::relative(&folder.join(file));
        let bytes = fs::file_in(revision, &file, limits).map_err(cannot_trust)?;
        let missing = || Failure::message(format!("`{}` is not in {revision}", file.display()));
        Ok(Input::new(
            file.display().to_string(),
            bytes.ok_or_else(missing)?,
        ))
    };
    let mut policies = policies(&config, &read, Input::new(name, text))?;
    let is_named = |file: &Input| policies.iter().any(|named| named.name == file.name);
    let own: Vec<Input> = own.into_iter().filter(|file| !is_named(file)).collect();
    policies.extend(own);
    Ok(ReadConfig {
        config,
        policies,
        boundary: workspace.found(&folder),
        folder,
    })
}

/// The files of policies of a revision, by their names.
fn trusted_policies(revision: &str, start: &Path, limits: &Limits) -> Result<Vec<Input>, Failure> {
    let revision = fs::Revision::Named(revision.to_owned());
    let read = fs::read_revision(&revision, &[start.to_owned()], limits).map_err(cannot_trust)?;
    let has_policies = |file: &Input| {
        let text = file.bytes.as_text();
        text.is_some_and(|text| path::has_policies(&file.name, text))
    };
    Ok(read.inputs.into_iter().filter(has_policies).collect())
}

/// Why a revision of `--trust` cannot be read.
pub(super) fn cannot_trust(error: fs::GitError) -> Failure {
    match error {
        fs::GitError::Usage(text) => Failure::message(format!("--trust: {text}")),
        fs::GitError::Read(messages) => Failure::Messages(messages),
    }
}

/// A path that does not lead out of a boundary. Whether it exists is for others to say.
pub(super) fn inside(path: PathBuf, boundary: &Boundary) -> Result<PathBuf, Failure> {
    match boundary.check(&path).err().filter(|_| path.exists()) {
        Some(error) => Err(Failure::message(fs::cannot_read(&path, &error))),
        None => Ok(path),
    }
}

/// A path for globs: relative to the folder of the configuration file, with `/`.
pub(super) fn below(path: &Path, folder: &Path) -> String {
    absolute_below(&fs::absolute(path), folder)
}

/// The same for an absolute path without links.
pub(super) fn absolute_below(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.to_string_lossy().replace('\\', "/")
}
