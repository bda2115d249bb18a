//! The resources that the operator creates pods for, whatever their kind: what their specifications share.

use promgen_compile::cluster::Cluster;
use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_resources::api::auth::ProxyConfig;
use promgen_resources::api::core::{Affinity, Container, Volume};
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::api::servers::agent::{DaemonSetMode, PrometheusAgentSpec};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::remote::RemoteWriteSpec;
use promgen_resources::api::servers::thanos_ruler::ThanosRulerSpec;
use promgen_resources::api::servers::workload::{Argument, StorageSpec};
use promgen_text::route::{At, DocId};
use promgen_text::yaml::StringMap;

/// A resource that the operator creates pods for.
#[derive(Clone, Copy, Debug)]
pub struct RunningWorkload<'a> {
    /// Its document.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its spec.
    pub spec: Spec<'a>,
}

/// Its spec.
#[derive(Clone, Copy, Debug)]
pub enum Spec<'a> {
    /// Of a Prometheus.
    Server(&'a PrometheusSpec),
    /// Of a PrometheusAgent.
    Agent(&'a PrometheusAgentSpec),
    /// Of an Alertmanager.
    Alertmanager(&'a AlertmanagerSpec),
    /// Of a ThanosRuler.
    Ruler(&'a ThanosRulerSpec),
}

/// A remote endpoint of a workload.
pub struct RemoteEndpoint<'a> {
    /// Its place.
    pub at: At,
    /// Its URL.
    pub url: &'a str,
    /// The proxy to it.
    pub proxy: &'a ProxyConfig,
    /// The token in plain text.
    pub token: Option<&'a str>,
    /// The headers of requests to it.
    pub headers: Option<&'a StringMap>,
}

/// A field that the specifications of all kinds have.
#[macro_export]
macro_rules! pod_field {
    ($spec:expr, $field:ident) => {
        match $spec {
            $crate::running::Spec::Server(spec) => &spec.common.$field,
            $crate::running::Spec::Agent(spec) => &spec.common.$field,
            $crate::running::Spec::Alertmanager(spec) => &spec.$field,
            $crate::running::Spec::Ruler(spec) => &spec.$field,
        }
    };
}
pub use pod_field;

impl<'a> RunningWorkload<'a> {
    /// The place of its `spec`.
    pub fn at(&self) -> At {
        At::spec(self.doc)
    }

    /// `Prometheus monitoring/k8s`
    pub fn what(&self) -> String {
        self.id().what()
    }

    /// Its kind, namespace and name.
    pub fn id(&self) -> WorkloadId {
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

    /// The affinity of its pods.
    pub const fn affinity(&self) -> Option<&'a Affinity> {
        pod_field!(self.spec, affinity).as_ref()
    }

    /// The fields that servers and agents share.
    pub const fn common(&self) -> Option<&'a CommonPrometheusFields> {
        match self.spec {
            Spec::Server(spec) => Some(&spec.common),
            Spec::Agent(spec) => Some(&spec.common),
            Spec::Alertmanager(_) | Spec::Ruler(_) => None,
        }
    }

    /// Returns whether every node has its own pod.
    pub fn is_daemon_set(&self) -> bool {
        matches!(self.spec, Spec::Agent(spec) if spec.mode == Some(DaemonSetMode::DaemonSet))
    }

    /// Its storage.
    pub const fn storage(&self) -> Option<&'a StorageSpec> {
        pod_field!(self.spec, storage).as_ref()
    }

    /// Its image.
    pub fn image(&self) -> Option<&'a str> {
        pod_field!(self.spec, image).as_deref()
    }

    /// The version of its program.
    pub fn version(&self) -> Option<&'a str> {
        pod_field!(self.spec, version).as_deref()
    }

    /// The name of its service account.
    pub fn service_account_name(&self) -> Option<&'a str> {
        pod_field!(self.spec, service_account_name).as_deref()
    }

    /// Its number of replicas.
    pub const fn replicas(&self) -> Option<i32> {
        *pod_field!(self.spec, replicas)
    }

    /// The volumes of its pods, beside those that the operator adds.
    pub fn volumes(&self) -> &'a [Volume] {
        pod_field!(self.spec, volumes)
            .as_deref()
            .unwrap_or_default()
    }

    /// The arguments that it adds to those of the operator.
    pub fn additional_args(&self) -> &'a [Argument] {
        pod_field!(self.spec, additional_args)
            .as_deref()
            .unwrap_or_default()
    }

    /// Its containers and init containers, with the name of their field.
    pub fn containers(&self) -> [(&'static str, &'a [Container]); 2] {
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
    pub fn external_url(&self) -> Option<&'a str> {
        match self.spec {
            Spec::Alertmanager(spec) => spec.external_url.as_deref(),
            Spec::Server(_) | Spec::Agent(_) | Spec::Ruler(_) => {
                self.common()?.external_url.as_deref()
            }
        }
    }

    /// The remote endpoints: those that it writes to, then those that it reads from.
    pub fn remotes(&self) -> impl Iterator<Item = RemoteEndpoint<'a>> {
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

    /// The endpoints that it writes to.
    pub fn remote_write(&self) -> &'a [RemoteWriteSpec] {
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
pub fn all(cluster: &Cluster) -> impl Iterator<Item = RunningWorkload<'_>> {
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
