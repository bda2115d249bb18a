//! Applies the fixes of findings.
//!
//! In: the inputs, and findings. Out: changed inputs. Bytes outside of a change stay the same: comments, layout, line
//! breaks, byte order mark.

use std::collections::BTreeSet;

use similar::TextDiff;

use promgen_resources::locate::fix::{holds, wanted};
use promgen_text::diag::fix::{Edit, Fix};
use promgen_text::diag::{Diagnostic, escape};
use promgen_text::source::{FileId, Input, Sources};

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The fixes that are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixes {
    /// The fixes that are certainly intended.
    Safe,
    /// All fixes.
    All,
}

/// The fixes to apply.
fn chosen(diagnostics: &[Diagnostic], fixes: Fixes) -> impl Iterator<Item = &Fix> {
    diagnostics
        .iter()
        .filter_map(|d| d.fix.as_deref())
        .filter(move |fix| fix.is_safe || fixes == Fixes::All)
}

/// The number of applicable fixes.
pub fn count(diagnostics: &[Diagnostic], fixes: Fixes) -> usize {
    chosen(diagnostics, fixes).count()
}

/// Applies all fixes that do not overlap to the inputs of sources; the next round finds the others again. Returns the number of applied fixes. Reads
/// the changed text again, and skips a fix that does not result in the wanted document.
pub fn apply(
    inputs: &mut [Input],
    sources: &Sources,
    diagnostics: &[Diagnostic],
    fixes: Fixes,
) -> usize {
    let mut candidates: Vec<&Fix> = chosen(diagnostics, fixes).collect();
    candidates.sort_by(|a, b| a.edits.cmp(&b.edits));
    let mut applied: Vec<&Fix> = Vec::new();
    let mut free_from = None;
    for fix in candidates {
        let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else {
            continue;
        };
        let start = (first.span.file, first.span.start);
        // Two insertions at one place have no order.
        if free_from.is_none_or(|from| start > from) {
            free_from = Some((last.span.file, last.span.end));
            applied.push(fix);
        }
    }
    applied
        .chunk_by(|a, b| file(a) == file(b))
        .map(|fixes| rewrite(inputs, sources, fixes))
        .sum()
}

fn file(fix: &Fix) -> Option<FileId> {
    fix.edits.first().map(|edit| edit.span.file)
}

/// Applies the sorted fixes of one file, and returns their number.
fn rewrite(inputs: &mut [Input], sources: &Sources, fixes: &[&Fix]) -> usize {
    let index = fixes
        .first()
        .and_then(|fix| file(fix))
        .and_then(|file| sources.index_of(file));
    let input = index.and_then(|index| inputs.get_mut(index));
    // What is only referred to may belong to others.
    let Some(input) = input.filter(|input| !input.is_asset) else {
        return 0;
    };
    let (mark, text) = match input.bytes.strip_prefix(MARK) {
        Some(text) => (MARK, text),
        None => (&[][..], &input.bytes[..]),
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return 0;
    };
    let made = sound(text, fixes);
    let edits: Vec<&Edit> = made.iter().flat_map(|fix| &fix.edits).collect();
    match wanted::edited(text, &edits) {
        Some(changed) => {
            input.bytes = [mark, changed.as_bytes()].concat().into();
            made.len()
        }
        None => 0,
    }
}

/// The fixes that together result in the wanted document: all, or each that does with the preceding ones.
fn sound<'f>(text: &str, fixes: &[&'f Fix]) -> Vec<&'f Fix> {
    if holds(text, fixes.iter().copied()) {
        return fixes.to_vec();
    }
    let mut sound = Vec::new();
    for fix in fixes {
        sound.push(*fix);
        if !holds(text, sound.iter().copied()) {
            sound.pop();
        }
    }
    sound
}

/// The replacement for a line that may contain a secret.
const HIDDEN: &str = "(hidden: value of a Secret)";

/// The unified diff of an input. Hides lines that may contain a secret, given by number in either text, from 1.
pub fn diff(
    before: &Input,
    hidden_before: &LineNumbers,
    after: &Input,
    hidden_after: &LineNumbers,
) -> String {
    let [old, new] = [before, after].map(|input| String::from_utf8_lossy(&input.bytes));
    let [hidden_old, hidden_new] =
        [(&old, hidden_before), (&new, hidden_after)].map(|(text, lines)| marked(text, lines));
    let diff = TextDiff::from_lines(&*old, &*new);
    let mut out = format!(
        "--- {}\n+++ {}\n",
        escape::line(&before.name),
        escape::line(&after.name)
    );
    for hunk in diff.unified_diff().iter_hunks() {
        out.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let is_hidden = |index: Option<usize>, hidden: &[bool]| {
                index.is_some_and(|index| hidden.get(index).copied().unwrap_or(true))
            };
            let sign = change.tag();
            if is_hidden(change.old_index(), &hidden_old)
                || is_hidden(change.new_index(), &hidden_new)
            {
                out.push_str(&format!("{sign}{HIDDEN}\n"));
                continue;
            }
            out.push_str(&escape::patch(&format!("{sign}{}", change.value())));
            if change.missing_newline() {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The numbers, from 1, of lines.
pub type LineNumbers = BTreeSet<usize>;

/// Returns whether each line of a diff is one of these, which end in line feeds alone.
fn marked(text: &str, lines: &LineNumbers) -> Vec<bool> {
    let mut number = 1;
    let is_marked = |line: &&str| {
        let is_marked = lines.contains(&number);
        number += usize::from(line.ends_with('\n'));
        is_marked
    };
    TextDiff::from_lines(text, "")
        .old_slices()
        .iter()
        .map(is_marked)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::fix::{EditAction, RootedEdit};
    use promgen_text::diag::{Sink, sample};
    use promgen_text::route::{At, DocId, ValueRoute};
    use promgen_text::source::Span;

    fn sources(text: &str) -> Sources {
        Sources::load(&[Input::new("a.yaml", text)], &mut Sink::default())
    }

    /// A finding with a fix that gives the entries of a map other values.
    fn finding(is_safe: bool, edits: &[(u32, u32, &str, &'static str)]) -> Diagnostic {
        let edit = |(start, end, text, _): &(u32, u32, &str, &str)| Edit {
            span: Span::new(sources("").files().next().unwrap().0, *start, *end),
            text: (*text).into(),
        };
        let rooted = |(_, _, text, key): &(u32, u32, &str, &'static str)| RootedEdit {
            change: EditAction::Value(At::doc(DocId::default()).key(*key), (*text).into()),
            route: ValueRoute::root().key(*key),
            start: 0,
        };
        let (edits, rooted) = (
            edits.iter().map(edit).collect(),
            edits.iter().map(rooted).collect(),
        );
        Diagnostic::placeless(&sample::RULE, "").fix(Fix {
            edits,
            rooted,
            is_safe,
            ..Fix::safe("")
        })
    }

    fn fixed(text: &str, findings: &[Diagnostic], fixes: Fixes) -> (String, usize) {
        let mut inputs = [Input::new("a.yaml", text)];
        let n = apply(&mut inputs, &sources(text), findings, fixes);
        (inputs[0].bytes.as_text().unwrap().to_owned(), n)
    }

    const TEXT: &str = "{a: x, b: y, c: z}";

    #[test]
    fn edits_are_made_in_any_order_and_those_that_touch_wait() {
        let (b, a) = (
            finding(true, &[(10, 11, "B", "b")]),
            finding(true, &[(4, 5, "AA", "a")]),
        );
        assert_eq!(
            fixed(TEXT, &[b.clone(), a.clone()], Fixes::Safe),
            ("{a: AA, b: B, c: z}".into(), 2)
        );
        let over = finding(true, &[(4, 5, "1", "a"), (16, 17, "3", "c")]);
        assert_eq!(
            fixed(TEXT, &[b, over, a], Fixes::Safe),
            ("{a: 1, b: y, c: 3}".into(), 1)
        );
    }

    #[test]
    fn what_is_risky_is_only_made_if_asked_for() {
        let risky = finding(false, &[(3, 4, "x", "a")]);
        assert_eq!(
            fixed("a: b\r\n", std::slice::from_ref(&risky), Fixes::Safe),
            ("a: b\r\n".into(), 0)
        );
        assert_eq!(
            fixed("\u{feff}a: b\r\n", &[risky], Fixes::All),
            ("\u{feff}a: x\r\n".into(), 1)
        );
    }

    #[test]
    fn what_would_not_be_the_wanted_document_is_not_made() {
        let (wrong, right) = (
            finding(true, &[(4, 5, "[", "a")]),
            finding(true, &[(10, 11, "B", "b")]),
        );
        assert_eq!(
            fixed(TEXT, &[wrong, right], Fixes::Safe),
            ("{a: x, b: B, c: z}".into(), 1)
        );
    }

    #[test]
    fn hidden_lines_are_shown_as_such() {
        let [before, after] = ["a\nb\nc", "a\nB\nc"].map(|text| Input::new("a.yaml", text));
        let hidden = LineNumbers::from([2]);
        let shown = diff(&before, &hidden, &after, &hidden);
        let line = "(hidden: value of a Secret)\n";
        let rest = " c\n\\ No newline at end of file\n";
        assert_eq!(
            shown,
            format!("--- a.yaml\n+++ a.yaml\n@@ -1,3 +1,3 @@\n a\n-{line}+{line}{rest}")
        );
        let shown = diff(&before, &LineNumbers::new(), &after, &LineNumbers::new());
        assert_eq!(
            shown,
            format!("--- a.yaml\n+++ a.yaml\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n{rest}")
        );
    }
}
