//! Discovery by orchestrators and registries: Kubernetes, Consul, Docker and their like.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::scalar::Duration;
use crate::api::scraping::scrape::{AttachMetadata, Scheme};
use crate::api::scraping::scrape_config::client::{Filter, SdClient};
use crate::api::string_enum;
use promgen_text::yaml::StringMap;

/// Objects of Kubernetes as targets.
#[api(of = "monitoring/v1alpha1.KubernetesSDConfig")]
pub struct KubernetesSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The API server. Default the cluster's own.
    pub api_server: Option<String>,
    /// The attached metadata.
    pub attach_metadata: Option<AttachMetadata>,
    /// Where to look. Default everywhere.
    pub namespaces: Option<NamespaceDiscovery>,
    /// The kind of object.
    pub role: KubernetesRole,
    /// Selectors of objects by label or field, which the API server applies. Each role once.
    pub selectors: Option<Vec<K8sSelectorConfig>>,
}

/// The namespaces to look in.
#[api(of = "monitoring/v1alpha1.NamespaceDiscovery")]
pub struct NamespaceDiscovery {
    /// These. Each once.
    pub names: Option<Vec<String>>,
    /// Whether the namespace of Prometheus' pod is included.
    pub own_namespace: Option<bool>,
}

/// The selector of the objects of a role.
#[api(of = "monitoring/v1alpha1.K8SSelectorConfig")]
pub struct K8sSelectorConfig {
    /// The field selector, such as `spec.nodeName=a`.
    pub field: Option<String>,
    /// The label selector, such as `app=web,tier in (a,b)`.
    pub label: Option<String>,
    /// The kind.
    pub role: KubernetesRole,
}

/// Services in Consul as targets.
#[api(of = "monitoring/v1alpha1.ConsulSDConfig")]
pub struct ConsulSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether stale responses are accepted, which reduces the load of the leader.
    pub allow_stale: Option<bool>,
    /// The data center. Default the agent's own.
    pub datacenter: Option<String>,
    /// The filter of services, in the language of Consul's catalog.
    pub filter: Option<String>,
    /// The filter of services, in the language of Consul's health API.
    pub health_filter: Option<String>,
    /// The namespace; Consul Enterprise only.
    pub namespace: Option<String>,
    /// The metadata that nodes must have.
    pub node_meta: Option<StringMap>,
    /// The admin partition; Consul Enterprise only.
    pub partition: Option<String>,
    /// The prefix of the API's paths.
    pub path_prefix: Option<String>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// The API, as host and port.
    pub server: String,
    /// The names of services. Default all. Each once.
    pub services: Option<Vec<String>>,
    /// The separator of tags in a label. Default `,`.
    pub tag_separator: Option<String>,
    /// Tags that services must have, all of them. Each once.
    pub tags: Option<Vec<String>>,
    /// The ACL token.
    pub token_ref: Option<SecretKeySelector>,
}

/// Containers of a Docker daemon as targets.
#[api(of = "monitoring/v1alpha1.DockerSDConfig")]
pub struct DockerSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The API's own filters of objects. Each name once.
    pub filters: Option<Vec<Filter>>,
    /// The daemon, as a URL.
    pub host: String,
    /// The host of containers on the host's network. Default `localhost`.
    pub host_networking_host: Option<String>,
    /// Whether only the first network of a container is used. Default true.
    pub match_first_network: Option<bool>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
}

/// Objects of a Docker swarm as targets.
#[api(of = "monitoring/v1alpha1.DockerSwarmSDConfig")]
pub struct DockerSwarmSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The API's own filters of objects. Each name once.
    pub filters: Option<Vec<Filter>>,
    /// The daemon, as a URL.
    pub host: String,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The kind of object.
    pub role: DockerSwarmRole,
}

/// Instances in Eureka as targets.
#[api(of = "monitoring/v1alpha1.EurekaSDConfig")]
pub struct EurekaSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    pub server: String,
}

/// Data planes of Kuma as targets.
#[api(of = "monitoring/v1alpha1.KumaSDConfig")]
pub struct KumaSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The name of this Prometheus in Kuma.
    pub client_id: Option<String>,
    /// The time-out of a request to Kuma. Default 2m.
    pub fetch_timeout: Option<Duration>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    pub server: String,
}

/// Services in Nomad as targets.
#[api(of = "monitoring/v1alpha1.NomadSDConfig")]
pub struct NomadSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether stale responses are accepted, which reduces the load of the leader.
    pub allow_stale: Option<bool>,
    /// The namespace to look in.
    pub namespace: Option<String>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region.
    pub region: Option<String>,
    /// The URL of the API.
    pub server: String,
    /// The separator of tags in a label. Default `,`.
    pub tag_separator: Option<String>,
}

/// Resources in PuppetDB as targets.
#[api(of = "monitoring/v1alpha1.PuppetDBSDConfig")]
pub struct PuppetDbSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// Whether parameters of resources become labels; they may be secret.
    pub include_parameters: Option<bool>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The query of resources, in PQL.
    pub query: String,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL of the API.
    pub url: String,
}

string_enum! {
    /// Kinds of Kubernetes objects with targets.
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
