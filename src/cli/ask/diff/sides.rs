//! The two sides of `diff`: paths, or git revisions.

use std::path::{Path, PathBuf};

use crate::cli::args::DiffArgs;
use crate::cli::ask::diff::usage;
use crate::cli::fs::{self, GitError, Revision};
use crate::cli::{Failure, Io};
use promgen_text::source::Input;

/// Where a side is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Side {
    /// Paths of the disk.
    Paths(Vec<PathBuf>),
    /// The paths of the arguments in a revision.
    Revision(Revision),
}

/// The inputs of both sides. None for the head if it is the same as the base, for another target.
pub(super) fn read(args: &DiffArgs, io: &mut Io<'_>) -> Result<(Vec<Input>, Option<Vec<Input>>), Failure> {
    let is_path = |text: &str| text == "-" || Path::new(text).exists();
    let (base, head) = sides(args, &is_path)?;
    let stdin = Side::Paths(vec![PathBuf::from("-")]);
    if head.as_ref() == Some(&base) && base == stdin {
        return Err(usage("standard input can be read only once: use `-` only once"));
    }
    let base = inputs(args, &base, io)?;
    let head = head.map(|head| inputs(args, &head, io)).transpose()?;
    Ok((base, head))
}

/// The manifests to compare with a cluster: a path, or the paths of the arguments in a revision. The dump itself is none of
/// them.
pub(super) fn read_manifests(args: &DiffArgs, dump: &Path, io: &mut Io<'_>) -> Result<Vec<Input>, Failure> {
    let is_path = args.paths().is_empty() && (args.base == "-" || Path::new(&args.base).exists());
    if !is_path {
        if range(&args.base).is_some() {
            return Err(usage("--live takes one revision, and no range"));
        }
        return inputs(args, &Side::Revision(Revision::Named(args.base.clone())), io);
    }
    let dash = Path::new("-");
    if args.base == "-" && dump == dash {
        return Err(usage("standard input can be read only once: use `-` only once"));
    }
    let (paths, dump) = ([PathBuf::from(&args.base)], fs::absolute(dump));
    let is_dump = |path: &Path| fs::absolute(path) == dump;
    let manifests = fs::read_repository(&paths, is_dump, (true, false), args.compile.limits.limits(), io.stdin)
        .map_err(Failure::Messages)?;
    Ok(manifests.inputs)
}

fn sides(args: &DiffArgs, is_path: &dyn Fn(&str) -> bool) -> Result<(Side, Option<Side>), Failure> {
    let has_paths = !args.paths().is_empty();
    let side = |text: &str| match is_path(text) && !has_paths {
        true => Side::Paths(vec![PathBuf::from(text)]),
        false => Side::Revision(Revision::Named(text.to_owned())),
    };
    if let Some(head) = &args.head {
        return Ok((side(&args.base), Some(side(head))));
    }
    match (side(&args.base), range(&args.base)) {
        (Side::Paths(_), _) if !args.has_targets() => Err(usage(
            "requires a HEAD to compare with: another path, or --from-prometheus, --to-prometheus, --from-kube or --to-kube for another target",
        )),
        (base @ Side::Paths(_), _) => Ok((base, None)),
        (Side::Revision(_), Some((base, head))) => Ok((base, Some(head))),
        (base @ Side::Revision(_), None) => Ok((base, Some(Side::Paths(paths(args))))),
    }
}

/// `a..b`, or `a...b` for the changes since b left a. A side that is left out is HEAD.
fn range(text: &str) -> Option<(Side, Side)> {
    let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
    let named = |name: &str| Side::Revision(Revision::Named(or_head(name)));
    if let Some((a, b)) = text.split_once("...") {
        return Some((Side::Revision(Revision::MergeBase(or_head(a), or_head(b))), named(b)));
    }
    text.split_once("..").map(|(a, b)| (named(a), named(b)))
}

fn paths(args: &DiffArgs) -> Vec<PathBuf> {
    if args.paths().is_empty() { vec![PathBuf::from(".")] } else { args.paths().to_vec() }
}

fn inputs(args: &DiffArgs, side: &Side, io: &mut Io<'_>) -> Result<Vec<Input>, Failure> {
    match side {
        Side::Paths(paths) => {
            let manifests =
                fs::read_repository(paths, |_| false, (true, false), args.compile.limits.limits(), io.stdin)
                    .map_err(Failure::Messages)?;
            Ok(manifests.inputs)
        }
        Side::Revision(revision) => fs::read_revision(revision, &paths(args)).map_err(|error| match error {
            GitError::Usage(text) => usage(&text),
            GitError::Read(messages) => Failure::Messages(messages),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(name: &str) -> Side {
        Side::Revision(Revision::Named(name.to_owned()))
    }

    #[test]
    fn ranges_are_those_of_git() {
        assert_eq!(range("main..dev"), Some((revision("main"), revision("dev"))));
        assert_eq!(range("main.."), Some((revision("main"), revision("HEAD"))));
        let base = Side::Revision(Revision::MergeBase("main".into(), "HEAD".into()));
        assert_eq!(range("main..."), Some((base, revision("HEAD"))));
        assert_eq!(range("v1.2"), None);
    }
}
