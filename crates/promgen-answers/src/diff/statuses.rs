//! Resources that workloads select whose text or expected status differs.

use crate::diff;
use std::collections::BTreeMap;

use crate::diff::listed::Listed;
use crate::diff::value::{self, Change, FieldChange, Shades};
use promgen_compile::output::{Output, ResourceStatus};
use promgen_text::CollectOrdered;

changes! {
    /// A resource that differs.
    ResourceChange {
        /// Kind, namespace and name.
        resource: String,
        /// Its environment, if there are several.
        environment?: String,
        /// The kind of change.
        change: Change,
        /// The fields of the resource that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        fields: Listed<FieldChange>,
        /// The fields of its expected status that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        status: Listed<FieldChange>,
    }
}

/// Compares the resources of two outputs.
pub(crate) fn changes(base: &Output, head: &Output, shades: &Shades) -> Listed<ResourceChange> {
    let (old, new) = (by_name(base), by_name(head));
    let mut found = Listed::default();
    for key in diff::keys(&old, &new) {
        let (fields, status) = match (old.get(key), new.get(key)) {
            (Some(a), Some(b)) => {
                let fields = shades.deltas(&value::diff(&a.resource, &b.resource));
                (fields, shades.deltas(&value::diff(&a.status, &b.status)))
            }
            _ => (Vec::new(), Vec::new()),
        };
        let change = Change::of(old.contains_key(key), new.contains_key(key));
        if change != Change::Changed || !fields.is_empty() || !status.is_empty() {
            let (fields, status) = (fields.into_iter().collect(), status.into_iter().collect());
            found.push(ResourceChange {
                resource: key.clone(),
                environment: None,
                change,
                fields,
                status,
            });
        }
    }
    found
}

fn by_name(output: &Output) -> BTreeMap<String, &ResourceStatus> {
    let name = |r: &ResourceStatus| format!("{}/{}/{}", r.kind.as_str(), r.namespace, r.name);
    output
        .resources
        .iter()
        .map(|resource| (name(resource), resource))
        .collect_map()
}
