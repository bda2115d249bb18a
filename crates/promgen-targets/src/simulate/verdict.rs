//! Which number of shards to take, and which not.

use std::cmp::Ordering;

use crate::simulate::{Amount, Figures, Step};
use promgen_compile::sharding::plan::Plan;

/// How the cheapest number is found, in one sentence.
pub const CRITERION: &str = "of the numbers that leave no shard idle, no target to two shards and none more without a shard, \
                             the one that moves the least load, in whole percent; of equals the one whose biggest shard is \
                             the smallest, then the one with the fewest shards";

/// Whether a number of shards can be recommended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is what is there.
    Same,
    /// Nothing is against it.
    Possible,
    /// The API server refuses it, with these words.
    Refused(String),
    /// Targets lose their shard: so many more have none.
    Uncovers(u64),
    /// These shards scrape the same targets, in groups.
    Doubles(Vec<Vec<u32>>),
    /// No target can ever come to these shards.
    Idles(Vec<u32>),
}

impl Verdict {
    /// The gravest thing to be said against a plan.
    pub(super) fn of(plan: &Plan, figures: &Figures, present: &Figures) -> Self {
        let n_more = figures.uncovered.targets.saturating_sub(present.uncovered.targets);
        let doubled = plan.doubled();
        let idle: Vec<u32> = plan.idle().map(|shard| shard.index).collect();
        if n_more > 0 {
            Self::Uncovers(n_more)
        } else if !doubled.is_empty() {
            Self::Doubles(doubled)
        } else if !idle.is_empty() {
            Self::Idles(idle)
        } else {
            Self::Possible
        }
    }
}

/// The index of the cheapest step: see [`CRITERION`]. None without load, which tells nothing.
pub(super) fn cheapest(steps: &[Step], all: Amount) -> Option<usize> {
    if all.weight == 0 {
        return None;
    }
    let possible = steps.iter().enumerate().filter(|(_, step)| step.verdict == Verdict::Possible);
    let figures =
        possible.filter_map(|(index, step)| step.figures.as_ref().map(|figures| (index, step.n_shards, figures)));
    let cheapest = figures.min_by(|(_, n, a), (_, m, b)| compare(a, b, all).then_with(|| n.cmp(m)));
    cheapest.map(|(index, _, _)| index)
}

fn compare(a: &Figures, b: &Figures, all: Amount) -> Ordering {
    // Less than that is chance: it depends on the names of targets.
    let percent = |figures: &Figures| (200 * figures.from_present.moved.weight + all.weight) / (2 * all.weight).max(1);
    let biggest = |figures: &Figures| figures.biggest().weight;
    percent(a).cmp(&percent(b)).then_with(|| biggest(a).cmp(&biggest(b)))
}
