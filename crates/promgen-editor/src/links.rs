//! The references in an environment: names in selectors and references, and the places where those names are given.
//!
//! In: the compiled model. Out: [`Links`], which answer where something is defined, and who refers to it. A link may lead to
//! several places. The value of a Secret is none of them: a key of a Secret is.

mod expressions;
mod named;
mod references;
mod selection;

use std::collections::{BTreeMap, BTreeSet};

use crate::cursor::{holds, length, step};
use promgen_model::Model;
use promgen_resources::document::{self, Document};
use promgen_text::route::{At, Segment};
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::{Entry, Node};

use named::{within as within_document, within_block};
use promgen_text::CollectOrdered;

/// A name or a selector, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its key, if it has one.
    pub key: Option<Span>,
    /// Its value.
    pub value: Span,
    /// The value is a map or a list.
    pub is_collection: bool,
    /// The places that it leads to.
    pub to: Vec<Span>,
}

impl Link {
    /// The place to show for it: the value, or the key of a whole block.
    #[must_use]
    pub fn mark(&self) -> Span {
        self.key
            .filter(|_| self.is_collection)
            .unwrap_or(self.value)
    }

    fn holds(&self, file: FileId, byte: u32) -> bool {
        self.key.is_some_and(|key| holds(key, file, byte)) || holds(self.value, file, byte)
    }

    fn of_entry(entry: &Entry, to: Vec<Span>) -> Self {
        Self {
            key: Some(entry.key_span),
            ..Self::of_node(&entry.value, to)
        }
    }

    const fn of_node(node: &Node, to: Vec<Span>) -> Self {
        use promgen_text::yaml::Data::{Map, Seq};
        Self {
            key: None,
            value: node.span,
            is_collection: matches!(node.data, Map(_) | Seq(_)),
            to,
        }
    }
}

/// The links of an environment.
#[derive(Clone, Debug, Default)]
pub struct Links {
    all: Vec<Link>,
    /// The place where expressions name each metric. Nothing in the input says where a metric is defined.
    metrics: BTreeMap<String, BTreeSet<Span>>,
}

impl Links {
    /// All links of a model.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let mut links = references::of(model.manifests());
        links.extend(model.view_with_stand_ins(selection::of));
        let (of_names, metrics) = model.view(&[], expressions::of);
        links.extend(of_names);
        links.retain(|link| !link.to.is_empty());
        Self {
            all: links,
            metrics,
        }
    }

    /// The links of one document, whether it is part of an environment or not.
    #[must_use]
    pub fn within(root: &Node) -> Self {
        Self {
            all: within_document(root),
            ..Self::default()
        }
    }

    /// The links of a block scalar that is a configuration of Alertmanager.
    #[must_use]
    pub fn within_block(text: &str, scalar: Span) -> Self {
        Self {
            all: within_block(text, scalar),
            ..Self::default()
        }
    }

    /// The place where what stands at a byte is defined. The innermost link counts.
    #[must_use]
    pub fn definitions(&self, file: FileId, byte: u32) -> BTreeSet<Span> {
        let here = || self.all.iter().filter(|link| link.holds(file, byte));
        let innermost = here().map(|link| length(link.value)).min();
        here()
            .filter(|link| Some(length(link.value)) == innermost)
            .flat_map(|link| link.to.iter().copied())
            .collect_set()
    }

    /// The references to the object at a byte. Those to a metric are all places that name it.
    #[must_use]
    pub fn references(&self, file: FileId, byte: u32) -> BTreeSet<Span> {
        let leads_here = |link: &&Link| link.to.iter().any(|to| holds(*to, file, byte));
        let is_here =
            |places: &&BTreeSet<Span>| places.iter().any(|place| holds(*place, file, byte));
        let of_metrics = self.metrics.values().filter(is_here).flatten().copied();
        self.all
            .iter()
            .filter(leads_here)
            .map(Link::mark)
            .chain(of_metrics)
            .collect_set()
    }

    /// The places at a byte that links lead to.
    #[must_use]
    pub fn targets(&self, file: FileId, byte: u32) -> BTreeSet<Span> {
        let to = self.all.iter().flat_map(|link| &link.to);
        to.copied()
            .filter(|to| holds(*to, file, byte))
            .collect_set()
    }
}

/// The entry or the item at a place, as a link.
fn link(documents: &[Document], at: &At, to: Vec<Span>) -> Option<Link> {
    let document = document::find(documents, at.doc)?;
    let (last, above) = at.route.0.split_last()?;
    let holder = above.iter().try_fold(&*document.node, step)?;
    match last {
        Segment::Key(key) => Some(Link::of_entry(holder.entry(key)?, to)),
        Segment::Index(index) => Some(Link::of_node(holder.items().get(*index)?, to)),
    }
}
