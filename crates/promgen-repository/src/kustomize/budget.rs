//! What a build may still write and visit.
//!
//! A few lines of a kustomization can double a text with each of them, or include a base in two ways at each level. Every
//! step that makes something spends from here before it goes on.

use std::cell::{Cell, RefCell};
use std::mem::size_of;
use std::ops::Add;

use promgen_text::limits::{Limit, Limits};
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

use super::fault::BuildFault;
use crate::charts::Made;
use crate::id::Id;

/// The costs of builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// The bytes that they have written.
    pub(crate) bytes: u64,
    /// The values and objects that they have visited.
    pub(crate) steps: u64,
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(other.bytes), steps: self.steps.saturating_add(other.steps) }
    }
}

/// The budget of a build.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limits: Limits,
    /// The costs of the builds before this one.
    before: Spent,
    bytes: Cell<u64>,
    steps: Cell<u64>,
    /// The notes about the releases of charts in the build.
    releases: RefCell<Vec<Made>>,
}

impl Budget {
    /// The budget of a build after others.
    pub(crate) const fn new(limits: Limits, before: Spent) -> Self {
        Self { limits, before, bytes: Cell::new(0), steps: Cell::new(0), releases: RefCell::new(Vec::new()) }
    }

    /// Takes note of a release. Of its objects, only the Secrets are kept.
    pub(crate) fn note_release(&self, made: Made) {
        let is_secret = |object: &Node| object.get("kind").and_then(Node::as_str) == Some("Secret");
        let objects = made.objects.iter().filter(|object| is_secret(object)).cloned().collect();
        self.releases.borrow_mut().push(Made { objects, ..made });
    }

    /// The releases that were noted.
    pub(crate) fn releases(&self) -> Vec<Made> {
        self.releases.take()
    }

    /// The costs of the build so far.
    pub(crate) const fn spent(&self) -> Spent {
        Spent { bytes: self.bytes.get(), steps: self.steps.get() }
    }

    /// Spends bytes.
    ///
    /// # Errors
    /// There are not as many left.
    pub(crate) fn write(&self, n_bytes: usize, at: Span) -> Result<(), BuildFault> {
        // Spent even if it exceeds the limit, so that every later step fails, too.
        let own = self.bytes.get().saturating_add(n_bytes as u64);
        self.bytes.set(own);
        if own > self.limits.get(Limit::BuildBytes) {
            return Err(BuildFault::excess(at, self.limits.excess(Limit::BuildBytes), "the kustomization"));
        }
        if self.before.bytes.saturating_add(own) > self.limits.get(Limit::AllBuildBytes) {
            return Err(BuildFault::excess(at, self.limits.excess(Limit::AllBuildBytes), ALL));
        }
        Ok(())
    }

    /// Spends the bytes of a value.
    ///
    /// # Errors
    /// As [`Budget::write`].
    pub(crate) fn write_node(&self, node: &Node, at: Span) -> Result<(), BuildFault> {
        self.write(weight(node), at)
    }

    /// Spends the bytes of an identity, which objects keep.
    ///
    /// # Errors
    /// As [`Budget::write`].
    pub(crate) fn write_id(&self, id: &Id, at: Span) -> Result<(), BuildFault> {
        let texts = [&id.group, &id.version, &id.kind, &id.name, &id.namespace];
        self.write(size_of::<Id>() + texts.into_iter().map(String::len).sum::<usize>(), at)
    }

    /// Checks the number of objects of the build.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn check_objects(&self, n_objects: usize, at: Span) -> Result<(), BuildFault> {
        if n_objects as u64 > self.limits.get(Limit::BuildObjects) {
            return Err(BuildFault::excess(at, self.limits.excess(Limit::BuildObjects), "the kustomization"));
        }
        Ok(())
    }

    /// Spends visits of values.
    ///
    /// # Errors
    /// There are not as many left.
    pub(crate) fn visit(&self, n_steps: usize, at: Span) -> Result<(), BuildFault> {
        let own = self.steps.get().saturating_add(n_steps as u64);
        self.steps.set(own);
        if self.before.steps.saturating_add(own) > self.limits.get(Limit::BuildSteps) {
            return Err(BuildFault::excess(at, self.limits.excess(Limit::BuildSteps), ALL));
        }
        Ok(())
    }
}

/// The subject of a limit on all builds.
pub(crate) const ALL: &str = "what the kustomizations of this run make";

/// The bytes of a value in memory, with those of its text wherever that is.
pub(crate) fn weight(node: &Node) -> usize {
    let own = size_of::<Node>();
    match &node.data {
        Data::Null | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => own,
        Data::String(text) => own + text.len(),
        Data::Seq(items) => own + items.iter().map(weight).sum::<usize>(),
        Data::Map(entries) => {
            own + entries.iter().map(|entry| weight_of_entry(&entry.key, &entry.value)).sum::<usize>()
        }
    }
}

/// The bytes of a value in a map, with its key.
pub(crate) fn weight_of_entry(key: &str, value: &Node) -> usize {
    size_of::<Entry>() - size_of::<Node>() + key.len() + weight(value)
}
