//! promgen: the Prometheus operator without the cluster. The start is [`compile()`].
//!
//! This crate is the command line, and the face of the crates below `crates/`.
#![doc = include_str!("../README.md")]

#[cfg(feature = "cli")]
pub mod cli;
pub mod health;

pub use promgen_compile::{cluster, options, output, prometheus, routing, sharding};
pub use promgen_driver::{compile, config, diff, drift, explain, rules};
pub use promgen_repository as repository;
pub use promgen_resources::{api, document, gates, observed_status, release, schema};
pub use promgen_targets::{assign, discovery, distribution, prove, relabel_test, simulate, trace};
pub use promgen_text::{describe, diag, go, input, limits, route, source, time, version, yaml};

pub use diag::{Diagnostic, Level};
pub use options::{Assume, Options, Profile};
pub use output::{Emission, Layout, Output};
pub use source::Input;
