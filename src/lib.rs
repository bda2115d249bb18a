//! promgen: the Prometheus operator without the cluster.
//!
//! A [`Project`] is a set of manifests, read once. It holds one or several environments: builds of a repository that may share
//! a cluster. One of them, compiled, is a [`Model`]: the objects, the workloads, their statuses and the findings. All questions
//! are functions of a model, or of two: [`explain::explain`], [`compare::compare`], [`Model::discovery`], [`Model::alerts`],
//! [`Model::reshards`]. [`Project::lint`] checks all environments. The library does no I/O.
//!
//! ```
//! use promgen::model::Kept;
//! use promgen::{Input, Options, Project};
//!
//! let manifests = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {shards: 2}}";
//! let project = Project::read(&[Input::new("prometheus.yaml", manifests)], &Options::default());
//! let output = project.model(Kept::Text).into_output();
//! assert_eq!(output.workloads[0].plan.shards.len(), 2);
//! print!("{}", output.to_yaml());
//! for finding in project.lint().diagnostics {
//!     println!("{}: {}", finding.rule.code, finding.message);
//! }
//! ```
//!
//! These names are stable: [`Project`], [`Model`], [`model::Kept`], [`Input`], [`Options`], [`Output`], [`Diagnostic`],
//! [`Level`]. The other modules are the phases, and change with them.

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "cli")]
pub mod cli;
pub mod health;

pub use promgen_compile::{cluster, options, output, sharding};
pub use promgen_driver::{Model, Project, compare, config, diff, drift, explain, model, rules};
pub use promgen_prometheus as prometheus;
pub use promgen_prometheus::routing;
pub use promgen_repository as repository;
pub use promgen_resources::{api, document, gates, observed_status, release, schema};
pub use promgen_targets::{assign, discovery, distribution, prove, relabel_test, simulate, trace};
pub use promgen_text::{describe, diag, go, input, limits, route, source, time, version, yaml};

pub use diag::{Diagnostic, Level};
pub use options::{Assume, Options, Profile};
pub use output::{Emission, Layout, Output};
pub use source::Input;
