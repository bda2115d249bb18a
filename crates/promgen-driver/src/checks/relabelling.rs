//! Whether relabelling does what it seems to do: patterns, labels that are there, what is kept.
//!
//! That a rule is invalid is found while resources are selected. Here is what Prometheus would take. In: the lists of rules
//! in monitors, Probes, ScrapeConfigs and scrape classes, as they were typed in. Nothing of the compiled configuration is
//! read back, which would take long for many jobs.

mod absent;
mod address;
mod constant;
mod fate;
mod given;
mod list;
mod pattern;

use crate::checks::{Family, Model};
use list::{List, Patterns};
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

fn check(model: &Model<'_>, sink: &mut Sink) {
    let mut patterns = Patterns::default();
    list::each(model.cluster, &mut |list: &List<'_>| {
        pattern::check(list, sink);
        absent::check(list, &mut patterns, sink);
        fate::check(list, &mut patterns, sink);
        constant::check(list, sink);
        address::check(list, &mut patterns, sink);
    });
}

#[cfg(test)]
mod tests;
