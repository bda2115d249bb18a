//! Which lines of manifests may not be shown, because they may hold a value of a Secret.
//!
//! In: texts. Out: an answer for each line. A line is shown if it is known not to hold such a value: in a document that
//! parses by what stands there, in one that does not if its text proves that it is no Secret.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::locate::FindingTexts;
use crate::locate::secret::SecretLine;
use crate::secrecy::{self, SecrecyRole, is_secret};
use promgen_text::source::{FileId, SourceFile, Span};
use promgen_text::yaml::read::{self, BREAKS, DocumentPart};
use promgen_text::yaml::{Data, Entry, Node};

/// The verdicts on documents, file by file, computed on demand.
#[derive(Debug)]
pub(super) struct SecretLines<'s> {
    texts: FindingTexts<'s>,
    files: BTreeMap<FileId, Arc<Documents>>,
}

/// The documents of a file.
#[derive(Debug)]
struct Documents {
    parts: Vec<DocumentPart>,
    verdicts: Vec<OnceLock<DocumentSecrets>>,
}

/// The texts that a finding may quote.
#[derive(Debug, Default)]
pub(super) struct QuotedTexts<'s> {
    pub(super) private: Vec<&'s str>,
    pub(super) public: Vec<&'s str>,
}

/// The verdict on a document.
#[derive(Clone, Debug)]
enum DocumentSecrets {
    /// It does not parse, and may be a Secret.
    Opaque,
    /// It parses, or is provably no Secret. What stands in these ranges are values of Secrets.
    Known {
        values: Vec<Range<usize>>,
        /// Lines in them that hold a key and nothing else, counted from 1.
        keys: BTreeSet<usize>,
    },
}

impl<'s> SecretLines<'s> {
    /// An empty secret_lines.
    pub(super) const fn new(texts: FindingTexts<'s>) -> Self {
        Self {
            texts,
            files: BTreeMap::new(),
        }
    }

    /// Returns whether a line may hold a value of a Secret.
    pub(super) fn hides(&mut self, (id, line): SecretLine) -> bool {
        let bytes = self.texts.sources.file(id).line_range(line);
        if self.texts.private.touches(id, &bytes) {
            return true;
        }
        self.verdicts(id, &bytes)
            .iter()
            .any(|verdict| match verdict {
                DocumentSecrets::Opaque => true,
                DocumentSecrets::Known { values, keys } => {
                    values.iter().any(|value| overlap(value, &bytes)) && !keys.contains(&line)
                }
            })
    }

    /// Returns whether a span lies in a private text, or in a document that does not parse and may be a Secret.
    pub(super) fn is_opaque(&mut self, span: Span) -> bool {
        let bytes = bytes_of(span);
        self.texts.private.touches(span.file, &bytes)
            || self
                .verdicts(span.file, &bytes)
                .iter()
                .any(|verdict| matches!(verdict, DocumentSecrets::Opaque))
    }

    /// The private texts that a span is or holds a part of, and those in it that are public. In a private text that holds all of it, other
    /// places of the file may be quoted.
    pub(super) fn private(&self, span: Span) -> QuotedTexts<'s> {
        let (bytes, texts) = (bytes_of(span), self.texts);
        let text = &*texts.sources.file(span.file).text;
        let mut parts: Vec<Range<usize>> = texts.private.parts(span.file, &bytes).collect();
        let is_inside = |part: &Range<usize>| part.start <= bytes.start && bytes.end <= part.end;
        if parts.is_empty() && texts.private.touches(span.file, &bytes)
            || parts.iter().any(is_inside)
        {
            return QuotedTexts {
                private: vec![text],
                public: Vec::new(),
            };
        }
        parts.sort_by_key(|part| part.start);
        let (mut public, mut from) = (Vec::new(), bytes.start);
        for part in parts
            .iter()
            .cloned()
            .chain(std::iter::once(bytes.end..bytes.end))
        {
            public.extend(text.get(from..part.start));
            from = from.max(part.end);
        }
        let private = parts.into_iter().filter_map(|part| text.get(part));
        QuotedTexts {
            private: private.collect(),
            public,
        }
    }

    /// The verdicts on the documents that overlap a range.
    fn verdicts(&mut self, id: FileId, bytes: &Range<usize>) -> Vec<&DocumentSecrets> {
        if self
            .texts
            .sources
            .index_of(id)
            .is_none_or(|index| index >= self.texts.n_manifests)
        {
            return Vec::new();
        }
        let file = self.texts.sources.file(id);
        let sources = self.texts.sources;
        let documents = self
            .files
            .entry(id)
            .or_insert_with(|| sources.derive(id, Documents::of));
        let first = documents
            .parts
            .partition_point(|part| part.range.end <= bytes.start);
        let overlapping = documents.parts[first..]
            .iter()
            .take_while(|part| part.range.start < bytes.end)
            .count();
        (first..first + overlapping)
            .map(|index| documents.verdict(index, id, file))
            .collect()
    }
}

impl Documents {
    fn of(file: &SourceFile) -> Self {
        let parts = read::parts(&file.text);
        Self {
            verdicts: parts.iter().map(|_| OnceLock::new()).collect(),
            parts,
        }
    }

    fn verdict(&self, index: usize, id: FileId, file: &SourceFile) -> &DocumentSecrets {
        self.verdicts[index].get_or_init(|| self.classify(index, id, file))
    }

    fn classify(&self, index: usize, id: FileId, file: &SourceFile) -> DocumentSecrets {
        let part = &self.parts[index];
        match read::read_part(id, &file.text, part) {
            Err(_) if is_provably_no_secret(&file.text[part.range.clone()]) => {
                DocumentSecrets::clear()
            }
            Err(_) => DocumentSecrets::Opaque,
            Ok(None) => DocumentSecrets::clear(),
            // A quote of the document above that is not closed may reach this far.
            Ok(Some(root)) if !has_kind(&root) && index > 0 => {
                match self.verdict(index - 1, id, file) {
                    DocumentSecrets::Opaque => DocumentSecrets::Opaque,
                    DocumentSecrets::Known { .. } => DocumentSecrets::of(file, part, &root),
                }
            }
            Ok(Some(root)) => DocumentSecrets::of(file, part, &root),
        }
    }
}

impl DocumentSecrets {
    const fn clear() -> Self {
        Self::Known {
            values: Vec::new(),
            keys: BTreeSet::new(),
        }
    }

    fn of(file: &SourceFile, part: &DocumentPart, root: &Node) -> Self {
        let mut found = SecretRanges {
            file,
            values: Vec::new(),
            keys: BTreeSet::new(),
        };
        found.look(root, SecrecyRole::DOCUMENT, part.range.end);
        if !has_kind(root) {
            found.named(root);
        }
        Self::Known {
            values: found.values,
            keys: found.keys,
        }
    }
}

/// Values of Secrets in a document.
struct SecretRanges<'s> {
    file: &'s SourceFile,
    values: Vec<Range<usize>>,
    keys: BTreeSet<usize>,
}

impl SecretRanges<'_> {
    /// Finds Secrets in a node; what follows the last entry of a map up to `end` belongs to it.
    fn look(&mut self, node: &Node, role: SecrecyRole, end: usize) {
        match &node.data {
            Data::Map(entries) if is_secret(node, role) => self.secret(node, entries, end),
            Data::Map(entries) => {
                for (entry, role) in entries.iter().zip(secrecy::roles(node, role)) {
                    if role == SecrecyRole::Value {
                        self.value(node, entry);
                    } else {
                        self.look(&entry.value, role, range(entry.value.span).end);
                    }
                }
            }
            Data::Seq(items) => items
                .iter()
                .for_each(|item| self.look(item, role, range(item.span).end)),
            _ if secrecy::is_value(role) => self.values.push(range(node.span)),
            _ => {}
        }
    }

    /// Finds secrets by their keys in what is no object: values of a chart, settings of another program.
    fn named(&mut self, root: &Node) {
        for node in root.descendants() {
            for entry in node.entries() {
                if entry.value.as_str().is_some() && secrecy::is_secret_key(&entry.key) {
                    self.value(node, entry);
                }
            }
        }
    }

    /// Hides all of a Secret but its plain entries: what is lost of keys that stand twice is hidden with the rest.
    fn secret(&mut self, node: &Node, entries: &[Entry], end: usize) {
        let mut plain = Vec::new();
        // That of a document decides nothing here: it is a Secret.
        for (entry, role) in entries.iter().zip(secrecy::roles(
            node,
            SecrecyRole::Object { is_secret: true },
        )) {
            match role {
                SecrecyRole::Metadata => {
                    plain.push(entry.key_span.start as usize..range(entry.value.span).start);
                    let inner = entry.value.entries();
                    plain.extend(
                        inner
                            .iter()
                            .filter(|inner| inner.key != "annotations")
                            .map(extent),
                    );
                    let annotations = inner.iter().filter(|inner| inner.key == "annotations");
                    annotations.for_each(|inner| self.value(&entry.value, inner));
                }
                SecrecyRole::Public => plain.push(extent(entry)),
                _ => self.value(node, entry),
            }
        }
        plain.sort_by_key(|range| range.start);
        let mut from = range(node.span).start;
        for shown in plain.into_iter().chain(std::iter::once(end..end)) {
            self.values.extend(self.filled(from..shown.start));
            from = from.max(shown.end);
        }
    }

    /// A range without what says nothing at its ends; none if nothing is left.
    fn filled(&self, range: Range<usize>) -> Option<Range<usize>> {
        let is_filler = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}');
        let text = self.file.text.get(range.clone())?;
        let start = range.start + (text.len() - text.trim_start_matches(is_filler).len());
        let end = range.start + text.trim_end_matches(is_filler).len();
        (start < end).then_some(start..end)
    }

    /// Takes everything from behind a key to the end of its value, and what aliases stand for.
    fn value(&mut self, parent: &Node, entry: &Entry) {
        self.values
            .push(entry.key_span.end as usize..extent(entry).end);
        self.leaves(&entry.value);
        self.bare_keys(parent, entry);
    }

    fn leaves(&mut self, node: &Node) {
        match &node.data {
            Data::Map(_) | Data::Seq(_) => node.children().for_each(|child| self.leaves(child)),
            _ => self.values.push(range(node.span)),
        }
    }

    /// Takes note of the lines that hold a key of a block map and nothing else.
    fn bare_keys(&mut self, parent: &Node, entry: &Entry) {
        let is_block = !self.file.text[range(parent.span)].starts_with(['{', '[']);
        let line = self.file.line_of(entry.key_span.start);
        let bytes = self.file.line_range(line);
        let (key, value) = (range(entry.key_span), range(entry.value.span));
        let before = self.file.text.get(bytes.start..key.start).unwrap_or("?");
        let behind = self
            .file
            .text
            .get(key.end..bytes.end)
            .unwrap_or_default()
            .trim_end();
        let is_alone = before.trim_matches(' ').is_empty()
            && [":", ": |", ": |-", ": |+", ": >", ": >-", ": >+"].contains(&behind)
            && !self.file.text[key].contains(BREAKS);
        // A block scalar may begin with its indicator, and a value that is not there has no place of its own.
        let is_below = behind != ":" || value.is_empty() || value.start >= bytes.end;
        if is_block && is_alone && is_below {
            self.keys.insert(line);
        }
        if let Data::Map(entries) = &entry.value.data {
            entries
                .iter()
                .for_each(|inner| self.bare_keys(&entry.value, inner));
        }
    }
}

/// The bytes of a span, at least one.
fn bytes_of(span: Span) -> Range<usize> {
    span.start as usize..span.end.max(span.start + 1) as usize
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// A key and its value.
fn extent(entry: &Entry) -> Range<usize> {
    let key = range(entry.key_span);
    key.start..key.end.max(range(entry.value.span).end)
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn has_kind(node: &Node) -> bool {
    node.text_of("kind").is_some_and(|kind| !kind.is_empty())
}

/// Returns whether the text of a document that does not parse shows that it is no Secret: a block map whose every key
/// is seen, with one plain kind that is another.
fn is_provably_no_secret(text: &str) -> bool {
    let mut kinds = Vec::new();
    for line in text.split(BREAKS) {
        match top_level(line) {
            Some(Top::Kind(kind)) => kinds.push(kind),
            Some(Top::Other) => {}
            None => return false,
        }
    }
    let is_other = |kind: &str| {
        let lower = kind.to_ascii_lowercase();
        !kind.is_empty()
            && lower != "secret"
            && !lower.ends_with("list")
            && !lower.ends_with("template")
    };
    let lower = text.to_ascii_lowercase();
    let names_secret =
        lower.contains("stringdata") || lower.contains("kind: secret") || lower.contains("kind\":");
    // They hold patches, and values of charts and substitutions.
    let applies = lower.contains("toolkit.fluxcd.io/") || lower.contains("argoproj.io/");
    matches!(kinds.as_slice(), [kind] if is_other(kind)) && !names_secret && !applies
}

/// The beginning of a line.
enum Top<'t> {
    Kind(&'t str),
    Other,
}

/// Reads a line of a block map: a key at its start, a list item, a comment, a marker, or what is further in. `None` for
/// anything else.
fn top_level(line: &str) -> Option<Top<'_>> {
    if line.is_empty() || line.starts_with([' ', '\t', '#']) {
        return Some(Top::Other);
    }
    let plain = line.split(" #").next().unwrap_or_default().trim_end();
    if plain == "---" || plain == "..." || plain == "-" || line.starts_with("- ") {
        return Some(Top::Other);
    }
    let (key, value) = plain.split_once(':')?;
    let is_word = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b))
    };
    if key.is_empty() || !is_word(key) || !(value.is_empty() || value.starts_with([' ', '\t'])) {
        return None;
    }
    match key {
        "kind" => Some(Top::Kind(value.trim())).filter(|_| is_word(value.trim())),
        _ => Some(Top::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrecy::Private;
    use promgen_text::source::Sources;

    /// The lines that are hidden, counted from 1.
    fn hidden(text: &str) -> Vec<usize> {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), text.into());
        let private = Private::default();
        let mut secret_lines = SecretLines::new(FindingTexts {
            sources: &sources,
            n_manifests: 1,
            private: &private,
        });
        (1..=text.lines().count())
            .filter(|line| secret_lines.hides((file, *line)))
            .collect()
    }

    #[test]
    fn values_of_a_secret_are_hidden_and_its_keys_are_not() {
        let twice = "kind: Secret\nstringData:\n  a: 1\nstringData:\n  a: 2\n  a: 3\ntype: x\n";
        assert_eq!(hidden(twice), [2, 3, 5, 6]);
        let text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n    a: b\nstringData:\n  x: 1\n  y:\n    z\n  # x: 0\ntype: Opaque\n";
        assert_eq!(hidden(text), [6, 8, 10, 11]);
        let flow = "kind: Secret\nstringData: {password: x, other:\n  y}\n";
        assert_eq!(hidden(flow), [2, 3]);
        assert_eq!(
            hidden("kind: Secret\nstringData: {password: 1,\n  other:\n  x}\n"),
            [2, 3, 4]
        );
        let block = "kind: Secret\nstringData:\n  a: |\n    b:\n    c\n";
        assert_eq!(hidden(block), [4, 5]);
    }

    #[test]
    fn a_secret_is_known_wherever_it_stands() {
        for text in [
            "kind: SecretList\napiVersion: v1\nitems: [{data: {a: b}}]\n",
            "- kind: Secret\n  data: {a: b}\n",
            "kind: Template\nobjects:\n- {kind: secret, data: {a: b}}\n",
            "metadata: {name: a}\ndata: {a: b}\n",
            "kind: Secert\napiVersion: v1\ndata: {a: b}\n",
            "kind: \"Sec\\x72et\"\ndata: {a: b}\n",
            "kind: &a Secret\nDATA: {a: b}\n",
        ] {
            let last = text.lines().count();
            assert!(hidden(text).contains(&last), "{text}");
        }
        for text in [
            "kind: ConfigMap\napiVersion: v1\ndata: {a: b}\n",
            "image: a\ndata: x\nkind: Foo\napiVersion: a/v1\n",
        ] {
            assert_eq!(hidden(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn what_does_not_parse_is_shown_only_if_it_is_no_secret() {
        for kind in [
            "Secret",
            "Secret # x",
            "&a Secret",
            "\"Sec\\x72et\"",
            "",
            "List",
            "!!str Secret",
            "{",
            "a\nkind: b",
        ] {
            assert_eq!(
                hidden(&format!("kind: {kind}\nspec: \"\n")).len(),
                2 + kind.lines().count().saturating_sub(1),
                "{kind}"
            );
        }
        assert_eq!(hidden("kind: ConfigMap # x\nspec:\n- a: b: c\n"), [0; 0]);
        assert_eq!(hidden("kind: ConfigMap\rspec: \"\rpassword\r"), [1]);
        assert_eq!(hidden("kind:\n  Secret\na: \"\n"), [1, 2, 3]);
        let pem = "kind: Secret\nstringData:\n  a: \"\n-----BEGIN A-----\nx\n-----END A-----\n\"\n  b: \"\n";
        assert_eq!(hidden(pem).len(), 8);
        assert_eq!(
            hidden("kind: Secret\na: \"\n---\nb: c\n---\nkind: ConfigMap\nb: c\n"),
            [1, 2, 3, 4]
        );
    }
}
