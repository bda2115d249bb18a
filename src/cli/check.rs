//! Commands that check: manifests, tests and a running cluster.

pub(crate) mod health;
pub(crate) mod lint;
pub(crate) mod test;
