//! The approximate memory of an expression, from its tree alone: an engine that turns out to be too big has cost its time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::go::regex::ast::{CharClass, ClassItem, RegexNode};
use crate::go::regex::unicode::Property;

/// The bytes of a state.
const STATE: usize = 24;
/// The bytes of a range of a class: one of characters that are several bytes has several states.
const WIDE_RANGE: usize = 64;
/// The bytes of a class that any character may be in: the states of all lengths.
const WIDE_CLASS: usize = 512;

/// The approximate number of bytes that the engine takes for a tree.
pub(super) fn of(node: &RegexNode) -> usize {
    match node {
        RegexNode::Empty | RegexNode::Look(_) => STATE,
        RegexNode::Literal { text, fold } => {
            text.len()
                .saturating_mul(if *fold { 4 * STATE } else { STATE })
        }
        RegexNode::Class(class) => of_class(class),
        RegexNode::Any { .. } => WIDE_CLASS,
        RegexNode::Capture(sub) => of(sub).saturating_add(2 * STATE),
        RegexNode::Repeat { sub, min, max, .. } => {
            let times = max.unwrap_or(min.saturating_add(1)).max(1);
            of(sub)
                .saturating_add(STATE)
                .saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        RegexNode::Concat(items) | RegexNode::Alternate(items) => items
            .iter()
            .fold(STATE, |sum, item| sum.saturating_add(of(item))),
    }
}

fn of_class(class: &CharClass) -> usize {
    let of_item = |item: &ClassItem| match item {
        ClassItem::Range(_, high) if *high < 0x80 => STATE,
        ClassItem::Range(..) => WIDE_RANGE,
        ClassItem::Ascii { ranges, .. } => ranges.len() * STATE,
        ClassItem::Unicode { property, .. } => n_ranges(*property) * WIDE_RANGE,
    };
    let is_ascii = |item: &ClassItem| match item {
        ClassItem::Range(_, high) => *high < 0x80,
        ClassItem::Ascii { negated, .. } => !negated,
        ClassItem::Unicode { .. } => false,
    };
    let ranges = class
        .items
        .iter()
        .fold(STATE, |sum, item| sum.saturating_add(of_item(item)));
    let is_narrow = !class.negated && !class.fold && class.items.iter().all(is_ascii);
    ranges.saturating_add(if is_narrow { 0 } else { WIDE_CLASS })
}

/// The number of ranges of a Unicode class.
fn n_ranges(property: Property) -> usize {
    thread_local! {
        static KNOWN: RefCell<BTreeMap<String, usize>> = const { RefCell::new(BTreeMap::new()) };
    }
    let class = format!("[{}]", property.engine_class());
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&class).copied()) {
        return known;
    }
    let counted = match regex_syntax::parse(&class).map(regex_syntax::hir::Hir::into_kind) {
        Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) => {
            class.ranges().len()
        }
        _ => 1,
    };
    KNOWN.with_borrow_mut(|known| known.insert(class, counted));
    counted
}

#[cfg(test)]
mod tests {
    use crate::go::regex::{parse, translate};

    use super::*;

    /// Returns whether the engine takes no more than so many bytes.
    fn fits(root: &RegexNode, bytes: usize) -> bool {
        let translated = translate::translate(root);
        regex::RegexBuilder::new(&translated)
            .size_limit(bytes)
            .nest_limit(4096)
            .build()
            .is_ok()
    }

    #[test]
    fn the_engine_takes_about_as_much_as_its_weight() {
        for pattern in [
            r"\pL{50}",
            r"\pL{10}",
            r"\p{Greek}{100}",
            r"\p{Nd}{100}",
            r"\PL{40}",
            "[^a]{500}",
            ".{500}",
            "(a|b){1000}",
            "[a-z]{1000}",
            r"\d{1000}",
            "(?i)abcdefgh{100}",
            "(?i)[a-z]{200}",
            r"(\w+\.){300}",
            "a{1000}b{1000}",
            r"(?:é|ü|ß){300}",
            r"[é-ü]{300}",
            r"\p{Han}{200}",
            r"\pS{20}",
            r"(?i)\pL{20}",
            "(.*foo.*|.*bar.*){100}",
        ] {
            let parsed = parse::parse(pattern).unwrap();
            let weight = of(&parsed.root);
            assert!(
                fits(&parsed.root, weight.saturating_mul(4)),
                "{pattern} takes more than four times {weight}"
            );
            assert!(
                !fits(&parsed.root, weight / 16),
                "{pattern} takes less than a sixteenth of {weight}"
            );
        }
    }
}
