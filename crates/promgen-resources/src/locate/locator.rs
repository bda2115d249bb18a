//! Finds places in documents, in linear total time.
//!
//! In: a place. Out: where it is in the text. A map of many entries is indexed when it is first searched, so that a finding
//! about each of its entries does not take the square of their number.

use std::collections::BTreeMap;

use crate::document::{self, Document};
use crate::locate::embedded::{self, EmbeddedText};
use promgen_text::CollectOrdered;
use promgen_text::diag::fix::{Fix, MAX_ENTRIES};
use promgen_text::route::{At, Segment, ValueRoute};
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::{Entry, LocatedNode, Node};

/// Most entries of a map that is searched one by one.
const FEW: usize = 32;

/// The maps that were searched.
#[derive(Debug)]
pub(crate) struct Locator<'d> {
    documents: &'d [Document],
    /// The first entry of each key, by the address of the entries. Never iterated.
    indexes: BTreeMap<usize, BTreeMap<&'d str, usize>>,
    /// The texts that were read, by the address of their nodes. Never iterated.
    texts: BTreeMap<usize, Option<EmbeddedText>>,
}

impl<'d> Locator<'d> {
    /// Searches these documents.
    pub(super) const fn new(documents: &'d [Document]) -> Self {
        Self {
            documents,
            indexes: BTreeMap::new(),
            texts: BTreeMap::new(),
        }
    }

    /// The text that a route leads into, with the rest of the route.
    pub(super) fn embedded<'r>(&self, at: &'r At) -> Option<(&'d Node, &'r [Segment])> {
        embedded::text_at(document::find(self.documents, at.doc)?, &at.route)
    }

    /// The place of a route in a text, or the whole text.
    pub(super) fn inside(&mut self, text: &'d Node, rest: &[Segment], sources: &Sources) -> Span {
        let read = self
            .texts
            .entry(std::ptr::from_ref(text).addr())
            .or_insert_with(|| EmbeddedText::read(text, sources));
        let found = read
            .as_ref()
            .and_then(|read| read.find(text.span, rest, sources));
        found.unwrap_or(text.span)
    }

    /// The value at that place, or the nearest present thing around it.
    pub(super) fn locate(&mut self, at: &At) -> Option<LocatedNode> {
        let document = document::find(self.documents, at.doc)?;
        Some(
            document
                .node
                .locate_by(&at.route, &mut |entries, key| self.position(entries, key)),
        )
    }

    /// The text at that place, if it is a text.
    pub(super) fn text(&self, at: &At) -> Option<&'d str> {
        let document = document::find(self.documents, at.doc)?;
        at.route
            .0
            .iter()
            .try_fold(&*document.node, step_into)?
            .as_str()
    }

    fn position(&mut self, entries: &'d [Entry], key: &str) -> Option<usize> {
        if entries.len() <= FEW {
            return entries.iter().position(|entry| entry.key == key);
        }
        let index = self
            .indexes
            .entry(entries.as_ptr().addr())
            .or_insert_with(|| {
                // Of several entries of a key the first counts, which is put in last.
                entries
                    .iter()
                    .enumerate()
                    .rev()
                    .map(|(at, entry)| (&*entry.key, at))
                    .collect_map()
            });
        index.get(key).copied()
    }

    /// Returns whether a fix changes no map with very many entries.
    pub(crate) fn can_fix(&self, fix: &Fix) -> bool {
        fix.changes.iter().all(|change| {
            let Some(at) = change.at() else { return true };
            document::find(self.documents, at.doc)
                .is_some_and(|document| is_small(document, &at.route))
        })
    }
}

fn step_into<'n>(node: &'n Node, step: &Segment) -> Option<&'n Node> {
    match step {
        Segment::Key(key) => node.get(key),
        Segment::Index(index) => node.items().get(*index),
    }
}

/// Returns whether all maps on the way of a route have few entries.
fn is_small(document: &Document, route: &ValueRoute) -> bool {
    let mut node = &*document.node;
    for step in &route.0 {
        if node.entries().len() > MAX_ENTRIES {
            return false;
        }
        let Some(next) = step_into(node, step) else {
            return true;
        };
        node = next;
    }
    true
}
