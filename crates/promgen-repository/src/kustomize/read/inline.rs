//! Patches and plugins that stand in the kustomization itself, as text: what they hold, placed where it stands.

use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;
use promgen_text::yaml::edit::replace_spans;

use super::store::{Store, documents};
use super::value;
use crate::kustomize::fault::{BuildFault, BuildResult};

/// Returns whether an entry of plugins is their text, and no path.
pub(crate) fn is_inline(entry: &str) -> bool {
    let text = entry.trim();
    text.starts_with('{') || text.contains('\n') && text.contains(':')
}

/// The documents of a text in a kustomization.
///
/// # Errors
/// The text does not parse.
pub fn inline(text: &Node, store: &Store<'_>) -> BuildResult<Vec<Node>> {
    let content = text.as_str().unwrap_or_default();
    let places = InlinePlaces::of(content, text, store.raw(text));
    let placed = |fault: BuildFault| BuildFault {
        span: places.span(fault.span),
        ..fault
    };
    let mut nodes = documents(FileId::default(), content).map_err(placed)?;
    // Later the text of a number is not known any more.
    for node in &mut nodes {
        value::settle_annotations(node, content);
        // Each value gets its place in the file.
        replace_spans(node, &|span| places.span(span));
    }
    Ok(nodes)
}

/// From places in a text to those in the file that the text stands in.
struct InlinePlaces {
    whole: Span,
    /// For each line of the text where it begins, there and in the file. Empty if the file has other lines.
    lines: Vec<(u32, u32)>,
}

impl InlinePlaces {
    fn of(content: &str, node: &Node, raw: &str) -> Self {
        // Only a literal block has the lines of its text; quotes and `>` fold them.
        let lines = if raw.starts_with('|') {
            lines(content, raw).unwrap_or_default()
        } else {
            Vec::new()
        };
        let shift = |(there, here): (u32, u32)| (there, here + node.span.start);
        Self {
            whole: node.span,
            lines: lines.into_iter().map(shift).collect(),
        }
    }

    fn span(&self, span: Span) -> Span {
        let at = |offset: u32| {
            let index = self
                .lines
                .partition_point(|(there, _)| *there <= offset)
                .checked_sub(1)?;
            self.lines
                .get(index)
                .map(|(there, here)| here + (offset - there))
        };
        match (at(span.start), at(span.end)) {
            (Some(start), Some(end)) => {
                let within = |place: u32| place.clamp(self.whole.start, self.whole.end);
                Span::new(self.whole.file, within(start), within(end))
            }
            _ => self.whole,
        }
    }
}

/// For each line of a literal block where it begins, in its content and in its text.
fn lines(content: &str, raw: &str) -> Option<Vec<(u32, u32)>> {
    let offset = |n: usize| u32::try_from(n).ok();
    let mut starts = Vec::new();
    let mut there = 0;
    let mut here = raw.find('\n')? + 1;
    for line in content.split_inclusive('\n') {
        let source = raw[here..].split_inclusive('\n').next().unwrap_or_default();
        let (plain, source_plain) = (
            line.trim_end_matches(['\n', '\r']),
            source.trim_end_matches(['\n', '\r']),
        );
        let indent = source_plain.len().checked_sub(plain.len())?;
        if !source_plain.ends_with(plain) {
            return None;
        }
        starts.push((offset(there)?, offset(here + indent)?));
        there += line.len();
        here += source.len();
    }
    Some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_block_are_found() {
        let raw = "|-\n    a: 1\n\n      b: 2";
        assert_eq!(
            lines("a: 1\n\n  b: 2", raw),
            Some(vec![(0, 7), (5, 12), (6, 17)])
        );
        assert_eq!(lines("x", raw), None);
    }
}
