//! Discovery without a platform: files, HTTP, DNS.

use promgen_derive::api;

use crate::api::scalar::Duration;
use crate::api::scraping::scrape_config::client::SdClient;
use crate::api::string_enum;

/// Files that list targets.
#[api(of = "monitoring/v1alpha1.FileSDConfig")]
pub struct FileSdConfig {
    /// Their paths; the last part may hold one `*`. Each once.
    pub files: Vec<String>,
    /// The interval at which they are read without a change event. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
}

/// A URL that lists targets, as JSON.
#[api(of = "monitoring/v1alpha1.HTTPSDConfig")]
pub struct HttpSdConfig {
    /// The client of the API.
    #[api(flatten)]
    pub client: SdClient,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The URL.
    pub url: String,
}

/// Records of DNS as targets.
#[api(of = "monitoring/v1alpha1.DNSSDConfig")]
pub struct DnsSdConfig {
    /// Domain names.
    pub names: Vec<String>,
    /// The port to scrape; only `SRV` records contain one.
    pub port: Option<i32>,
    /// The interval at which targets are refreshed. Default Prometheus'.
    pub refresh_interval: Option<Duration>,
    /// The type of the records. Default `SRV`.
    pub r#type: Option<DnsRecordType>,
}

string_enum! {
    /// Records of DNS.
    pub enum DnsRecordType {
        /// Addresses, version 4.
        A = "A",
        /// Addresses, version 6.
        Aaaa = "AAAA",
        /// Mail servers.
        Mx = "MX",
        /// Name servers.
        Ns = "NS",
        /// Services, with their port.
        Srv = "SRV",
    }
}
