//! The collectors that the arguments of `node_exporter` switch off.
//!
//! Source: its documentation. `--collector.NAME` and `--no-collector.NAME` switch a collector, and
//! `--collector.disable-defaults` all that are not named. The collector `textfile` exposes whatever its files have.

use std::collections::{BTreeMap, BTreeSet};

use super::table::{ExporterFacts, ReleaseRange};
use super::{SwitchedOff, flags, rows};
use promgen_text::CollectOrdered;

/// The metrics that arguments switch off. `None`: it is not known.
pub(super) fn off(
    facts: &'static ExporterFacts<'static>,
    at: ReleaseRange,
    arguments: &[&str],
) -> Option<BTreeMap<&'static str, SwitchedOff>> {
    let (mut on, mut off, mut has_defaults) = (BTreeSet::new(), BTreeSet::new(), true);
    for argument in arguments {
        let is_unknown = flags::is_open(argument.split('=').next().unwrap_or_default())
            || argument.starts_with('@')
            || argument.starts_with("--collector.textfile.directory");
        if is_unknown || !argument.starts_with("--") && argument.starts_with('-') {
            return None;
        }
        if *argument == "--collector.disable-defaults" {
            has_defaults = false;
        } else if let Some(name) = argument.strip_prefix("--collector.") {
            on.insert(name);
        } else if let Some(name) = argument.strip_prefix("--no-collector.") {
            off.insert(name);
        }
    }
    let why = |name: &'static str, is_default: bool| match () {
        () if on.contains(name) => None,
        () if off.contains(name) || is_default && !has_defaults => {
            Some(SwitchedOff::ByCollector(name))
        }
        () => (!is_default).then_some(SwitchedOff::WithoutCollector(name)),
    };
    // Where two releases around a version do not agree, nothing is known.
    let known = rows(facts).filter(|(group, row)| {
        row.is(at, &['+']) && (group.row.is(at, &['+']) || group.row.is(at, &['?']))
    });
    let off = known.filter_map(|(group, row)| {
        Some((&*row.name, why(&group.row.name, group.row.is(at, &['+']))?))
    });
    Some(off.collect_map())
}
