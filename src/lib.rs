//! promgen: the Prometheus operator without the cluster.

pub mod api;
pub mod compile;
pub mod diag;
pub mod gates;
pub mod output;
pub mod plan;
pub mod route;
pub mod source;
pub mod version;
pub mod yaml;

pub use compile::{Assume, Layout, Options, compile};
pub use diag::{Diagnostic, Level};
pub use output::Output;
pub use source::Input;
