//! The mark on generated documents, by which promgen recognizes its own output in the input.
//!
//! In: parsed documents. Out: the documents of users, and the number of skipped generated ones. In YAML, the mark is a
//! comment above each document, so that the objects stay equal, as data, to those of the operator. In JSON, which has no
//! comments, it is an annotation.

pub mod record;

use std::collections::{BTreeMap, BTreeSet};

use crate::output::generated::record::Record;
use crate::output::tree::is_raw;
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::parallel;
use promgen_text::source::{FileId, SourceFile, Sources};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::{ParsedDocument, read};

/// The line above each YAML document that promgen writes.
pub const COMMENT: &str = promgen_text::source::GENERATED;

/// The annotation of a JSON document that promgen writes. Its value is the uid of the object, or [`NO_UID`].
pub const ANNOTATION: &str = "promgen.dev/generated";

/// The value of [`ANNOTATION`] of an object without a uid.
pub const NO_UID: &str = "true";

/// The line above each document of a file that `promgen build` writes. Such documents are read like those of users: they are
/// the manifests of the kustomization.
pub const BUILT: &str = "# built by promgen";

/// The annotation of a list of such documents in JSON.
pub const BUILT_ANNOTATION: &str = "promgen.dev/built";

/// The documents in the input that are skipped because promgen generated them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// Files with only generated documents, with the number of their documents.
    whole: BTreeMap<FileId, usize>,
    /// Files that also contain other documents, with the number of generated ones.
    partly: BTreeMap<FileId, usize>,
}

impl Generated {
    /// The number of skipped documents.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.whole.values().chain(self.partly.values()).sum()
    }

    /// The files that contain them, in order.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let all: BTreeSet<FileId> = self
            .whole
            .keys()
            .chain(self.partly.keys())
            .copied()
            .collect_set();
        all.into_iter()
    }

    /// Returns whether a file contains only generated documents, so that it may be replaced.
    #[must_use]
    pub fn is_whole(&self, file: FileId) -> bool {
        self.whole.contains_key(&file)
    }
}

/// Removes the documents that promgen generated.
pub fn leave_out(
    parsed: Vec<ParsedDocument>,
    sources: &Sources,
) -> (Vec<ParsedDocument>, Generated) {
    let mut others: BTreeSet<FileId> = BTreeSet::new();
    let mut own: BTreeMap<FileId, usize> = BTreeMap::new();
    let marked = parallel::map(&parsed, 64, |document| is_marked(document, sources));
    let mut kept = Vec::with_capacity(parsed.len());
    for (document, is_marked) in parsed.into_iter().zip(marked) {
        let file = document.span.file;
        if is_marked {
            *own.entry(file).or_default() += 1;
        } else {
            others.insert(file);
            kept.push(document);
        }
    }
    // Inputs that are not manifests were not read.
    let recorded = RecordedFiles::of(sources);
    own.extend(
        sources
            .files()
            .filter(|(_, file)| recorded.is_output(file))
            .map(|(id, _)| (id, 1)),
    );
    let (partly, whole) = own.into_iter().partition(|(file, _)| others.contains(file));
    (kept, Generated { whole, partly })
}

/// Returns whether a document carries the mark. An applied object from a cluster may have the annotation too, but the
/// cluster has set another uid.
fn is_marked(document: &ParsedDocument, sources: &Sources) -> bool {
    if has_comment(head(sources.text(document.span))) {
        return true;
    }
    let text = |keys: &[&str]| document.root.find(keys).and_then(Node::as_str);
    let mark = text(&["metadata", "annotations", ANNOTATION]);
    mark.is_some_and(|mark| mark == text(&["metadata", "uid"]).unwrap_or(NO_UID))
}

/// What ends a line to some readers of YAML, besides a line feed: a comment with it may hide an object.
pub const ENDS_COMMENT: [char; 4] = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The comments above the first other line of a document.
fn head(text: &str) -> &str {
    let is_head = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') && !line.contains(ENDS_COMMENT) || line == "---"
    };
    let length = text
        .split_inclusive('\n')
        .take_while(|line| is_head(line))
        .map(str::len)
        .sum();
    &text[..length]
}

/// Returns whether comments contain the mark of generated documents.
fn has_comment(head: &str) -> bool {
    has_line(head, COMMENT)
}

fn has_line(head: &str, mark: &str) -> bool {
    head.lines().map(str::trim_end).any(|line| line == mark)
}

/// Returns whether every document of a file carries the mark, so that the file may be replaced or removed. YAML does
/// not have to parse: a file with the conflict of a merge is still promgen's.
#[must_use]
pub fn is_marked_file(text: &str) -> bool {
    if text.trim_start().starts_with('{') {
        return is_marked_json(text);
    }
    carries(text, &has_comment)
}

/// Returns whether promgen wrote a file of objects: every document is marked as generated or as built. A file that has the mark
/// and no document is promgen's, too.
#[must_use]
pub fn is_written_file(text: &str) -> bool {
    if text.trim_start().starts_with('{') {
        return is_marked_json(text) || is_built_json(text);
    }
    let has_mark = |head: &str| has_comment(head) || has_line(head, BUILT);
    carries(text, &has_mark) || head(text) == text && has_mark(text)
}

/// Returns whether every document has that in the comments above it, and there is one.
fn carries(text: &str, has_mark: &dyn Fn(&str) -> bool) -> bool {
    // The first document that is not empty has its comments there: a long text is not taken apart for nothing.
    if !has_mark(head(text)) {
        return false;
    }
    let mut documents = documents(text)
        .into_iter()
        .filter(|document| head(document) != *document)
        .peekable();
    documents.peek().is_some() && documents.all(|document| has_mark(head(document)))
}

fn is_marked_json(text: &str) -> bool {
    let mut sources = Sources::default();
    let file = sources.add(String::new(), text.to_owned());
    let parsed = read(file, text, &mut Sink::default());
    !parsed.is_empty() && parsed.iter().all(|document| is_marked(document, &sources))
}

fn is_built_json(text: &str) -> bool {
    let parsed = read(FileId::new(0), text, &mut Sink::default());
    let mark = |document: &ParsedDocument| {
        let mark = document
            .root
            .find(&["metadata", "annotations", BUILT_ANNOTATION]);
        mark.and_then(Node::as_str) == Some(NO_UID)
    };
    !parsed.is_empty() && parsed.iter().all(mark)
}

/// The documents of a YAML text, each with the line that separates it from the one before.
fn documents(text: &str) -> Vec<&str> {
    let is_separator = |line: &str| {
        let rest = line
            .strip_prefix("---")
            .or_else(|| line.strip_prefix("..."));
        rest.is_some_and(|rest| rest.trim_start() != rest || rest.is_empty())
    };
    let (mut documents, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if is_separator(line) {
            documents.push(&text[start..at]);
            start = at;
        }
        at += line.len();
    }
    documents.push(&text[start..]);
    documents
}

/// The paths of the files that the records among some texts list.
#[derive(Clone, Debug, Default)]
pub struct RecordedFiles(BTreeSet<String>);

impl RecordedFiles {
    /// Reads the records.
    #[must_use]
    pub fn of(sources: &Sources) -> Self {
        let records = sources.files().filter_map(|(_, file)| {
            let path = normal(&file.name);
            let folder = path
                .strip_suffix(record::FILE)
                .filter(|folder| folder.is_empty() || folder.ends_with('/'))?;
            Some((folder.to_owned(), Record::parse(&file.text)?))
        });
        let all = records.flat_map(|(folder, record)| {
            record
                .paths()
                .map(|path| format!("{folder}{path}"))
                .collect::<Vec<_>>()
        });
        Self(all.collect())
    }

    /// Returns whether a file is a configuration, a rule file or a report of a rendered tree: these cannot contain a
    /// mark, because they are the operator's bytes. A record lists them, and they contain no object. They may not
    /// parse: an agent's configuration has the same key several times.
    #[must_use]
    pub fn is_output(&self, file: &SourceFile) -> bool {
        let begins_object = |line: &str| {
            line.starts_with("apiVersion:") || line.trim_start().starts_with("\"apiVersion\":")
        };
        !self.0.is_empty()
            && is_raw(&file.name)
            && self.0.contains(&normal(&file.name))
            && !file.text.trim().is_empty()
            && !file.text.lines().any(begins_object)
    }
}

/// A path with slashes.
fn normal(path: &str) -> String {
    path.replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(paths: &[&str]) -> String {
        let mut record = Record::default();
        paths
            .iter()
            .for_each(|path| record.insert(path, record::digest(b"")));
        record.text().unwrap()
    }

    fn left(name: &str, text: &str) -> (usize, usize, bool) {
        let mut sources = Sources::default();
        let file = sources.add(name.to_owned(), text.to_owned());
        sources.add(
            "out/.promgen.sha256".to_owned(),
            recorded(&["prometheus/ns/main/prometheus.yaml"]),
        );
        let is_read = !RecordedFiles::of(&sources).is_output(sources.file(file));
        let parsed = if is_read {
            read(file, text, &mut Sink::default())
        } else {
            Vec::new()
        };
        let (kept, generated) = leave_out(parsed, &sources);
        (kept.len(), generated.documents(), generated.is_whole(file))
    }

    #[test]
    fn the_mark_is_a_comment_above_a_document() {
        assert_eq!(left("a.yaml", "# promgen: generated\na: 1\n"), (0, 1, true));
        assert_eq!(
            left(
                "a.yaml",
                "# x\n---\n# y\n# promgen: generated\na: 1\n---\nb: 1\n"
            ),
            (1, 1, false)
        );
        assert_eq!(
            left(
                "a.yaml",
                "---\n# promgen: generated\r\na: 1\n---\n# promgen: generated\nb: 1\n"
            ),
            (0, 2, true)
        );
        assert_eq!(
            left("a.yaml", "a: 1\n# promgen: generated\n"),
            (1, 0, false)
        );
        assert_eq!(
            left("a.yaml", "a: |\n  # promgen: generated\n"),
            (1, 0, false)
        );
    }

    #[test]
    fn in_json_it_is_an_annotation_of_what_no_cluster_has_seen() {
        let object = |mark: &str, rest: &str| {
            format!("{{\"metadata\": {{\"annotations\": {{{ANNOTATION:?}: {mark:?}}}{rest}}}}}")
        };
        assert_eq!(left("a.json", &object("true", "")), (0, 1, true));
        assert_eq!(
            left("a.json", &object("x", ", \"uid\": \"x\"")),
            (0, 1, true)
        );
        assert_eq!(
            left("a.json", &object("true", ", \"uid\": \"x\"")),
            (1, 0, false)
        );
    }

    #[test]
    fn a_file_is_ours_if_all_of_it_carries_the_mark() {
        let object =
            format!("{{\"metadata\": {{\"annotations\": {{{ANNOTATION:?}: \"true\"}}}}}}\n");
        for text in [
            "# promgen: generated\na: 1\n",
            "# promgen: generated\r\na: 1\r\n",
            "# promgen: generated\na: |\n  ---\n---\n# promgen: generated\nb: 1\n",
            "# promgen: generated\n<<<<<<< ours\na: 1\n=======\na: [\n>>>>>>> theirs\n",
            &object,
        ] {
            assert!(is_marked_file(text), "{text}");
        }
        for text in [
            "",
            "# promgen: generated\n",
            "a: 1\n# promgen: generated\n",
            "# promgen: generated\na: 1\n---\nb: 1\n",
            "# promgen: generated\na: 1\n--- {b: 1}\n",
            "# promgen: generated\na: 1\n...\nb: 1\n",
            "# promgen: generated\n---\na: 1\n",
            "{\"metadata\": {}}\n",
            "{\"metadata\": ",
        ] {
            assert!(!is_marked_file(text), "{text}");
        }
    }

    #[test]
    fn a_file_of_objects_is_written_if_all_of_it_is_marked_as_generated_or_built() {
        let built = format!(
            "{{\"kind\": \"List\", \"metadata\": {{\"annotations\": {{{BUILT_ANNOTATION:?}: \"true\"}}}}}}\n"
        );
        for text in [
            "# built by promgen\na: 1\n---\n# promgen: generated\nb: 1\n",
            "# promgen: generated\n",
            "# built by promgen\r\na: 1\r\n",
            &built,
        ] {
            assert!(is_written_file(text), "{text}");
        }
        for text in [
            "# built by promgen\na: 1\n---\nb: 1\n",
            "# built by promgen with love\na: 1\n",
            "# promgen: generated\na: 1\n---\n# a\rkind: Secret\r",
            "# promgen: generated\na: 1\n---\n# a\u{2028}kind: Secret",
            "\u{feff}# promgen: generated\na: 1\n",
            "a: 1\n",
            "# promgen: generated\n---\na: 1\n",
            "{\"kind\": \"List\"}\n",
        ] {
            assert!(!is_written_file(text), "{text}");
        }
        assert!(
            !is_marked_file("# built by promgen\na: 1\n"),
            "what is built is read"
        );
    }

    #[test]
    fn raw_files_of_the_tree_are_those_of_its_record() {
        assert_eq!(
            left("out/prometheus/ns/main/prometheus.yaml", "global: {}\n"),
            (0, 1, true)
        );
        assert_eq!(
            left("out\\prometheus\\ns\\main\\prometheus.yaml", "global: {}\n"),
            (0, 1, true)
        );
        // Without a record, somebody else wrote it.
        for name in [
            "prometheus/ns/main/prometheus.yaml",
            "out/alertmanager/app/config/alertmanager.yaml",
        ] {
            assert_eq!(left(name, "global: {}\n"), (1, 0, false), "{name}");
        }
        let object = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
        assert_eq!(
            left("out/prometheus/ns/main/prometheus.yaml", object),
            (1, 0, false)
        );
        let forged =
            Record::parse(&format!("{COMMENT}\n{}  monitor.yaml\n", "0".repeat(64))).unwrap();
        assert_eq!(forged.paths().count(), 0, "promgen writes no such file");
    }
}
