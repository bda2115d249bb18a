//! The contents of a repository, as `git cat-file` gives them.
//!
//! Its size is asked first: a small commit can name a content of any size, and one content any number of times.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, ErrorKind, Read as _};

use crate::cli::fs::MAX_BYTES;
use crate::cli::fs::git::repository::GitRepository;
use crate::cli::fs::git::{GitError, usage};
use crate::cli::fs::programs::ProgramSession;
use promgen_text::CollectOrdered;
use promgen_text::limits::Limit;
use promgen_text::source::FileBytes;

/// What a file counts besides its bytes, and one with a content that was read before.
const OF_FILE: [u64; 2] = [512, 8 << 10];

/// The number of questions that `git` gets at once: they fit into a pipe.
const AT_ONCE: usize = 256;

/// The size of a content that is read ahead.
const SMALL: u64 = 64 << 10;

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

/// A content that `git` was asked for.
#[derive(Default)]
struct KnownBlob {
    size: u64,
    bytes: Option<FileBytes>,
    /// A file with it was read.
    is_read: bool,
}

/// The contents of a repository.
pub(super) struct Blobs<'r> {
    repository: &'r GitRepository,
    sizes: ProgramSession,
    contents: Option<ProgramSession>,
    known: BTreeMap<String, KnownBlob>,
    /// What was read, as the limit counts it.
    spent: u64,
}

impl<'r> Blobs<'r> {
    pub(super) fn start(repository: &'r GitRepository) -> Result<Self, GitError> {
        let sizes = repository.session(&["cat-file", "--batch-check"])?;
        Ok(Self {
            repository,
            sizes,
            contents: None,
            known: BTreeMap::new(),
            spent: 0,
        })
    }

    /// The number of bytes of an object of that kind.
    pub(super) fn size(&mut self, id: &str, kind: &str) -> Result<u64, Unavailable> {
        let asked = self
            .sizes
            .ask(id)
            .and_then(|()| header(&mut self.sizes, kind));
        asked
            .map_err(|error| self.failed(&error))?
            .ok_or(Unavailable::Missing)
    }

    /// The bytes of a file. `None` if it is larger than any that promgen accepts.
    pub(super) fn read(&mut self, id: &str) -> Result<Option<FileBytes>, Unavailable> {
        if !self.known.contains_key(id) {
            let size = self.size(id, "blob")?;
            self.known.insert(
                id.to_owned(),
                KnownBlob {
                    size,
                    ..KnownBlob::default()
                },
            );
        }
        let blob = self.known.entry(id.to_owned()).or_default();
        if blob.size >= MAX_BYTES {
            return Ok(None);
        }
        self.spent = self
            .spent
            .saturating_add(blob.size + OF_FILE[usize::from(blob.is_read)]);
        blob.is_read = true;
        let (size, bytes) = (blob.size, blob.bytes.clone());
        self.check(self.spent).map_err(Unavailable::Refused)?;
        if bytes.is_none() {
            self.fetch(&[(id, size)])
                .map_err(|error| self.failed(&error))?;
        }
        Ok(self.known.get(id).and_then(|blob| blob.bytes.clone()))
    }

    /// Reads what files hold that are small, many at a time. What is missing or too much is left to [`Blobs::read`].
    pub(super) fn read_ahead<'i>(
        &mut self,
        ids: impl Iterator<Item = &'i str>,
    ) -> Result<(), Unavailable> {
        let ids: Vec<&str> = ids.collect_set().into_iter().collect();
        let mut all = 0_u64;
        for some in ids.chunks(AT_ONCE) {
            let sizes = self.sizes_of(some).map_err(|error| self.failed(&error))?;
            all = sizes
                .iter()
                .fold(all, |all, (_, size)| all.saturating_add(*size));
            if self.check(all).is_err() {
                return Ok(());
            }
            let small: Vec<_> = sizes
                .into_iter()
                .filter(|(_, size)| *size <= SMALL)
                .collect();
            self.fetch(&small).map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// The sizes of the contents that are there.
    fn sizes_of<'i>(&mut self, ids: &[&'i str]) -> io::Result<Vec<(&'i str, u64)>> {
        self.sizes.ask(&ids.join("\n"))?;
        let mut sizes = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(size) = header(&mut self.sizes, "blob")? {
                self.known.insert(
                    (*id).to_owned(),
                    KnownBlob {
                        size,
                        ..KnownBlob::default()
                    },
                );
                sizes.push((*id, size));
            }
        }
        Ok(sizes)
    }

    /// Checks that so many files may be read, whatever they hold.
    pub(super) fn check_number<'i>(
        &self,
        ids: impl Iterator<Item = &'i str>,
    ) -> Result<(), GitError> {
        let mut seen = BTreeSet::new();
        self.check(ids.map(|id| OF_FILE[usize::from(!seen.insert(id))]).sum())
    }

    fn check(&self, spent: u64) -> Result<(), GitError> {
        match spent > self.repository.limits.get(Limit::RevisionBytes) {
            true => Err(self
                .repository
                .excess(Limit::RevisionBytes, "what is to be read of the revision")),
            false => Ok(()),
        }
    }

    /// Reads contents of known sizes.
    fn fetch(&mut self, blobs: &[(&str, u64)]) -> io::Result<()> {
        if blobs.is_empty() {
            return Ok(());
        }
        let mut contents = match self.contents.take() {
            Some(contents) => contents,
            None => self
                .repository
                .session(&["cat-file", "--batch"])
                .map_err(|_| ErrorKind::InvalidData)?,
        };
        contents.ask(
            &blobs
                .iter()
                .map(|(id, _)| *id)
                .collect::<Vec<_>>()
                .join("\n"),
        )?;
        for (id, size) in blobs {
            let bytes = content(&mut contents, *size)?;
            self.known.entry((*id).to_owned()).or_default().bytes = Some(bytes.into());
        }
        self.contents = Some(contents);
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Unavailable {
        match error.kind() {
            ErrorKind::TimedOut => Unavailable::Refused(self.repository.late("cat-file")),
            // It ends in a partial clone, where it may not fetch what is missing.
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => Unavailable::Missing,
            _ => Unavailable::Refused(usage(
                "`git cat-file` does not answer as it should".to_owned(),
            )),
        }
    }
}

/// The content that is answered next.
fn content(session: &mut ProgramSession, size: u64) -> io::Result<Vec<u8>> {
    if header(session, "blob")? != Some(size) {
        return Err(ErrorKind::InvalidData.into());
    }
    // The content, and the line break behind it.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    session.take(size + 1).read_to_end(&mut bytes)?;
    match bytes.pop() {
        Some(b'\n') if bytes.len() as u64 == size => Ok(bytes),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// The size of the object that is answered next, if it is there and of that kind.
fn header(session: &mut ProgramSession, kind: &str) -> io::Result<Option<u64>> {
    let mut line = String::new();
    if session.take(MAX_HEADER).read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let line = line.strip_suffix('\n').ok_or(ErrorKind::InvalidData)?;
    let mut fields = line.rsplitn(3, ' ');
    match (fields.next(), fields.next(), fields.next()) {
        (Some(size), Some(found), Some(_)) if found == kind => size
            .parse()
            .map(Some)
            .map_err(|_| ErrorKind::InvalidData.into()),
        // `ID missing`, or another kind.
        _ => Ok(None),
    }
}
