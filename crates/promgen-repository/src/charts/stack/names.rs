//! The names that the chart gives: of its objects, service accounts and labels.

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use crate::charts::node::{is_set, map, merge, printed, text};

/// The chart.
pub(crate) const CHART: &str = "kube-prometheus-stack";

/// The longest name, and the longest part that others are added to.
const MAX_NAME: usize = 50;
const MAX_FULL_NAME: usize = 26;

/// The names of a release.
pub(super) struct StackNames {
    /// Of the release.
    pub(super) release: String,
    /// The namespace of the objects.
    pub(super) namespace: String,
    /// The chart's, or what overrides it.
    pub(super) name: String,
    /// The beginning of the names of objects.
    pub(super) full_name: String,
    /// Workloads are called so, and nothing more.
    is_clean: bool,
    /// The ThanosRuler is called like the other workloads.
    names_ruler: bool,
}

impl StackNames {
    pub(super) fn of(release: &str, namespace: &str, values: &Node, names_ruler: bool) -> Self {
        let stated = |key: &str| values.get_set(key).and_then(printed);
        let name = cut(
            &stated("nameOverride").unwrap_or_else(|| CHART.to_owned()),
            MAX_NAME,
        );
        let full_name = stated("fullnameOverride").unwrap_or_else(|| {
            let base = stated("nameOverride").unwrap_or_else(|| CHART.to_owned());
            if release.contains(base.as_str()) {
                release.to_owned()
            } else {
                format!("{release}-{base}")
            }
        });
        Self {
            release: release.to_owned(),
            namespace: stated("namespaceOverride").unwrap_or_else(|| namespace.to_owned()),
            name,
            full_name: cut(&full_name, MAX_FULL_NAME),
            is_clean: is_set(values.get("cleanPrometheusOperatorObjectNames")),
            names_ruler,
        }
    }

    /// The name of a workload.
    pub(super) fn workload(&self, component: &str) -> String {
        match component {
            "thanos-ruler" if !self.names_ruler => self.ruler(),
            _ if self.is_clean => self.full_name.clone(),
            _ => format!("{}-{component}", self.full_name),
        }
    }

    /// The name of what belongs to the ThanosRuler.
    pub(super) fn ruler(&self) -> String {
        format!("{}-thanos-ruler", self.name)
    }

    /// The name of the service account of a component.
    pub(super) fn account(&self, component: &str, values: &Node) -> String {
        let account = values.get("serviceAccount");
        let stated = account
            .and_then(|account| account.get("name"))
            .filter(|name| name.is_set());
        let stated = stated.and_then(printed);
        let of_component = || match component {
            "thanos-ruler" => self.ruler(),
            _ => format!("{}-{component}", self.full_name),
        };
        let is_created = account.is_none_or(|account| is_set(account.get("create")));
        stated.unwrap_or_else(|| {
            if is_created {
                of_component()
            } else {
                "default".to_owned()
            }
        })
    }

    /// The text of one of the chart's named templates.
    pub(super) fn named(&self, template: &str) -> Option<String> {
        Some(match template.strip_prefix("kube-prometheus-stack.")? {
            "name" => self.name.clone(),
            "fullname" => self.full_name.clone(),
            "namespace" => self.namespace.clone(),
            "prometheus.crname" => self.workload("prometheus"),
            "alertmanager.crname" => self.workload("alertmanager"),
            "thanosRuler.crname" => self.workload("thanos-ruler"),
            "thanosRuler.name" => self.ruler(),
            _ => return None,
        })
    }

    /// The labels of an object of the chart. `app`: that label's value.
    pub(super) fn labels(&self, app: &str, version: &str, values: &Node, span: Span) -> Node {
        let chart = format!("{CHART}-{version}").replace('+', "_");
        let all = [
            ("app", app),
            ("app.kubernetes.io/managed-by", "Helm"),
            ("app.kubernetes.io/instance", &self.release),
            ("app.kubernetes.io/version", &version.replace('+', "_")),
            ("app.kubernetes.io/part-of", &self.name),
            ("chart", &chart),
            ("release", &self.release),
            ("heritage", "Helm"),
        ];
        let mut labels = map(
            span,
            all.into_iter()
                .map(|(key, value)| (key, text(value, span)))
                .collect(),
        );
        if let Some(common) = values.get_set("commonLabels") {
            merge(&mut labels, common);
        }
        labels
    }
}

/// A name that is not longer, and ends in no `-`.
fn cut(name: &str, length: usize) -> String {
    let cut: String = name.chars().take(length).collect();
    cut.strip_suffix('-').unwrap_or(&cut).to_owned()
}
