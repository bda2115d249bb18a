//! Workloads that the operator does not watch, by their namespace or by their labels.

use promgen_compile::cluster::{Cluster, Key};
use promgen_compile::select::selector::Picker;
use promgen_prometheus::labels::text::parse_labels;
use promgen_resources::api::{Kind, ObjectMeta, Resource};

/// Why the operator does not watch a workload.
pub struct Unwatched {
    /// The reason.
    pub why: String,
    /// The way to change it.
    pub help: String,
    /// The flag of the operator that is the reason.
    pub(crate) flag: &'static str,
    /// Its own labels are the reason.
    pub(crate) is_by_labels: bool,
}

impl Unwatched {
    /// The reason for a workload of that kind and namespace, if there is one.
    pub(crate) fn of(
        cluster: &Cluster,
        kind: Kind,
        namespace: &str,
        metadata: &ObjectMeta,
    ) -> Option<Self> {
        if let Some(flag) = cluster.watch.ignored_by(kind, namespace) {
            let flag = flag.name();
            let why = format!(
                "the operator watches no {} in namespace {namespace}: `--{flag}`",
                kind.as_str()
            );
            return Some(Self {
                why,
                help: format!("change `--{flag}` of the operator"),
                flag,
                is_by_labels: false,
            });
        }
        let (flag, text) = cluster.watch.selector(kind)?;
        let flag = flag.name();
        // The operator does not start with a selector that does not parse.
        let selector = parse_labels(text).ok()?;
        if selector.matches(&metadata.labels.clone().unwrap_or_default()) {
            return None;
        }
        let why =
            format!("the operator does not watch it: its labels do not match `--{flag}={text}`");
        Some(Self {
            why,
            help: format!("add the labels, or change `--{flag}` of the operator"),
            flag,
            is_by_labels: true,
        })
    }

    /// The reason why the operator does not watch the workload of a selector.
    pub fn of_picker(cluster: &Cluster, by: &Picker<'_>) -> Option<Self> {
        let key = Key::new(by.namespace, by.name);
        let metadata = match by.kind {
            Kind::Prometheus => cluster
                .prometheuses
                .get(&key)
                .map(|object| object.value.metadata()),
            Kind::PrometheusAgent => cluster
                .prometheus_agents
                .get(&key)
                .map(|object| object.value.metadata()),
            Kind::Alertmanager => cluster
                .alertmanagers
                .get(&key)
                .map(|object| object.value.metadata()),
            Kind::ThanosRuler => cluster
                .thanos_rulers
                .get(&key)
                .map(|object| object.value.metadata()),
            _ => None,
        };
        Self::of(cluster, by.kind, by.namespace, metadata?)
    }
}
