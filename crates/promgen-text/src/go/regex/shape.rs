//! Patterns that need no engine.
//!
//! Most patterns of relabel rules are texts, texts with a gap, or a choice of such: `metrics`, `(.+);`, `0;|.+;.+`.
//! They are matched here by comparing texts, many times faster than by the engine, and without compilation. In: the
//! tree of a pattern. Out: its texts and gaps, if it consists of them. Matches and groups are those of the engine.

use std::ops::Range;

use crate::go::regex::ast::{LookAround, RegexNode};

/// Most choices of a pattern; each is tried in turn.
const MAX_BRANCHES: usize = 64;
/// Most bytes of text in all choices together.
const MAX_TEXT: usize = 4096;
/// The maximum number of groups.
const MAX_GROUPS: usize = 3;
/// The separator of joined labels, which none of them contains.
const SEPARATOR: char = ';';
/// Most gaps of a choice. With two, the first takes as much as it can; more would have to be tried in turn.
const MAX_GAPS: usize = 2;

/// A choice of texts with gaps that the whole of a text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPattern {
    branches: Vec<PatternBranch>,
}

/// Texts with a gap between each and the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PatternBranch {
    /// The first text; the whole if there is no gap.
    head: String,
    /// Each gap, with the text behind it.
    gaps: Vec<Gap>,
    groups: Vec<GroupBounds>,
}

/// Any text, and a certain one behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Gap {
    /// It may be empty.
    may_be_empty: bool,
    /// The text behind it.
    tail: String,
}

/// The signs that stand for what is not known of a text.
#[derive(Clone, Copy, Debug)]
pub struct UnknownText<'u> {
    /// Any text without `;` but the empty one.
    pub any: char,
    /// Such a text, but none of `none_of`.
    pub other: char,
    /// What `other` does not stand for.
    pub none_of: &'u [String],
}

/// The start and end of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GroupBounds {
    number: usize,
    start: TextOffset,
    end: TextOffset,
}

/// So many bytes into the text of that number: 0 is the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TextOffset {
    text: usize,
    offset: usize,
}

/// The groups of a match, by their number; 0 is the whole.
pub(super) type Groups = [Option<(usize, usize)>; MAX_GROUPS + 1];

impl UnknownText<'_> {
    /// Returns whether a text may be that one, for what its signs may stand for. Without signs, whether it is.
    pub fn may_be(self, text: &str, whole: &str) -> bool {
        let signs = [self.any, self.other];
        let (Some((first, _)), Some((_, last))) = (text.split_once(signs), text.rsplit_once(signs))
        else {
            return text == whole;
        };
        // The unknown parts, and what is between them, are the rest of the text. Separators are never unknown.
        let part = &text[first.len()..text.len() - last.len()];
        let n_separators = |text: &str| text.matches(SEPARATOR).count();
        let is_excluded = |rest: &str| {
            part.chars().eq([self.other]) && self.none_of.iter().any(|not| not == rest)
        };
        let rest = whole
            .strip_prefix(first)
            .and_then(|rest| rest.strip_suffix(last));
        rest.is_some_and(|rest| {
            !rest.is_empty() && n_separators(rest) == n_separators(part) && !is_excluded(rest)
        })
    }
}

impl TextPattern {
    /// The shape of a pattern; none if it has another one.
    pub(super) fn of(root: &RegexNode, n_groups: usize) -> Option<Self> {
        if n_groups > MAX_GROUPS {
            return None;
        }
        let RegexNode::Concat(items) = root else {
            return None;
        };
        // Prometheus anchors each pattern; what counts stands between the two anchors.
        let n = items.len().checked_sub(2)?;
        let is_anchored = matches!(items.front(), Some(RegexNode::Look(LookAround::TextStart)))
            && matches!(items.back(), Some(RegexNode::Look(LookAround::TextEnd)));
        if !is_anchored {
            return None;
        }
        let branches = concat(items.iter().skip(1).take(n), &mut 0)?;
        let n_text: usize = branches.iter().map(PatternBranch::n_text).sum();
        let fits = n_text <= MAX_TEXT && branches.iter().all(PatternBranch::is_simple);
        fits.then_some(Self { branches })
    }

    /// Returns whether no text matches both. `false` if that is not plain from how their choices begin and end.
    #[must_use]
    pub fn excludes(&self, other: &Self) -> bool {
        let all = self.branches.iter();
        all.flat_map(|branch| other.branches.iter().map(move |other| (branch, other)))
            .all(|(branch, other)| branch.excludes(other))
    }

    /// The choices that are but a text, and the others.
    pub fn texts_and_others(&self) -> (Vec<&str>, Option<Self>) {
        let (texts, others): (Vec<&PatternBranch>, Vec<&PatternBranch>) =
            self.branches.iter().partition(|b| b.gaps.is_empty());
        let others = (!others.is_empty()).then(|| Self {
            branches: others.into_iter().cloned().collect(),
        });
        (
            texts
                .into_iter()
                .map(|branch| branch.head.as_str())
                .collect(),
            others,
        )
    }

    /// Returns whether the whole of the text is one of the choices.
    pub fn is_match(&self, text: &str) -> bool {
        self.branches
            .iter()
            .any(|branch| branch.place(text).is_some())
    }

    /// Returns whether it makes no difference what the signs in a text stand for.
    pub fn is_certain(&self, text: &str, unknown: UnknownText<'_>) -> bool {
        for branch in &self.branches {
            match branch.certainty(text, unknown) {
                // The choices are tried in order: the first that surely matches decides.
                Some(true) => return true,
                Some(false) => {}
                None => return false,
            }
        }
        true
    }

    pub(super) fn groups(&self, text: &str) -> Option<Groups> {
        self.branches.iter().find_map(|branch| branch.groups(text))
    }
}

impl PatternBranch {
    /// The text at its end: the whole if there is no gap.
    fn tail(&self) -> &str {
        self.gaps.last().map_or(&self.head, |gap| &gap.tail)
    }

    fn excludes(&self, other: &Self) -> bool {
        let (head, others) = (self.head.as_str(), other.head.as_str());
        let (tail, other_tail) = (self.tail(), other.tail());
        let is_shorter = |whole: &Self, part: &Self| {
            let gaps = part.gaps.iter().filter(|gap| !gap.may_be_empty);
            whole.gaps.is_empty() && whole.head.len() < part.n_text() + gaps.count()
        };
        !(head.starts_with(others) || others.starts_with(head))
            || !(tail.ends_with(other_tail) || other_tail.ends_with(tail))
            || is_shorter(self, other)
            || is_shorter(other, self)
            || self.gaps.is_empty() && other.gaps.is_empty() && head != others
    }
    /// The places of its texts in a text that it matches.
    fn place(&self, text: &str) -> Option<[usize; MAX_GAPS + 1]> {
        let bytes = text.as_bytes();
        let head = self.head.len();
        match self.gaps.as_slice() {
            [] => (text == self.head).then_some([0; 3]),
            [gap] => {
                let is_long_enough = bytes.len() >= head + gap.tail.len() + gap.n_least();
                let fits =
                    is_long_enough && text.starts_with(&self.head) && text.ends_with(&gap.tail);
                fits.then(|| [0, bytes.len() - gap.tail.len(), 0])
            }
            [first, last, ..] => {
                let end = bytes.len().checked_sub(last.tail.len())?;
                if !(text.starts_with(&self.head) && text.ends_with(&last.tail)) {
                    return None;
                }
                let from = head + first.n_least();
                let between = bytes.get(from..end.checked_sub(last.n_least())?)?;
                // The first gap is greedy, so it ends at the last place of the text between.
                let middle = from + memchr::memmem::rfind(between, first.tail.as_bytes())?;
                Some([0, middle, end])
            }
        }
    }

    fn groups(&self, text: &str) -> Option<Groups> {
        let places = self.place(text)?;
        let at = |mark: TextOffset| places[mark.text] + mark.offset;
        let mut groups = Groups::default();
        groups[0] = Some((0, text.len()));
        for group in &self.groups {
            groups[group.number] = Some((at(group.start), at(group.end)));
        }
        Some(groups)
    }

    /// Returns whether it matches whatever the signs stand for, or does not. `None` if that depends.
    fn certainty(&self, text: &str, unknown: UnknownText<'_>) -> Option<bool> {
        let signs = [unknown.any, unknown.other];
        let (Some((first, _)), Some((_, last))) = (text.split_once(signs), text.rsplit_once(signs))
        else {
            return Some(self.place(text).is_some());
        };
        let Some((end, between)) = self.gaps.split_last() else {
            return if unknown.may_be(text, &self.head) {
                None
            } else {
                Some(false)
            };
        };
        let starts = match self.head.strip_prefix(first) {
            Some("") => Some(true),
            // What a sign stands for would have to begin with a separator, which it never contains.
            Some(rest) if rest.starts_with(SEPARATOR) => Some(false),
            Some(_) => None,
            None => Some(first.starts_with(&self.head)),
        };
        let ends = match end.tail.strip_suffix(last) {
            Some("") => Some(true),
            Some(rest) if rest.ends_with(SEPARATOR) => Some(false),
            Some(_) => None,
            None => Some(last.ends_with(&end.tail)),
        };
        match (starts, ends) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            // A text between two gaps could be part of what a sign stands for, unless it is separators only.
            (Some(true), Some(true))
                if between
                    .iter()
                    .all(|gap| gap.tail.chars().all(|c| c == SEPARATOR)) =>
            {
                Some(self.place(text).is_some())
            }
            _ => None,
        }
    }

    /// Returns whether there are few gaps, and a text between two.
    fn is_simple(&self) -> bool {
        self.gaps.len() <= MAX_GAPS
            && self
                .gaps
                .iter()
                .rev()
                .skip(1)
                .all(|gap| !gap.tail.is_empty())
    }

    fn n_text(&self) -> usize {
        self.head.len() + self.gaps.iter().map(|gap| gap.tail.len()).sum::<usize>()
    }

    fn end(&self) -> TextOffset {
        TextOffset {
            text: self.gaps.len(),
            offset: self
                .gaps
                .last()
                .map_or(self.head.len(), |gap| gap.tail.len()),
        }
    }

    /// This, and another behind it.
    fn then(&self, other: &Self) -> Self {
        let (mut both, end) = (self.clone(), self.end());
        let moved = |mark: TextOffset| TextOffset {
            text: mark.text + end.text,
            offset: mark.offset + if mark.text == 0 { end.offset } else { 0 },
        };
        both.gaps
            .last_mut()
            .map_or(&mut both.head, |gap| &mut gap.tail)
            .push_str(&other.head);
        both.gaps.extend(other.gaps.iter().cloned());
        let groups = other.groups.iter();
        both.groups.extend(groups.map(|g| GroupBounds {
            number: g.number,
            start: moved(g.start),
            end: moved(g.end),
        }));
        both
    }
}

impl Gap {
    /// The least number of bytes that it takes.
    const fn n_least(&self) -> usize {
        if self.may_be_empty { 0 } else { 1 }
    }
}

/// The alternatives of a part of a pattern, in the order in which they are tried. `groups` counts the groups so far.
fn expand(node: &RegexNode, groups: &mut usize) -> Option<Vec<PatternBranch>> {
    match node {
        RegexNode::Empty => Some(vec![PatternBranch::default()]),
        RegexNode::Literal { text, fold: false } => Some(vec![PatternBranch {
            head: text.clone(),
            ..PatternBranch::default()
        }]),
        RegexNode::Repeat {
            sub,
            min: min @ 0..=1,
            max: None,
            greedy: true,
        } => {
            let gap = Gap {
                may_be_empty: *min == 0,
                tail: String::new(),
            };
            // A gap takes line breaks too; Prometheus compiles its patterns with `(?s)`.
            let is_any = matches!(**sub, RegexNode::Any { newline: true });
            is_any.then(|| {
                vec![PatternBranch {
                    gaps: vec![gap],
                    ..PatternBranch::default()
                }]
            })
        }
        RegexNode::Capture(sub) => {
            *groups += 1;
            let number = *groups;
            let mut branches = expand(sub, groups)?;
            for branch in &mut branches {
                let end = branch.end();
                branch.groups.push(GroupBounds {
                    number,
                    start: TextOffset::default(),
                    end,
                });
            }
            Some(branches)
        }
        RegexNode::Concat(items) => concat(items.iter(), groups),
        RegexNode::Alternate(items) => {
            let mut all = Vec::new();
            for item in items {
                all.extend(expand(item, groups)?);
                if all.len() > MAX_BRANCHES {
                    return None;
                }
            }
            Some(all)
        }
        _ => None,
    }
}

/// Every alternative of the first with every one of the next, the last varying fastest, as the engine tries them.
/// Behind a gap the order differs: each length of the gap is tried with all alternatives before the next length.
fn concat<'n>(
    items: impl Iterator<Item = &'n RegexNode>,
    groups: &mut usize,
) -> Option<Vec<PatternBranch>> {
    let mut branches = vec![PatternBranch::default()];
    for item in items {
        let next = expand(item, groups)?;
        let is_behind_gap = next.len() > 1 && branches.iter().any(|branch| !branch.gaps.is_empty());
        if is_behind_gap || branches.len() * next.len() > MAX_BRANCHES {
            return None;
        }
        branches = branches
            .iter()
            .flat_map(|first| next.iter().map(|second| first.then(second)))
            .collect();
    }
    Some(branches)
}

/// The range of a group, if it took part in the match.
pub(super) fn range(groups: &Groups, number: usize) -> Option<Range<usize>> {
    groups
        .get(number)
        .copied()
        .flatten()
        .map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{GoRegex, MatchEngine};
    use super::UnknownText;

    /// The pattern as it is matched, and by the engine.
    fn both(pattern: &str) -> Option<(GoRegex, GoRegex)> {
        let regex = GoRegex::anchored(pattern).ok()?;
        let parsed = super::super::parse::parse(&super::super::with_anchors(pattern)).ok()?;
        let matcher = super::super::engine(&parsed.root, super::super::MAX_ENGINE_BYTES).ok()?;
        let engine = GoRegex {
            matcher,
            ..regex.clone()
        };
        matches!(regex.matcher, MatchEngine::Shape(_)).then_some((regex, engine))
    }

    #[test]
    fn patterns_that_begin_or_end_otherwise_exclude_each_other() {
        let of = |pattern: &str| GoRegex::anchored(pattern).unwrap().shape().unwrap().clone();
        for (one, other, excludes) in [
            ("kube_.*", "node_.*", true),
            ("kube_.*|node_.*", "up", true),
            (".*_total", ".*_count", true),
            ("a|b", "c|d", true),
            ("abc.+", "abc", true),
            ("kube_.*", "kube_pod_.*", false),
            ("a|b", "b|c", false),
            (".*_total", "kube_.*", false),
            ("abc.*", "abc", false),
            (".*", "x", false),
        ] {
            assert_eq!(of(one).excludes(&of(other)), excludes, "{one} {other}");
            assert_eq!(of(other).excludes(&of(one)), excludes, "{other} {one}");
        }
    }

    #[test]
    fn patterns_of_the_operator_need_no_engine() {
        for pattern in [
            "metrics",
            "(cart);true",
            "(.+);",
            "(.+);true;",
            "0;|.+;.+",
            "a;|.+;.+",
            "Node;(.*)",
            "(a|b)",
            "",
        ] {
            assert!(both(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "a+",
            "[a]b|[cd]",
            "(?i)a",
            "(.*?);",
            ".",
            ".+;.+;.+",
            ".+.+",
            "(a)(b)(c)(d)",
            r"\w+",
            "a)|(b",
        ] {
            assert!(both(pattern).is_none(), "{pattern}");
        }
    }

    fn unknown(none_of: &[String]) -> UnknownText<'_> {
        UnknownText {
            any: '?',
            other: '!',
            none_of,
        }
    }

    #[test]
    fn what_depends_on_the_unknown_is_told() {
        let is_certain = |pattern: &str, text: &str| {
            let none_of = ["zone".to_owned()];
            both(pattern)
                .unwrap()
                .0
                .shape()
                .unwrap()
                .is_certain(text, unknown(&none_of))
        };
        for (pattern, text) in [
            ("(.+);", "?;"),
            ("(.+);", "?;x"),
            ("(.+);", "x;?"),
            ("0;|.+;.+", "?;x"),
            ("0;|.+;.+", "0;"),
            ("a;b", "?;c"),
            ("a;b;c", "?;?"),
            (".*", "?"),
            ("zone", "!"),
            ("zone;|.+;.+", "!;"),
            ("zone;|.+;.+", "!;x"),
            ("(zone);a", "!;a"),
        ] {
            assert!(is_certain(pattern, text), "{pattern} on {text}");
        }
        for (pattern, text) in [
            ("0;|.+;.+", "?;"),
            ("a", "?"),
            ("a.*", "?"),
            (".*a", "?"),
            (".+a.+", "?"),
            ("(a|b);.*", "?;x"),
            ("b;b", "?;?"),
            ("zone", "?"),
            ("zone-b", "!"),
            ("zone.*", "!"),
            ("zone", "z!"),
            ("zone", "!!"),
            ("zone;zone", "!;?"),
        ] {
            assert!(!is_certain(pattern, text), "{pattern} on {text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// A certain result does not depend on the unknown value.
        #[test]
        fn what_is_certain_holds_for_all(
            pieces in prop::collection::vec(prop::sample::select(vec![".*", ".+", "a", ";", "|", "b", "(.+)"]), 0..6),
            text in prop::collection::vec(prop::sample::select(vec!["?", "!", "a", ";", "b"]), 0..5),
        ) {
            let pattern = pieces.concat();
            let Some((shape, engine)) = both(&pattern) else { return Ok(()) };
            let text = text.concat();
            let none_of = ["a".to_owned(), "ab".to_owned()];
            if !shape.shape().unwrap().is_certain(&text, unknown(&none_of)) {
                return Ok(());
            }
            let expected = engine.is_match(&text);
            for known in ["a", "b", "ab", "ba", "aa", "c"] {
                for other in ["b", "ba", "aa", "c"] {
                    let text = text.replace('?', known).replace('!', other);
                    prop_assert_eq!(engine.is_match(&text), expected, "{} on {}", pattern, text);
                }
            }
        }

        /// Random patterns and texts from the same few pieces, so that many match.
        #[test]
        fn a_shape_matches_what_the_engine_matches(
            pieces in prop::collection::vec(prop::sample::select(
                vec![".*", ".+", "a", ";", "ü", "|", "(", ")", "(.+)", "(a|)", "(?:"]), 0..7),
            text in prop::collection::vec(prop::sample::select(vec!["a", ";", "ü", "\n", "b"]), 0..7),
        ) {
            let (pattern, text) = (pieces.concat(), text.concat());
            let Some((shape, engine)) = both(&pattern) else { return Ok(()) };
            prop_assert_eq!(shape.is_match(&text), engine.is_match(&text), "{}", pattern);
            let groups = |regex: &GoRegex| {
                regex.captures(&text).map(|c| (0..4).map(|n| c.range(n)).collect::<Vec<_>>())
            };
            prop_assert_eq!(groups(&shape), groups(&engine), "{}", pattern);
        }
    }
}
