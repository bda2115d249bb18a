//! The record of the generated files that cannot carry the mark: configurations, rule files and reports, whose bytes are
//! the product.
//!
//! In: the text of the record of an earlier run. Out: whether promgen wrote a file, by the SHA-256 of its content, and the
//! text of the next record. The format is that of `sha256sum`, below the mark, so that `sha256sum -c` checks it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::output::generated::COMMENT;
use crate::output::tree::{below_workload, parts_of_file};
use promgen_text::CollectOrdered;

/// The name of the record, at the root of a tree.
pub const FILE: &str = promgen_text::source::RECORD;

/// The digests of files, by their path in the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    digests: BTreeMap<String, String>,
}

/// The digest of a content. Line breaks count as line feeds: Git may have converted them.
#[must_use]
pub fn digest(content: &[u8]) -> String {
    let mut digester = Digester::default();
    digester.update(content);
    digester.finish()
}

/// The same of a content that comes in parts.
#[derive(Default)]
pub struct Digester {
    hasher: Sha256,
    /// The last byte is a carriage return, which counts unless a line feed follows.
    has_return: bool,
}

impl Digester {
    /// Adds a part.
    pub fn update(&mut self, part: &[u8]) {
        let Some(first) = part.first() else { return };
        if std::mem::take(&mut self.has_return) && *first != b'\n' {
            self.hasher.update(b"\r");
        }
        let mut rest = part.strip_suffix(b"\r").unwrap_or(part);
        self.has_return = rest.len() < part.len();
        while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
            self.hasher.update(&rest[..at]);
            rest = &rest[at + 1..];
        }
        self.hasher.update(rest);
    }

    /// The digest of all parts, in hexadecimal.
    #[must_use]
    pub fn finish(mut self) -> String {
        if self.has_return {
            self.hasher.update(b"\r");
        }
        self.hasher
            .finalize()
            .iter()
            .fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").expect("a string takes every character");
                text
            })
    }
}

impl Record {
    /// Reads a record. `None` if the text does not carry the mark. Leaves out paths that promgen does not write: a record
    /// may be forged.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()?.trim_end() != COMMENT {
            return None;
        }
        let entry = |line: &str| {
            let (digest, path) = line.trim_end().split_once("  ")?;
            let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
            let is_ours = below_workload(path).is_some_and(|name| parts_of_file(name).is_some());
            (is_digest && is_ours).then(|| (path.to_owned(), digest.to_ascii_lowercase()))
        };
        Some(Self {
            digests: lines.filter_map(entry).collect_map(),
        })
    }

    /// Returns whether it contains a file with that content.
    #[must_use]
    pub fn contains(&self, path: &str, content: &[u8]) -> bool {
        self.digests
            .get(path)
            .is_some_and(|expected| *expected == digest(content))
    }

    /// Adds a file, or replaces its digest.
    pub fn insert(&mut self, path: &str, digest: String) {
        self.digests.insert(path.to_owned(), digest);
    }

    /// Removes the files that do not fit.
    pub fn retain(&mut self, mut keeps: impl FnMut(&str) -> bool) {
        self.digests.retain(|path, _| keeps(path));
    }

    /// The paths of its files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.digests.keys().map(String::as_str)
    }

    /// Its text. `None` if it has no files.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let lines: String = self
            .digests
            .iter()
            .map(|(path, digest)| format!("{digest}  {path}\n"))
            .collect();
        (!lines.is_empty()).then(|| format!("{COMMENT}\n{lines}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "prometheus/ns/main/prometheus-0.yaml";

    #[test]
    fn what_was_written_is_recognized_until_it_changes() {
        let mut record = Record::default();
        assert_eq!(record.text(), None);
        record.insert(PATH, digest(b"a: 1\nb: 1\n"));
        let text = record.text().unwrap();
        assert_eq!(
            text,
            format!("{COMMENT}\n{}  {PATH}\n", digest(b"a: 1\nb: 1\n"))
        );
        let record = Record::parse(&text).unwrap();
        assert!(
            record.contains(PATH, b"a: 1\nb: 1\n") && record.contains(PATH, b"a: 1\r\nb: 1\r\n")
        );
        assert!(
            !record.contains(PATH, b"a: 1\nb: 2\n")
                && !record.contains("prometheus/ns/a/prometheus-0.yaml", b"")
        );
    }

    #[test]
    fn the_digest_is_that_of_sha256sum() {
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(digest(b"a\r\n\rb\r\n"), digest(b"a\n\rb\n"));
        assert_ne!(digest(b"a\r"), digest(b"a"));
    }

    #[test]
    fn parts_have_the_digest_of_the_whole() {
        let whole = b"\r\na\r\r\n\rb\n\r";
        for at in 0..=whole.len() {
            for to in at..=whole.len() {
                let mut digester = Digester::default();
                [&whole[..at], &whole[at..to], &whole[to..]]
                    .into_iter()
                    .for_each(|part| digester.update(part));
                assert_eq!(digester.finish(), digest(whole), "{at} {to}");
            }
        }
    }

    #[test]
    fn a_forged_record_names_only_what_promgen_writes() {
        let sum = digest(b"");
        let line = |path: &str| format!("{sum}  {path}\n");
        let paths = [
            "../../x/prometheus.yaml",
            "/etc/passwd",
            "prometheus/ns/main/notes.yaml",
            "Cargo.toml",
            PATH,
        ];
        let lines: String = paths.iter().map(|path| line(path)).collect();
        let record = Record::parse(&format!("{COMMENT}\n{lines}nonsense\nab  {PATH}\n")).unwrap();
        assert_eq!(record.paths().collect::<Vec<_>>(), [PATH]);
        assert_eq!(Record::parse(&lines), None);
    }
}
