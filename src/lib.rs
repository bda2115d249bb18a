//! promgen is the Prometheus operator without the cluster: an offline compiler for its custom resources.
//!
//! This crate is the compiler as a library. The program `promgen` is one user of it; its
//! [documentation](https://github.com/promgen/promgen#readme) shows what it answers. Without the feature `cli`
//! (`default-features = false`), the command line and its dependencies are left out; the feature `schema`, a part of it, derives
//! `schemars::JsonSchema` for the types of answers. The library does no I/O: you read the files, and it reads their texts.
//!
//! # Example
//!
//! ```
//! use promgen::{Input, Options, Project, lint};
//!
//! let text = "
//! {apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main},
//!  spec: {shards: 2, podMonitorSelector: {}}}
//! ---
//! {apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: web},
//!  spec: {selector: {}, podMetricsEndpoints: [{port: metrics}]}}
//! ";
//! let project = Project::read(&[Input::new("monitoring.yaml", text)], &Options::default());
//! let output = project.model().into_output();
//! let main = &output.workloads[0];
//! assert_eq!(main.plan.shards.len(), 2);
//! for job in main.config.iter().flat_map(|config| &config.jobs) {
//!     println!("{}: {} rules", job.name, job.rules().len());
//! }
//! assert!(output.to_yaml().contains("kind: StatefulSet"));
//! for finding in lint(&project).diagnostics {
//!     println!("{}: {}", finding.rule.code, finding.message);
//! }
//! ```
//!
//! # From files to answers
//!
//! 1. [`Project::read`] reads manifests once. A project holds one or several environments: builds of a repository that may share
//!    a cluster.
//! 2. [`Project::model`] compiles one of them. A [`Model`] has the objects, the workloads, their statuses and the findings.
//! 3. A question is a function of a model, or of two:
//!
//! | question | function |
//! |---|---|
//! | What does the operator write? | [`Model::into_output`], [`Output::to_yaml`] |
//! | Which mistakes are there? | [`lint()`], for all environments |
//! | Why is a resource used, or not? | [`explain::explain`] |
//! | What differs between two models? | [`compare::compare`] |
//! | Which targets are there, and which shard scrapes them? | [`Model::discovery`], [`assign`], [`distribution`] |
//! | Does exactly one shard scrape every target? | [`prove`] |
//! | What does another number of shards change? | [`Model::reshards`], [`simulate`] |
//! | Whom does an alert reach? | [`Model::alerts`], [`routing`] |
//!
//! Bad input is a finding, never a panic, and the rest still compiles. The same inputs give the same bytes.
//!
//! # Stability
//!
//! What is public here is stable. The phases and their types are crates of their own (`promgen-text`, `promgen-resources`, …), which
//! change with every release.

#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod health;

/// Why a resource is used, or not, step by step.
pub mod explain {
    pub use promgen_answers::explain::*;
    pub use promgen_model::resource_name::ResourceName;
}

pub use promgen_checks::lint::lint;
pub use promgen_compile::options::{Assume, Options, Profile};
pub use promgen_compile::output::{
    Config as Configuration, Emission, Job, Layout, Output, Workload, WorkloadId,
};
pub use promgen_model::{Model, Project};
pub use promgen_prometheus::routing;
pub use promgen_repository::model::Environment;
pub use promgen_targets::{assign, discovery::Discovery, distribution, prove, simulate};
pub use promgen_text::diag::{Diagnostic, Level};
pub use promgen_text::source::Input;
