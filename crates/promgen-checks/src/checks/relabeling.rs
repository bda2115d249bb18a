//! Checks on relabel rules: patterns, the labels that rules read, and what they keep or drop.
//!
//! Selection already reports invalid rules; these checks report valid rules that are likely mistakes. In: the lists of
//! rules in monitors, Probes, ScrapeConfigs, scrape classes and remote writes, as written. The checks do not read the compiled
//! configuration, which would be slow for many jobs.

pub(super) mod absent;
mod address;
mod constant;
mod discovered;
mod drop_all;
mod given;
mod glob;
pub(in crate::checks) mod group;
mod list;
mod merged;
mod meta;
mod pattern;

use crate::checks::Family;
use list::{Patterns, RuleList, Stage};
use promgen_model::model::World;
use promgen_text::diag::Sink;
use promgen_text::route::At;

/// The help for a rule that keeps nothing.
const DROPS_EVERYTHING: &str = "this `keep` drops everything";

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        pattern::RULES,
        absent::RULES,
        drop_all::RULES,
        constant::RULES,
        address::RULES,
        group::RULES,
        glob::RULES,
        merged::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    meta::of_secrets(model, sink);
    let mut patterns = Patterns::default();
    let jobs = discovered::DiscoveringJobs::new(model);
    // The rules for targets come right before those for samples.
    let mut before: Option<(At, bool)> = None;
    list::each(model.cluster(), &mut |list: &RuleList<'_>| {
        pattern::check(list, sink);
        absent::check(list, &mut patterns, sink);
        drop_all::check(list, &mut patterns, sink);
        constant::check(list, sink);
        if !list.is_written() {
            address::check(list, &mut patterns, sink);
        }
        group::check(list, sink);
        meta::check(list, sink);
        discovered::check(list, &jobs, sink);
        glob::check(list, sink);
        glob::partial(list, sink);
        let has_another = before
            .take()
            .is_some_and(|(at, has_another)| has_another && list.is_beside(&at));
        if !has_another {
            merged::check(list, &mut patterns, sink);
        }
        before = (list.stage == Stage::Target)
            .then(|| (list.at.clone(), merged::gives_another(&list.steps)));
    });
}

#[cfg(test)]
mod tests;
