//! Hides lines of the source that contain a secret.
//!
//! In: findings with their spans. Out: which of them are shown without their source. If a text could not be read
//! completely, the source is hidden.

use std::collections::BTreeSet;

use crate::locate::FindingTexts;
use crate::locate::secret_lines::{QuotedTexts, SecretLines};
use crate::secrecy::REDACTED;
use promgen_text::CollectOrdered;
use promgen_text::diag::Diagnostic;
use promgen_text::source::{FileId, Sources, Span};

/// The maximum distance of two marks for which the lines between them are shown.
const MAX_GAP: usize = 3;

/// A line of a file, counted from 1.
pub(super) type SecretLine = (FileId, usize);

/// Marks the findings of which no source may be shown: those on the line of a secret, whatever they are about, and those
/// in the values of a Secret. Where a text may be a Secret, messages do not repeat it.
pub(super) fn hide(diagnostics: &mut [Diagnostic], texts: FindingTexts<'_>) {
    let sources = texts.sources;
    let secrets = lines_of_secrets(diagnostics, sources);
    let mut secret_lines = SecretLines::new(texts);
    for diagnostic in diagnostics {
        let shown = shown(diagnostic, sources);
        // Hidden lines stay hidden when the findings that caused it are filtered out.
        diagnostic.is_hidden |= diagnostic.is_secret
            || shown
                .iter()
                .any(|line| secrets.contains(line) || secret_lines.hides(*line));
        if let (Some(span), Some(redacted)) = (diagnostic.span, &diagnostic.redacted)
            && secret_lines.is_opaque(span)
        {
            diagnostic.message = redacted.clone().into_owned();
        }
        let texts = diagnostic.span.filter(|_| !diagnostic.quotes_fields);
        let texts = texts.map(|span| secret_lines.private(span));
        if let Some(texts) = texts.filter(|texts| !texts.private.is_empty()) {
            withhold(diagnostic, &texts);
        }
    }
}

/// Replaces all that a finding about a Secret quotes.
pub(super) fn withhold_all(diagnostic: &mut Diagnostic) {
    if let Some(redacted) = &diagnostic.redacted {
        diagnostic.message = redacted.clone().into_owned();
    }
    let clean = |message: &mut String| *message = redacted(message, &|_| true);
    clean(&mut diagnostic.message);
    diagnostic.label.iter_mut().for_each(clean);
    diagnostic
        .related
        .iter_mut()
        .for_each(|(_, text)| clean(text));
    diagnostic.help.iter_mut().for_each(clean);
}

/// Replaces what a finding quotes of private texts.
fn withhold(diagnostic: &mut Diagnostic, texts: &QuotedTexts<'_>) {
    let clean = |message: &mut String| *message = without_quotes_of(message, texts);
    clean(&mut diagnostic.message);
    diagnostic.label.iter_mut().for_each(clean);
    diagnostic.help.iter_mut().for_each(clean);
    diagnostic
        .related
        .iter_mut()
        .for_each(|(_, text)| clean(text));
}

/// A message without those of its quoted parts that hold a word of a private text, unless all of it stands in a public one.
fn without_quotes_of(message: &str, texts: &QuotedTexts<'_>) -> String {
    let is_public = |quoted: &str| texts.public.iter().any(|text| text.contains(quoted));
    redacted(message, &|quoted| {
        let is_private = texts.private.iter().any(|text| has_word_of(quoted, text));
        is_private && !is_public(quoted)
    })
}

/// A message without those of its quoted parts that hold a secret.
fn redacted(message: &str, is_secret: &dyn Fn(&str) -> bool) -> String {
    let (mut out, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find(['"', '`']) {
        let mark = &rest[at..=at];
        out.push_str(&rest[..at]);
        let inner = &rest[at + 1..];
        let end = closing(inner, mark);
        let quoted = &inner[..end.unwrap_or(inner.len())];
        out.push_str(mark);
        out.push_str(if is_secret(quoted) { REDACTED } else { quoted });
        let Some(end) = end else { return out };
        out.push_str(mark);
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    out
}

/// The end of a quoted part. What follows a backslash does not end one in double quotes.
fn closing(inner: &str, mark: &str) -> Option<usize> {
    let mut is_escaped = false;
    inner.bytes().position(|byte| {
        let ends = byte == mark.as_bytes()[0] && !is_escaped;
        is_escaped = mark == "\"" && byte == b'\\' && !is_escaped;
        ends
    })
}

/// Returns whether a word of a quoted part stands in a text; one of a few letters as a word of its own.
fn has_word_of(quoted: &str, text: &str) -> bool {
    const FEW: usize = 3;
    words(quoted).any(|word| match word.len() {
        ..FEW => words(text).any(|own| own == word),
        _ => text.contains(word),
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// The lines of each manifest that may not be shown: those of secrets that were found, and those that [`SecretLines`] hides.
pub(super) fn hidden_lines(
    diagnostics: &[Diagnostic],
    texts: FindingTexts<'_>,
) -> Vec<BTreeSet<usize>> {
    let sources = texts.sources;
    let secrets = lines_of_secrets(diagnostics, sources);
    let mut secret_lines = SecretLines::new(texts);
    let mut hidden = |(id, n_lines): (FileId, usize)| {
        (1..=n_lines)
            .filter(|line| secrets.contains(&(id, *line)) || secret_lines.hides((id, *line)))
            .collect_set()
    };
    let end = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
    sources
        .files()
        .take(texts.n_manifests)
        .map(|(id, file)| hidden((id, file.line_of(end(&file.text)))))
        .collect()
}

/// Those of some lines that may not be shown, of the manifests.
pub(super) fn hidden_among(
    wanted: &BTreeSet<SecretLine>,
    diagnostics: &[Diagnostic],
    texts: FindingTexts<'_>,
) -> BTreeSet<SecretLine> {
    let secrets = lines_of_secrets(diagnostics, texts.sources);
    let mut secret_lines = SecretLines::new(texts);
    wanted
        .iter()
        .copied()
        .filter(|line| secrets.contains(line) || secret_lines.hides(*line))
        .collect_set()
}

fn lines_of_secrets(diagnostics: &[Diagnostic], sources: &Sources) -> BTreeSet<SecretLine> {
    let secrets = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_secret)
        .filter_map(|diagnostic| diagnostic.span);
    secrets.flat_map(|span| lines(span, sources)).collect_set()
}

/// All lines of a span.
fn lines(span: Span, sources: &Sources) -> impl Iterator<Item = SecretLine> {
    let file = sources.file(span.file);
    (file.line_of(span.start)..=file.line_of(span.end)).map(move |line| (span.file, line))
}

/// The lines that are shown for a finding: those of its marks, and a few that may be between two of them.
fn shown(diagnostic: &Diagnostic, sources: &Sources) -> Vec<SecretLine> {
    let spans = diagnostic.span.iter().chain(&diagnostic.related_spans);
    let mut marked: Vec<SecretLine> = spans
        .map(|span| (span.file, sources.file(span.file).line_of(span.start)))
        .collect();
    marked.sort_unstable();
    let gaps = marked.windows(2).filter_map(|pair| match pair {
        [(file, first), (other, last)] if file == other && last - first <= MAX_GAP => {
            Some((*file, first + 1..*last))
        }
        _ => None,
    });
    let between: Vec<SecretLine> = gaps
        .flat_map(|(file, lines)| lines.map(move |line| (file, line)))
        .collect();
    marked.into_iter().chain(between).collect()
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::sample;

    use super::*;
    use crate::locate::place;
    use crate::secrecy::Private;

    #[test]
    fn a_message_repeats_no_word_of_a_private_text() {
        let text = "stringData: {k: hunter2}";
        for (message, expected) in [
            ("unknown field \"hunter2\"", "unknown field \"<redacted>\""),
            (
                "`k` is \"a\\\"hunter2\" here",
                "`<redacted>` is \"<redacted>\" here",
            ),
            (
                "expected `list`, found \"hunter2",
                "expected `list`, found \"<redacted>",
            ),
            ("nothing quoted", "nothing quoted"),
            ("a route `to` nobody", "a route `to` nobody"),
        ] {
            let texts = QuotedTexts {
                private: vec![text],
                public: Vec::new(),
            };
            assert_eq!(without_quotes_of(message, &texts), expected);
        }
        let texts = QuotedTexts {
            private: vec!["http://desk/hunter2"],
            public: vec!["receiver: desk"],
        };
        let message = "undefined receiver \"desk\" of \"desk/hunter2\"";
        assert_eq!(
            without_quotes_of(message, &texts),
            "undefined receiver \"desk\" of \"<redacted>\""
        );
    }

    #[test]
    fn what_is_on_the_line_of_a_secret_stays_hidden() {
        let (mut diagnostics, sources) = sample::findings();
        let mut secret = diagnostics[1].clone().secret();
        secret.place = secret.span.map(Into::into);
        let mut other = diagnostics.swap_remove(1);
        other.place = other.span.map(Into::into);
        other.message = "another".into();
        let texts = FindingTexts {
            sources: &sources,
            n_manifests: 0,
            private: &Private::default(),
        };
        let mut placed = place(vec![secret, other], &[], texts);
        assert!(placed.len() == 2 && placed.iter().all(|diagnostic| diagnostic.is_hidden));
        placed.retain(|diagnostic| !diagnostic.is_secret);
        assert!(place(placed, &[], texts)[0].is_hidden);
    }
}
