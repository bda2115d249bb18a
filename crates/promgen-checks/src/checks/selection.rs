//! Checks on selectors: from workloads to monitors, from monitors to Services and pods.
//!
//! An input is rarely the whole cluster. So the checks skip a kind that no workload in the input selects, and they skip
//! Services and pods if the input has none. A resource that may exist elsewhere is an info; it is a warning only if a
//! resource in the input almost matches, so that a typo is likely.

mod addresses;
mod alertmanagers;
mod annotations;
mod chosen;
mod confined;
mod default_label;
mod endpoints;
mod hosts;
mod listed;
mod modules;
mod namespaces;
mod params;
mod pods;
pub(crate) mod ports;
mod rule_files;
mod services;
mod split;
mod stopped;
mod twice;
mod written_targets;

use crate::checks::Family;
use promgen_model::model::World;
use promgen_text::diag::{Diagnostic, Level, LintRule, Sink};
use promgen_text::source::Span;

/// Returns whether a rule misses a Service, pods behind one, or a port of them: they may be in what is not built, and
/// patches change them.
pub(super) fn misses_pods(rule: &LintRule) -> bool {
    [
        &pods::NO_PODS,
        &ports::UNKNOWN_TARGET_PORT,
        &services::UNMATCHED_SELECTOR,
    ]
    .contains(&rule)
}

/// Returns whether a monitor almost selects an object of its own file.
pub(super) fn is_of_one_file(diagnostic: &Diagnostic) -> bool {
    let is_beside = |other: &Span| diagnostic.span.is_some_and(|own| own.file == other.file);
    *diagnostic.rule == services::UNMATCHED_SELECTOR
        && diagnostic.level == Level::Warning
        && diagnostic.related_spans.iter().any(is_beside)
}

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        chosen::RULES,
        ports::RULES,
        services::RULES,
        listed::RULES,
        pods::RULES,
        namespaces::RULES,
        alertmanagers::RULES,
        twice::RULES,
        annotations::RULES,
        params::RULES,
        addresses::RULES,
        endpoints::RULES,
        hosts::RULES,
        rule_files::RULES,
        modules::RULES,
        split::RULES,
        stopped::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    chosen::check(model, sink);
    services::check(model, sink);
    namespaces::check(model, sink);
    alertmanagers::check(model, sink);
    twice::check(model, sink);
    annotations::check(model, sink);
    params::check(model, sink);
    addresses::check(model, sink);
    hosts::check(model, sink);
    rule_files::check(model, sink);
    modules::check(model, sink);
    split::check(model, sink);
}

#[cfg(test)]
mod tests;
