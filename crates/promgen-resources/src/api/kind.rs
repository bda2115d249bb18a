//! The kinds that play a part.

use crate::api::{
    Alertmanager, AlertmanagerConfig, ConfigMap, DaemonSet, Namespace, Pod, PodMonitor, Probe,
    Prometheus, PrometheusAgent, PrometheusRule, Resource, ScrapeConfig, Secret, Service,
    ServiceMonitor, StatefulSet, ThanosRuler,
};

/// A kind of object that promgen reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `Prometheus` of the operator.
    Prometheus,
    /// `PrometheusAgent` of the operator.
    PrometheusAgent,
    /// `Alertmanager` of the operator.
    Alertmanager,
    /// `ThanosRuler` of the operator.
    ThanosRuler,
    /// `AlertmanagerConfig` of the operator.
    AlertmanagerConfig,
    /// `ServiceMonitor` of the operator.
    ServiceMonitor,
    /// `PodMonitor` of the operator.
    PodMonitor,
    /// `Probe` of the operator.
    Probe,
    /// `ScrapeConfig` of the operator.
    ScrapeConfig,
    /// `PrometheusRule` of the operator.
    PrometheusRule,
    /// `Namespace` of Kubernetes.
    Namespace,
    /// `Service` of Kubernetes.
    Service,
    /// `Pod` of Kubernetes.
    Pod,
    /// `StatefulSet` of Kubernetes.
    StatefulSet,
    /// `DaemonSet` of Kubernetes.
    DaemonSet,
    /// `Secret` of Kubernetes.
    Secret,
    /// `ConfigMap` of Kubernetes.
    ConfigMap,
}

impl Kind {
    /// The kinds of the operator: those of workloads, then those that workloads select.
    pub const OF_OPERATOR: &'static [Self] = &[
        Self::Prometheus,
        Self::PrometheusAgent,
        Self::Alertmanager,
        Self::ThanosRuler,
        Self::ServiceMonitor,
        Self::PodMonitor,
        Self::Probe,
        Self::ScrapeConfig,
        Self::PrometheusRule,
        Self::AlertmanagerConfig,
    ];
    /// The kinds of workloads.
    pub const WORKLOADS: &'static [Self] = Self::OF_OPERATOR.split_at(4).0;
    /// The kinds that workloads select.
    pub const SELECTED: &'static [Self] = Self::OF_OPERATOR.split_at(4).1;

    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Prometheus,
        Self::PrometheusAgent,
        Self::Alertmanager,
        Self::ThanosRuler,
        Self::AlertmanagerConfig,
        Self::ServiceMonitor,
        Self::PodMonitor,
        Self::Probe,
        Self::ScrapeConfig,
        Self::PrometheusRule,
        Self::Namespace,
        Self::Service,
        Self::Pod,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::Secret,
        Self::ConfigMap,
    ];

    /// The kind, as manifests spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.names().1
    }

    /// Group and version, as manifests spell them.
    #[must_use]
    pub const fn api_version(self) -> &'static str {
        self.names().0
    }

    /// Whether its objects are namespaced.
    #[must_use]
    pub const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Namespace)
    }

    /// The group alone; empty for the core of Kubernetes.
    #[must_use]
    pub fn group(self) -> &'static str {
        group(self.api_version())
    }

    /// The kind of that name, whatever its group.
    #[must_use]
    pub fn named(kind: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.as_str() == kind)
    }

    /// The kind of that name in the group of that `apiVersion`, for any version.
    #[must_use]
    pub fn find(api_version: &str, kind: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|k| k.as_str() == kind && k.group() == group(api_version))
    }

    /// The kind that a user of kubectl means: its name, its plural or its short name, in any case, with its group or without.
    ///
    /// ```
    /// use promgen_resources::api::Kind;
    ///
    /// assert_eq!(Kind::of_word("smon"), Some(Kind::ServiceMonitor));
    /// assert_eq!(Kind::of_word("Prometheuses.monitoring.coreos.com"), Some(Kind::Prometheus));
    /// ```
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let (name, group) = word.split_once('.').unwrap_or((word, ""));
        let is_named = |kind: &&Self| {
            let [one, many, short] = [
                kind.as_str().to_owned(),
                kind.plural(),
                kind.short_name().to_owned(),
            ];
            [one, many, short]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name) && !known.is_empty())
        };
        // The version may stand before the group.
        let is_of_group = |kind: &&Self| group.is_empty() || group.ends_with(kind.group());
        Self::ALL.iter().filter(is_of_group).find(is_named).copied()
    }

    /// The plural, in lower case.
    #[must_use]
    pub fn plural(self) -> String {
        let name = self.as_str().to_ascii_lowercase();
        if name.ends_with('s') {
            name + "es"
        } else {
            name + "s"
        }
    }

    /// The name for those who type it often. Empty if there is none.
    const fn short_name(self) -> &'static str {
        match self {
            Self::Prometheus => "prom",
            Self::PrometheusAgent => "promagent",
            Self::Alertmanager => "am",
            Self::ThanosRuler => "ruler",
            Self::AlertmanagerConfig => "amcfg",
            Self::ServiceMonitor => "smon",
            Self::PodMonitor => "pmon",
            Self::Probe => "prb",
            Self::ScrapeConfig => "scfg",
            Self::PrometheusRule => "promrule",
            Self::Namespace => "ns",
            Self::Service => "svc",
            Self::Pod => "po",
            Self::StatefulSet => "sts",
            Self::DaemonSet => "ds",
            Self::ConfigMap => "cm",
            Self::Secret => "",
        }
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Prometheus => names::<Prometheus>(),
            Self::PrometheusAgent => names::<PrometheusAgent>(),
            Self::Alertmanager => names::<Alertmanager>(),
            Self::ThanosRuler => names::<ThanosRuler>(),
            Self::AlertmanagerConfig => names::<AlertmanagerConfig>(),
            Self::ServiceMonitor => names::<ServiceMonitor>(),
            Self::PodMonitor => names::<PodMonitor>(),
            Self::Probe => names::<Probe>(),
            Self::ScrapeConfig => names::<ScrapeConfig>(),
            Self::PrometheusRule => names::<PrometheusRule>(),
            Self::Namespace => names::<Namespace>(),
            Self::Service => names::<Service>(),
            Self::Pod => names::<Pod>(),
            Self::StatefulSet => names::<StatefulSet>(),
            Self::DaemonSet => names::<DaemonSet>(),
            Self::Secret => names::<Secret>(),
            Self::ConfigMap => names::<ConfigMap>(),
        }
    }
}

const fn names<T: Resource>() -> (&'static str, &'static str) {
    (T::API_VERSION, T::KIND)
}

/// The group of `group/version`; that of Kubernetes itself is empty.
#[must_use]
pub fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_group_whatever_the_version() {
        assert_eq!(
            Kind::find("monitoring.coreos.com/v1", "Prometheus"),
            Some(Kind::Prometheus)
        );
        assert_eq!(
            Kind::find("monitoring.coreos.com/v9", "Prometheus"),
            Some(Kind::Prometheus)
        );
        assert_eq!(Kind::find("v1", "Service"), Some(Kind::Service));
        assert_eq!(Kind::find("serving.knative.dev/v1", "Service"), None);
    }
}
