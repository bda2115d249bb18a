//! The roles of Kubernetes discovery.

pub(crate) mod attach;
pub(crate) mod backing;
pub(crate) mod endpoints;
pub(crate) mod endpointslice;
pub(crate) mod ingress;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod service;
