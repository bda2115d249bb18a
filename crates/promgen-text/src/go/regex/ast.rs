//! The tree of a parsed pattern.
//!
//! Every node carries the flags that apply to it, so that later passes do not depend on where a flag was set.

use std::collections::VecDeque;

use crate::go::regex::unicode::Property;

/// A part of an expression.
#[derive(Debug)]
pub(super) enum RegexNode {
    /// Matches the empty text.
    Empty,
    /// These characters in order.
    Literal { text: String, fold: bool },
    /// One character of a set.
    Class(CharClass),
    /// One character; a line break too if `newline`.
    Any { newline: bool },
    /// A condition on the place.
    Look(LookAround),
    /// A numbered group.
    Capture(Box<Self>),
    /// The sub-expression `min` to `max` times; without `max`, any number of times.
    Repeat {
        sub: Box<Self>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
    },
    /// One after the other. None of the items is a `Concat`.
    Concat(VecDeque<Self>),
    /// The first item that matches. None of the items is an `Alternate`.
    Alternate(VecDeque<Self>),
}

/// Conditions on a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum LookAround {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

/// A set of characters: the union of the items, or its complement.
#[derive(Debug)]
pub(super) struct CharClass {
    pub(super) items: Vec<ClassItem>,
    pub(super) negated: bool,
    /// An item also stands for the other cases of its characters.
    pub(super) fold: bool,
}

/// A part of a set.
#[derive(Clone, Debug)]
pub(super) enum ClassItem {
    /// From one code point to another, both included. May cover surrogates, which no text contains.
    Range(u32, u32),
    /// A named ASCII group: `\d`, `[:alpha:]`.
    Ascii {
        ranges: &'static [(u8, u8)],
        negated: bool,
    },
    /// A Unicode class: `\p{Greek}`.
    Unicode { property: Property, negated: bool },
}

impl CharClass {
    /// The set as a node; a set of one character is that character, as in Go, which matters to the height of a tree.
    pub(super) fn into_node(self) -> RegexNode {
        match self.items.as_slice() {
            [ClassItem::Range(low, high)] if low == high && !self.negated && !self.fold => {
                char::from_u32(*low).map_or_else(RegexNode::never, |c| RegexNode::Literal {
                    text: c.to_string(),
                    fold: false,
                })
            }
            _ => RegexNode::Class(self),
        }
    }
}

impl RegexNode {
    /// An empty set; surrogates become one, as no text contains them.
    pub(super) const fn never() -> Self {
        Self::Class(CharClass {
            items: Vec::new(),
            negated: false,
            fold: false,
        })
    }

    /// Returns whether it always takes exactly one character, as far as the shape shows.
    pub(super) fn is_one_char(&self) -> bool {
        match self {
            Self::Literal { text, .. } => text.chars().nth(1).is_none(),
            Self::Class(_) | Self::Any { .. } => true,
            _ => false,
        }
    }
}
