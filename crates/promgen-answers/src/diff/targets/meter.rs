//! The work of a comparison that may grow faster than its input: targets of many jobs, routes of many alerts.

use std::cell::{Cell, RefCell};

use promgen_text::limits::{Excess, Limit, Limits};

/// Counts the work, and keeps what exceeds a limit.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    n_targets: Cell<u64>,
    n_routes: Cell<u64>,
    exceeded: RefCell<Vec<(Excess, &'static str)>>,
}

impl Meter {
    /// The meter of a comparison.
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            n_targets: Cell::new(0),
            n_routes: Cell::new(0),
            exceeded: RefCell::default(),
        }
    }

    /// A meter without a limit, for one workload of a cluster.
    pub(crate) fn boundless() -> Self {
        Self::new(Limits::default().with(Limit::TargetSteps, u64::MAX))
    }

    /// Returns whether so many targets of jobs may still be assigned to shards.
    pub(crate) fn takes_targets(&self, n: usize) -> bool {
        self.takes(
            Limit::TargetSteps,
            &self.n_targets,
            n,
            "what the comparison assigns to shards",
        )
    }

    /// Returns whether so many routes may still be tried for alerts.
    pub(crate) fn takes_routes(&self, n: usize) -> bool {
        self.takes(
            Limit::RouteSteps,
            &self.n_routes,
            n,
            "what the alerts of the comparison take",
        )
    }

    fn takes(&self, limit: Limit, spent: &Cell<u64>, n: usize, what: &'static str) -> bool {
        let sum = spent.get().saturating_add(n as u64);
        if sum <= self.limits.get(limit) {
            spent.set(sum);
            return true;
        }
        let excess = (self.limits.excess(limit), what);
        let mut exceeded = self.exceeded.borrow_mut();
        if !exceeded.contains(&excess) {
            exceeded.push(excess);
        }
        false
    }

    /// The limits that are exceeded, each with what exceeds it.
    pub(crate) fn into_exceeded(self) -> Vec<(Excess, &'static str)> {
        self.exceeded.into_inner()
    }
}
