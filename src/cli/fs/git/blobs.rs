//! The contents of a repository, as `git cat-file` gives them.
//!
//! Its size is asked first: a small commit can name a content of any size, and one content any number of times.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, ErrorKind, Read as _};

use crate::cli::fs::MAX_BYTES;
use crate::cli::fs::git::repository::GitRepository;
use crate::cli::fs::git::{GitError, usage};
use crate::cli::fs::programs::ProgramSession;
use promgen_text::limits::Limit;

/// What a file counts besides its bytes, and one with a content that was read before.
const OF_FILE: [u64; 2] = [512, 8 << 10];

/// The longest line that says what an object is.
const MAX_HEADER: u64 = 256;

/// Why a content is not there.
#[derive(Debug)]
pub(super) enum Unavailable {
    /// The repository does not have it.
    Missing,
    /// It may not be read.
    Refused(GitError),
}

/// The contents of a repository.
pub(super) struct Blobs<'r> {
    repository: &'r GitRepository,
    sizes: ProgramSession,
    contents: Option<ProgramSession>,
    seen: BTreeSet<String>,
    /// What was read, as the limit counts it.
    spent: u64,
}

impl<'r> Blobs<'r> {
    pub(super) fn start(repository: &'r GitRepository) -> Result<Self, GitError> {
        let sizes = repository.session(&["cat-file", "--batch-check"])?;
        Ok(Self { repository, sizes, contents: None, seen: BTreeSet::new(), spent: 0 })
    }

    /// The number of bytes of an object of that kind.
    pub(super) fn size(&mut self, id: &str, kind: &str) -> Result<u64, Unavailable> {
        let asked = header(&mut self.sizes, id, kind);
        asked.map_err(|error| self.failed(&error))?.ok_or(Unavailable::Missing)
    }

    /// The bytes of a file. `None` if it is larger than any that promgen accepts.
    pub(super) fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        let size = self.size(id, "blob")?;
        if size >= MAX_BYTES {
            return Ok(None);
        }
        let is_known = !self.seen.insert(id.to_owned());
        self.spent = self.spent.saturating_add(size + OF_FILE[usize::from(is_known)]);
        self.check(self.spent).map_err(Unavailable::Refused)?;
        match self.content(id, size) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Checks that so many files may be read, whatever they hold.
    pub(super) fn check_number<'i>(&self, ids: impl Iterator<Item = &'i str>) -> Result<(), GitError> {
        let mut seen = BTreeSet::new();
        self.check(ids.map(|id| OF_FILE[usize::from(!seen.insert(id))]).sum())
    }

    fn check(&self, spent: u64) -> Result<(), GitError> {
        match spent > self.repository.limits.get(Limit::RevisionBytes) {
            true => Err(self.repository.excess(Limit::RevisionBytes, "what is to be read of the revision")),
            false => Ok(()),
        }
    }

    fn content(&mut self, id: &str, size: u64) -> io::Result<Vec<u8>> {
        let mut contents = match self.contents.take() {
            Some(contents) => contents,
            None => self.repository.session(&["cat-file", "--batch"]).map_err(|_| ErrorKind::NotFound)?,
        };
        if header(&mut contents, id, "blob")? != Some(size) {
            return Err(ErrorKind::InvalidData.into());
        }
        // The content, and the line break behind it.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        (&mut contents).take(size + 1).read_to_end(&mut bytes)?;
        match bytes.pop() {
            Some(b'\n') if bytes.len() as u64 == size => {}
            _ => return Err(ErrorKind::InvalidData.into()),
        }
        self.contents = Some(contents);
        Ok(bytes)
    }

    fn failed(&self, error: &io::Error) -> Unavailable {
        match error.kind() {
            ErrorKind::TimedOut => Unavailable::Refused(self.repository.late("cat-file")),
            // It ends in a partial clone, where it may not fetch what is missing.
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => Unavailable::Missing,
            _ => Unavailable::Refused(usage("`git cat-file` does not answer as it should".to_owned())),
        }
    }
}

/// The size of an object, if it is there and of that kind.
fn header(session: &mut ProgramSession, id: &str, kind: &str) -> io::Result<Option<u64>> {
    session.ask(id)?;
    let mut line = String::new();
    if session.take(MAX_HEADER).read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let line = line.strip_suffix('\n').ok_or(ErrorKind::InvalidData)?;
    let mut fields = line.rsplitn(3, ' ');
    match (fields.next(), fields.next(), fields.next()) {
        (Some(size), Some(found), Some(_)) if found == kind => {
            size.parse().map(Some).map_err(|_| ErrorKind::InvalidData.into())
        }
        // `ID missing`, or another kind.
        _ => Ok(None),
    }
}
