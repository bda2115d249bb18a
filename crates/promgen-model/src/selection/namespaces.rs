//! Namespaces that the input does not have.

use std::collections::BTreeSet;

use crate::model::World;
use promgen_resources::api::NamespaceSelector;
use promgen_resources::unknown::is_later_text;

/// Namespaces of every cluster.
const BUILT_IN: &[&str] = &["default", "kube-node-lease", "kube-public", "kube-system"];

/// The namespaces that a monitor names and that the input does not have, each with its index, and whether the input says which
/// there are. A namespace that contains an object exists.
pub fn absent<'s>(
    model: &World<'_>,
    selector: Option<&'s NamespaceSelector>,
) -> (Vec<(usize, &'s str)>, bool) {
    let declared = &model.reach.others.namespaces;
    let names = selector
        .and_then(|selector| selector.match_names.as_deref())
        .unwrap_or_default();
    let is_absent = |(_, name): &(usize, &str)| {
        is_unknown(model, declared, name) && model.cluster().namespace_labels(name).is_none()
    };
    (
        names
            .iter()
            .map(String::as_str)
            .enumerate()
            .filter(is_absent)
            .collect(),
        !declared.is_empty(),
    )
}

/// Returns whether a namespace is none of those that the input declares, and none that is there anyway.
pub fn is_unknown(model: &World<'_>, declared: &BTreeSet<String>, namespace: &str) -> bool {
    !declared.contains(namespace)
        && !is_later_text(namespace)
        && !BUILT_IN.contains(&namespace)
        && namespace != model.options().namespace
}
