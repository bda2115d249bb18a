//! The files of a commit, by their paths from the root of the repository.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::fs::git::blobs::{Blobs, Unavailable};
use crate::cli::fs::git::repository::{GitRepository, literal};
use crate::cli::fs::git::{GitError, cause};
use crate::cli::fs::{MAX_BYTES, absolute, find};
use promgen_repository::kustomize::read::gather::{Content, Files};
use promgen_repository::path::{KUSTOMIZATION_FILES, folder, is_within, join};
use promgen_text::limits::Limit;
use promgen_text::source::{FileBytes, Unread};

/// The maximum number of links to follow.
const MAX_LINKS: usize = 8;

/// A file of a tree.
#[derive(Clone)]
pub(super) struct TreeEntry {
    pub(super) id: String,
    pub(super) is_link: bool,
}

/// The files of a commit.
type Entries = BTreeMap<String, TreeEntry>;

/// A commit.
pub(super) struct Commit<'r> {
    repository: &'r GitRepository,
    id: String,
    /// What is listed. The whole, unless the paths were named.
    pub(super) entries: Entries,
    is_whole: bool,
    submodules: BTreeSet<String>,
    blobs: RefCell<Blobs<'r>>,
    /// The content of a file is absent.
    lacks_content: Cell<bool>,
    /// The reason why a content may not be read. Then nothing else is read.
    refused: RefCell<Option<GitError>>,
    /// The submodules that something is in that was to be read.
    pub(super) skipped: RefCell<BTreeSet<String>>,
}

impl<'r> Commit<'r> {
    /// A commit with all that it has, or with what it has at and below some paths.
    pub(super) fn of(
        repository: &'r GitRepository,
        id: &str,
        only: Option<&[String]>,
    ) -> Result<Self, GitError> {
        let mut blobs = Blobs::start(repository)?;
        match blobs.size(&format!("{id}^{{tree}}"), "tree") {
            Ok(size) if size > repository.limits.get(Limit::GitBytes) => {
                return Err(repository.excess(Limit::GitBytes, "the list of the files of the root"));
            }
            // The list says what is missing.
            Ok(_) | Err(Unavailable::Missing) => {}
            Err(Unavailable::Refused(error)) => return Err(error),
        }
        let (entries, submodules) = list(repository, id, only.unwrap_or(&[]))?;
        let (lacks_content, refused, skipped) =
            (Cell::default(), RefCell::default(), RefCell::default());
        let (blobs, is_whole) = (RefCell::new(blobs), only.is_none());
        Ok(Self {
            repository,
            id: id.to_owned(),
            entries,
            is_whole,
            submodules,
            blobs,
            lacks_content,
            refused,
            skipped,
        })
    }

    /// Checks that all that was asked for could be read.
    ///
    /// # Errors
    /// A content is missing, or may not be read.
    pub(super) fn check(&self) -> Result<(), GitError> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        if self.lacks_content.get() {
            let cause = cause::of_missing_content(self.repository, &self.id);
            let plain = || format!("cannot read all files of {}", super::short(&self.id));
            return Err(GitError::Read(vec![cause.unwrap_or_else(plain)]));
        }
        Ok(())
    }

    /// The manifests that a path of the user gives.
    ///
    /// # Errors
    /// The path is not in the repository.
    pub(super) fn asked(&self, path: &Path) -> Result<Vec<String>, String> {
        let below = below_root(self.repository, path)?;
        if let Some(submodule) = self.submodule_of(&below) {
            return Err(cause::of_submodule(
                &path.display().to_string(),
                &self.relative(submodule),
            ));
        }
        let within = self
            .submodules
            .iter()
            .filter(|submodule| below == "." || is_within(&below, submodule));
        self.skipped
            .borrow_mut()
            .extend(within.map(|submodule| self.relative(submodule)));
        Ok(self.manifests(&below))
    }

    /// Reads ahead what files hold.
    ///
    /// # Errors
    /// They are too many, whatever they hold.
    pub(super) fn prepare(&self, names: &BTreeSet<String>) -> Result<(), GitError> {
        let entries = || {
            names
                .iter()
                .filter_map(|name| self.entries.get(&self.rooted(name)))
        };
        let ids = || entries().map(|entry| entry.id.as_str());
        let mut blobs = self.blobs.borrow_mut();
        blobs.check_number(ids())?;
        if let Err(why) = blobs.read_ahead(ids()) {
            self.note(why);
        }
        Ok(())
    }

    /// The submodule that a path from the root is in.
    fn submodule_of(&self, rooted: &str) -> Option<&String> {
        self.submodules
            .iter()
            .find(|submodule| is_within(submodule, rooted))
    }

    /// The path from the root, of one that is relative to the current folder.
    pub(super) fn rooted(&self, path: &str) -> String {
        rooted(self.repository, path)
    }

    /// The path relative to the current folder.
    pub(super) fn relative(&self, path: &str) -> String {
        let prefix = &self.repository.prefix;
        if let Some(below) = path.strip_prefix(prefix) {
            return below.to_owned();
        }
        let ups = prefix.split('/').filter(|part| !part.is_empty());
        join(
            ".",
            &format!("{}{path}", ups.map(|_| "../").collect::<String>()),
        )
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
        let below = if rooted == "." {
            String::new()
        } else {
            format!("{rooted}/")
        };
        let is_tree = rooted == "." || rooted == self.rooted(".");
        let mut built = KUSTOMIZATION_FILES
            .iter()
            .map(|name| format!("{below}{name}"))
            .filter(|_| !is_tree);
        if let Some(file) = built.find(|file| self.entries.contains_key(file)) {
            return vec![self.relative(&file)];
        }
        let files = self
            .entries
            .range(below.clone()..)
            .map(|(file, _)| file)
            .take_while(|file| file.starts_with(&below));
        let files = files.filter(|file| find::is_manifest(&file[below.len()..]));
        files.map(|file| self.relative(file)).collect()
    }

    /// The bytes of a file that the commit has.
    pub(super) fn content(&self, id: &str) -> Result<Option<FileBytes>, Unavailable> {
        if self.lacks_content.get() || self.refused.borrow().is_some() {
            return Err(Unavailable::Missing);
        }
        self.blobs.borrow_mut().read(id)
    }

    /// What becomes of a file that cannot be read: [`Commit::check`] says so.
    fn note(&self, why: Unavailable) -> Content {
        match why {
            Unavailable::Missing => self.lacks_content.set(true),
            Unavailable::Refused(error) => drop(self.refused.borrow_mut().get_or_insert(error)),
        }
        Content::Absent
    }

    /// The entry of a path from the root, which may not be listed yet.
    fn listed(&self, path: &str) -> Result<Option<TreeEntry>, Unavailable> {
        match self.entries.get(path) {
            Some(entry) => Ok(Some(entry.clone())),
            None if self.is_whole => Ok(None),
            None => {
                let listed = list(self.repository, &self.id, &[path.to_owned()])
                    .map_err(Unavailable::Refused)?;
                Ok(listed.0.get(path).cloned())
            }
        }
    }

    /// The entry of a path, where links lead to, with its own path from the root.
    fn entry(&self, path: &str) -> Result<Option<(TreeEntry, String)>, Unavailable> {
        let mut path = self.rooted(path);
        for step in 0..MAX_LINKS {
            // What the commit was asked for is listed, and what links lead to may not be.
            let entry = if step == 0 {
                self.entries.get(&path).cloned()
            } else {
                self.listed(&path)?
            };
            let Some(entry) = entry else { return Ok(None) };
            if !entry.is_link {
                return Ok(Some((entry, path)));
            }
            let target = self
                .content(&entry.id)?
                .and_then(|bytes| bytes.as_text().map(str::to_owned));
            let Some(target) = target.filter(|target| !Path::new(target).is_absolute()) else {
                return Ok(None);
            };
            path = join(".", &format!("{}/{target}", folder(&path)));
        }
        Ok(None)
    }

    fn try_read(&self, path: &str) -> Result<Content, Unavailable> {
        let Some((entry, real)) = self.entry(path)? else {
            let submodule = self
                .submodule_of(&self.rooted(path))
                .map(|submodule| self.relative(submodule));
            self.skipped.borrow_mut().extend(submodule);
            return Ok(Content::Absent);
        };
        let too_large = || {
            Content::Unread(Unread::Failed(format!(
                "it is larger than {} bytes",
                MAX_BYTES - 1
            )))
        };
        let belongs_to = self.lowest(path, &real);
        let file = |bytes| Content::File { bytes, belongs_to };
        Ok(self.content(&entry.id)?.map_or_else(too_large, file))
    }
}

impl Files for Commit<'_> {
    fn read(&self, path: &str) -> Content {
        self.try_read(path).unwrap_or_else(|why| self.note(why))
    }

    fn is_folder(&self, path: &str) -> bool {
        let rooted = self.rooted(path);
        let below = format!("{rooted}/");
        rooted == "."
            || self
                .entries
                .range(below.clone()..)
                .next()
                .is_some_and(|(path, _)| path.starts_with(&below))
    }
}

/// The path from the root, of one that is relative to the current folder.
fn rooted(repository: &GitRepository, path: &str) -> String {
    join(".", &format!("{}{path}", repository.prefix))
}

/// A path of the user, from the root.
///
/// # Errors
/// It is not in the repository.
pub(super) fn below_root(repository: &GitRepository, path: &Path) -> Result<String, String> {
    let outside = || format!("`{}` is outside of the repository", path.display());
    let below = match (path.is_absolute(), &repository.root) {
        (false, _) => rooted(repository, &path.to_string_lossy().replace('\\', "/")),
        (true, Some(root)) => {
            let below = absolute(path)
                .strip_prefix(root)
                .map(Path::to_owned)
                .map_err(|_| outside())?;
            join(".", &below.to_string_lossy().replace('\\', "/"))
        }
        (true, None) => return Err(outside()),
    };
    if below == ".." || below.starts_with("../") {
        return Err(outside());
    }
    Ok(below)
}

/// The files and the submodules of a commit, by their path from the root: all, or those at and below some paths.
fn list(
    repository: &GitRepository,
    commit: &str,
    only: &[String],
) -> Result<(Entries, BTreeSet<String>), GitError> {
    let paths: Vec<String> = only
        .iter()
        .filter(|path| *path != ".")
        .map(|path| literal(path))
        .collect();
    let mut args = vec!["ls-tree", "-r", "-z", "--full-tree", commit, "--"];
    args.extend(paths.iter().map(String::as_str));
    let listed = repository
        .output(&args)
        .map_err(|error| cause::of_unlisted(repository, commit, error))?;
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
            "blob" => drop(entries.insert(
                path,
                TreeEntry {
                    id,
                    is_link: mode == "120000",
                },
            )),
            "commit" => drop(submodules.insert(path)),
            _ => {}
        }
    }
    Ok((entries, submodules))
}
