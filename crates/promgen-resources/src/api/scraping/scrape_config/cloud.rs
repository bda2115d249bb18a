//! Discovery by the APIs of clouds.

use promgen_derive::api;

use crate::api::auth::{OAuth2, SafeAuthorization, SafeTlsConfig};
use crate::api::core::SecretKeySelector;
use crate::api::scalar::Duration;
use crate::api::scraping::scrape_config::client::{Filter, SdClient, SdTokenClient, SdTransport};
use crate::api::{string_choice, string_enum};

/// Virtual machines of Azure as targets.
#[api(of = "monitoring/v1alpha1.AzureSDConfig")]
pub struct AzureSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The authentication method. Default `OAuth`.
    pub authentication_method: Option<AzureAuthenticationMethod>,
    /// The client; `OAuth` needs it.
    pub client_id: Option<String>,
    /// Its secret; `OAuth` needs it.
    pub client_secret: Option<SecretKeySelector>,
    /// The Azure cloud. Default `AzurePublicCloud`.
    pub environment: Option<String>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The resource group. Default all.
    pub resource_group: Option<String>,
    /// The subscription.
    pub subscription_id: String,
    /// The tenant; `OAuth` needs it.
    pub tenant_id: Option<String>,
}

/// Droplets of DigitalOcean as targets.
#[api(of = "monitoring/v1alpha1.DigitalOceanSDConfig")]
pub struct DigitalOceanSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdTokenClient,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
}

/// Instances of AWS EC2 as targets.
#[api(of = "monitoring/v1alpha1.EC2SDConfig")]
pub struct Ec2SdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdTransport,
    /// The access key; the environment's if absent.
    pub access_key: Option<SecretKeySelector>,
    /// The API's own filters of objects. Each name once.
    pub filters: Option<Vec<Filter>>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region. Default that of Prometheus' own instance.
    pub region: Option<String>,
    /// The role of AWS to take on.
    pub role_arn: Option<String>,
    /// The secret key; the environment's if absent.
    pub secret_key: Option<SecretKeySelector>,
}

/// Instances of Google Compute Engine as targets.
#[api(of = "monitoring/v1alpha1.GCESDConfig")]
pub struct GceSdConfig {
    /// The filter of instances, in the API's language.
    pub filter: Option<String>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The project.
    pub project: String,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The separator of tags in a label. Default `,`.
    pub tag_separator: Option<String>,
    /// The zone.
    pub zone: String,
}

/// Servers of Hetzner as targets.
#[api(of = "monitoring/v1alpha1.HetznerSDConfig")]
pub struct HetznerSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The label selector of servers.
    pub label_selector: Option<String>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The API: `hcloud` or `robot`.
    pub role: HetznerRole,
}

/// Servers of IONOS as targets.
#[api(of = "monitoring/v1alpha1.IonosSDConfig")]
pub struct IonosSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdTransport,
    /// The `Authorization` header. Not used if `oauth2` is set.
    pub authorization: SafeAuthorization,
    /// The data center.
    pub datacenter_id: String,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
}

/// Instances of AWS Lightsail as targets.
#[api(of = "monitoring/v1alpha1.LightSailSDConfig")]
pub struct LightSailSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The access key; the environment's if absent.
    pub access_key: Option<SecretKeySelector>,
    /// The URL of the API. Default the provider's.
    pub endpoint: Option<String>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region. Default that of Prometheus' own instance.
    pub region: Option<String>,
    /// The role of AWS to take on.
    pub role_arn: Option<String>,
    /// The secret key; the environment's if absent.
    pub secret_key: Option<SecretKeySelector>,
}

/// Instances of Linode as targets.
#[api(of = "monitoring/v1alpha1.LinodeSDConfig")]
pub struct LinodeSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdTokenClient,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region. Default all.
    pub region: Option<String>,
    /// The separator of tags in a label. Default `,`.
    pub tag_separator: Option<String>,
}

/// Objects of OpenStack as targets.
#[api(of = "monitoring/v1alpha1.OpenStackSDConfig")]
pub struct OpenStackSdConfig {
    /// Whether instances of all projects are listed, which requires an administrator.
    pub all_tenants: Option<bool>,
    /// The application credential, by id.
    pub application_credential_id: Option<String>,
    /// The application credential, by name.
    pub application_credential_name: Option<String>,
    /// Its secret.
    pub application_credential_secret: Option<SecretKeySelector>,
    /// The endpoint of the API. Default `public`.
    pub availability: Option<OpenStackAvailability>,
    /// The domain, by id.
    pub domain_id: Option<String>,
    /// The domain, by name.
    pub domain_name: Option<String>,
    /// The URL of the identity service.
    pub identity_endpoint: Option<String>,
    /// The password.
    pub password: Option<SecretKeySelector>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The project, by id.
    pub project_id: Option<String>,
    /// The project, by name.
    pub project_name: Option<String>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The region.
    pub region: String,
    /// The kind of object.
    pub role: OpenStackRole,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
    /// The user, by id.
    pub userid: Option<String>,
    /// The user, by name.
    pub username: Option<String>,
}

/// Servers of OVHcloud as targets.
#[api(of = "monitoring/v1alpha1.OVHCloudSDConfig")]
pub struct OvhCloudSdConfig {
    /// The key of the application.
    pub application_key: String,
    /// Its secret.
    pub application_secret: SecretKeySelector,
    /// The key of the consumer.
    pub consumer_key: SecretKeySelector,
    /// The URL of the API. Default the provider's.
    pub endpoint: Option<String>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The kind of server.
    pub service: OvhService,
}

/// Servers of Scaleway as targets.
#[api(of = "monitoring/v1alpha1.ScalewaySDConfig")]
pub struct ScalewaySdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdTransport,
    /// The access key.
    pub access_key: String,
    /// The URL of the API. Default Scaleway's.
    pub api_url: Option<String>,
    /// The filter of servers, by name.
    pub name_filter: Option<String>,
    /// The port to scrape, where the discovery names none.
    pub port: Option<i32>,
    /// The project.
    pub project_id: String,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The kind of server.
    pub role: ScalewayRole,
    /// The secret key.
    pub secret_key: SecretKeySelector,
    /// Tags that servers must have, all of them. Each once.
    pub tags_filter: Option<Vec<String>>,
    /// The zone. Default `fr-par-1`.
    pub zone: Option<String>,
}

string_enum! {
    /// The authentication method of Azure.
    pub enum AzureAuthenticationMethod {
        /// By a client's secret.
        OAuth = "OAuth",
        /// By the identity of the machine.
        ManagedIdentity = "ManagedIdentity",
        /// By what the SDK of Azure finds.
        Sdk = "SDK",
        /// By workload identity.
        WorkloadIdentity = "WorkloadIdentity",
    }
}

string_enum! {
    /// Kinds of objects in OpenStack.
    pub enum OpenStackRole {
        /// Instances.
        Instance = "Instance",
        /// Hypervisors.
        Hypervisor = "Hypervisor",
        /// Load balancers.
        LoadBalancer = "LoadBalancer",
    }
}

string_enum! {
    /// Kinds of servers at OVHcloud.
    pub enum OvhService {
        /// Virtual ones.
        Vps = "VPS",
        /// Dedicated ones.
        DedicatedServer = "DedicatedServer",
    }
}

string_enum! {
    /// Kinds of servers at Scaleway.
    pub enum ScalewayRole {
        /// Virtual ones.
        Instance = "Instance",
        /// Bare metal.
        Baremetal = "Baremetal",
    }
}

string_choice! {
    /// The API of Hetzner, in the user's casing.
    pub struct HetznerRole = ["Hcloud", "Robot"];
}

string_choice! {
    /// Endpoints of OpenStack's API, in the user's casing.
    pub struct OpenStackAvailability = ["Public", "Admin", "Internal"];
}
