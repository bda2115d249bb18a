//! Makes the changes that findings come with.
//!
//! In: the inputs, and findings. Out: changed inputs. Bytes around a change stay as they are: comments, layout, line
//! breaks, byte order mark.

use similar::TextDiff;

use crate::diag::Diagnostic;
use crate::diag::fix::{Edit, Fix};
use crate::source::Input;

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The fixes that may be made.
fn fixes(diagnostics: &[Diagnostic], with_risky: bool) -> impl Iterator<Item = &Fix> {
    diagnostics.iter().filter_map(|d| d.fix.as_deref()).filter(move |fix| fix.is_safe || with_risky)
}

/// How many fixes could be made.
pub(super) fn count(diagnostics: &[Diagnostic], with_risky: bool) -> usize {
    fixes(diagnostics, with_risky).count()
}

/// Makes all fixes that do not touch one another; the others are found again. Gives their number.
pub(super) fn apply(inputs: &mut [Input], diagnostics: &[Diagnostic], with_risky: bool) -> usize {
    let mut fixes: Vec<&Fix> = fixes(diagnostics, with_risky).collect();
    fixes.sort_by(|a, b| a.edits.cmp(&b.edits));
    let mut chosen: Vec<&Edit> = Vec::new();
    let mut n_fixes = 0;
    let mut free_from = None;
    for fix in fixes {
        let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else { continue };
        let start = (first.span.file, first.span.start);
        // Two insertions at one place would have no order.
        if free_from.is_some_and(|from| start <= from) {
            continue;
        }
        free_from = Some((last.span.file, last.span.end));
        chosen.extend(&fix.edits);
        n_fixes += 1;
    }
    rewrite(inputs, &chosen);
    n_fixes
}

/// Makes edits, which come in order.
fn rewrite(inputs: &mut [Input], edits: &[&Edit]) {
    for edits in edits.chunk_by(|a, b| a.span.file == b.span.file) {
        let Some(input) = inputs.get_mut(edits[0].span.file.0 as usize) else { continue };
        let (mark, text) = match input.bytes.strip_prefix(MARK) {
            Some(text) => (MARK, text),
            None => (&[][..], &input.bytes[..]),
        };
        let mut bytes = mark.to_vec();
        let mut done = 0;
        for Edit { span, text: new } in edits {
            bytes.extend_from_slice(&text[done..span.start as usize]);
            bytes.extend_from_slice(new.as_bytes());
            done = span.end as usize;
        }
        bytes.extend_from_slice(&text[done..]);
        input.bytes = bytes;
    }
}

/// What changed of an input, as a unified diff.
pub(super) fn diff(before: &Input, after: &Input) -> String {
    let [old, new] = [before, after].map(|input| String::from_utf8_lossy(&input.bytes));
    TextDiff::from_lines(&*old, &*new).unified_diff().header(&before.name, &after.name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;
    use crate::source::{FileId, Span};

    fn finding(is_safe: bool, edits: &[(u32, u32, &str)]) -> Diagnostic {
        let edit = |(start, end, text): &(u32, u32, &str)| Edit {
            span: Span::new(FileId(0), *start, *end),
            text: (*text).into(),
        };
        let fix = Fix { edits: edits.iter().map(edit).collect(), is_safe, ..Fix::safe("") };
        Diagnostic::placeless(&sample::RULE, "").fix(fix)
    }

    fn fixed(text: &str, findings: &[Diagnostic], with_risky: bool) -> (String, usize) {
        let mut inputs = [Input::new("a.yaml", text)];
        let n = apply(&mut inputs, findings, with_risky);
        (String::from_utf8(inputs[0].bytes.clone()).unwrap(), n)
    }

    #[test]
    fn edits_are_made_in_any_order_and_those_that_touch_wait() {
        let (b, a) = (finding(true, &[(2, 3, "B")]), finding(true, &[(0, 1, "AA")]));
        assert_eq!(fixed("a b c", &[b.clone(), a.clone()], false), ("AA B c".into(), 2));
        let over = finding(true, &[(0, 1, ""), (4, 5, "")]);
        assert_eq!(fixed("a b c", &[b, over, a], false), (" b ".into(), 1));
    }

    #[test]
    fn what_is_risky_is_only_made_if_asked_for() {
        let risky = finding(false, &[(0, 1, "x")]);
        assert_eq!(fixed("a\r\n", std::slice::from_ref(&risky), false), ("a\r\n".into(), 0));
        assert_eq!(fixed("\u{feff}a\r\n", &[risky], true), ("\u{feff}x\r\n".into(), 1));
    }
}
