//! The budget of a build: what it may still write and visit.
//!
//! A few lines of a kustomization can double a text with each of them, or include a base in two ways at each level. Every
//! step that makes something spends from here before it goes on.

use std::cell::{Cell, RefCell};
use std::mem::size_of;
use std::ops::Add;

use promgen_text::limits::{Excess, Limit, Limits};
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

use super::fault::BuildFault;
use crate::charts::ReleaseObjects;
use crate::id::Id;

/// The costs of builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// The bytes that are left of what they have written, and a part of the others.
    pub(crate) bytes: u64,
    /// The values and objects that they have visited.
    pub(crate) steps: u64,
    /// The objects that are left of them: one that is applied in several ways counts for each.
    pub(crate) objects: u64,
}

impl Spent {
    /// The limit on all builds that is exceeded.
    pub(crate) fn excess(&self, limits: &Limits) -> Option<Excess> {
        let all = [
            (Limit::AllBuildBytes, self.bytes),
            (Limit::BuildSteps, self.steps),
            (Limit::EnvironmentObjects, self.objects),
        ];
        let exceeded = all
            .into_iter()
            .find(|(limit, spent)| *spent > limits.get(*limit));
        exceeded.map(|(limit, _)| limits.excess(limit))
    }
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            steps: self.steps.saturating_add(other.steps),
            objects: self.objects.saturating_add(other.objects),
        }
    }
}

/// The budget of a build.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limits: Limits,
    /// The costs of the builds before this one.
    before: Spent,
    bytes: Cell<u64>,
    /// The bytes of its results.
    kept: Cell<u64>,
    steps: Cell<u64>,
    /// The notes about the releases of charts in the build.
    releases: RefCell<Vec<ReleaseObjects>>,
    /// The objects that the patches with a target select.
    patches: RefCell<Vec<PatchUse>>,
    /// The parts that are left out. `None`: a part that cannot be built is the end of the build.
    gaps: RefCell<Option<Vec<BuildGap>>>,
}

/// The objects that a patch with a target selects.
#[derive(Clone, Debug)]
pub(crate) struct PatchUse {
    /// The place of the target.
    pub(crate) target: Span,
    /// It selects an object, or may select one that is not there.
    pub(crate) is_used: bool,
    /// The selection, in words.
    pub(crate) what: String,
    /// The object that may be meant, as a sentence.
    pub(crate) meant: Option<String>,
}

/// A part of a build that is left out.
#[derive(Clone, Debug)]
pub(crate) struct BuildGap {
    /// The folder of the kustomization that names it.
    pub(crate) folder: String,
    /// Why it is not built.
    pub(crate) fault: BuildFault,
}

impl Budget {
    /// The budget of a build after others.
    pub(crate) const fn new(limits: Limits, before: Spent) -> Self {
        Self {
            limits,
            before,
            bytes: Cell::new(0),
            kept: Cell::new(0),
            steps: Cell::new(0),
            releases: RefCell::new(Vec::new()),
            patches: RefCell::new(Vec::new()),
            gaps: RefCell::new(None),
        }
    }

    /// The budget of a build that leaves out what cannot be built.
    pub(crate) fn tolerant(self) -> Self {
        Self {
            gaps: RefCell::new(Some(Vec::new())),
            ..self
        }
    }

    /// Goes on without a part.
    ///
    /// # Errors
    /// The build tolerates nothing, or it is not about a part.
    pub(crate) fn leave_out(&self, folder: &str, fault: BuildFault) -> Result<(), BuildFault> {
        let is_part = (fault.is_missing || fault.is_unsupported) && fault.excess.is_none();
        match self.gaps.borrow_mut().as_mut().filter(|_| is_part) {
            Some(gaps) => gaps.push(BuildGap {
                folder: folder.to_owned(),
                fault,
            }),
            None => return Err(fault),
        }
        Ok(())
    }

    /// Takes a fault for none if it misses an object that may be in a part which is left out.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn excuse(&self, fault: BuildFault) -> Result<(), BuildFault> {
        let is_excused = fault.lacks_object && self.gaps.borrow().is_some() && self.lacks_objects();
        if is_excused { Ok(()) } else { Err(fault) }
    }

    /// Returns whether the result may have objects that are not there: those of a part that is left out, or of a chart that makes
    /// more than promgen does.
    pub(crate) fn lacks_objects(&self) -> bool {
        let has_gap = self
            .gaps
            .borrow()
            .as_ref()
            .is_some_and(|gaps| !gaps.is_empty());
        has_gap || self.releases.borrow().iter().any(|made| !made.is_whole)
    }

    /// The parts that were left out.
    pub(crate) fn gaps(&self) -> Vec<BuildGap> {
        self.gaps.take().unwrap_or_default()
    }

    /// Takes note of what a patch selects.
    pub(crate) fn note_patch(&self, patch: PatchUse) {
        self.patches.borrow_mut().push(patch);
    }

    /// The objects that the patches select.
    pub(crate) fn patches(&self) -> Vec<PatchUse> {
        self.patches.take()
    }

    /// Takes note of a release.
    pub(crate) fn note_release(&self, made: ReleaseObjects) {
        self.releases.borrow_mut().push(made);
    }

    /// The releases that were noted.
    pub(crate) fn releases(&self) -> Vec<ReleaseObjects> {
        self.releases.take()
    }

    /// The costs of the build so far.
    pub(crate) const fn spent(&self) -> Spent {
        Spent {
            bytes: self.kept.get().saturating_add(self.bytes.get() / GONE),
            steps: self.steps.get(),
            objects: 0,
        }
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
            return Err(BuildFault::excess(
                at,
                self.limits.excess(Limit::BuildBytes),
                "the kustomization",
            ));
        }
        self.check_all(at)
    }

    /// Spends bytes of a result, which stay when the build is over.
    ///
    /// # Errors
    /// There are not as many left.
    pub(crate) fn keep(&self, n_bytes: usize, at: Span) -> Result<(), BuildFault> {
        self.kept
            .set(self.kept.get().saturating_add(n_bytes as u64));
        self.check_all(at)
    }

    fn check_all(&self, at: Span) -> Result<(), BuildFault> {
        if self.before.bytes.saturating_add(self.spent().bytes)
            > self.limits.get(Limit::AllBuildBytes)
        {
            return Err(BuildFault::excess(
                at,
                self.limits.excess(Limit::AllBuildBytes),
                ALL,
            ));
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
        self.write(
            size_of::<Id>() + texts.into_iter().map(String::len).sum::<usize>(),
            at,
        )
    }

    /// Checks the number of objects of the build.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn check_objects(&self, n_objects: usize, at: Span) -> Result<(), BuildFault> {
        if n_objects as u64 > self.limits.get(Limit::BuildObjects) {
            return Err(BuildFault::excess(
                at,
                self.limits.excess(Limit::BuildObjects),
                "the kustomization",
            ));
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
            return Err(BuildFault::excess(
                at,
                self.limits.excess(Limit::BuildSteps),
                ALL,
            ));
        }
        Ok(())
    }
}

/// Bytes that are written and freed cost time: as many of them count as one byte that stays.
const GONE: u64 = 4;

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
            own + entries
                .iter()
                .map(|entry| weight_of_entry(&entry.key, &entry.value))
                .sum::<usize>()
        }
    }
}

/// The bytes of a value that nothing else holds: what a build has changed in an object of a file.
pub(crate) fn own_weight(node: &Node) -> usize {
    let own = size_of::<Node>();
    match &node.data {
        Data::Seq(items) if items.is_alone() => own + items.iter().map(own_weight).sum::<usize>(),
        Data::Map(entries) if entries.is_alone() => {
            let key = |entry: &Entry| size_of::<Entry>() - size_of::<Node>() + entry.key.len();
            own + entries
                .iter()
                .map(|entry| key(entry) + own_weight(&entry.value))
                .sum::<usize>()
        }
        Data::Seq(_) | Data::Map(_) => own,
        Data::Null
        | Data::Bool(_)
        | Data::Int(_)
        | Data::Uint(_)
        | Data::Float(_)
        | Data::String(_) => weight(node),
    }
}

/// The bytes of a value in a map, with its key.
pub(crate) fn weight_of_entry(key: &str, value: &Node) -> usize {
    size_of::<Entry>() - size_of::<Node>() + key.len() + weight(value)
}
