//! Certificates and keys, in as many Secrets as they need.

use promgen_text::yaml::StringMap;
use std::collections::BTreeMap;

use crate::cluster::assets::TlsFile;
use crate::lower::workload::names;
use crate::lower::workload::object::{self, Owner, Parent};
use crate::output::OutputObject;

/// The maximum size of the values of one Secret: the API server's limit, less a reserve for the rest.
const MAX_BYTES: usize = 1024 * 1024 - 50_000;

/// The Secrets; at least one, which may be empty.
pub(super) fn secrets(
    parent: &Parent<'_>,
    prefixed: &str,
    assets: &BTreeMap<String, TlsFile>,
) -> Vec<OutputObject> {
    let secret = |(i, values): (usize, BTreeMap<String, Vec<u8>>)| {
        let mut metadata = object::metadata(
            parent,
            names::tls_assets(prefixed, i),
            StringMap::new(),
            Owner::Manager,
        );
        metadata.namespace = Some(parent.namespace.into());
        object::secret(&metadata, parent.layout, &values)
    };
    split(assets).into_iter().enumerate().map(secret).collect()
}

/// Distribution values out, by key, each Secret being filled before the next one is begun. Operator: `ShardedSecret`.
pub(super) fn split(values: &BTreeMap<String, TlsFile>) -> Vec<BTreeMap<String, Vec<u8>>> {
    let mut out = vec![BTreeMap::new()];
    let mut size = 0;
    for (key, value) in values {
        let added = key.len() + value.size;
        if size + added > MAX_BYTES {
            out.push(BTreeMap::new());
            size = 0;
        }
        size += added;
        if let Some(last) = out.last_mut() {
            last.insert(key.clone(), value.shown.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_fit_go_into_the_next_secret() {
        let values = |sizes: &[usize]| {
            let value = |(i, n): (usize, &usize)| {
                (
                    format!("key-{i}"),
                    TlsFile {
                        shown: vec![0],
                        size: *n,
                    },
                )
            };
            split(&sizes.iter().enumerate().map(value).collect())
                .iter()
                .map(BTreeMap::len)
                .collect::<Vec<_>>()
        };
        assert_eq!(values(&[]), [0]);
        assert_eq!(values(&[10, 10]), [2]);
        assert_eq!(values(&[600_000, 600_000, 10]), [1, 2]);
        assert_eq!(values(&[MAX_BYTES - "key-0".len(), 0]), [1, 1]);
        assert_eq!(values(&[10, MAX_BYTES - 10 - "key-0key-1".len()]), [2]);
    }
}
