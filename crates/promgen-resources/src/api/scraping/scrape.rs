//! Types that the scrape resources share: relabeling, selectors, protocols.

use promgen_derive::api;

use crate::api::auth::{Authorization, TlsConfig};
use crate::api::scalar::Quantity;
use crate::api::{string_choice, string_enum};

/// Settings of native histograms.
#[api(of = "monitoring/v1.NativeHistogramConfig")]
pub struct NativeHistogramConfig {
    /// Whether classic histograms become native ones with custom buckets.
    pub convert_classic_histograms_to_nhcb: Option<bool>,
    /// The maximum number of buckets of a native histogram; more are merged.
    pub native_histogram_bucket_limit: Option<i64>,
    /// The least growth from bucket to bucket; finer ones are made coarser.
    pub native_histogram_min_bucket_factor: Option<Quantity>,
    /// Whether classic histograms are kept in addition to native ones.
    pub scrape_classic_histograms: Option<bool>,
    /// Whether native histograms are scraped.
    pub scrape_native_histograms: Option<bool>,
}

/// A step that changes labels, or keeps and drops by them.
#[api(of = "monitoring/v1.RelabelConfig")]
pub struct RelabelConfig {
    /// The action. Default `replace`. In the user's casing.
    #[api(default = replace)]
    pub action: RelabelAction,
    /// By what the hash is divided, for `hashmod`.
    pub modulus: Option<i64>,
    /// The pattern that the joined labels must match completely. Default any text.
    pub regex: Option<String>,
    /// The written value, with groups of the regex. Default `$1`; empty differs from absent.
    pub replacement: Option<String>,
    /// The separator of joined labels. Default `;`; empty differs from absent.
    pub separator: Option<String>,
    /// The labels to join.
    pub source_labels: Option<Vec<String>>,
    /// The label to write.
    pub target_label: Option<String>,
}

/// The namespaces of targets. Empty means the monitor's own.
#[api(of = "monitoring/v1.NamespaceSelector")]
pub struct NamespaceSelector {
    /// Whether all namespaces are selected.
    pub any: Option<bool>,
    /// These.
    pub match_names: Option<Vec<String>>,
}

/// Metadata that service discovery attaches.
#[api(of = "monitoring/v1.AttachMetadata")]
pub struct AttachMetadata {
    /// Whether labels and annotations of the target's node are attached.
    pub node: Option<bool>,
}

/// Settings that monitors inherit by name.
#[api(of = "monitoring/v1.ScrapeClass")]
pub struct ScrapeClass {
    /// Metadata that service discovery attaches, unless the monitor sets it.
    pub attach_metadata: Option<AttachMetadata>,
    /// The `Authorization` header, unless the monitor sets it.
    pub authorization: Option<Authorization>,
    /// Whether it applies to monitors without a class. One at most.
    pub default: Option<bool>,
    /// The protocol for targets that do not name theirs.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// Relabeling of samples, before the monitor's own.
    pub metric_relabelings: Option<Vec<RelabelConfig>>,
    /// Its name. Each once.
    pub name: String,
    /// Relabeling of targets, before the monitor's own.
    pub relabelings: Option<Vec<RelabelConfig>>,
    /// TLS settings, unless the monitor sets them.
    pub tls_config: Option<TlsConfig>,
}

string_enum! {
    /// How names are escaped for clients without UTF-8 support.
    pub enum NameEscapingScheme {
        /// As they are.
        AllowUtf8 = "AllowUTF8",
        /// With underscores for other characters.
        Underscores = "Underscores",
        /// With underscores for other characters, and reversible dots.
        Dots = "Dots",
        /// With a reversible escape for other characters.
        Values = "Values",
    }
}

string_enum! {
    /// The valid characters of names.
    pub enum NameValidationScheme {
        /// All.
        Utf8 = "UTF8",
        /// ASCII letters, digits, `_`, and `:` in metrics.
        Legacy = "Legacy",
    }
}

string_enum! {
    /// Formats in which targets answer.
    pub enum ScrapeProtocol {
        /// Protocol buffers.
        PrometheusProto = "PrometheusProto",
        /// OpenMetrics 0.0.1.
        OpenMetricsText001 = "OpenMetricsText0.0.1",
        /// OpenMetrics 1.0.0.
        OpenMetricsText100 = "OpenMetricsText1.0.0",
        /// Prometheus' text, 0.0.4.
        PrometheusText004 = "PrometheusText0.0.4",
        /// Prometheus' text, 1.0.0.
        PrometheusText100 = "PrometheusText1.0.0",
    }
}

string_enum! {
    /// The objects with the endpoints of services.
    pub enum ServiceDiscoveryRole {
        /// Endpoints.
        Endpoints = "Endpoints",
        /// EndpointSlices.
        EndpointSlice = "EndpointSlice",
    }
}

string_enum! {
    /// The mechanism that selects a monitor's targets.
    pub enum SelectorMechanism {
        /// Relabeling, after service discovery.
        RelabelConfig = "RelabelConfig",
        /// Service discovery, by a selector in its requests.
        RoleSelector = "RoleSelector",
    }
}

string_choice! {
    /// `http` or `https`, in the user's casing.
    pub struct Scheme = ["http", "https", "HTTP", "HTTPS"];
}

string_choice! {
    /// The action of a relabel rule, in the user's casing.
    pub struct RelabelAction = ["replace", "Replace", "keep", "Keep", "drop", "Drop", "hashmod", "HashMod", "labelmap", "LabelMap", "labeldrop", "LabelDrop", "labelkeep", "LabelKeep", "lowercase", "Lowercase", "uppercase", "Uppercase", "keepequal", "KeepEqual", "dropequal", "DropEqual"];
}

fn replace() -> RelabelAction {
    RelabelAction("replace".to_owned())
}
