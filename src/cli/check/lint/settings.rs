//! Merges the configuration file and the arguments. Arguments override the file, key by key.

use std::path::{Path, PathBuf};

use crate::cli::args::LintArgs;
use crate::cli::check::lint::glob::Glob;
use crate::cli::fs::{Boundary, Workspace};
use crate::cli::{Failure, fs, report};
use promgen_compile::options::Options;
use promgen_driver::config::{ConfigFile, FILE_NAME};
use promgen_driver::rules;
use promgen_resources::gates::Target;
use promgen_text::diag::Level;
use promgen_text::diag::pattern::{self, RulePattern};
use promgen_text::diag::{Diagnostic, Rule};
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
    select: Vec<RulePattern>,
    ignore: Vec<RulePattern>,
    levels: Vec<(RulePattern, Level)>,
    exclude: Vec<Glob>,
    per_path: Vec<(Glob, Vec<RulePattern>)>,
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
        let or =
            |flag: &[RulePattern], file: &[RulePattern]| if flag.is_empty() { file.to_vec() } else { flag.to_vec() };
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
            select: or(&args.select, &config.select),
            ignore: or(&args.ignore, &config.ignore),
            levels: config.levels.clone(),
            exclude: config.exclude.iter().map(|text| Glob::new(text)).collect(),
            per_path: config.per_path_ignores.iter().map(|(text, rules)| (Glob::new(text), rules.clone())).collect(),
            folder,
            config,
        })
    }

    /// The library's options from the file, without the arguments.
    pub(super) fn options(&self) -> Options {
        let (config, defaults) = (&self.config, Options::default());
        Options {
            target: Target {
                kubernetes: config.kube_version.clone().unwrap_or(defaults.target.kubernetes),
                prometheus: config.prometheus_version.clone(),
                operator: config.operator_version.clone(),
                default_prometheus: config.default_prometheus_version.clone(),
                default_alertmanager: config.default_alertmanager_version.clone(),
                default_thanos: config.default_thanos_version.clone(),
                reloader_image: config.reloader_image.clone(),
                features: config.feature_gates.clone(),
                watch: defaults.target.watch,
            },
            namespace_is_known: config.namespace.is_some(),
            namespace: config.namespace.clone().unwrap_or(defaults.namespace),
            assume: config.assume.unwrap_or(defaults.assume),
            is_repository: true,
            ..Options::default()
        }
    }

    /// Whether a file is excluded.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        !self.exclude.is_empty() && matches(&self.exclude, &self.below(path))
    }

    /// The selected findings, with their configured levels.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>, sources: &Sources) {
        let ignored_in: Vec<Vec<&RulePattern>> = match self.per_path.as_slice() {
            [] => Vec::new(),
            per_path => sources.files().map(|(_, file)| self.ignored_in(per_path, Path::new(&file.name))).collect(),
        };
        diagnostics.retain(|diagnostic| {
            let file = diagnostic.span.and_then(|span| ignored_in.get(span.file.0 as usize));
            self.keeps(diagnostic.rule) && !file.is_some_and(|rules| rules.iter().any(|r| r.matches(diagnostic.rule)))
        });
        for diagnostic in diagnostics.iter_mut() {
            let rule = diagnostic.rule;
            let levels = self.levels.iter().filter(|(pattern, _)| pattern.matches(rule));
            if let Some((_, level)) = levels.max_by_key(|(pattern, _)| pattern.specificity()) {
                diagnostic.level = *level;
            }
        }
    }

    fn ignored_in<'s>(&self, per_path: &'s [(Glob, Vec<RulePattern>)], path: &Path) -> Vec<&'s RulePattern> {
        let path = self.below(path);
        per_path.iter().filter(|(glob, _)| glob.is_match(&path)).flat_map(|(_, rules)| rules).collect()
    }

    /// Whether a rule is selected: the more specific of two matching patterns decides.
    fn keeps(&self, rule: &Rule) -> bool {
        keeps(&self.select, &self.ignore, rule)
    }

    /// A path for globs: relative to the folder of the configuration file, with `/`.
    fn below(&self, path: &Path) -> String {
        let path = fs::absolute(path);
        let below = path.strip_prefix(&self.folder).unwrap_or(&path);
        below.to_string_lossy().replace('\\', "/")
    }
}

fn keeps(select: &[RulePattern], ignore: &[RulePattern], rule: &Rule) -> bool {
    match (pattern::closest(select, rule), pattern::closest(ignore, rule)) {
        (Some(selected), Some(ignored)) => selected > ignored,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => select.is_empty(),
    }
}

fn matches(globs: &[Glob], path: &str) -> bool {
    globs.iter().any(|glob| glob.is_match(path))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(text: &str) -> Vec<RulePattern> {
        text.split(',').filter(|t| !t.is_empty()).map(|t| RulePattern::parse(t, &rules::all()).unwrap()).collect()
    }

    #[test]
    fn the_closer_pattern_decides() {
        for (select, ignore, kept, dropped) in [
            ("", "", "PG201", ""),
            ("PG2", "", "PG201", "PG001"),
            ("", "idle-shard", "PG200", "PG201"),
            ("PG2", "PG201", "PG200", "PG201"),
            ("PG201", "PG2", "PG201", "PG200"),
            ("PG,PG201", "PG2", "PG201", "PG200"),
            ("", "PG2", "PG001", "PG201"),
            ("PG200", "idle-shard", "PG200", "PG201"),
        ] {
            let keeps = |code| keeps(&patterns(select), &patterns(ignore), rules::find(code).unwrap());
            assert!(keeps(kept), "{select} {ignore} {kept}");
            assert!(dropped.is_empty() || !keeps(dropped), "{select} {ignore} {dropped}");
        }
    }
}
