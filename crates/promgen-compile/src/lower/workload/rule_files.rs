//! The ConfigMaps with rule files.

use std::collections::BTreeMap;

use crate::lower::workload::names;
use crate::lower::workload::object::{self, Owner, Parent};
use crate::output::{Layout, OutputObject};

/// The ConfigMaps with these files, each with a label that names the workload. Operator: at least one. A stream for a
/// cluster without an operator has no empty ones, so that it deletes nothing; the mounts are optional there.
pub(super) fn config_maps(
    parent: &Parent<'_>,
    prefixed: &str,
    label: (&str, &str),
    files: &[BTreeMap<String, String>],
) -> Vec<OutputObject> {
    let empty = [BTreeMap::new()];
    let maps = match (parent.layout, files) {
        (Layout::Operator, []) => &empty,
        (Layout::Operator | Layout::PerShard, maps) => maps,
    };
    let object = |(i, files): (usize, &BTreeMap<String, String>)| {
        let name = names::rule_files(prefixed, i);
        object::config_map(
            &object::metadata(parent, name, names::labels([label]), Owner::Manager),
            files,
        )
    };
    maps.iter().enumerate().map(object).collect()
}
