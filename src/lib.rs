//! promgen: the Prometheus operator without the cluster. The start is [`compile()`].
#![doc = include_str!("../README.md")]

pub mod api;
mod assets;
#[cfg(feature = "cli")]
pub mod cli;
mod client;
pub mod cluster;
pub mod compile;
pub mod config;
mod context;
pub mod deal;
pub mod describe;
pub mod diag;
pub mod discovery;
pub mod document;
pub mod explain;
pub mod gates;
pub mod go;
pub mod health;
pub mod input;
pub mod jobs;
pub mod judge;
pub mod labels;
mod lint;
pub mod live;
mod lower;
pub mod options;
pub mod output;
mod place;
pub mod plan;
mod prom;
pub mod promql;
pub mod prove;
mod reach;
pub mod relabel;
pub mod release;
pub mod route;
pub mod routing;
mod rule_files;
pub mod rules;
pub mod schema;
mod select;
mod sharding;
pub mod shares;
pub mod simulate;
pub mod source;
mod suggest;
pub mod suite;
mod suppress;
mod template;
#[cfg(test)]
mod tests;
pub mod time;
pub mod variant;
pub mod version;
mod workload;
pub mod yaml;

pub use compile::compile;
pub use diag::{Diagnostic, Level};
pub use options::{Assume, Options, Profile};
pub use output::{Emission, Layout, Output};
pub use source::Input;
