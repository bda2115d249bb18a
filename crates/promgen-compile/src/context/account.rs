//! The memory that the workloads of a run take.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::output::Job;
use promgen_text::limits::{Excess, Limit, Limits};

/// The memory of the place that a rule or a job comes from, about.
pub(crate) const ORIGIN: usize = 160;

/// The number of parts from which on all are expected to be like them.
const SAMPLE: u64 = 8;

/// The memory that workloads take.
#[derive(Debug)]
pub struct Account {
    spent: AtomicU64,
    max: Excess,
    is_closed: AtomicBool,
}

impl Account {
    /// The account of a run, of which other parts have spent something already.
    #[must_use]
    pub fn new(limits: &Limits, before: u64) -> Self {
        Self {
            spent: AtomicU64::new(before),
            max: limits.excess(Limit::CompiledBytes),
            is_closed: AtomicBool::new(false),
        }
    }

    /// An account of its own, with the same limit.
    #[must_use]
    pub const fn fresh(&self) -> Self {
        Self {
            spent: AtomicU64::new(0),
            max: self.max,
            is_closed: AtomicBool::new(false),
        }
    }

    /// The account of what follows: it begins with what this one has spent.
    #[must_use]
    pub fn continued(&self) -> Self {
        Self {
            spent: AtomicU64::new(self.spent()),
            max: self.max,
            is_closed: AtomicBool::new(self.is_closed()),
        }
    }

    /// Spends bytes. Those who spend at the same time must not depend on what is left.
    pub(crate) fn spend(&self, n_bytes: usize) {
        self.spent.fetch_add(n_bytes as u64, Ordering::Relaxed);
    }

    /// Stops early where the first parts show that all will exceed the limit by far: what is spent on `n` of `n_all` parts.
    pub(crate) fn expect(&self, spent: u64, n: u64, n_all: u64) {
        let all = (spent / n.max(1)).saturating_mul(n_all);
        if n >= SAMPLE && all > self.max.max.saturating_mul(2) {
            self.is_closed.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether nothing more is to be compiled.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// The bytes that are spent.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> u64 {
        self.max.max.saturating_sub(self.spent())
    }

    /// The limit, if it is exceeded.
    #[must_use]
    pub fn excess(&self) -> Option<Excess> {
        (self.spent() > self.max.max || self.is_closed()).then_some(self.max)
    }
}

/// The memory of a job, about: its content, and its text, which is hardly longer, once somebody asks for it.
pub(crate) const fn weight_of_job(job: &Job) -> usize {
    2 * job.weight + ORIGIN
}
