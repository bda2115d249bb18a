//! What the arguments of kube-state-metrics switch off.
//!
//! Source: the documentation of its command line. `--resources` names the resources, each flag can be given again and adds to its
//! list. `--metric-allowlist` and `--metric-denylist` have patterns that match anywhere in a name, and exclude each other.

use std::collections::{BTreeMap, BTreeSet};

use super::flags::{self, FlagForm};
use super::table::{ExporterFacts, ReleaseRange};
use super::{SwitchedOff, may_have, rows};
use promgen_text::go::regex::GoRegex;

/// The flags with which metrics come from elsewhere, or other flags from a file.
const OPENING: &[&str] = &[
    "config",
    "custom-resource-state-config",
    "custom-resource-state-config-file",
    "custom-resource-state-only",
    "help",
];

/// The lists of the arguments.
#[derive(Default)]
struct MetricLists<'t> {
    resources: BTreeSet<&'t str>,
    allowed: Vec<GoRegex>,
    denied: Vec<GoRegex>,
    opted_in: Vec<GoRegex>,
}

/// The metrics that arguments switch off. `None`: it is not known.
pub(super) fn off(
    facts: &'static ExporterFacts<'static>,
    at: ReleaseRange,
    arguments: &[&str],
) -> Option<BTreeMap<&'static str, SwitchedOff>> {
    let lists = MetricLists::read(facts, at, arguments)?;
    let mut off = BTreeMap::new();
    for (group, row) in rows(facts).filter(|(_, row)| may_have(row, at)) {
        let resource: &'static str = &group.row.name;
        let why = if !lists.resources.is_empty() && !lists.resources.contains(resource) {
            Some(SwitchedOff::ByResources(resource))
        } else if lists.resources.is_empty() && group.row.is(at, &['?', '-']) {
            Some(SwitchedOff::WithoutResource(resource))
        } else {
            lists.filtered(&row.name, row.is(at, &['?', '-']))
        };
        off.extend(why.map(|why| (&*row.name, why)));
    }
    Some(off)
}

impl<'t> MetricLists<'t> {
    fn read(facts: &ExporterFacts<'_>, at: ReleaseRange, arguments: &[&'t str]) -> Option<Self> {
        let form = |name: &str| {
            let row = facts
                .flags
                .iter()
                .find(|row| row.name == name && may_have(row, at))?;
            Some(if row.is(at, &['=', '-']) {
                FlagForm::Value
            } else {
                FlagForm::Switch
            })
        };
        let mut lists = Self::default();
        for (name, value) in flags::read(arguments, form)? {
            let items = || {
                value
                    .unwrap_or_default()
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
            };
            let patterns = || items().map(pattern).collect::<Option<Vec<GoRegex>>>();
            match name {
                "resources" => lists.resources.extend(items()),
                "metric-allowlist" => lists.allowed.extend(patterns()?),
                "metric-denylist" => lists.denied.extend(patterns()?),
                "metric-opt-in-list" => lists.opted_in.extend(patterns()?),
                name if OPENING.contains(&name) => return None,
                _ => {}
            }
        }
        let is_resource = |name: &&str| facts.groups.iter().any(|group| group.row.name == *name);
        let is_valid = lists.resources.iter().all(is_resource)
            && (lists.allowed.is_empty() || lists.denied.is_empty());
        is_valid.then_some(lists)
    }

    /// The list that leaves out a metric of a resource that is on.
    fn filtered(&self, metric: &str, is_opt_in: bool) -> Option<SwitchedOff> {
        let has = |list: &[GoRegex]| list.iter().any(|pattern| pattern.is_match(metric));
        if has(&self.denied) {
            return Some(SwitchedOff::ByDenylist);
        }
        if !self.allowed.is_empty() && !has(&self.allowed) {
            return Some(SwitchedOff::ByAllowlist);
        }
        (is_opt_in && !has(&self.opted_in)).then_some(SwitchedOff::WithoutOptIn)
    }
}

/// A pattern of a list. `None` for one that releases may read in different ways: since v2.16.0 they are those of `ECMAScript`.
fn pattern(text: &str) -> Option<GoRegex> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.*+?^$|()[]-".contains(c);
    let is_known = text.chars().all(is_plain) && !text.contains("(?") && !text.contains("$(");
    GoRegex::new(text).ok().filter(|_| is_known)
}
