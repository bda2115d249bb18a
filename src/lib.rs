//! promgen: the Prometheus operator without the cluster. The start is [`compile()`].
#![doc = include_str!("../README.md")]

pub mod api;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cluster;
pub mod compile;
pub mod diag;
pub mod document;
pub mod gates;
pub mod go;
pub mod input;
pub mod labels;
pub mod output;
pub mod plan;
pub mod relabel;
pub mod route;
pub mod schema;
pub mod source;
pub mod version;
pub mod yaml;

pub use compile::{Assume, Options, compile};
pub use diag::{Diagnostic, Level};
pub use output::{Emission, Layout, Output};
pub use source::Input;
