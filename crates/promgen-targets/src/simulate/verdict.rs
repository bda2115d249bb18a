//! The verdicts on numbers of shards, and the recommendation.

use std::cmp::Ordering;

use crate::simulate::{Amount, Figures, SimulatedCount};
use promgen_compile::sharding::plan::Plan;

/// The criterion of the least movement, in one sentence.
pub const CRITERION: &str = "the number that moves the smallest share of the load, in whole percent; then the number with the \
                             smallest largest shard; then the smallest number. Numbers with an idle shard, with a target \
                             on two shards, or with more targets without a shard than now do not count";

/// Whether a number of shards can be recommended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recommendation {
    /// It is the present number.
    Same,
    /// It has no disadvantage.
    Possible,
    /// The API server refuses it, with these words.
    Refused(String),
    /// Targets lose their shard: the number of further targets without one.
    Uncovers(u64),
    /// These shards scrape the same targets, in groups.
    Doubles(Vec<Vec<u32>>),
    /// No target can match these shards.
    Idles(Vec<u32>),
}

impl Recommendation {
    /// The most serious disadvantage of a plan.
    pub(super) fn of(plan: &Plan, figures: &Figures, present: &Figures) -> Self {
        let n_more = figures
            .uncovered
            .targets
            .saturating_sub(present.uncovered.targets);
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

/// The index of the step that moves least: see [`CRITERION`]. `None` without load.
pub(super) fn least_movement(steps: &[SimulatedCount], all: Amount) -> Option<usize> {
    if all.weight == 0 {
        return None;
    }
    let possible = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.verdict == Recommendation::Possible);
    let figures = possible.filter_map(|(index, step)| {
        step.figures
            .as_ref()
            .map(|figures| (index, step.n_shards, figures))
    });
    let least = figures.min_by(|(_, n, a), (_, m, b)| compare(a, b, all).then_with(|| n.cmp(m)));
    least.map(|(index, _, _)| index)
}

fn compare(a: &Figures, b: &Figures, all: Amount) -> Ordering {
    // A smaller difference is noise: it depends on the names of targets.
    let percent = |figures: &Figures| {
        (200 * figures.from_present.moved.weight + all.weight) / (2 * all.weight).max(1)
    };
    let biggest = |figures: &Figures| figures.biggest().weight;
    percent(a)
        .cmp(&percent(b))
        .then_with(|| biggest(a).cmp(&biggest(b)))
}
