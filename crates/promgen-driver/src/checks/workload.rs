//! Checks on how workloads run: storage, memory, and plain-text secrets.
//!
//! Other modules report what the API server and the operator refuse. Most findings here depend on the cluster, so their
//! level is info unless data or secrets are at risk.

mod address;
mod arguments;
mod files;
mod image;
mod line_break;
mod memory;
mod plain;
mod replicas;
mod retention;
mod storage;
mod zone_spread;

use promgen_resources::api::auth::ProxyConfig;
use promgen_text::yaml::StringMap;
use std::collections::BTreeMap;

use crate::checks::{Family, View};
use promgen_compile::cluster::Cluster;
use promgen_compile::output::{Workload, WorkloadId, WorkloadKind};
use promgen_resources::api::core::{Affinity, Container, Volume};
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::api::servers::agent::{DaemonSetMode, PrometheusAgentSpec};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::remote::RemoteWriteSpec;
use promgen_resources::api::servers::thanos_ruler::ThanosRulerSpec;
use promgen_resources::api::servers::workload::{Argument, StorageSpec};
use promgen_resources::document;
use promgen_text::diag::Sink;
use promgen_text::route::{At, DocId};

pub(crate) use plain::PLAIN_SECRET;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &storage::NO_STORAGE,
        &storage::UNKNOWN_CLASS,
        &memory::NO_MEMORY_REQUEST,
        &replicas::LONELY_ALERTMANAGER,
        &retention::OVERSIZED_RETENTION,
        &replicas::DEFAULT_QUEUE,
        &replicas::NEGATIVE_REPLICAS,
        &plain::PLAIN_SECRET,
        &files::UNMOUNTED_FILE,
        &image::OTHER_IMAGE,
        &image::UNKNOWN_ACCOUNT,
        &address::NO_SCHEME,
        &arguments::UNKNOWN_ARGUMENT,
        &replicas::SAME_SERIES,
        &zone_spread::ZONE_TOO_SMALL,
        &line_break::LINE_BREAK,
    ],
    check,
};

fn check(model: &View<'_>, sink: &mut Sink) {
    let compiled: BTreeMap<&WorkloadId, &Workload> =
        model.workloads.iter().map(|of| (&of.id, *of)).collect();
    for running in all(model.cluster) {
        if let Some(compiled) = compiled.get(&running.id()) {
            zone_spread::check(&running, compiled, sink);
        }
        storage::check(model, &running, sink);
        storage::class(model, &running, sink);
        memory::check(&running, sink);
        replicas::alertmanager(&running, sink);
        replicas::queues(&running, sink);
        replicas::negative(&running, sink);
        retention::check(&running, sink);
        plain::check(&running, sink);
        image::check(model, &running, sink);
        address::check(&running, sink);
        arguments::check(&running, sink);
        replicas::same_series(&running, sink);
    }
    plain::receivers(model.cluster, sink);
    files::check(model, sink);
    line_break::check(model, sink);
}

/// Finds plain-text secrets, and nothing else.
pub(crate) fn plain_secrets(cluster: &Cluster, sink: &mut Sink) {
    all(cluster).for_each(|running| plain::check(&running, sink));
    plain::receivers(cluster, sink);
}

/// A resource that the operator creates pods for.
#[derive(Clone, Copy, Debug)]
struct RunningWorkload<'a> {
    doc: DocId,
    namespace: &'a str,
    name: &'a str,
    spec: Spec<'a>,
}

/// Its spec.
#[derive(Clone, Copy, Debug)]
enum Spec<'a> {
    Server(&'a PrometheusSpec),
    Agent(&'a PrometheusAgentSpec),
    Alertmanager(&'a AlertmanagerSpec),
    Ruler(&'a ThanosRulerSpec),
}

/// A remote endpoint of a workload.
struct RemoteEndpoint<'a> {
    at: At,
    url: &'a str,
    proxy: &'a ProxyConfig,
    token: Option<&'a str>,
    headers: Option<&'a StringMap>,
}

/// A field that the specifications of all kinds have.
macro_rules! pod_field {
    ($spec:expr, $field:ident) => {
        match $spec {
            Spec::Server(spec) => &spec.common.$field,
            Spec::Agent(spec) => &spec.common.$field,
            Spec::Alertmanager(spec) => &spec.$field,
            Spec::Ruler(spec) => &spec.$field,
        }
    };
}
use pod_field;

impl<'a> RunningWorkload<'a> {
    /// The place of its `spec`.
    fn at(&self) -> At {
        At::spec(self.doc)
    }

    /// Returns whether somebody gives the field, rather than a chart by default: the place of a default is that of the chart.
    fn is_given(&self, model: &View<'_>, field: &str) -> bool {
        let Some(document) = document::find(model.documents, self.doc) else {
            return false;
        };
        let given = document.node.find(&["spec", field]).map(|value| value.span);
        given.is_some() && given != document.origin.release().map(|release| release.place)
    }

    /// `Prometheus monitoring/k8s`
    fn what(&self) -> String {
        self.id().what()
    }

    fn id(&self) -> WorkloadId {
        let kind = match self.spec {
            Spec::Server(_) => WorkloadKind::Prometheus,
            Spec::Agent(_) => WorkloadKind::PrometheusAgent,
            Spec::Alertmanager(_) => WorkloadKind::Alertmanager,
            Spec::Ruler(_) => WorkloadKind::ThanosRuler,
        };
        WorkloadId {
            kind,
            namespace: self.namespace.to_owned(),
            name: self.name.to_owned(),
        }
    }

    const fn affinity(&self) -> Option<&'a Affinity> {
        pod_field!(self.spec, affinity).as_ref()
    }

    /// The fields that servers and agents share.
    const fn common(&self) -> Option<&'a CommonPrometheusFields> {
        match self.spec {
            Spec::Server(spec) => Some(&spec.common),
            Spec::Agent(spec) => Some(&spec.common),
            Spec::Alertmanager(_) | Spec::Ruler(_) => None,
        }
    }

    /// Returns whether every node has its own pod.
    fn is_daemon_set(&self) -> bool {
        matches!(self.spec, Spec::Agent(spec) if spec.mode == Some(DaemonSetMode::DaemonSet))
    }

    const fn storage(&self) -> Option<&'a StorageSpec> {
        pod_field!(self.spec, storage).as_ref()
    }

    fn volumes(&self) -> &'a [Volume] {
        pod_field!(self.spec, volumes)
            .as_deref()
            .unwrap_or_default()
    }

    fn additional_args(&self) -> &'a [Argument] {
        pod_field!(self.spec, additional_args)
            .as_deref()
            .unwrap_or_default()
    }

    /// Its containers and init containers, with the name of their field.
    fn containers(&self) -> [(&'static str, &'a [Container]); 2] {
        let list = |list: &'a Option<Vec<Container>>| list.as_deref().unwrap_or_default();
        [
            ("containers", list(pod_field!(self.spec, containers))),
            (
                "initContainers",
                list(pod_field!(self.spec, init_containers)),
            ),
        ]
    }

    /// The URL that it is reached at from outside, if the kind has one.
    fn external_url(&self) -> Option<&'a str> {
        match self.spec {
            Spec::Alertmanager(spec) => spec.external_url.as_deref(),
            Spec::Server(_) | Spec::Agent(_) | Spec::Ruler(_) => {
                self.common()?.external_url.as_deref()
            }
        }
    }

    /// The remote endpoints: those that it writes to, then those that it reads from.
    fn remotes(&self) -> impl Iterator<Item = RemoteEndpoint<'a>> {
        let read = match self.spec {
            Spec::Server(spec) => spec.remote_read.as_deref(),
            Spec::Agent(_) | Spec::Alertmanager(_) | Spec::Ruler(_) => None,
        };
        let (to, from) = (self.at().key("remoteWrite"), self.at().key("remoteRead"));
        macro_rules! endpoints {
            ($remotes:expr, $at:ident) => {
                $remotes
                    .iter()
                    .enumerate()
                    .map(move |(index, remote)| RemoteEndpoint {
                        at: $at.clone().index(index),
                        url: &remote.url,
                        proxy: &remote.proxy,
                        token: remote.bearer_token.as_deref(),
                        headers: remote.headers.as_ref(),
                    })
            };
        }
        endpoints!(self.remote_write(), to).chain(endpoints!(read.unwrap_or_default(), from))
    }

    fn remote_write(&self) -> &'a [RemoteWriteSpec] {
        let places = match self.spec {
            Spec::Server(spec) => spec.common.remote_write.as_deref(),
            Spec::Agent(spec) => spec.common.remote_write.as_deref(),
            Spec::Ruler(spec) => spec.remote_write.as_deref(),
            Spec::Alertmanager(_) => None,
        };
        places.unwrap_or_default()
    }
}

/// All resources that have pods.
fn all(cluster: &Cluster) -> impl Iterator<Item = RunningWorkload<'_>> {
    macro_rules! of_kind {
        ($objects:ident, $spec:path) => {
            cluster
                .$objects
                .iter()
                .map(|(key, object)| RunningWorkload {
                    doc: object.doc,
                    namespace: key.namespace(),
                    name: key.name(),
                    spec: $spec(&object.value.spec),
                })
        };
    }
    of_kind!(prometheuses, Spec::Server)
        .chain(of_kind!(prometheus_agents, Spec::Agent))
        .chain(of_kind!(alertmanagers, Spec::Alertmanager))
        .chain(of_kind!(thanos_rulers, Spec::Ruler))
}

#[cfg(test)]
mod tests;
