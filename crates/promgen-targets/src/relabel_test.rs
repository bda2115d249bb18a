//! Unit tests for relabeling and routing: the expected result for a target or an alert, in a YAML file.
//!
//! In: the text of a file ([`read::read`]), and what its manifests compile to. Out: for each test whether it passes, and the
//! actual result ([`run::run`]). The file's schema, for editors, is [`SCHEMA`]. Reads no file, and prints nothing.

mod alert;
pub mod read;
pub mod run;
mod strict;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A file of tests.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TestFile {
    /// Files and folders of manifests, relative to this file. Tests with `relabel_configs` do not require manifests.
    #[serde(default)]
    pub manifests: Vec<String>,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// The version of Prometheus; overrides `spec.version`.
    pub prometheus_version: Option<String>,
    /// The version of the cluster.
    pub kube_version: Option<String>,
    /// Feature gates of the operator.
    #[serde(default)]
    pub feature_gates: BTreeMap<String, bool>,
    /// The default workload of tests: KIND/NAMESPACE/NAME. An Alertmanager is that of tests with an `alert`, others are those of
    /// tests with a `job`.
    pub workload: Option<String>,
    /// The tests.
    pub tests: Vec<Test>,
}

/// A test: a target or an alert, and its expected result.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// The name of the test.
    pub name: String,
    /// The job whose rules the test runs, such as `serviceMonitor/shop/cart/0`.
    pub job: Option<String>,
    /// The workload that has the job, or the Alertmanager that routes the alert: KIND/NAMESPACE/NAME. Required if there are
    /// several.
    pub workload: Option<String>,
    /// Rules instead of those of a job, as Prometheus has them.
    #[cfg_attr(test, schemars(with = "Option<Vec<tests::InlineRule>>"))]
    pub relabel_configs: Option<Vec<IgnoredAny>>,
    /// A target that the job discovers in the manifests: its address, or an object such as pod/shop/cart-0.
    pub target: Option<String>,
    /// Labels before relabeling, instead of a target. A job adds those of the scrape.
    pub labels: Option<BTreeMap<String, String>>,
    /// An alert that an Alertmanager routes.
    pub alert: Option<AlertInput>,
    /// The expected result.
    pub expect: Expect,
}

/// An alert.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AlertInput {
    /// Its labels, such as `alertname`.
    pub labels: BTreeMap<String, String>,
    /// Its label `namespace`, by which an Alertmanager selects the routes of AlertmanagerConfigs.
    pub namespace: Option<String>,
    /// The time, such as 2026-11-21T08:00:00Z. Required for `muted`.
    pub at: Option<String>,
}

/// The expected result. Every given expectation must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Exactly these labels: with a job, the labels of the series; with `relabel_configs`, all remaining labels.
    pub labels: Option<BTreeMap<String, String>>,
    /// At least these labels, including those that begin with `__`. An empty value: the label does not exist.
    pub contains: Option<BTreeMap<String, String>>,
    /// This shard scrapes it, and no other.
    pub shard: Option<u32>,
    /// These shards scrape it, and no others.
    pub shards: Option<Vec<u32>>,
    /// Whether no shard scrapes it, or the rule that drops it.
    pub dropped: Option<Dropping>,
    /// Exactly these receivers get the alert, muted or not: those of an AlertmanagerConfig as NAMESPACE/CONFIG/NAME.
    pub receivers: Option<Vec<String>>,
    /// Whether all receivers of the alert are muted at the time, or none (`false`), or exactly these.
    pub muted: Option<Muted>,
    /// The labels by which all receivers of the alert group it; `...` for all labels.
    pub grouped_by: Option<Vec<String>>,
}

/// Whether all receivers are muted, or which.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged, expecting = "expected true, false or a list of receivers")]
pub enum Muted {
    /// All are, or none.
    All(bool),
    /// Exactly these are.
    Receivers(Vec<String>),
}

/// Whether a target is dropped, or the rule that drops it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(
    untagged,
    expecting = "expected true, false or a rule such as {by: {rule: 1}}"
)]
pub enum Dropping {
    /// Whether it is dropped.
    Plain(bool),
    /// It is dropped by this rule.
    Rule(DroppedBy),
}

/// A target is dropped.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DroppedBy {
    /// The rule that drops it.
    pub by: By,
}

/// A rule, by some of its properties.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct By {
    /// Its number in the job, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub rule: Option<u32>,
    /// Its action.
    pub action: Option<String>,
    /// Its source labels.
    pub source_labels: Option<Vec<String>>,
    /// Its target label.
    pub target_label: Option<String>,
    /// Its regular expression.
    pub regex: Option<String>,
    /// The field that it comes from, such as `spec.endpoints[0].relabelings[1]`.
    pub field: Option<String>,
    /// The line that it comes from: FILE:LINE.
    pub at: Option<String>,
}

/// The JSON Schema of a file of tests, as `promgen schema test` prints it. A test writes it from [`TestFile`].
pub const SCHEMA: &str = include_str!("relabel_test/schema.json");

/// [`SCHEMA`] as a value.
fn schema() -> serde_json::Value {
    serde_json::from_str(SCHEMA).expect("a test wrote JSON")
}
