//! Checks on relabel rules: patterns, the labels that rules read, and what they keep or drop.
//!
//! Selection already reports invalid rules; these checks report valid rules that are likely mistakes. In: the lists of
//! rules in monitors, Probes, ScrapeConfigs and scrape classes, as written. The checks do not read the compiled
//! configuration, which would be slow for many jobs.

mod absent;
mod address;
mod constant;
mod fate;
mod given;
mod list;
mod pattern;

use crate::checks::{Family, View};
use list::{Patterns, RuleList};
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &pattern::NEVER_MATCHES,
        &absent::ABSENT_LABEL,
        &fate::DROPS_EVERYTHING,
        &constant::SAME_FOR_ALL,
        &address::ADDRESS_REMOVED,
        &absent::DISCOVERY_LABEL,
        &address::NAME_REMOVED,
    ],
    check,
};

fn check(model: &View<'_>, sink: &mut Sink) {
    let mut patterns = Patterns::default();
    list::each(model.cluster, &mut |list: &RuleList<'_>| {
        pattern::check(list, sink);
        absent::check(list, &mut patterns, sink);
        fate::check(list, &mut patterns, sink);
        constant::check(list, sink);
        address::check(list, &mut patterns, sink);
    });
}

#[cfg(test)]
mod tests;
