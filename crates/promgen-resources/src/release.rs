//! What a release of the operator brings: the versions and images of what it runs.

/// A release of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its version.
    pub operator: &'static str,
    /// The version of Prometheus where a resource names none.
    pub prometheus: &'static str,
    /// The version of Alertmanager where a resource names none.
    pub alertmanager: &'static str,
    /// The version of Thanos where a resource names none.
    pub thanos: &'static str,
    /// The repository of Prometheus' images.
    pub prometheus_image: &'static str,
    /// The repository of Alertmanager's images.
    pub alertmanager_image: &'static str,
    /// The repository of Thanos' images.
    pub thanos_image: &'static str,
    /// The image of the config reloader.
    pub reloader_image: &'static str,
}

/// The release whose output promgen writes.
pub const CURRENT: Release = Release {
    operator: "v0.93.0",
    prometheus: "v3.13.2",
    alertmanager: "v0.33.1",
    thanos: "v0.42.4",
    prometheus_image: "quay.io/prometheus/prometheus",
    alertmanager_image: "quay.io/prometheus/alertmanager",
    thanos_image: "quay.io/thanos/thanos",
    reloader_image: "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0",
};
