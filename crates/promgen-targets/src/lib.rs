//! Targets: what discovery finds, which shard scrapes it, and why.

pub mod assign;
pub mod discovery;
pub mod distribution;
pub mod metrics;
pub mod network;
pub mod prove;
pub mod relabel_test;
pub mod resolve;
pub mod rule_test;
pub mod simulate;
pub mod trace;
