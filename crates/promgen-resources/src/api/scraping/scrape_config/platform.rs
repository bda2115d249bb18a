//! Discovery by orchestrators and registries: Kubernetes, Consul, Docker and their like.

use std::collections::BTreeMap;

use promgen_derive::{Decode, Encode};

use crate::api::core::SecretKeySelector;
use crate::api::scalar::Duration;
use crate::api::scraping::scrape::{AttachMetadata, Scheme};
use crate::api::scraping::scrape_config::client::{Filter, SdClient};
use crate::api::string_enum;

/// Objects of Kubernetes as targets.
///
/// Operator: monitoring/v1alpha1.KubernetesSDConfig.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct KubernetesSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// The API server. Default the cluster's own.
    #[api(min_length = 1)]
    pub api_server: Option<String>,
    /// What more is looked up.
    pub attach_metadata: Option<AttachMetadata>,
    /// Where to look. Default everywhere.
    pub namespaces: Option<NamespaceDiscovery>,
    /// Which kind of object.
    pub role: KubernetesRole,
    /// Which objects, by label or field, asked of the API server. Each role once.
    #[api(unique("role"))]
    pub selectors: Option<Vec<K8sSelectorConfig>>,
}

/// The namespaces to look in.
///
/// Operator: monitoring/v1alpha1.NamespaceDiscovery.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct NamespaceDiscovery {
    /// These. Each once.
    #[api(unique)]
    pub names: Option<Vec<String>>,
    /// Whether that of Prometheus' pod too.
    pub own_namespace: Option<bool>,
}

/// Which objects of one kind.
///
/// Operator: monitoring/v1alpha1.K8SSelectorConfig.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct K8sSelectorConfig {
    /// By fields, such as `spec.nodeName=a`.
    #[api(min_length = 1)]
    pub field: Option<String>,
    /// By labels, such as `app=web,tier in (a,b)`.
    #[api(min_length = 1)]
    pub label: Option<String>,
    /// The kind.
    pub role: KubernetesRole,
}

/// Services in Consul as targets.
///
/// Operator: monitoring/v1alpha1.ConsulSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ConsulSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether an answer that may be stale is fine, which spares the leader.
    pub allow_stale: Option<bool>,
    /// The data center. Default the agent's own.
    #[api(min_length = 1)]
    pub datacenter: Option<String>,
    /// Which services, in the filter language of Consul's catalog.
    #[api(min_length = 1)]
    pub filter: Option<String>,
    /// The same, of Consul's health API.
    #[api(min_length = 1)]
    pub health_filter: Option<String>,
    /// The namespace; Consul Enterprise only.
    #[api(min_length = 1)]
    pub namespace: Option<String>,
    /// Which nodes, by metadata.
    pub node_meta: Option<BTreeMap<String, String>>,
    /// The admin partition; Consul Enterprise only.
    #[api(min_length = 1)]
    pub partition: Option<String>,
    /// What comes before the paths of the API.
    #[api(min_length = 1)]
    pub path_prefix: Option<String>,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// The API, as host and port.
    #[api(min_length = 1)]
    pub server: String,
    /// Which services, by name. Default all. Each once.
    #[api(unique)]
    pub services: Option<Vec<String>>,
    /// What stands between tags when they are joined to one label. Default `,`.
    #[api(min_length = 1)]
    pub tag_separator: Option<String>,
    /// Tags that services must have, all of them. Each once.
    #[api(unique)]
    pub tags: Option<Vec<String>>,
    /// The ACL token.
    pub token_ref: Option<SecretKeySelector>,
}

/// Containers of a Docker daemon as targets.
///
/// Operator: monitoring/v1alpha1.DockerSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct DockerSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// Which objects, by the API's own filters. Each name once.
    #[api(unique("name"))]
    pub filters: Option<Vec<Filter>>,
    /// The daemon, as a URL.
    #[api(pattern = r"^[a-zA-Z][a-zA-Z0-9+.-]*://.+$", min_length = 1)]
    pub host: String,
    /// The host of containers on the host's network. Default `localhost`.
    #[api(min_length = 1)]
    pub host_networking_host: Option<String>,
    /// Whether only a container's first network counts. Default true.
    pub match_first_network: Option<bool>,
    /// The port to scrape, where the discovery names none.
    #[api(min = 0, max = 65535)]
    pub port: Option<i32>,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
}

/// Objects of a Docker swarm as targets.
///
/// Operator: monitoring/v1alpha1.DockerSwarmSDConfig.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct DockerSwarmSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// Which objects, by the API's own filters. Each name once.
    #[api(unique("name"))]
    pub filters: Option<Vec<Filter>>,
    /// The daemon, as a URL.
    #[api(pattern = r"^[a-zA-Z][a-zA-Z0-9+.-]*://.+$")]
    pub host: String,
    /// The port to scrape, where the discovery names none.
    #[api(min = 0, max = 65535)]
    pub port: Option<i32>,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// Which kind of object.
    pub role: DockerSwarmRole,
}

/// Instances in Eureka as targets.
///
/// Operator: monitoring/v1alpha1.EurekaSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct EurekaSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    #[api(pattern = r"^https?://.+$")]
    pub server: String,
}

/// Data planes of Kuma as targets.
///
/// Operator: monitoring/v1alpha1.KumaSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct KumaSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// The name under which Kuma knows this Prometheus.
    #[api(name = "clientID", min_length = 1)]
    pub client_id: Option<String>,
    /// How long Kuma may take to answer. Default 2m.
    pub fetch_timeout: Option<Duration>,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    #[api(pattern = r"^https?://.+$")]
    pub server: String,
}

/// Services in Nomad as targets.
///
/// Operator: monitoring/v1alpha1.NomadSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct NomadSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether an answer that may be stale is fine, which spares the leader.
    pub allow_stale: Option<bool>,
    /// The namespace to look in.
    #[api(min_length = 1)]
    pub namespace: Option<String>,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region.
    #[api(min_length = 1)]
    pub region: Option<String>,
    /// The URL of the API.
    #[api(pattern = r"^https?://.+$")]
    pub server: String,
    /// What stands between tags when they are joined to one label. Default `,`.
    #[api(min_length = 1)]
    pub tag_separator: Option<String>,
}

/// Resources in PuppetDB as targets.
///
/// Operator: monitoring/v1alpha1.PuppetDBSDConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PuppetDbSdConfig {
    /// How the API is talked to.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether parameters of resources become labels; they may be secret.
    pub include_parameters: Option<bool>,
    /// The port to scrape, where the discovery names none.
    #[api(min = 0, max = 65535)]
    pub port: Option<i32>,
    /// Which resources, in PQL.
    #[api(min_length = 1)]
    pub query: String,
    /// How often the list of targets is fetched anew. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    #[api(pattern = r"^https?://.+$")]
    pub url: String,
}

string_enum! {
    /// Kinds of objects in Kubernetes that tell targets.
    pub enum KubernetesRole {
        /// Pods.
        Pod = "Pod",
        /// Endpoints.
        Endpoints = "Endpoints",
        /// Ingresses.
        Ingress = "Ingress",
        /// Services.
        Service = "Service",
        /// Nodes.
        Node = "Node",
        /// EndpointSlices.
        EndpointSlice = "EndpointSlice",
    }
}

string_enum! {
    /// Kinds of objects in a Docker swarm.
    pub enum DockerSwarmRole {
        /// Services.
        Services = "Services",
        /// Tasks.
        Tasks = "Tasks",
        /// Nodes.
        Nodes = "Nodes",
    }
}
