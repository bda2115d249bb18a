//! Manifests of a git revision, without a checkout.
//!
//! In: a revision, and paths. Out: the texts that the paths would give in a checkout. Runs the `git` command, which reads
//! the repository of the current folder: `rev-parse` names the commit, `ls-tree` lists its files, `cat-file` gives their bytes.
//! No shell is involved, and no text of the user reaches `git` but the revision, behind `--end-of-options`.

use std::cell::RefCell;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::cli::fs::{MAX_BYTES, find};
use promgen_repository::kustomize::read::gather::{Content, Files, assets};
use promgen_repository::path::{KUSTOMIZATION_FILES, folder, is_within, join};
use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::source::Input;

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

/// Reads the manifests that paths give in a revision. As [`read_repository`](super::read_repository), a folder with a
/// kustomization is that kustomization alone.
///
/// # Errors
/// As [`GitError`] lists.
pub(in crate::cli) fn read_revision(revision: &Revision, paths: &[PathBuf]) -> Result<Vec<Input>, GitError> {
    let commit = commit(revision)?;
    let prefix = text(&["rev-parse", "--show-prefix"])?;
    let tree = Tree { prefix, entries: list(&commit)?, blobs: RefCell::new(Blobs::start()?) };
    let mut names = SortedSet::new();
    let mut failures = Vec::new();
    for path in paths {
        let path = path.to_string_lossy().replace('\\', "/");
        let found = tree.manifests(&join(".", &path));
        if found.is_empty() {
            failures.push(format!("no manifest (.yaml, .yml, .json) found in `{path}` of {}", short(&commit)));
        }
        names.extend(found);
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
    if !failures.is_empty() {
        return Err(GitError::Read(failures));
    }
    let assets = assets(&tree, &inputs);
    inputs.extend(assets);
    Ok(inputs)
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// The commit of a revision.
fn commit(revision: &Revision) -> Result<String, GitError> {
    match revision {
        Revision::Named(name) => named(name),
        Revision::MergeBase(a, b) => {
            let (a, b) = (named(a)?, named(b)?);
            text(&["merge-base", &a, &b])
                .map_err(|_| usage(format!("{} and {} have no common ancestor", short(&a), short(&b))))
        }
    }
}

fn named(name: &str) -> Result<String, GitError> {
    let asked = format!("{name}^{{commit}}");
    let found = text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]);
    match found {
        Ok(commit) if commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(commit),
        Err(GitError::Usage(text)) if text.starts_with(CANNOT_RUN) => Err(GitError::Usage(text)),
        _ if text(&["rev-parse", "--git-dir"]).is_err() => {
            Err(usage(format!("`{name}` does not exist, and the current folder is in no git repository")))
        }
        _ => Err(usage(format!("`{name}` is neither a path nor a git revision"))),
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
    command.env("LC_ALL", "C").stderr(Stdio::null()).stdin(Stdio::null());
    command
}

fn output(args: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = git(args).output().map_err(|error| usage(format!("{CANNOT_RUN}: {error}")))?;
    if output.status.success() { Ok(output.stdout) } else { Err(usage(format!("`git {}` failed", args[0]))) }
}

/// The one line that it prints.
fn text(args: &[&str]) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&output(args)?).trim_end_matches(['\r', '\n']).to_owned())
}

/// A file of a tree.
struct Entry {
    id: String,
    is_link: bool,
}

/// The files of a commit, by their path from the root.
fn list(commit: &str) -> Result<SortedMap<String, Entry>, GitError> {
    let listed = output(&["ls-tree", "-r", "-z", "--full-tree", commit])?;
    let entry = |line: &[u8]| {
        let at = line.iter().position(|b| *b == b'\t')?;
        let head = std::str::from_utf8(&line[..at]).ok()?;
        let mut fields = head.split(' ');
        let (mode, kind, id) = (fields.next()?, fields.next()?, fields.next()?);
        let path = String::from_utf8_lossy(&line[at + 1..]).into_owned();
        (kind == "blob").then(|| (path, Entry { id: id.to_owned(), is_link: mode == "120000" }))
    };
    Ok(listed.split(|b| *b == 0).filter_map(entry).collect())
}

/// A commit.
struct Tree {
    /// The path of the current folder from the root, with `/` at its end.
    prefix: String,
    entries: SortedMap<String, Entry>,
    blobs: RefCell<Blobs>,
}

impl Tree {
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

    /// The manifests that a path gives.
    fn manifests(&self, path: &str) -> Vec<String> {
        let rooted = self.rooted(path);
        if self.entries.contains_key(&rooted) {
            return vec![self.relative(&rooted)];
        }
        let below = if rooted == "." { String::new() } else { format!("{rooted}/") };
        let built = KUSTOMIZATION_FILES.iter().map(|name| format!("{below}{name}"));
        if let Some(file) = built.into_iter().find(|file| self.entries.contains_key(file)) {
            return vec![self.relative(&file)];
        }
        let files = self.entries.keys().filter(|file| file.strip_prefix(&below).is_some_and(find::is_manifest));
        files.map(|file| self.relative(file)).collect()
    }

    /// The entry of a path, where links lead to, with its own path from the root.
    fn entry(&self, path: &str) -> Option<(&Entry, String)> {
        let mut path = self.rooted(path);
        for _ in 0..MAX_LINKS {
            let entry = self.entries.get(&path)?;
            if !entry.is_link {
                return Some((entry, path));
            }
            let target = self.blobs.borrow_mut().read(&entry.id).ok()?;
            let target = String::from_utf8(target).ok()?;
            if Path::new(&target).is_absolute() {
                return None;
            }
            path = join(".", &format!("{}/{target}", folder(&path)));
        }
        None
    }
}

impl Files for Tree {
    fn read(&self, path: &str) -> Content {
        let Some((entry, real)) = self.entry(path) else { return Content::Absent };
        match self.blobs.borrow_mut().read(&entry.id) {
            Ok(bytes) => Content::File { bytes, belongs_to: self.lowest(path, &real) },
            Err(_) => Content::Absent,
        }
    }

    fn is_folder(&self, path: &str) -> bool {
        let rooted = self.rooted(path);
        let below = format!("{rooted}/");
        rooted == "." || self.entries.iter_from(&below).next().is_some_and(|(path, _)| path.starts_with(&below))
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
