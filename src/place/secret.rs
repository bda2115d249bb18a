//! Keeps lines that hold a secret out of what is shown of the source.
//!
//! In: findings with their spans. Out: which of them are shown without their source. Where a text could not be read,
//! or was read in part, the answer is rather yes.

use std::collections::BTreeSet;

use crate::api::Kind;
use crate::diag::Diagnostic;
use crate::diag::text::MAX_LINE;
use crate::document::Document;
use crate::source::{FileId, SourceFile, Sources, Span};

/// How far apart two marks of a file may be for the lines between them to be shown, too.
const MAX_GAP: usize = 3;

/// A line of a file, counted from 1.
type Line = (FileId, usize);

/// Marks the findings of which no source may be shown: those on the line of a secret, whatever they are about, and those
/// in the values of a Secret.
pub(super) fn hide(diagnostics: &mut [Diagnostic], documents: &[Document<'_>], sources: &Sources) {
    let secrets = diagnostics.iter().filter(|diagnostic| diagnostic.is_secret).filter_map(|diagnostic| diagnostic.span);
    let secrets: BTreeSet<Line> = secrets.flat_map(|span| lines(span, sources)).collect();
    for diagnostic in diagnostics {
        let shown = shown(diagnostic, sources);
        // What was hidden stays so, when those that told why are left out.
        diagnostic.is_hidden |= diagnostic.is_secret
            || shown.iter().any(|line| secrets.contains(line) || holds_secret(*line, documents, sources));
    }
}

/// All lines of a span.
fn lines(span: Span, sources: &Sources) -> impl Iterator<Item = Line> {
    let file = sources.file(span.file);
    (file.line_of(span.start)..=file.line_of(span.end)).map(move |line| (span.file, line))
}

/// The lines that are shown for a finding: those of its marks, and a few that may be between two of them.
fn shown(diagnostic: &Diagnostic, sources: &Sources) -> Vec<Line> {
    let spans = diagnostic.span.iter().chain(&diagnostic.related_spans);
    let mut marked: Vec<Line> = spans.map(|span| (span.file, sources.file(span.file).line_of(span.start))).collect();
    marked.sort_unstable();
    let gaps = marked.windows(2).filter_map(|pair| match pair {
        [(file, first), (other, last)] if file == other && last - first <= MAX_GAP => Some((*file, first + 1..*last)),
        _ => None,
    });
    let between: Vec<Line> = gaps.flat_map(|(file, lines)| lines.map(move |line| (file, line))).collect();
    marked.into_iter().chain(between).collect()
}

/// Whether a line holds a value of a Secret.
fn holds_secret((id, line): Line, documents: &[Document<'_>], sources: &Sources) -> bool {
    let file = sources.file(id);
    let bytes = file.line_range(line);
    let (Ok(start), Ok(end)) = (u32::try_from(bytes.start), u32::try_from(bytes.end)) else { return true };
    // What is too long is not shown.
    if bytes.len() > MAX_LINE {
        return false;
    }
    let line = Span::new(id, start, end);
    let before = documents.partition_point(|d| (d.node.span.file, d.node.span.start) < (line.file, line.end));
    let mut on_line =
        documents[..before].iter().rev().take_while(|document| overlap(document.node.span, line)).peekable();
    if on_line.peek().is_none() {
        return is_in_unread_secret(file, line);
    }
    let is_bare = ends_with_key(&file.text[bytes]);
    on_line.filter(|document| document.kind == Kind::Secret).any(|document| {
        let mut values = ["data", "stringData"].iter().filter_map(|key| document.node.get(key));
        values.any(|value| overlap(value.span, line)) && !is_bare
    })
}

fn overlap(a: Span, b: Span) -> bool {
    a.file == b.file && a.start < b.end && b.start < a.end
}

/// Whether the value of the last key of a line stands on the lines below.
fn ends_with_key(line: &str) -> bool {
    let rest = line.rsplit_once(':').map(|(_, rest)| rest.trim());
    rest.is_some_and(|rest| ["", "|", "|-", "|+", ">", ">-", ">+"].contains(&rest))
}

/// Whether a line of a text that is no document stands in what looks like a Secret.
fn is_in_unread_secret(file: &SourceFile, line: Span) -> bool {
    let (before, rest) = file.text.split_at(line.start as usize);
    let start = before.rfind("\n---").unwrap_or(0);
    let end = rest.find("\n---").map_or(file.text.len(), |end| before.len() + end);
    let plain = |c: char| c == '"' || c == '\'' || c.is_whitespace();
    let mut parts = file.text[start..end].split([',', '\n', '{', '}']);
    parts.any(|part| {
        let (key, value) = part.split_once(':').unwrap_or_default();
        key.trim_matches(|c| plain(c) || c == '-') == "kind" && value.trim_matches(plain) == "Secret"
    })
}

#[cfg(test)]
mod tests {
    use crate::diag::text::{Style, render};
    use crate::diag::{github, json, junit, markdown, sample, sarif};
    use crate::place::place;
    use crate::{Input, Options, compile};

    fn told(text: &str) -> String {
        let options = Options { lint: true, ..Options::default() };
        let output = compile(&[Input::new("a.yaml", text)], &options);
        let (found, sources) = (&output.diagnostics, &output.sources);
        assert!(!found.is_empty(), "{text}");
        let mut told: String = found.iter().map(|found| render(found, sources, Style::default())).collect();
        let mut out = Vec::new();
        sarif::write(found, &[], sources, &mut out).unwrap();
        for write in [json::write, github::write, junit::write, markdown::write] {
            write(found, sources, &mut out).unwrap();
        }
        told.push_str(&String::from_utf8(out).unwrap());
        told
    }

    #[test]
    fn values_of_a_secret_are_never_shown() {
        let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
        for rest in [
            "stringData:\n  password: 4711\n",
            "stringData:\n  password: [4711]\n",
            "data:\n  password: 4711%%\n  other: 4711\n",
            "stringData: {password: x4711, password: y4711}\n",
            "stringData:\n  password: x4711\n  password:\n    y4711\n",
            "stringData:\n  password: \"4711\n",
        ] {
            let told = told(&format!("{head}{rest}"));
            assert!(!told.contains("4711"), "{rest}: {told}");
            assert!(told.contains("a.yaml:"), "{told}");
        }
    }

    #[test]
    fn what_is_on_the_line_of_a_secret_stays_hidden() {
        let (mut diagnostics, sources) = sample::findings();
        let mut told = diagnostics[1].clone().secret();
        told.place = told.span.map(Into::into);
        let mut other = diagnostics.swap_remove(1);
        other.place = other.span.map(Into::into);
        other.message = "another".into();
        let mut placed = place(vec![told, other], &[], &sources);
        assert!(placed.len() == 2 && placed.iter().all(|diagnostic| diagnostic.is_hidden));
        placed.retain(|diagnostic| !diagnostic.is_secret);
        assert!(place(placed, &[], &sources)[0].is_hidden);
    }

    #[test]
    fn neighbours_of_a_secret_on_its_line_are_not_shown_either() {
        let text = "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {a: NDcxMQ==}}, {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: 1}}]}\n";
        assert!(!told(text).contains("NDcxMQ"));
    }

    #[test]
    fn what_is_no_secret_is_shown() {
        let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: 12}\nstringData: {a: b}\n";
        assert!(told(head).contains("metadata: {name: 12}"));
        let told = told("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: 4711\n");
        assert!(told.contains("a: 4711"), "{told}");
    }
}
