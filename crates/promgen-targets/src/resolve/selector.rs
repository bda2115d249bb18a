//! Which workloads select a resource, and why the others do not.

use std::collections::BTreeMap;
use std::fmt;

use crate::resolve::near::Miss;
use promgen_compile::cluster::{Cluster, NAMESPACE_NAME_LABEL, Object, Objects};
use promgen_compile::prometheus::labels::{Requirement, Selector};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::{Kind, LabelSelector, ObjectMeta, Resource};
use promgen_text::route::{At, DocId};

/// A selector of a workload: which resources of a kind it takes.
#[derive(Clone, Debug)]
pub struct WorkloadSelector<'a> {
    /// The kind of the workload.
    pub kind: Kind,
    /// Its document.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// What it takes.
    pub takes: Kind,
    /// The field with the selector of labels.
    pub field: &'static str,
    /// The field with the selector of namespaces.
    pub namespace_field: &'static str,
    /// The selector as it is written.
    pub written: Option<&'a LabelSelector>,
    /// The selector of namespaces as it is written.
    pub written_namespaces: Option<&'a LabelSelector>,
    selector: Option<Selector>,
    namespaces: Option<Selector>,
    /// A resource that it takes by name besides.
    named: Option<&'a str>,
    /// Whether a selector does not parse, so that it takes nothing.
    is_broken: bool,
}

/// A resource that can be selected.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its document.
    pub doc: DocId,
    /// Its metadata; the namespace is filled in.
    pub metadata: &'a ObjectMeta,
}

impl Candidate<'_> {
    /// Its namespace.
    pub fn namespace(&self) -> &str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for Candidate<'_> {
    /// `ServiceMonitor shop/cart`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.as_str(), self.namespace(), self.metadata.name)
    }
}

/// What a workload says of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It selects it.
    Taken,
    /// It selects nothing of that kind.
    NoSelector,
    /// One of its selectors does not parse.
    Broken,
    /// It does not, and this is what is in the way.
    Missed {
        /// What is wrong with the namespace.
        namespace: Option<NamespaceMiss>,
        /// The labels that it lacks.
        labels: Vec<Miss>,
    },
}

/// Why a namespace is not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceMiss {
    /// The workload names no namespaces, so that it looks into its own.
    Foreign,
    /// Its labels do not match.
    Labels(Vec<Miss>),
}

/// All resources that workloads select, by kind, namespace and name.
pub fn candidates(cluster: &Cluster) -> Vec<Candidate<'_>> {
    fn all<'a, T: Resource>(kind: Kind, objects: &'a Objects<T>, into: &mut Vec<Candidate<'a>>) {
        into.extend(objects.values().map(|o| Candidate { kind, doc: o.doc, metadata: o.value.metadata() }));
    }
    let mut found = Vec::new();
    all(Kind::ServiceMonitor, &cluster.service_monitors, &mut found);
    all(Kind::PodMonitor, &cluster.pod_monitors, &mut found);
    all(Kind::Probe, &cluster.probes, &mut found);
    all(Kind::ScrapeConfig, &cluster.scrape_configs, &mut found);
    all(Kind::PrometheusRule, &cluster.prometheus_rules, &mut found);
    all(Kind::AlertmanagerConfig, &cluster.alertmanager_configs, &mut found);
    found
}

/// Every selector of every workload, by kind of workload, namespace and name.
pub fn selectors(cluster: &Cluster) -> Vec<WorkloadSelector<'_>> {
    let mut found = Vec::new();
    for object in cluster.prometheuses.values() {
        let (spec, who) = (&object.value.spec, Who::of(Kind::Prometheus, object));
        monitors(who, &spec.common, &mut found);
        let namespaces = (spec.rule_namespace_selector.as_ref(), "ruleNamespaceSelector");
        found.push(who.takes(Kind::PrometheusRule, (spec.rule_selector.as_ref(), "ruleSelector"), namespaces));
    }
    for object in cluster.prometheus_agents.values() {
        monitors(Who::of(Kind::PrometheusAgent, object), &object.value.spec.common, &mut found);
    }
    for object in cluster.alertmanagers.values() {
        let (spec, who) = (&object.value.spec, Who::of(Kind::Alertmanager, object));
        let selector = (spec.alertmanager_config_selector.as_ref(), "alertmanagerConfigSelector");
        let namespaces = (spec.alertmanager_config_namespace_selector.as_ref(), "alertmanagerConfigNamespaceSelector");
        let named = spec.alertmanager_configuration.as_ref().and_then(|c| c.name.as_deref());
        found.push(WorkloadSelector { named, ..who.takes(Kind::AlertmanagerConfig, selector, namespaces) });
    }
    for object in cluster.thanos_rulers.values() {
        let (spec, who) = (&object.value.spec, Who::of(Kind::ThanosRuler, object));
        let namespaces = (spec.rule_namespace_selector.as_ref(), "ruleNamespaceSelector");
        found.push(who.takes(Kind::PrometheusRule, (spec.rule_selector.as_ref(), "ruleSelector"), namespaces));
    }
    found
}

fn monitors<'a>(who: Who<'a>, spec: &'a CommonPrometheusFields, found: &mut Vec<WorkloadSelector<'a>>) {
    found.push(who.takes(
        Kind::ServiceMonitor,
        (spec.service_monitor_selector.as_ref(), "serviceMonitorSelector"),
        (spec.service_monitor_namespace_selector.as_ref(), "serviceMonitorNamespaceSelector"),
    ));
    found.push(who.takes(
        Kind::PodMonitor,
        (spec.pod_monitor_selector.as_ref(), "podMonitorSelector"),
        (spec.pod_monitor_namespace_selector.as_ref(), "podMonitorNamespaceSelector"),
    ));
    found.push(who.takes(
        Kind::Probe,
        (spec.probe_selector.as_ref(), "probeSelector"),
        (spec.probe_namespace_selector.as_ref(), "probeNamespaceSelector"),
    ));
    found.push(who.takes(
        Kind::ScrapeConfig,
        (spec.scrape_config_selector.as_ref(), "scrapeConfigSelector"),
        (spec.scrape_config_namespace_selector.as_ref(), "scrapeConfigNamespaceSelector"),
    ));
}

/// A workload.
#[derive(Clone, Copy)]
struct Who<'a> {
    kind: Kind,
    doc: DocId,
    namespace: &'a str,
    name: &'a str,
}

impl<'a> Who<'a> {
    fn of<T: Resource>(kind: Kind, object: &'a Object<T>) -> Self {
        Self { kind, doc: object.doc, namespace: object.namespace(), name: &object.value.metadata().name }
    }

    fn takes(
        self,
        takes: Kind,
        (written, field): (Option<&'a LabelSelector>, &'static str),
        (written_namespaces, namespace_field): (Option<&'a LabelSelector>, &'static str),
    ) -> WorkloadSelector<'a> {
        let parsed = |written: Option<&LabelSelector>| written.map(Selector::new).transpose();
        let (selector, namespaces) = (parsed(written), parsed(written_namespaces));
        WorkloadSelector {
            kind: self.kind,
            doc: self.doc,
            namespace: self.namespace,
            name: self.name,
            takes,
            field,
            namespace_field,
            written,
            written_namespaces,
            is_broken: selector.is_err() || namespaces.is_err(),
            selector: selector.unwrap_or_default(),
            namespaces: namespaces.unwrap_or_default(),
            named: None,
        }
    }
}

impl WorkloadSelector<'_> {
    /// Whether it may take something.
    pub const fn is_open(&self) -> bool {
        self.selector.is_some() && !self.is_broken
    }

    /// Whether it looks at labels of namespaces other than their name.
    pub fn reads_namespace_labels(&self) -> bool {
        let mut keys = self.namespaces.iter().flat_map(Selector::requirements).map(|r| r.key.as_str());
        keys.any(|key| key != NAMESPACE_NAME_LABEL)
    }

    /// What it says of a resource of its kind.
    pub fn choose(&self, candidate: &Candidate<'_>, cluster: &Cluster) -> Choice {
        let namespace = candidate.namespace();
        if self.named == Some(candidate.metadata.name.as_str()) && namespace == self.namespace {
            return Choice::Taken;
        }
        if self.is_broken {
            return Choice::Broken;
        }
        let Some(selector) = &self.selector else { return Choice::NoSelector };
        let none = BTreeMap::new();
        let labels = Miss::all(selector, candidate.metadata.labels.as_ref().unwrap_or(&none));
        let namespace = match &self.namespaces {
            None => (namespace != self.namespace).then_some(NamespaceMiss::Foreign),
            Some(namespaces) => {
                let misses = Miss::all(namespaces, cluster.namespace_labels(namespace).unwrap_or(&none));
                (!misses.is_empty()).then_some(NamespaceMiss::Labels(misses))
            }
        };
        match (namespace, labels.as_slice()) {
            (None, []) => Choice::Taken,
            (namespace, _) => Choice::Missed { namespace, labels },
        }
    }

    /// What it asks of labels, in words.
    pub fn labels_text(&self) -> String {
        text(self.selector.as_ref())
    }

    /// What it asks of namespaces, in words.
    pub fn namespaces_text(&self) -> String {
        text(self.namespaces.as_ref())
    }

    /// Where it asks for a label.
    pub fn place_of(&self, requirement: &Requirement) -> At {
        place(At::doc(self.doc).key("spec").key(self.field), self.written, requirement)
    }

    /// Where it asks for a label of a namespace.
    pub fn place_of_namespace(&self, requirement: &Requirement) -> At {
        place(At::doc(self.doc).key("spec").key(self.namespace_field), self.written_namespaces, requirement)
    }

    /// The workload's name: where something is said of what is absent.
    pub fn place_of_name(&self) -> At {
        At::doc(self.doc).key("metadata").key("name")
    }
}

fn text(selector: Option<&Selector>) -> String {
    match selector {
        Some(selector) if selector.requirements().is_empty() => "it selects everything".to_owned(),
        Some(selector) => format!("`{selector}`"),
        None => "nothing".to_owned(),
    }
}

impl fmt::Display for WorkloadSelector<'_> {
    /// `Prometheus monitoring/k8s`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.as_str(), self.namespace, self.name)
    }
}

/// Where a requirement stands in a selector.
pub fn place(selector: At, written: Option<&LabelSelector>, requirement: &Requirement) -> At {
    let expressions = written.and_then(|written| written.match_expressions.as_deref()).unwrap_or_default();
    let is_label = written.and_then(|w| w.match_labels.as_ref()).is_some_and(|l| l.contains_key(&requirement.key));
    match expressions.iter().position(|expression| expression.key == requirement.key) {
        Some(index) if !is_label => selector.key("matchExpressions").index(index),
        Some(_) | None => selector.key("matchLabels").key(requirement.key.clone()),
    }
}
