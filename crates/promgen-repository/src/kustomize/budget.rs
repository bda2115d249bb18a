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

use super::fault::{BuildFault, BuildResult};
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
    /// A file of objects is empty, and a program fills it in.
    awaits: Cell<bool>,
    /// The parts that are left out. `None`: a part that cannot be built is the end of the build.
    gaps: RefCell<Option<Vec<BuildGap>>>,
}

/// The objects that a patch with a target selects.
#[derive(Clone, Debug)]
pub(crate) struct PatchUse {
    /// The place of the target.
    pub(crate) target: Span,
    /// The place of what keeps it from selecting anything: the field, or the target.
    pub(crate) place: Span,
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
    pub(crate) fn new(limits: Limits, before: Spent) -> Self {
        Self {
            limits,
            before,
            ..Self::default()
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
    pub(crate) fn leave_out(&self, folder: &str, fault: BuildFault) -> BuildResult {
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
    pub(crate) fn excuse(&self, fault: BuildFault) -> BuildResult {
        let is_excused = fault.lacks_object && self.gaps.borrow().is_some() && self.lacks_objects();
        if is_excused { Ok(()) } else { Err(fault) }
    }

    /// Takes note of a file of objects that a program fills in.
    pub(crate) fn await_objects(&self) {
        self.awaits.set(true);
    }

    /// Returns whether the result may have objects that are not there: those of a part that is left out, or that a program fills in,
    /// or of a chart that makes more than promgen does.
    pub(crate) fn lacks_objects(&self) -> bool {
        let has_gap = |gaps: &Vec<_>| !gaps.is_empty();
        self.awaits.get()
            || self.gaps.borrow().as_ref().is_some_and(has_gap)
            || self.releases.borrow().iter().any(|made| !made.is_whole)
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
    pub(crate) fn write(&self, n_bytes: usize, at: Span) -> BuildResult {
        // Spent even if it exceeds the limit, so that every later step fails, too.
        let own = self.bytes.get().saturating_add(n_bytes as u64);
        self.bytes.set(own);
        self.check(Limit::BuildBytes, own, at)?;
        self.check_all(at)
    }

    /// Spends bytes of a result, which stay when the build is over.
    ///
    /// # Errors
    /// There are not as many left.
    pub(crate) fn keep(&self, n_bytes: usize, at: Span) -> BuildResult {
        self.kept
            .set(self.kept.get().saturating_add(n_bytes as u64));
        self.check_all(at)
    }

    fn check_all(&self, at: Span) -> BuildResult {
        let all = self.before.bytes.saturating_add(self.spent().bytes);
        self.check(Limit::AllBuildBytes, all, at)
    }

    fn check(&self, limit: Limit, spent: u64, at: Span) -> BuildResult {
        if spent <= self.limits.get(limit) {
            return Ok(());
        }
        let what = match limit {
            Limit::AllBuildBytes | Limit::BuildSteps => ALL,
            _ => "the kustomization",
        };
        Err(BuildFault::excess(at, self.limits.excess(limit), what))
    }

    /// Spends the bytes of a value.
    ///
    /// # Errors
    /// As [`Budget::write`].
    pub(crate) fn write_node(&self, node: &Node, at: Span) -> BuildResult {
        self.write(weight(node), at)
    }

    /// Spends the bytes of an identity, which objects keep.
    ///
    /// # Errors
    /// As [`Budget::write`].
    pub(crate) fn write_id(&self, id: &Id, at: Span) -> BuildResult {
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
    pub(crate) fn check_objects(&self, n_objects: usize, at: Span) -> BuildResult {
        self.check(Limit::BuildObjects, n_objects as u64, at)
    }

    /// Spends visits of values.
    ///
    /// # Errors
    /// There are not as many left.
    pub(crate) fn visit(&self, n_steps: usize, at: Span) -> BuildResult {
        let own = self.steps.get().saturating_add(n_steps as u64);
        self.steps.set(own);
        self.check(Limit::BuildSteps, self.before.steps.saturating_add(own), at)
    }
}

/// Bytes that are written and freed cost time: as many of them count as one byte that stays.
const GONE: u64 = 4;

/// The subject of a limit on all builds.
pub(crate) const ALL: &str = "what the kustomizations of this run make";

/// The bytes of a value in memory, with those of its text wherever that is.
pub(crate) fn weight(node: &Node) -> usize {
    let text = node.as_str().map_or(0, str::len);
    let keys: usize = node.entries().iter().map(key_weight).sum();
    size_of::<Node>() + text + keys + node.children().map(weight).sum::<usize>()
}

/// The bytes of an entry without its value.
fn key_weight(entry: &Entry) -> usize {
    size_of::<Entry>() - size_of::<Node>() + entry.key.len()
}

/// The bytes of a value that nothing else holds: what a build has changed in an object of a file.
pub(crate) fn own_weight(node: &Node) -> usize {
    let is_alone = match &node.data {
        Data::Seq(items) => items.is_alone(),
        Data::Map(entries) => entries.is_alone(),
        _ => return weight(node),
    };
    if !is_alone {
        return size_of::<Node>();
    }
    let keys: usize = node.entries().iter().map(key_weight).sum();
    size_of::<Node>() + keys + node.children().map(own_weight).sum::<usize>()
}
