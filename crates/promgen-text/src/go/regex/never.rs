//! Whether a pattern can match at all, by its form.
//!
//! In: a pattern as Prometheus compiles it. Out: that it never matches, or the only texts that match. Compiles nothing:
//! it is cheap enough for every rule of a large input. Uncertain cases return nothing.

use crate::go::regex::ast::{LookAround, RegexNode};
use crate::go::regex::shape::TextPattern;
use crate::go::regex::{RegexResult, parse, with_anchors, without_anchors};

/// Returns whether no text matches, because an anchor has a text on its far side: `a$b`, `a^b`. The pattern is
/// anchored, as Prometheus does it; one that does not compile is none that never matches.
pub fn never_matches(pattern: &str) -> bool {
    let may_have_anchor = pattern.contains(['^', '$', '\\']);
    may_have_anchor
        && parse::parse(&with_anchors(pattern))
            .is_ok_and(|parsed| !may_match(&parsed.root, false, false))
}

/// The texts of an anchored pattern that is a choice of texts and nothing else.
pub fn texts(pattern: &str) -> Option<Vec<String>> {
    let parsed = parse::parse(&with_anchors(pattern)).ok()?;
    let shape = TextPattern::of(&parsed.root, parsed.names.len() - 1)?;
    let (texts, others) = shape.texts_and_others();
    others
        .is_none()
        .then(|| texts.into_iter().map(str::to_owned).collect())
}

/// Texts with one of which everything begins that an anchored pattern matches. `None` if there are none, or too many.
pub fn heads(pattern: &str) -> Option<Vec<String>> {
    let parsed = parse::parse(&with_anchors(pattern)).ok()?;
    let mut heads = Vec::new();
    (add_heads(&parsed.root, &mut heads) && heads.iter().all(|head| !head.is_empty()))
        .then_some(heads)
}

/// The maximum number of texts that patterns begin with.
const MAX_HEADS: usize = 64;

/// Adds the texts that a part begins with. The parser bounds the depth of the tree.
fn add_heads(node: &RegexNode, heads: &mut Vec<String>) -> bool {
    match node {
        RegexNode::Literal { text, fold: false } => {
            heads.push(text.clone());
            heads.len() <= MAX_HEADS
        }
        RegexNode::Capture(sub) => add_heads(sub, heads),
        RegexNode::Repeat { sub, min, .. } => *min > 0 && add_heads(sub, heads),
        RegexNode::Alternate(items) => items.iter().all(|item| add_heads(item, heads)),
        RegexNode::Concat(items) => {
            let first = items
                .iter()
                .find(|item| !matches!(item, RegexNode::Look(LookAround::TextStart)));
            first.is_some_and(|first| add_heads(first, heads))
        }
        _ => false,
    }
}

/// Returns whether the empty text matches an anchored pattern. Cheaper than
/// [`GoRegex::anchored`](crate::go::regex::GoRegex).
///
/// # Errors
/// Go's own, about the text that Prometheus compiles; the span is the one in `pattern`.
pub fn matches_empty(pattern: &str) -> RegexResult<bool> {
    let parsed =
        parse::parse(&with_anchors(pattern)).map_err(|error| without_anchors(error, pattern))?;
    Ok(takes_nothing(&parsed.root))
}

/// Returns whether it matches the empty text, where every condition but that of a word's boundary holds.
fn takes_nothing(node: &RegexNode) -> bool {
    match node {
        RegexNode::Literal { text, .. } => text.is_empty(),
        RegexNode::Class(_) | RegexNode::Any { .. } | RegexNode::Look(LookAround::WordBoundary) => {
            false
        }
        RegexNode::Capture(sub) => takes_nothing(sub),
        RegexNode::Repeat { sub, min, .. } => *min == 0 || takes_nothing(sub),
        RegexNode::Concat(items) => items.iter().all(takes_nothing),
        RegexNode::Alternate(items) => items.iter().any(takes_nothing),
        RegexNode::Empty | RegexNode::Look(_) => true,
    }
}

/// Returns whether a part may match. `before` and `after`: there certainly is a text on that side of it. The parser
/// bounds the depth of the tree.
fn may_match(node: &RegexNode, before: bool, after: bool) -> bool {
    match node {
        // An anchor of the text, not of a line: `(?m)` makes another node of it.
        RegexNode::Look(LookAround::TextStart) => !before,
        RegexNode::Look(LookAround::TextEnd) => !after,
        RegexNode::Capture(sub) => may_match(sub, before, after),
        RegexNode::Repeat { sub, min, .. } => *min == 0 || may_match(sub, before, after),
        RegexNode::Alternate(items) => items.iter().any(|item| may_match(item, before, after)),
        RegexNode::Concat(items) => {
            let first = items.iter().position(takes_text);
            let last = items.iter().rposition(takes_text);
            items.iter().enumerate().all(|(index, item)| {
                let is_behind = before || first.is_some_and(|first| first < index);
                may_match(
                    item,
                    is_behind,
                    after || last.is_some_and(|last| last > index),
                )
            })
        }
        _ => true,
    }
}

/// Returns whether it takes at least one character wherever it matches.
fn takes_text(node: &RegexNode) -> bool {
    match node {
        RegexNode::Literal { text, .. } => !text.is_empty(),
        RegexNode::Class(_) | RegexNode::Any { .. } => true,
        RegexNode::Capture(sub) => takes_text(sub),
        RegexNode::Repeat { sub, min, .. } => *min > 0 && takes_text(sub),
        RegexNode::Concat(items) => items.iter().any(takes_text),
        RegexNode::Alternate(items) => items.iter().all(takes_text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::regex::GoRegex;

    #[test]
    fn the_empty_text_matches_as_the_engine_says() {
        for pattern in [
            "", "a", "a*", "a+", ".*", ".+", "a|", "(a|b)", "(|b)c?", "^$", "a{0,2}", "(a*){2}",
            "(?:)", r"\b", r"\B", r"\A\z", "[a]?", "(?i)a*", "(?m)^$", "a*b", "[^a]", r"\b*",
            r"(\b|x)", "x{0}",
        ] {
            let expected = GoRegex::anchored(pattern).unwrap().is_match("");
            assert_eq!(matches_empty(pattern).unwrap(), expected, "{pattern}");
        }
        for pattern in ["(", "a{1001}", "[b-a]"] {
            assert_eq!(
                matches_empty(pattern).unwrap_err(),
                GoRegex::anchored(pattern).unwrap_err(),
                "{pattern}"
            );
        }
    }

    #[test]
    fn anchors_with_a_text_behind_them_never_match() {
        for pattern in [
            "a$b", "a^b", "(a$)b", "a(^b|^c)", "x.+^y", "$a", "a^", "(?:a$)+b", r"a\zb",
        ] {
            assert!(never_matches(pattern), "{pattern}");
        }
        for pattern in [
            "^a$",
            "^$",
            "",
            "^a|b$",
            "(^a|b)c",
            "a*^b",
            "(a|)^b",
            r"a\$b",
            "[$^]a",
            "(?m)a$\nb",
            "(a^b)?c",
            "(",
            ".*$",
        ] {
            assert!(!never_matches(pattern), "{pattern}");
        }
    }

    #[test]
    fn heads_are_what_a_match_begins_with() {
        let heads = |pattern: &str| heads(pattern).unwrap_or_default();
        assert_eq!(heads("api-[0-9]+"), ["api-"]);
        assert_eq!(heads("(web|api)-.+"), ["web", "api"]);
        assert_eq!(heads("^(?:a+b)"), ["a"]);
        for pattern in [".*a", "[ab]c", "a?b", "(?i)a", "a|.b", "", "("] {
            assert_eq!(heads(pattern), Vec::<String>::new(), "{pattern}");
        }
    }

    #[test]
    fn texts_are_told_of_what_is_nothing_else() {
        assert_eq!(texts("a|bc"), Some(vec!["a".to_owned(), "bc".to_owned()]));
        for pattern in ["a.*", "[a-z]+", "a|b.+", "("] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }
}
