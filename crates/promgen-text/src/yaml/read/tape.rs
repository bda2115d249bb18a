//! A document as one flat list, between the parser and the tree.
//!
//! Items are in the order of the text; aliases are not yet followed, scalars not yet resolved.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::yaml::read::scalar::Tag;
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::{MAX_DEPTH, MAX_VALUES};

/// Items of one document in the order of the text; a collection is followed by what it holds.
#[derive(Debug, Default)]
pub(super) struct Tape<'a> {
    pub(super) items: Vec<Item<'a>>,
    /// An item is an alias, so that texts may be needed more than once.
    pub(super) shared: bool,
    anchors: BTreeMap<&'a str, usize>,
    depth: usize,
}

/// A value and the bytes where it stands, counted from the start of the document's text.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: ItemKind<'a>,
}

/// The kind of an item. `next` is the index of the item after the whole collection; 0 while it is open.
#[derive(Debug)]
pub(super) enum ItemKind<'a> {
    Scalar { text: Cow<'a, str>, tag: Tag },
    Seq { len: u32, next: u32 },
    Map { len: u32, next: u32 },
    Alias { target: u32 },
}

impl<'a> ItemKind<'a> {
    /// A list that is about to be filled.
    pub(super) const SEQ: Self = Self::Seq { len: 0, next: 0 };
    /// A map that is about to be filled.
    pub(super) const MAP: Self = Self::Map { len: 0, next: 0 };
}

impl Item<'_> {
    /// The index of the item after this one, which stands at `index`, and all that it holds.
    pub(super) const fn next(&self, index: usize) -> usize {
        match self.kind {
            ItemKind::Seq { next, .. } | ItemKind::Map { next, .. } => next as usize,
            ItemKind::Scalar { .. } | ItemKind::Alias { .. } => index + 1,
        }
    }
}

impl<'a> Tape<'a> {
    /// Adds an item.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn push(
        &mut self,
        start: usize,
        end: usize,
        kind: ItemKind<'a>,
        anchor: Option<&'a str>,
    ) -> SyntaxResult {
        let index = self.items.len();
        if index == MAX_VALUES {
            return Err(syntax::too_many(start));
        }
        if let Some(name) = anchor {
            // A later anchor of the same name counts for the aliases behind it.
            self.anchors.insert(name, index);
        }
        self.items.push(Item {
            start: small(start),
            end: small(end),
            kind,
        });
        Ok(())
    }

    /// Adds a collection, to be filled until [`Tape::close`]; gives its index.
    ///
    /// # Errors
    /// It stands within too many others.
    pub(super) fn open(
        &mut self,
        start: usize,
        kind: ItemKind<'a>,
        anchor: Option<&'a str>,
    ) -> SyntaxResult<usize> {
        if self.depth == MAX_DEPTH {
            return Err(syntax::too_deep(start));
        }
        self.depth += 1;
        self.push(start, start, kind, anchor)?;
        Ok(self.items.len() - 1)
    }

    /// Ends the collection at `index`, which holds `len` entries and whose text ends at `end`, or with its last item.
    pub(super) fn close(&mut self, index: usize, len: usize, end: Option<usize>) {
        self.depth -= 1;
        let next = small(self.items.len());
        let end = end.map_or_else(|| self.items.last().map_or(0, |last| last.end), small);
        let item = &mut self.items[index];
        // A block collection whose last value is an empty one ends before the line break.
        item.end = end.max(item.start);
        match &mut item.kind {
            ItemKind::Seq {
                len: n,
                next: after,
            }
            | ItemKind::Map {
                len: n,
                next: after,
            } => (*n, *after) = (small(len), next),
            _ => {}
        }
    }

    /// Adds an alias.
    ///
    /// # Errors
    /// No anchor before it has the name, or it stands within what it names.
    pub(super) fn alias(&mut self, start: usize, name: &str) -> SyntaxResult {
        let end = start + 1 + name.len();
        let Some(&target) = self.anchors.get(name) else {
            return Err(syntax::unknown_alias(name, start..end));
        };
        // A collection that is still open holds the alias itself.
        if matches!(
            self.items[target].kind,
            ItemKind::Seq { next: 0, .. } | ItemKind::Map { next: 0, .. }
        ) {
            return Err(syntax::self_alias(name, start..end));
        }
        self.shared = true;
        self.push(
            start,
            end,
            ItemKind::Alias {
                target: small(target),
            },
            None,
        )
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).expect("a text is at most 64 MiB")
}
