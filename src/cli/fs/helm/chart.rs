//! Finds charts: in the repository, in Helm's cache, and among those that promgen has pulled before.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::fs::git::{self, Revision};
use crate::cli::fs::or_current;
use crate::cli::fs::workspace::{Boundary, Workspace};
use promgen_compile::output::generated::record::digest;
use promgen_repository::charts::versions::allows;
use promgen_resources::rendered::{ChartRef, NamedChart};
use promgen_text::diag::Sink;
use promgen_text::limits::Limits;
use promgen_text::source::FileId;
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

/// The number of files of a folder of archives that are looked at.
const MAX_LISTED: usize = 10_000;

/// The largest description of a chart.
const MAX_DESCRIPTION: u64 = 1 << 20;

/// The places where charts may be.
pub(super) struct ChartFinder {
    workspace: Workspace,
    /// The root of the repository of the run, and the folders between it and the paths of the run: a run may begin above or
    /// below what a release takes for the root.
    above: Vec<PathBuf>,
    /// Folders of archives and charts: those of the repository first.
    folders: Vec<PathBuf>,
    /// The folder of the charts that promgen has pulled.
    own: Option<PathBuf>,
}

/// The facts of the place of a chart.
pub(super) enum FoundChart<'r> {
    /// It is there: an absolute path.
    At(PathBuf),
    /// It is not in the repository, or has a name by which others may have it.
    Absent(Option<&'r NamedChart>),
}

impl ChartFinder {
    pub(super) fn new(paths: &[PathBuf], cache: Option<PathBuf>, own: Option<PathBuf>) -> Self {
        let workspace = Workspace::of(paths);
        let paths = or_current(paths);
        let folder = |path: &PathBuf| match path.is_dir() {
            true => path.clone(),
            false => path.parent().map_or_else(PathBuf::new, Path::to_owned),
        };
        let starts: Vec<PathBuf> = paths.iter().map(folder).collect();
        let mut above: Vec<PathBuf> = Vec::new();
        for start in starts {
            let Boundary::Repository(root) = workspace.found(&start) else {
                continue;
            };
            let start = fs::canonicalize(if start == Path::new("") {
                Path::new(".")
            } else {
                &start
            });
            let between = start.ok().filter(|start| start.starts_with(&root));
            let mut between: Vec<PathBuf> = between
                .iter()
                .flat_map(|start| start.ancestors())
                .map(Path::to_owned)
                .collect();
            between.retain(|folder| folder.starts_with(&root));
            above.extend(between.into_iter().rev());
        }
        let mut folders: Vec<PathBuf> = above.iter().map(|folder| folder.join("charts")).collect();
        folders.extend(cache);
        Self {
            workspace,
            above,
            folders,
            own,
        }
    }

    /// Checks that a path of the repository stays there.
    pub(super) fn check(&self, path: &Path) -> Result<(), String> {
        let folder = path.parent().unwrap_or(path);
        let boundary = self.workspace.found(folder);
        boundary.check(path).map_err(|error| error.to_string())
    }

    /// The chart, if it is in the repository.
    pub(super) fn find<'r>(&self, chart: &'r ChartRef) -> Result<FoundChart<'r>, String> {
        let below = |path: &String| {
            let path = path.trim_start_matches(['.', '/']).to_owned();
            self.above.iter().map(move |folder| folder.join(&path))
        };
        let rooted = chart.rooted.iter().flat_map(below);
        for path in chart.paths.iter().map(PathBuf::from).chain(rooted) {
            if is_chart(&path) {
                self.check(&path)?;
                return fs::canonicalize(&path)
                    .map(FoundChart::At)
                    .map_err(|error| error.to_string());
            }
        }
        Ok(FoundChart::Absent(chart.named.as_ref()))
    }

    /// The same for a revision, whose files are written to a folder.
    pub(super) fn find_in_revision<'r>(
        &self,
        chart: &'r ChartRef,
        revision: &Revision,
        limits: &Limits,
        folder: &Path,
    ) -> Result<FoundChart<'r>, String> {
        let target = folder.join("revision");
        let paths = chart.paths.iter().map(|path| (path, false));
        for (path, is_rooted) in paths.chain(chart.rooted.iter().map(|path| (path, true))) {
            if git::export(revision, path, is_rooted, &target, limits)? {
                return Ok(FoundChart::At(target));
            }
        }
        Ok(FoundChart::Absent(chart.named.as_ref()))
    }

    /// A chart by its name and version: an archive, or a folder of charts.
    pub(super) fn named(&self, chart: &NamedChart) -> Option<PathBuf> {
        if !is_plain(&chart.name) {
            return None;
        }
        let own = self.own.as_deref().map(|own| folder_of(own, chart));
        let folders = || self.folders.iter().chain(&own);
        let exact = || folders().find_map(|folder| exact(folder, chart));
        let newest = || folders().find_map(|folder| newest(folder, chart));
        let found = exact().or_else(newest)?;
        fs::canonicalize(found).ok()
    }
}

/// The folder of the charts that were pulled from the repository of a chart.
pub(super) fn folder_of(own: &Path, chart: &NamedChart) -> PathBuf {
    own.join("charts").join(digest(chart.repository.as_bytes()))
}

/// Returns whether a text is the name of a file, and no option.
pub(super) fn is_plain(name: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(is_usual)
}

/// A folder with a chart, or an archive.
fn is_chart(path: &Path) -> bool {
    let is_archive = path.extension().is_some_and(|extension| extension == "tgz") && path.is_file();
    is_archive || path.join("Chart.yaml").is_file()
}

fn exact(folder: &Path, chart: &NamedChart) -> Option<PathBuf> {
    let version = chart.version.trim_start_matches('v');
    if is_plain(version) {
        let archives = ["", "v"].map(|v| folder.join(format!("{}-{v}{version}.tgz", chart.name)));
        if let Some(found) = archives.into_iter().find(|path| path.is_file()) {
            return Some(found);
        }
    }
    let unpacked = folder.join(&chart.name);
    let own = description(&unpacked)?;
    let own = own.get("version").and_then(Node::as_str)?;
    is_allowed(&chart.version, own).then_some(unpacked)
}

/// The newest archive that a range allows.
fn newest(folder: &Path, chart: &NamedChart) -> Option<PathBuf> {
    let entries = fs::read_dir(folder)
        .ok()?
        .take(MAX_LISTED)
        .filter_map(Result::ok);
    let version = |name: &str| {
        let version = name
            .strip_prefix(&chart.name)?
            .strip_prefix('-')?
            .strip_suffix(".tgz")?
            .to_owned();
        let is_release = !version.contains('-')
            && version
                .trim_start_matches('v')
                .starts_with(|c: char| c.is_ascii_digit());
        if is_release && is_allowed(&chart.version, &version) {
            Version::parse(&version)
        } else {
            None
        }
    };
    let found =
        entries.filter_map(|entry| Some((version(entry.file_name().to_str()?)?, entry.path())));
    found.max().map(|(_, path)| path)
}

/// Returns whether a version is the one that is asked for, or in that range.
fn is_allowed(asked: &str, version: &str) -> bool {
    asked.is_empty()
        || asked.trim_start_matches('v') == version.trim_start_matches('v')
        || allows(asked, version)
}

/// The metadata of a chart.
pub(super) fn description(folder: &Path) -> Option<Node> {
    first_document(&folder.join("Chart.yaml"))
}

/// The first document of a small file.
pub(super) fn first_document(path: &Path) -> Option<Node> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_DESCRIPTION {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let document = read(FileId::default(), &text, &mut Sink::default())
        .into_iter()
        .next()?;
    Some(Node::clone(&document.root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_of_the_version_or_the_newest_of_a_range_is_found() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "shop-1.2.3.tgz",
            "shop-1.10.0.tgz",
            "shop-2.0.0-rc1.tgz",
            "shop-extra-9.0.0.tgz",
            "shop-v3.0.0.tgz",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let finder = ChartFinder::new(&[], Some(folder.path().to_owned()), None);
        let find = |version: &str| {
            let chart = NamedChart {
                repository: String::new(),
                name: "shop".into(),
                version: version.into(),
            };
            let found = finder.named(&chart)?;
            Some(found.file_name()?.to_str()?.to_owned())
        };
        for (version, expected) in [
            ("1.2.3", Some("shop-1.2.3.tgz")),
            ("v1.2.3", Some("shop-1.2.3.tgz")),
            ("1.x", Some("shop-1.10.0.tgz")),
            ("", Some("shop-v3.0.0.tgz")),
            ("3.0.0", Some("shop-v3.0.0.tgz")),
            ("2.0.0-rc1", Some("shop-2.0.0-rc1.tgz")),
            ("4.0.0", None),
            ("../x", None),
        ] {
            assert_eq!(find(version).as_deref(), expected, "{version}");
        }
    }
}
