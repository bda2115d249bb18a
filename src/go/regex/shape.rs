//! Patterns that need no engine.
//!
//! Most patterns of relabel rules are texts, texts with a gap, or a choice of such: `metrics`, `(.+);`, `0;|.+;.+`. They are
//! matched here by comparing texts, many times faster than by the engine, and there is nothing to compile. In: the tree of a
//! pattern. Out: its shape, if it has one. What matches, and what the groups of the match are, is the same as in the engine.

use std::ops::Range;

use super::ast::{Look, Node};

/// Most choices of a pattern; each is tried in turn.
const MAX_BRANCHES: usize = 64;
/// Most bytes of text in all choices together.
const MAX_TEXT: usize = 4096;
/// Most groups that are told.
const MAX_GROUPS: usize = 3;
/// Most gaps of a choice. With two, the first takes as much as it can; more would have to be tried in turn.
const MAX_GAPS: usize = 2;

/// A choice of texts with gaps that the whole of a text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    branches: Vec<Branch>,
}

/// Texts with a gap between each and the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The first text; the whole if there is no gap.
    pub head: String,
    /// Each gap, with the text behind it.
    pub gaps: Vec<Gap>,
    groups: Vec<Group>,
}

/// Any text, and a certain one behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// Whether it may be empty.
    pub may_be_empty: bool,
    /// The text behind it.
    pub tail: String,
}

/// Where a group begins and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    number: usize,
    start: Mark,
    end: Mark,
}

/// So many bytes into the text of that number: 0 is the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    text: usize,
    offset: usize,
}

/// The groups of a match, by their number; 0 is the whole.
pub(super) type Groups = [Option<(usize, usize)>; MAX_GROUPS + 1];

impl Shape {
    /// The shape of a pattern; none if it has another one.
    pub(super) fn of(root: &Node, n_groups: usize) -> Option<Self> {
        if n_groups > MAX_GROUPS {
            return None;
        }
        let Node::Concat(items) = root else { return None };
        let n = items.len().checked_sub(2)?;
        let is_anchored = matches!(items.front(), Some(Node::Look(Look::TextStart)))
            && matches!(items.back(), Some(Node::Look(Look::TextEnd)));
        if !is_anchored {
            return None;
        }
        let branches = concat(items.iter().skip(1).take(n), &mut 0)?;
        let n_text: usize = branches.iter().map(Branch::n_text).sum();
        let fits = n_text <= MAX_TEXT && branches.iter().all(Branch::is_simple);
        fits.then_some(Self { branches })
    }

    /// The choices, the first that matches counts.
    #[must_use]
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.branches.iter().any(|branch| branch.place(text).is_some())
    }

    pub(super) fn groups(&self, text: &str) -> Option<Groups> {
        self.branches.iter().find_map(|branch| branch.groups(text))
    }
}

impl Branch {
    /// Where its texts are in a text that it matches.
    fn place(&self, text: &str) -> Option<[usize; MAX_GAPS + 1]> {
        let bytes = text.as_bytes();
        let head = self.head.len();
        match self.gaps.as_slice() {
            [] => (text == self.head).then_some([0; 3]),
            [gap] => {
                let is_long_enough = bytes.len() >= head + gap.tail.len() + gap.n_least();
                let fits = is_long_enough && text.starts_with(&self.head) && text.ends_with(&gap.tail);
                fits.then(|| [0, bytes.len() - gap.tail.len(), 0])
            }
            [first, last, ..] => {
                let end = bytes.len().checked_sub(last.tail.len())?;
                if !(text.starts_with(&self.head) && text.ends_with(&last.tail)) {
                    return None;
                }
                let from = head + first.n_least();
                let between = bytes.get(from..end.checked_sub(last.n_least())?)?;
                let middle = from + memchr::memmem::rfind(between, first.tail.as_bytes())?;
                Some([0, middle, end])
            }
        }
    }

    fn groups(&self, text: &str) -> Option<Groups> {
        let places = self.place(text)?;
        let at = |mark: Mark| places[mark.text] + mark.offset;
        let mut groups = Groups::default();
        groups[0] = Some((0, text.len()));
        for group in &self.groups {
            groups[group.number] = Some((at(group.start), at(group.end)));
        }
        Some(groups)
    }

    /// The gap that a group is, if it is one and nothing else.
    #[must_use]
    pub fn gap_of_group(&self, number: usize) -> Option<usize> {
        let group = self.groups.iter().find(|group| group.number == number)?;
        let gap = group.start.text;
        let ends_there = group.end == Mark { text: gap + 1, offset: 0 };
        let text = if gap == 0 { &self.head } else { &self.gaps.get(gap - 1)?.tail };
        (ends_there && group.start.offset == text.len()).then_some(gap)
    }

    /// Whether there are few gaps, and a text between two.
    fn is_simple(&self) -> bool {
        self.gaps.len() <= MAX_GAPS && self.gaps.iter().rev().skip(1).all(|gap| !gap.tail.is_empty())
    }

    fn n_text(&self) -> usize {
        self.head.len() + self.gaps.iter().map(|gap| gap.tail.len()).sum::<usize>()
    }

    fn end(&self) -> Mark {
        Mark { text: self.gaps.len(), offset: self.gaps.last().map_or(self.head.len(), |gap| gap.tail.len()) }
    }

    /// This, and another behind it.
    fn then(&self, other: &Self) -> Self {
        let (mut both, end) = (self.clone(), self.end());
        let moved = |mark: Mark| Mark {
            text: mark.text + end.text,
            offset: mark.offset + if mark.text == 0 { end.offset } else { 0 },
        };
        both.gaps.last_mut().map_or(&mut both.head, |gap| &mut gap.tail).push_str(&other.head);
        both.gaps.extend(other.gaps.iter().cloned());
        let groups = other.groups.iter();
        both.groups.extend(groups.map(|g| Group { number: g.number, start: moved(g.start), end: moved(g.end) }));
        both
    }
}

impl Gap {
    /// The least number of bytes that it takes.
    const fn n_least(&self) -> usize {
        if self.may_be_empty { 0 } else { 1 }
    }
}

/// The choices that a part of a pattern stands for, in the order in which they are tried. `groups` counts those seen.
fn expand(node: &Node, groups: &mut usize) -> Option<Vec<Branch>> {
    match node {
        Node::Empty => Some(vec![Branch::default()]),
        Node::Literal { text, fold: false } => Some(vec![Branch { head: text.clone(), ..Branch::default() }]),
        Node::Repeat { sub, min: min @ 0..=1, max: None, greedy: true } => {
            let gap = Gap { may_be_empty: *min == 0, tail: String::new() };
            let is_any = matches!(**sub, Node::Any { newline: true });
            is_any.then(|| vec![Branch { gaps: vec![gap], ..Branch::default() }])
        }
        Node::Capture(sub) => {
            *groups += 1;
            let number = *groups;
            let mut branches = expand(sub, groups)?;
            for branch in &mut branches {
                let end = branch.end();
                branch.groups.push(Group { number, start: Mark::default(), end });
            }
            Some(branches)
        }
        Node::Concat(items) => concat(items.iter(), groups),
        Node::Alternate(items) => {
            let mut all = Vec::new();
            for item in items {
                all.extend(expand(item, groups)?);
                if all.len() > MAX_BRANCHES {
                    return None;
                }
            }
            Some(all)
        }
        Node::Literal { .. } | Node::Class(_) | Node::Any { .. } | Node::Look(_) | Node::Repeat { .. } => None,
    }
}

/// Every choice of the first with every one of the next, the last varying fastest, as the engine tries them. There is no such
/// order behind a gap, of which every length is tried with all choices before the next length is.
fn concat<'n>(items: impl Iterator<Item = &'n Node>, groups: &mut usize) -> Option<Vec<Branch>> {
    let mut branches = vec![Branch::default()];
    for item in items {
        let next = expand(item, groups)?;
        let is_behind_gap = next.len() > 1 && branches.iter().any(|branch| !branch.gaps.is_empty());
        if is_behind_gap || branches.len() * next.len() > MAX_BRANCHES {
            return None;
        }
        branches = branches.iter().flat_map(|first| next.iter().map(|second| first.then(second))).collect();
    }
    Some(branches)
}

/// The range of a group, if it took part in the match.
pub(super) fn range(groups: &Groups, number: usize) -> Option<Range<usize>> {
    groups.get(number).copied().flatten().map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{GoRegex, Matcher};

    /// The pattern as it is matched, and by the engine.
    fn both(pattern: &str) -> Option<(GoRegex, GoRegex)> {
        let regex = GoRegex::anchored(pattern).ok()?;
        let parsed = super::super::parse::parse(&super::super::with_anchors(pattern)).ok()?;
        let engine = GoRegex { matcher: Matcher::Engine(super::super::engine(&parsed.root).ok()?), ..regex.clone() };
        matches!(regex.matcher, Matcher::Shape(_)).then_some((regex, engine))
    }

    #[test]
    fn patterns_of_the_operator_need_no_engine() {
        for pattern in
            ["metrics", "(cart);true", "(.+);", "(.+);true;", "0;|.+;.+", "a;|.+;.+", "Node;(.*)", "(a|b)", ""]
        {
            assert!(both(pattern).is_some(), "{pattern}");
        }
        for pattern in ["a+", "[a]b|[cd]", "(?i)a", "(.*?);", ".", ".+;.+;.+", ".+.+", "(a)(b)(c)(d)", r"\w+", "a)|(b"]
        {
            assert!(both(pattern).is_none(), "{pattern}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// Patterns of few pieces on texts of the same pieces, so that many match.
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
