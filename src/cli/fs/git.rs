//! Manifests of a git revision, without a checkout.
//!
//! In: a revision, and paths. Out: the texts that the paths would give in a checkout. Runs the `git` command, which reads
//! the repository of the current folder: `rev-parse` names the commit, `ls-tree` lists its files, `cat-file` gives their bytes.
//! No shell is involved, and no text of the user reaches `git` but the revision, behind `--end-of-options`.

mod cause;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::cli::fs::{MAX_BYTES, absolute, find, names};
use promgen_repository::kustomize::read::gather::{Content, Files, assets};
use promgen_repository::path::{KUSTOMIZATION_FILES, folder, is_within, join};
use promgen_text::source::{FileBytes, Input};

/// The maximum number of links to follow.
const MAX_LINKS: usize = 8;

/// Why a revision cannot be read.
#[derive(Debug)]
pub(in crate::cli) enum GitError {
    /// The argument is wrong: there is no such revision, no repository, or no `git`.
    Usage(String),
    /// Files cannot be read. One message each.
    Read(Vec<String>),
}

/// A revision to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Revision {
    /// A revision, as `git rev-parse` reads it.
    Named(String),
    /// The best common ancestor of two revisions.
    MergeBase(String, String),
}

/// The files that paths give in a revision.
#[derive(Debug, Default)]
pub(in crate::cli) struct ReadRevision {
    /// The manifests, and what they refer to.
    pub(in crate::cli) inputs: Vec<Input>,
    /// The paths that give no manifest, each with a message that says so.
    pub(in crate::cli) absent: Vec<(PathBuf, String)>,
    /// The submodules that were left out: their content is in other repositories.
    pub(in crate::cli) submodules: BTreeSet<String>,
}

/// Reads the manifests that paths give in a revision. As [`read_repository`](super::read_repository), a folder with a
/// kustomization is that kustomization alone.
///
/// # Errors
/// As [`GitError`] lists.
pub(in crate::cli) fn read_revision(revision: &Revision, paths: &[PathBuf]) -> Result<ReadRevision, GitError> {
    let commit = commit(revision)?;
    let tree = Commit::of(&commit)?;
    let (mut names, mut absent, mut failures) = (BTreeSet::new(), Vec::new(), Vec::new());
    for path in paths {
        match tree.asked(path) {
            Ok(found) if found.is_empty() => {
                let message =
                    format!("no manifest (.yaml, .yml, .json) found in `{}` of {}", path.display(), short(&commit));
                absent.push((path.clone(), message));
            }
            Ok(found) => names.extend(found),
            Err(message) => failures.push(message),
        }
    }
    if !failures.is_empty() {
        return Err(GitError::Read(failures));
    }
    let mut inputs = Vec::new();
    for name in &names {
        match tree.read(name) {
            Content::File { bytes, belongs_to } => inputs.push(Input { belongs_to, ..Input::new(name.clone(), bytes) }),
            Content::Unread(_) | Content::Absent => {
                failures.push(format!("cannot read `{name}` of {}", short(&commit)))
            }
        }
    }
    inputs.extend(if failures.is_empty() { assets(&tree, &inputs) } else { Vec::new() });
    if tree.lacks_content.get() {
        let cause = cause::of_missing_content(&commit);
        failures = vec![cause.unwrap_or_else(|| format!("cannot read all files of {}", short(&commit)))];
    }
    if !failures.is_empty() {
        return Err(GitError::Read(failures));
    }
    Ok(ReadRevision { inputs, absent, submodules: tree.skipped.into_inner() })
}

/// The closest file of that name in a revision: in the folder of a path, or in one above it. Its path is relative to the current
/// folder. A path outside of the repository has none.
///
/// # Errors
/// The revision cannot be read.
pub(in crate::cli) fn closest_in(
    revision: &str,
    start: &Path,
    name: &str,
) -> Result<Option<(PathBuf, FileBytes)>, GitError> {
    let tree = Commit::of(&named(revision)?)?;
    let Ok(mut at) = tree.below_root(start) else { return Ok(None) };
    loop {
        let path = tree.relative(&join(".", &format!("{at}/{name}")));
        if let Content::File { bytes, .. } = tree.read(&path) {
            return Ok(Some((PathBuf::from(path), bytes)));
        }
        if at == "." {
            return Ok(None);
        }
        at = folder(&at).to_owned();
    }
}

/// A file of a revision. `None` if there is none.
///
/// # Errors
/// The revision cannot be read.
pub(in crate::cli) fn file_in(revision: &str, path: &Path) -> Result<Option<FileBytes>, GitError> {
    let tree = Commit::of(&named(revision)?)?;
    let Ok(rooted) = tree.below_root(path) else { return Ok(None) };
    match tree.read(&tree.relative(&rooted)) {
        Content::File { bytes, .. } => Ok(Some(bytes)),
        Content::Unread(_) | Content::Absent => Ok(None),
    }
}

/// Writes the files below a path of a revision to a folder, or a file that the path is. `is_rooted`: whether the path is from
/// the root of the repository. Returns whether there are any.
///
/// # Errors
/// A message, if the revision cannot be read, or has too many files there.
pub(super) fn export(revision: &Revision, (path, is_rooted): (&str, bool), target: &Path) -> Result<bool, String> {
    let message = |error: GitError| match error {
        GitError::Usage(text) => text,
        GitError::Read(messages) => messages.join("; "),
    };
    let tree = commit(revision).and_then(|commit| Commit::of(&commit)).map_err(message)?;
    let rooted = if is_rooted { join(".", path.trim_start_matches(['.', '/'])) } else { tree.rooted(path) };
    let below = format!("{rooted}/");
    let files = tree.entries.range(below.clone()..).take_while(|(name, _)| name.starts_with(&below));
    let files: Vec<_> = files.filter(|(_, entry)| !entry.is_link).collect();
    if files.len() > MAX_FILES {
        return Err("the chart is too large".to_owned());
    }
    let mut n_bytes = 0;
    if let Some((name, _)) = files.iter().find(|(name, _)| !names::is_ordinary_path(&name[below.len()..])) {
        return Err(format!("`{name}` is no path of a file: nothing of the chart is written"));
    }
    for (name, entry) in &files {
        let bytes = tree.content(&entry.id).ok_or_else(|| format!("cannot read `{name}`"))?;
        n_bytes += bytes.len() as u64;
        if n_bytes > MAX_BYTES {
            return Err("the chart is too large".to_owned());
        }
        let file = target.join(&name[below.len()..]);
        let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(file, bytes));
        written.map_err(|error| format!("cannot write a temporary file: {error}"))?;
    }
    Ok(!files.is_empty())
}

/// The number of files of a chart that are read.
const MAX_FILES: usize = 10_000;

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// The commit of a revision.
fn commit(revision: &Revision) -> Result<String, GitError> {
    match revision {
        Revision::Named(name) => named(name),
        Revision::MergeBase(a, b) => {
            let (a, b) = (named(a)?, named(b)?);
            text(&["merge-base", &a, &b]).map_err(|_| cause::of_missing_ancestor(&a, &b))
        }
    }
}

fn named(name: &str) -> Result<String, GitError> {
    let asked = format!("{name}^{{commit}}");
    let found = text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]);
    match found {
        Ok(commit) if commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(commit),
        Err(GitError::Usage(text)) if text.starts_with(CANNOT_RUN) => Err(GitError::Usage(text)),
        Err(error @ GitError::Read(_)) => Err(error),
        _ if text(&["rev-parse", "--git-dir"]).is_err() => {
            Err(usage(format!("`{name}` does not exist, and the current folder is in no git repository")))
        }
        _ => Err(cause::of_missing_revision(name)),
    }
}

fn usage(text: String) -> GitError {
    GitError::Usage(text)
}

const CANNOT_RUN: &str = "cannot run `git`";

/// A run of `git` that reads and asks nobody: it takes no locks, and fetches nothing.
fn git(args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(args).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    // Git before 2.39.4 fetches what is missing, unless it may use no protocol.
    command.env("GIT_ALLOW_PROTOCOL", "none").env("LC_ALL", "C").stderr(Stdio::null()).stdin(Stdio::null());
    command
}

fn output(args: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(args).stderr(Stdio::piped()).output().map_err(|error| usage(format!("{CANNOT_RUN}: {error}")))?;
    if output.status.success() { Ok(output.stdout) } else { Err(cause::of_run(args[0], &output.stderr)) }
}

fn is_success(args: &[&str]) -> bool {
    output(args).is_ok()
}

/// The one line that it prints.
fn text(args: &[&str]) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&output(args)?).trim_end_matches(['\r', '\n']).to_owned())
}

/// A file of a tree.
struct TreeEntry {
    id: String,
    is_link: bool,
}

/// The files and the submodules of a commit, by their path from the root.
fn list(commit: &str) -> Result<(BTreeMap<String, TreeEntry>, BTreeSet<String>), GitError> {
    let listed = output(&["ls-tree", "-r", "-z", "--full-tree", commit]);
    let listed = listed.map_err(|error| cause::of_unlisted(commit, error))?;
    let (mut entries, mut submodules) = (BTreeMap::new(), BTreeSet::new());
    let fields = |line: &[u8]| {
        let at = line.iter().position(|b| *b == b'\t')?;
        let head = std::str::from_utf8(&line[..at]).ok()?;
        let mut fields = head.split(' ').map(str::to_owned);
        let path = String::from_utf8_lossy(&line[at + 1..]).into_owned();
        Some((fields.next()?, fields.next()?, fields.next()?, path))
    };
    for (mode, kind, id, path) in listed.split(|b| *b == 0).filter_map(fields) {
        match kind.as_str() {
            "blob" => drop(entries.insert(path, TreeEntry { id, is_link: mode == "120000" })),
            "commit" => drop(submodules.insert(path)),
            _ => {}
        }
    }
    Ok((entries, submodules))
}

/// A commit.
struct Commit {
    /// The root of the repository. `None` if it has no files on the disk.
    root: Option<PathBuf>,
    /// The path of the current folder from the root, with `/` at its end.
    prefix: String,
    entries: BTreeMap<String, TreeEntry>,
    submodules: BTreeSet<String>,
    blobs: RefCell<Blobs>,
    /// The content of a file is absent. Then `git` has ended, and nothing else can be read.
    lacks_content: Cell<bool>,
    /// The submodules that something is in that was to be read.
    skipped: RefCell<BTreeSet<String>>,
}

impl Commit {
    fn of(commit: &str) -> Result<Self, GitError> {
        let prefix = text(&["rev-parse", "--show-prefix"])?;
        let root = text(&["rev-parse", "--show-toplevel"]).ok().map(PathBuf::from);
        let (entries, submodules) = list(commit)?;
        let blobs = RefCell::new(Blobs::start()?);
        let (lacks_content, skipped) = (Cell::default(), RefCell::default());
        Ok(Self { root, prefix, entries, submodules, blobs, lacks_content, skipped })
    }

    /// The manifests that a path of the user gives.
    ///
    /// # Errors
    /// The path is not in the repository.
    fn asked(&self, path: &Path) -> Result<Vec<String>, String> {
        let below = self.below_root(path)?;
        if let Some(submodule) = self.submodule_of(&below) {
            return Err(cause::of_submodule(&path.display().to_string(), &self.relative(submodule)));
        }
        let within = self.submodules.iter().filter(|submodule| below == "." || is_within(&below, submodule));
        self.skipped.borrow_mut().extend(within.map(|submodule| self.relative(submodule)));
        Ok(self.manifests(&below))
    }

    /// A path of the user, from the root.
    ///
    /// # Errors
    /// It is not in the repository.
    fn below_root(&self, path: &Path) -> Result<String, String> {
        let outside = || format!("`{}` is outside of the repository", path.display());
        let below = match (path.is_absolute(), &self.root) {
            (false, _) => self.rooted(&path.to_string_lossy().replace('\\', "/")),
            (true, Some(root)) => {
                let below = absolute(path).strip_prefix(root).map(Path::to_owned).map_err(|_| outside())?;
                join(".", &below.to_string_lossy().replace('\\', "/"))
            }
            (true, None) => return Err(outside()),
        };
        if below == ".." || below.starts_with("../") {
            return Err(outside());
        }
        Ok(below)
    }

    /// The submodule that a path from the root is in.
    fn submodule_of(&self, rooted: &str) -> Option<&String> {
        self.submodules.iter().find(|submodule| is_within(submodule, rooted))
    }

    /// The path from the root, of one that is relative to the current folder.
    fn rooted(&self, path: &str) -> String {
        join(".", &format!("{}{path}", self.prefix))
    }

    /// The path relative to the current folder.
    fn relative(&self, path: &str) -> String {
        if let Some(below) = path.strip_prefix(&self.prefix) {
            return below.to_owned();
        }
        let ups = self.prefix.split('/').filter(|part| !part.is_empty());
        join(".", &format!("{}{path}", ups.map(|_| "../").collect::<String>()))
    }

    /// The lowest folder of a path that holds the file, which a link may lead to. `None` if that is its own.
    fn lowest(&self, path: &str, real: &str) -> Option<String> {
        let rooted = self.rooted(path);
        let mut lowest = folder(&rooted);
        while !is_within(lowest, real) {
            lowest = folder(lowest);
        }
        (lowest != folder(&rooted)).then(|| self.relative(lowest))
    }

    /// The manifests that a path from the root gives.
    fn manifests(&self, rooted: &str) -> Vec<String> {
        if self.entries.contains_key(rooted) {
            return vec![self.relative(rooted)];
        }
        let below = if rooted == "." { String::new() } else { format!("{rooted}/") };
        let built = KUSTOMIZATION_FILES.iter().map(|name| format!("{below}{name}"));
        if let Some(file) = built.into_iter().find(|file| self.entries.contains_key(file)) {
            return vec![self.relative(&file)];
        }
        let files = self.entries.keys().filter(|file| file.strip_prefix(&below).is_some_and(find::is_manifest));
        files.map(|file| self.relative(file)).collect()
    }

    /// The bytes of a file that the commit has.
    fn content(&self, id: &str) -> Option<Vec<u8>> {
        if self.lacks_content.get() {
            return None;
        }
        let content = self.blobs.borrow_mut().read(id).ok();
        self.lacks_content.set(content.is_none());
        content
    }

    /// The entry of a path, where links lead to, with its own path from the root.
    fn entry(&self, path: &str) -> Option<(&TreeEntry, String)> {
        let mut path = self.rooted(path);
        for _ in 0..MAX_LINKS {
            let entry = self.entries.get(&path)?;
            if !entry.is_link {
                return Some((entry, path));
            }
            let target = String::from_utf8(self.content(&entry.id)?).ok()?;
            if Path::new(&target).is_absolute() {
                return None;
            }
            path = join(".", &format!("{}/{target}", folder(&path)));
        }
        None
    }
}

impl Files for Commit {
    fn read(&self, path: &str) -> Content {
        if let Some((entry, real)) = self.entry(path) {
            let belongs_to = self.lowest(path, &real);
            let file = |bytes: Vec<u8>| Content::File { bytes: bytes.into(), belongs_to };
            return self.content(&entry.id).map_or(Content::Absent, file);
        }
        let submodule = self.submodule_of(&self.rooted(path)).map(|submodule| self.relative(submodule));
        self.skipped.borrow_mut().extend(submodule);
        Content::Absent
    }

    fn is_folder(&self, path: &str) -> bool {
        let rooted = self.rooted(path);
        let below = format!("{rooted}/");
        rooted == "." || self.entries.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
    }
}

/// A running `git cat-file --batch`.
struct Blobs {
    child: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    fn start() -> Result<Self, GitError> {
        let failed = |error: &dyn std::fmt::Display| usage(format!("{CANNOT_RUN}: {error}"));
        let mut command = git(&["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| failed(&error))?;
        let (asks, answers) = (child.stdin.take(), child.stdout.take());
        let answers = answers.map(BufReader::new).ok_or_else(|| failed(&"it has no output"))?;
        Ok(Self { child, asks, answers })
    }

    /// The bytes of a blob, up to one more than the library accepts.
    fn read(&mut self, id: &str) -> io::Result<Vec<u8>> {
        let asks = self.asks.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        asks.write_all(format!("{id}\n").as_bytes())?;
        asks.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let mut fields = header.split_whitespace();
        let size: Option<u64> = match (fields.next(), fields.next(), fields.next()) {
            (Some(_), Some("blob"), Some(size)) => size.parse().ok(),
            _ => None,
        };
        let size = size.ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = Vec::new();
        (&mut self.answers).take(size.min(MAX_BYTES)).read_to_end(&mut bytes)?;
        // The rest, and the line break behind it.
        let rest = size - bytes.len() as u64 + 1;
        io::copy(&mut (&mut self.answers).take(rest), &mut io::sink())?;
        Ok(bytes)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Without a question left, it ends.
        drop(self.asks.take());
        let _ = self.child.wait();
    }
}
