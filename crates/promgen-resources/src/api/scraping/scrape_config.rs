//! `ScrapeConfig`: scrapes what any service discovery finds.

pub mod client;
pub mod cloud;
pub mod plain;
pub mod platform;

use std::collections::BTreeMap;

use promgen_derive::api;
use promgen_text::describe::{Describe, Type};

use crate::api::auth::{BasicAuth, OAuth2, ProxyConfig, SafeAuthorization, SafeTlsConfig};
use crate::api::meta::ObjectMeta;
use crate::api::scalar::{ByteSize, Duration};
use crate::api::scraping::scrape::{
    NameEscapingScheme, NameValidationScheme, NativeHistogramConfig, RelabelConfig, Scheme,
    ScrapeProtocol,
};
use crate::api::scraping::scrape_config::cloud::{
    AzureSdConfig, DigitalOceanSdConfig, Ec2SdConfig, GceSdConfig, HetznerSdConfig, IonosSdConfig,
    LightSailSdConfig, LinodeSdConfig, OpenStackSdConfig, OvhCloudSdConfig, ScalewaySdConfig,
};
use crate::api::scraping::scrape_config::plain::{DnsSdConfig, FileSdConfig, HttpSdConfig};
use crate::api::scraping::scrape_config::platform::{
    ConsulSdConfig, DockerSdConfig, DockerSwarmSdConfig, EurekaSdConfig, KubernetesSdConfig,
    KumaSdConfig, NomadSdConfig, PuppetDbSdConfig,
};
use crate::api::status::ConfigResourceStatus;
use crate::api::{resource, rules};
use promgen_text::yaml::StringMap;

resource! {
    /// Says where targets are found, and how they are scraped, in Prometheus' own terms.
    ///
    /// Operator: monitoring/v1alpha1.ScrapeConfig.
    pub struct ScrapeConfig { spec: ScrapeConfigSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1alpha1", "scrapeconfigs"
}

/// One job, with discoveries of any kind.
#[api(validations = rules::SCRAPE_CONFIG)]
#[api(of = "monitoring/v1alpha1.ScrapeConfigSpec")]
pub struct ScrapeConfigSpec {
    /// The proxy.
    #[api(flatten)]
    pub proxy: ProxyConfig,
    /// Settings of native histograms.
    #[api(flatten)]
    pub native_histogram: NativeHistogramConfig,
    /// The `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// Virtual machines of Azure.
    pub azure_sd_configs: Option<Vec<AzureSdConfig>>,
    /// User name and password.
    pub basic_auth: Option<BasicAuth>,
    /// The maximum size of a response.
    pub body_size_limit: Option<ByteSize>,
    /// Services in Consul.
    pub consul_sd_configs: Option<Vec<ConsulSdConfig>>,
    /// Droplets of DigitalOcean.
    pub digital_ocean_sd_configs: Option<Vec<DigitalOceanSdConfig>>,
    /// Records of DNS.
    pub dns_sd_configs: Option<Vec<DnsSdConfig>>,
    /// Containers of a Docker daemon.
    pub docker_sd_configs: Option<Vec<DockerSdConfig>>,
    /// Services, tasks or nodes of a Docker swarm.
    pub docker_swarm_sd_configs: Option<Vec<DockerSwarmSdConfig>>,
    /// Instances of AWS EC2.
    pub ec2_sd_configs: Option<Vec<Ec2SdConfig>>,
    /// Whether compressed responses are requested. Default Prometheus'.
    pub enable_compression: Option<bool>,
    /// Whether HTTP/2 is enabled. Default Prometheus'.
    pub enable_http2: Option<bool>,
    /// Instances in Eureka.
    pub eureka_sd_configs: Option<Vec<EurekaSdConfig>>,
    /// Whether `scrape_timeout_seconds`, `scrape_sample_limit` and `scrape_body_size_bytes` are stored for each scrape.
    pub extra_scrape_metrics: Option<bool>,
    /// The protocol for targets that do not name theirs.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// Files of the container that list targets.
    pub file_sd_configs: Option<Vec<FileSdConfig>>,
    /// Instances of Google Compute Engine.
    pub gce_sd_configs: Option<Vec<GceSdConfig>>,
    /// Servers of Hetzner.
    pub hetzner_sd_configs: Option<Vec<HetznerSdConfig>>,
    /// Whether labels of the target take precedence over those of the server. Default false.
    pub honor_labels: Option<bool>,
    /// Whether timestamps of the target are used. Default true.
    pub honor_timestamps: Option<bool>,
    /// A URL that lists targets.
    pub http_sd_configs: Option<Vec<HttpSdConfig>>,
    /// Servers of IONOS.
    pub ionos_sd_configs: Option<Vec<IonosSdConfig>>,
    /// The value of `job`. Default the name of the job.
    pub job_name: Option<String>,
    /// The maximum number of dropped targets in memory; 0 means no limit.
    pub keep_dropped_targets: Option<i64>,
    /// Objects of Kubernetes.
    pub kubernetes_sd_configs: Option<Vec<KubernetesSdConfig>>,
    /// Data planes of Kuma.
    pub kuma_sd_configs: Option<Vec<KumaSdConfig>>,
    /// The maximum number of labels of a sample.
    pub label_limit: Option<i64>,
    /// The maximum length of a label's name, in bytes.
    pub label_name_length_limit: Option<i64>,
    /// The maximum length of a label's value, in bytes.
    pub label_value_length_limit: Option<i64>,
    /// Instances of AWS Lightsail.
    pub light_sail_sd_configs: Option<Vec<LightSailSdConfig>>,
    /// Instances of Linode.
    pub linode_sd_configs: Option<Vec<LinodeSdConfig>>,
    /// Relabeling of samples.
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    /// The path. Default `/metrics`.
    pub metrics_path: Option<String>,
    /// How names are escaped for clients without UTF-8 support.
    pub name_escaping_scheme: Option<NameEscapingScheme>,
    /// The valid characters of names.
    pub name_validation_scheme: Option<NameValidationScheme>,
    /// Services in Nomad.
    pub nomad_sd_configs: Option<Vec<NomadSdConfig>>,
    /// A token from an OAuth2 server.
    pub oauth2: Option<OAuth2>,
    /// Instances, hypervisors or load balancers of OpenStack.
    pub openstack_sd_configs: Option<Vec<OpenStackSdConfig>>,
    /// Servers of OVHcloud.
    pub ovhcloud_sd_configs: Option<Vec<OvhCloudSdConfig>>,
    /// Parameters of the URL.
    pub params: Option<BTreeMap<String, Vec<String>>>,
    /// Resources in PuppetDB.
    pub puppet_db_sd_configs: Option<Vec<PuppetDbSdConfig>>,
    /// Relabeling of targets.
    pub relabelings: Option<Vec<RelabelConfig>>,
    /// The maximum number of samples of a scrape.
    pub sample_limit: Option<i64>,
    /// Instances or bare metal of Scaleway.
    pub scaleway_sd_configs: Option<Vec<ScalewaySdConfig>>,
    /// `http` or `https`. Default `http`.
    pub scheme: Option<Scheme>,
    /// The scrape class to take settings from. Default the server's default class.
    pub scrape_class: Option<String>,
    /// The interval. Default the server's.
    pub scrape_interval: Option<Duration>,
    /// Protocols by preference. Each once.
    pub scrape_protocols: Option<Vec<ScrapeProtocol>>,
    /// The time-out of a scrape. At most the interval.
    pub scrape_timeout: Option<Duration>,
    /// Lists of targets.
    pub static_configs: Option<Vec<StaticConfig>>,
    /// The maximum number of targets.
    pub target_limit: Option<i64>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
    /// Whether series with their own timestamps become stale when they disappear.
    pub track_timestamps_staleness: Option<bool>,
}

impl ScrapeConfigSpec {
    /// The fields of discoveries.
    pub fn discoveries() -> Vec<&'static str> {
        let mut found = Vec::new();
        if let Type::Object(spec) = Self::describe() {
            spec.each(&mut |field| {
                found.extend(field.name.ends_with(DISCOVERY).then_some(field.name))
            });
        }
        found
    }

    /// The section of a job that a discovery becomes, by its field: `digitalocean_sd_configs` for `digitalOceanSDConfigs`.
    pub fn section(discovery: &str) -> String {
        format!(
            "{}_sd_configs",
            discovery.trim_end_matches(DISCOVERY).to_lowercase()
        )
    }
}

/// What the names of the fields of discoveries end with.
const DISCOVERY: &str = "SDConfigs";

/// A list of targets.
#[api(of = "monitoring/v1alpha1.StaticConfig")]
pub struct StaticConfig {
    /// Labels that are added to their series.
    pub labels: Option<StringMap>,
    /// The targets, as host and port. Each once.
    pub targets: Vec<String>,
}
