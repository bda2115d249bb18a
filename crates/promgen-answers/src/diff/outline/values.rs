//! Values that differ, for people: texts of several lines as the lines that differ, long ones where they differ.

use crate::diff::value::common_ends;
use crate::diff::value::shown::clipped;
use similar::{ChangeTag, TextDiff};

/// The number of equal lines around those that differ.
const CONTEXT: usize = 2;

/// The maximum number of lines of a value.
const MAX_LINES: usize = 60;

/// The maximum number of characters of a value in one line.
const MAX_SHOWN: usize = 160;

/// The number of equal characters around those that differ.
const AROUND: usize = 40;

/// Two values in one line: where they differ, if they are long.
pub(super) fn arrow(from: Option<&str>, to: Option<&str>) -> String {
    match (from, to) {
        (Some(from), Some(to)) => {
            let (from, to) = excerpts(from, to);
            format!("{from} -> {to}")
        }
        (Some(one), None) | (None, Some(one)) => clipped(one, 2 * MAX_SHOWN),
        (None, None) => "differs".to_owned(),
    }
}

/// The lines of two texts that differ, each with its sign, and some around them. `None` if both have one line.
pub(super) fn lines(from: Option<&str>, to: Option<&str>) -> Option<Vec<(char, String)>> {
    let has_lines = |text: Option<&str>| text.is_some_and(|text| text.contains('\n'));
    if !has_lines(from) && !has_lines(to) {
        return None;
    }
    let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
    let diff = TextDiff::from_lines(from, to);
    let mut lines: Vec<(char, String)> = Vec::new();
    for (n, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if n > 0 {
            lines.push((' ', "…".to_owned()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            lines.push((
                sign,
                clipped(change.value().trim_end_matches('\n'), 2 * MAX_SHOWN),
            ));
        }
    }
    let n_more = lines.len().saturating_sub(MAX_LINES);
    if n_more > 0 {
        lines.truncate(MAX_LINES);
        lines.push((' ', format!("… and {n_more} more lines")));
    }
    Some(lines)
}

/// Two values, around what differs.
fn excerpts(from: &str, to: &str) -> (String, String) {
    let (a, b): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    if a.len() <= MAX_SHOWN && b.len() <= MAX_SHOWN {
        return (from.to_owned(), to.to_owned());
    }
    let (n_start, n_end) = common_ends(&a, &b);
    let excerpt = |chars: &[char]| {
        let start = n_start.saturating_sub(AROUND);
        let end = (chars.len() - n_end + AROUND)
            .min(chars.len())
            .min(start + 2 * MAX_SHOWN);
        let text: String = chars[start..end].iter().collect();
        let (before, after) = (
            if start > 0 { "…" } else { "" },
            if end < chars.len() { "…" } else { "" },
        );
        format!("{before}{text}{after}")
    };
    (excerpt(&a), excerpt(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_several_lines_are_shown_by_the_lines_that_differ() {
        let (from, to) = ("a\nb\nc\nd\n> 1", "a\nb\nc\nd\n> 5");
        let expected = [(' ', "c"), (' ', "d"), ('-', "> 1"), ('+', "> 5")]
            .map(|(sign, text)| (sign, text.to_owned()));
        assert_eq!(lines(Some(from), Some(to)), Some(expected.to_vec()));
        assert_eq!(lines(Some("a"), Some("b")), None);
        let long = "x\n".repeat(500);
        assert_eq!(
            lines(None, Some(&long)).map(|lines| lines.len()),
            Some(MAX_LINES + 1)
        );
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let long = |end: &str| format!("{}{end}{}", "a".repeat(300), "b".repeat(300));
        let text = arrow(Some(&long("1")), Some(&long("2")));
        let around = |end: &str| format!("…{}{end}{}…", "a".repeat(AROUND), "b".repeat(AROUND));
        assert_eq!(text, format!("{} -> {}", around("1"), around("2")));
    }
}
