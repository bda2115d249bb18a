//! The two sides of `diff`: paths, or git revisions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::args::{CompileArgs, DiffArgs, DiffFormat};
use crate::cli::ask::diff::usage;
use crate::cli::fs::{self, Folders, GitError, IgnoredPaths, ReadRevision, Revision, or_current};
use crate::cli::{Failure, Io, charts};
use promgen_answers::compare::environments::EnvironmentFilter;
use promgen_compile::options::Options;
use promgen_text::CollectOrdered;
use promgen_text::source::Input;

/// The most boxes of the maps of a comment.
const MAX_BOXES: usize = 40;

/// The source of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SideSource {
    /// Paths of the disk.
    Paths(Vec<PathBuf>),
    /// The paths of the arguments in a revision.
    Revision(Revision),
}

impl SideSource {
    /// The options of the side with what Helm makes of the releases in its input.
    pub(super) fn rendered(
        &self,
        options: Options,
        inputs: &[Input],
        args: &DiffArgs,
        io: &mut Io<'_>,
    ) -> Result<Options, Failure> {
        let (paths, revision) = match self {
            Self::Paths(paths) => (paths.clone(), None),
            Self::Revision(revision) => (paths(args), Some(revision)),
        };
        let CompileArgs { helm, .. } = &args.compile;
        let asked = charts::ChartRequest {
            helm,
            paths: &paths,
            kube_version: args.compile.kube_version(),
            revision,
        };
        charts::of(options, inputs, &asked, io)
    }
}

/// The inputs of both sides, and what is asked of them.
pub(super) struct Sides {
    pub(super) base: Vec<Input>,
    /// None if it is the same as the base, for another version.
    pub(super) head: Option<Vec<Input>>,
    pub(super) asked: EnvironmentFilter,
    /// The sources of the base and the head.
    pub(super) from: [SideSource; 2],
    /// The notes on paths that one side lacks, and on those that both leave out.
    pub(super) notes: Vec<String>,
}

/// The place of the first input.
pub(super) fn start(args: &DiffArgs) -> &Path {
    let base = Path::new(&args.base);
    let of_base = if args.paths().is_empty() && base.exists() {
        base
    } else {
        Path::new(".")
    };
    args.paths().first().map_or(of_base, PathBuf::as_path)
}

/// Reads both sides, without the files that are excluded.
pub(super) fn read(
    args: &DiffArgs,
    excludes: Excludes<'_>,
    io: &mut Io<'_>,
) -> Result<Sides, Failure> {
    let is_path = |text: &str| text == "-" || Path::new(text).exists();
    let (base, head) = sides(args, &is_path)?;
    let stdin = SideSource::Paths(vec![PathBuf::from("-")]);
    if head.as_ref() == Some(&base) && base == stdin {
        return Err(usage(
            "standard input can be read only once: use `-` only once",
        ));
    }
    let max_boxes = (args.format == DiffFormat::Markdown).then_some(MAX_BOXES);
    let environments = args.environments.environment.clone();
    let mut asked = EnvironmentFilter {
        environments,
        max_boxes,
        ..EnvironmentFilter::default()
    };
    if let Some(head) = &head {
        (asked.base_root, asked.head_root) = roots(&base, head);
    }
    let from = [base.clone(), head.clone().unwrap_or_else(|| base.clone())];
    let base = inputs(args, &base, &BTreeSet::new(), excludes, io)?;
    let head = head
        .map(|head| inputs(args, &head, &base.submodules, excludes, io))
        .transpose()?;
    let Some(head) = head else {
        return Ok(Sides {
            base: present(base)?,
            head: None,
            asked,
            from,
            notes: Vec::new(),
        });
    };
    let notes = notes(&base, &head)?;
    Ok(Sides {
        base: base.inputs,
        head: Some(head.inputs),
        asked,
        from,
        notes,
    })
}

/// The folders that the two sides are, if each is one.
fn roots(base: &SideSource, head: &SideSource) -> (Option<String>, Option<String>) {
    let root = |side: &SideSource| match side {
        SideSource::Paths(paths) => paths
            .first()
            .map(|path| path.to_string_lossy().into_owned()),
        SideSource::Revision(_) => None,
    };
    match (root(base), root(head)) {
        (Some(base), Some(head)) => (Some(base), Some(head)),
        _ => (None, None),
    }
}

/// The options of [`read_manifests`] with what Helm makes of the releases there.
pub(super) fn rendered(
    options: Options,
    inputs: &[Input],
    args: &DiffArgs,
    io: &mut Io<'_>,
) -> Result<Options, Failure> {
    let is_path = args.paths().is_empty() && (args.base == "-" || Path::new(&args.base).exists());
    let side = match is_path {
        true => SideSource::Paths(vec![PathBuf::from(&args.base)]),
        false => SideSource::Revision(Revision::Named(args.base.clone())),
    };
    side.rendered(options, inputs, args, io)
}

/// What one side lacks, and the submodules. Each path gives manifests on one side at least: a change may add or remove all of
/// a path.
fn notes(base: &ReadRevision, head: &ReadRevision) -> Result<Vec<String>, Failure> {
    let is_absent =
        |of: &ReadRevision, path: &Path| of.absent.iter().any(|(absent, _)| absent == path);
    let of_both = base
        .absent
        .iter()
        .chain(&head.absent)
        .filter(|(path, _)| is_absent(base, path) && is_absent(head, path));
    let mut failures: Vec<String> = of_both.map(|(_, message)| message.clone()).collect();
    if base.inputs.is_empty() && head.inputs.is_empty() {
        failures = base
            .absent
            .iter()
            .chain(&head.absent)
            .map(|(_, message)| message.clone())
            .collect();
        failures.dedup();
    }
    if !failures.is_empty() {
        return Err(Failure::Messages(failures));
    }
    let mut notes = Vec::new();
    for (side, of, change) in [("base", base, "added"), ("head", head, "removed")] {
        for (_, message) in &of.absent {
            notes.push(format!(
                "{side}: {message}: what the other side has there counts as {change}"
            ));
        }
    }
    let submodules: BTreeSet<&String> =
        base.submodules.iter().chain(&head.submodules).collect_set();
    for submodule in submodules {
        notes.push(format!(
            "the submodule `{submodule}` is not compared: it is another repository"
        ));
    }
    Ok(notes)
}

/// The inputs of the only side.
fn present(side: ReadRevision) -> Result<Vec<Input>, Failure> {
    let failures: Vec<String> = side
        .absent
        .into_iter()
        .map(|(_, message)| message)
        .collect();
    if failures.is_empty() {
        Ok(side.inputs)
    } else {
        Err(Failure::Messages(failures))
    }
}

/// The manifests to compare with a cluster: a path, or the paths of the arguments in a revision. The dump itself is none of
/// them.
pub(super) fn read_manifests(
    args: &DiffArgs,
    dump: &Path,
    io: &mut Io<'_>,
) -> Result<Vec<Input>, Failure> {
    let is_path = args.paths().is_empty() && (args.base == "-" || Path::new(&args.base).exists());
    if !is_path {
        if range(&args.base).is_some() {
            return Err(usage("--live takes one revision, and no range"));
        }
        let revision = SideSource::Revision(Revision::Named(args.base.clone()));
        return present(inputs(args, &revision, &BTreeSet::new(), &|_| false, io)?);
    }
    let dash = Path::new("-");
    if args.base == "-" && dump == dash {
        return Err(usage(
            "standard input can be read only once: use `-` only once",
        ));
    }
    let (paths, dump) = ([PathBuf::from(&args.base)], fs::absolute(dump));
    let is_dump = |path: &Path| fs::absolute(path) == dump;
    texts(args, &paths, is_dump, io)
}

/// The texts below some paths.
fn texts(
    args: &DiffArgs,
    paths: &[PathBuf],
    is_left_out: impl Fn(&Path) -> bool,
    io: &mut Io<'_>,
) -> Result<Vec<Input>, Failure> {
    let ignored = IgnoredPaths::of(args.settings.trust.is_some());
    let limits = args.compile.limits.limits();
    fs::read_repository(
        paths,
        is_left_out,
        Folders::Built,
        ignored,
        limits,
        io.stdin,
    )
    .map(|manifests| manifests.inputs)
    .map_err(Failure::Messages)
}

fn sides(
    args: &DiffArgs,
    is_path: &dyn Fn(&str) -> bool,
) -> Result<(SideSource, Option<SideSource>), Failure> {
    let has_paths = !args.paths().is_empty();
    let side = |text: &str| match is_path(text) && !has_paths {
        true => SideSource::Paths(vec![PathBuf::from(text)]),
        false => SideSource::Revision(Revision::Named(text.to_owned())),
    };
    if let Some(head) = &args.head {
        return Ok((side(&args.base), Some(side(head))));
    }
    match (side(&args.base), range(&args.base)) {
        (SideSource::Paths(_), _) if !args.has_versions() => Err(usage(
            "requires a HEAD to compare with: another path, or --from-prometheus-version, --to-prometheus-version, --from-kube-version or --to-kube-version for another version",
        )),
        (base @ SideSource::Paths(_), _) => Ok((base, None)),
        (SideSource::Revision(_), Some((base, head))) => Ok((base, Some(head))),
        (base @ SideSource::Revision(_), None) => Ok((base, Some(SideSource::Paths(paths(args))))),
    }
}

/// `a..b`, or `a...b` for the changes since b left a. A side that is left out is HEAD.
fn range(text: &str) -> Option<(SideSource, SideSource)> {
    let or_head = |name: &str| {
        if name.is_empty() {
            "HEAD".to_owned()
        } else {
            name.to_owned()
        }
    };
    let named = |name: &str| SideSource::Revision(Revision::Named(or_head(name)));
    if let Some((a, b)) = text.split_once("...") {
        return Some((
            SideSource::Revision(Revision::MergeBase(or_head(a), or_head(b))),
            named(b),
        ));
    }
    text.split_once("..").map(|(a, b)| (named(a), named(b)))
}

fn paths(args: &DiffArgs) -> Vec<PathBuf> {
    or_current(args.paths()).to_vec()
}

/// Whether a configuration leaves out a path.
type Excludes<'a> = &'a dyn Fn(&Path) -> bool;

/// The inputs of a side. `submodules` are those of the other side, which are left out here, too.
fn inputs(
    args: &DiffArgs,
    side: &SideSource,
    submodules: &BTreeSet<String>,
    excludes: Excludes<'_>,
    io: &mut Io<'_>,
) -> Result<ReadRevision, Failure> {
    match side {
        SideSource::Paths(given) => {
            // A path of the arguments may be absent here, as in a revision. A folder may hold no manifest yet, or none any more.
            let may_be_absent = *given == paths(args) && args.head.is_none();
            let is_absent =
                |path: &Path| (may_be_absent || path.is_dir()) && !fs::gives_manifests(path);
            let (absent, given): (Vec<_>, Vec<_>) =
                given.iter().cloned().partition(|path| is_absent(path));
            let absent = absent.into_iter().map(|path| {
                let message = format!(
                    "no manifest (.yaml, .yml, .json) found in `{}`",
                    path.display()
                );
                (path, message)
            });
            let left_out: Vec<PathBuf> = submodules
                .iter()
                .map(|path| fs::absolute(Path::new(path)))
                .collect();
            let is_left_out = |path: &Path| {
                excludes(path)
                    || !left_out.is_empty()
                        && left_out
                            .iter()
                            .any(|folder| fs::absolute(path).starts_with(folder))
            };
            Ok(ReadRevision {
                inputs: texts(args, &given, is_left_out, io)?,
                absent: absent.collect(),
                ..ReadRevision::default()
            })
        }
        SideSource::Revision(revision) => {
            let mut read = fs::read_revision(revision, &paths(args), &args.compile.limits.limits())
                .map_err(|error| match error {
                    GitError::Usage(text) => usage(&text),
                    GitError::Read(messages) => Failure::Messages(messages),
                })?;
            read.inputs
                .retain(|input| !excludes(Path::new(&input.name)));
            Ok(read)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(name: &str) -> SideSource {
        SideSource::Revision(Revision::Named(name.to_owned()))
    }

    #[test]
    fn ranges_are_those_of_git() {
        assert_eq!(
            range("main..dev"),
            Some((revision("main"), revision("dev")))
        );
        assert_eq!(range("main.."), Some((revision("main"), revision("HEAD"))));
        let base = SideSource::Revision(Revision::MergeBase("main".into(), "HEAD".into()));
        assert_eq!(range("main..."), Some((base, revision("HEAD"))));
        assert_eq!(range("v1.2"), None);
    }
}
