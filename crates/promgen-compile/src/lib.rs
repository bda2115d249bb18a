//! The compiler: from a cluster of resources to configuration, StatefulSets and status.

pub mod access;
pub mod cluster;
pub mod context;
pub mod lower;
pub mod options;
pub mod output;
mod paths;
mod receivers;
mod routes;
mod section;
pub mod select;
pub mod sharding;
pub mod workload;
