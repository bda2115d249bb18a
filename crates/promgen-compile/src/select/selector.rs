//! Which workload selects which resource, and why it does not select one.
//!
//! In: the selectors of workloads, the labels of resources and of their namespaces. Out: the resources that a workload
//! picks, for compiling; and a [`SelectionResult`] on each resource, for whoever explains. Both follow the same rule.

use std::collections::BTreeSet;
use std::fmt;

use crate::cluster::{Candidate, Cluster, Key, NAMESPACE_NAME_LABEL, Object, Objects};
use crate::context::WorkloadContext;
use crate::paths::{name_at, spec_at};
use crate::select::{INVALID_SELECTOR, words};
use promgen_prometheus::labels::miss::Miss;
use promgen_prometheus::labels::{Operator, Requirement, Selector};
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::{
    Alertmanager, Kind, LabelSelector, ObjectMeta, Prometheus, PrometheusAgent, Resource,
    ThanosRuler,
};
use promgen_resources::watch::WatchFlag;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::route::{At, DocId};
use promgen_text::yaml::StringMap;

static NO_LABELS: StringMap = StringMap::new_vec();

/// The workload that picks resources, as findings name it.
#[derive(Clone, Copy, Debug)]
pub struct Picker<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its document.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl<'a> Picker<'a> {
    /// A server or an agent.
    pub(super) fn of(cx: &WorkloadContext<'a>) -> Self {
        let kind = if cx.server.is_some() {
            Kind::Prometheus
        } else {
            Kind::PrometheusAgent
        };
        Self {
            kind,
            doc: cx.doc,
            namespace: cx.namespace,
            name: cx.name,
        }
    }

    fn of_object<T: Resource>(kind: Kind, object: &'a Object<T>) -> Self {
        Self {
            kind,
            doc: object.doc,
            namespace: object.namespace(),
            name: &object.value.metadata().name,
        }
    }

    /// The place of its name, for findings about missing fields.
    pub fn place(&self) -> At {
        name_at(self.doc)
    }
}

impl fmt::Display for Picker<'_> {
    /// `Prometheus monitoring/k8s`; one that stands in for others has no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.doc == DocId::NONE {
            return f.write_str("the operator");
        }
        write!(f, "{} {}/{}", self.kind.as_str(), self.namespace, self.name)
    }
}

/// One selector of a workload.
#[derive(Clone, Debug)]
pub struct SelectorField<'a> {
    doc: DocId,
    /// Its field in the spec.
    pub field: &'static str,
    /// The selector as it is written, if there is one.
    pub written: Option<&'a LabelSelector>,
    /// The parsed selector, or Kubernetes' parse error.
    parsed: Result<Option<Selector>, String>,
}

impl<'a> SelectorField<'a> {
    fn new(doc: DocId, written: Option<&'a LabelSelector>, field: &'static str) -> Self {
        Self {
            doc,
            field,
            written,
            parsed: written.map(Selector::new).transpose(),
        }
    }

    /// Returns whether it excludes labels other than the name of a namespace, so that it selects what has no labels.
    #[must_use]
    pub fn excludes_labels(&self) -> bool {
        self.parsed.iter().flatten().any(excludes_labels)
    }

    /// The selector. Reports one that does not parse.
    fn read(&self, sink: &mut Sink) -> Result<Option<&Selector>, &String> {
        self.parsed
            .as_ref()
            .map(Option::as_ref)
            .inspect_err(|error| {
                let message = format!("`spec.{}` does not parse: {error}", self.field);
                let finding = Diagnostic::new(&INVALID_SELECTOR, self.place(), message);
                sink.report(
                    words::help(error)
                        .into_iter()
                        .fold(finding, Diagnostic::help),
                );
            })
    }

    /// The place of the field.
    pub fn place(&self) -> At {
        spec_at(self.doc).key(self.field)
    }

    /// The place of a requirement.
    pub fn place_of(&self, requirement: &Requirement) -> At {
        place(self.place(), self.written, requirement)
    }
}

impl fmt::Display for SelectorField<'_> {
    /// The requirements in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parsed {
            Ok(Some(selector)) if selector.requirements().is_empty() => {
                f.write_str("it selects everything")
            }
            Ok(Some(selector)) => write!(f, "`{selector}`"),
            Ok(None) | Err(_) => f.write_str("nothing"),
        }
    }
}

/// The place of a requirement in a selector.
pub fn place(selector: At, written: Option<&LabelSelector>, requirement: &Requirement) -> At {
    let expressions = written
        .and_then(|written| written.match_expressions.as_deref())
        .unwrap_or_default();
    let is_label = written
        .and_then(|w| w.match_labels.as_ref())
        .is_some_and(|l| l.contains_key(requirement.key.as_str()));
    match expressions
        .iter()
        .position(|expression| expression.key == requirement.key)
    {
        Some(index) if !is_label => selector.key("matchExpressions").index(index),
        Some(_) | None => selector.key("matchLabels").key(requirement.key.clone()),
    }
}

/// The result of a workload's selectors for a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectionResult {
    /// The workload selects it.
    Taken,
    /// The workload selects nothing of that kind.
    NoSelector,
    /// One of its selectors does not parse.
    Broken,
    /// The workload does not select it, for these reasons.
    Missed {
        /// The mismatch of the namespace.
        namespace: Option<NamespaceMiss>,
        /// The labels that it lacks.
        labels: Vec<Miss>,
    },
}

/// Why a namespace is not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceMiss {
    /// The workload has no namespace selector, so it selects from its own namespace.
    Foreign,
    /// Its labels do not match.
    Labels(Vec<Miss>),
    /// The operator does not watch it, because of that flag.
    Unwatched(WatchFlag),
}

/// The selectors of a workload for a kind of resource.
#[derive(Clone, Debug)]
pub struct WorkloadSelector<'a> {
    /// The workload.
    pub by: Picker<'a>,
    /// The kind that it takes.
    pub takes: Kind,
    /// The label selector. Without one the workload selects nothing.
    pub labels: SelectorField<'a>,
    /// The namespace selector. Without one the workload selects from its own namespace.
    pub namespaces: SelectorField<'a>,
    /// A resource that it takes by name besides.
    named: Option<&'a str>,
}

impl<'a> WorkloadSelector<'a> {
    fn new(
        by: Picker<'a>,
        takes: Kind,
        labels: Option<&'a LabelSelector>,
        labels_field: &'static str,
        namespaces: Option<&'a LabelSelector>,
        namespaces_field: &'static str,
    ) -> Self {
        Self {
            labels: SelectorField::new(by.doc, labels, labels_field),
            namespaces: SelectorField::new(by.doc, namespaces, namespaces_field),
            by,
            takes,
            named: None,
        }
    }

    /// The selectors for ServiceMonitors, PodMonitors, Probes and ScrapeConfigs.
    pub(super) fn monitors(by: Picker<'a>, spec: &'a CommonPrometheusFields) -> [Self; 4] {
        [
            Self::new(
                by,
                Kind::ServiceMonitor,
                spec.service_monitor_selector.as_ref(),
                "serviceMonitorSelector",
                spec.service_monitor_namespace_selector.as_ref(),
                "serviceMonitorNamespaceSelector",
            ),
            Self::new(
                by,
                Kind::PodMonitor,
                spec.pod_monitor_selector.as_ref(),
                "podMonitorSelector",
                spec.pod_monitor_namespace_selector.as_ref(),
                "podMonitorNamespaceSelector",
            ),
            Self::new(
                by,
                Kind::Probe,
                spec.probe_selector.as_ref(),
                "probeSelector",
                spec.probe_namespace_selector.as_ref(),
                "probeNamespaceSelector",
            ),
            Self::new(
                by,
                Kind::ScrapeConfig,
                spec.scrape_config_selector.as_ref(),
                "scrapeConfigSelector",
                spec.scrape_config_namespace_selector.as_ref(),
                "scrapeConfigNamespaceSelector",
            ),
        ]
    }

    /// The selector for PrometheusRules.
    pub(super) fn rules(
        by: Picker<'a>,
        labels: Option<&'a LabelSelector>,
        namespaces: Option<&'a LabelSelector>,
    ) -> Self {
        Self::new(
            by,
            Kind::PrometheusRule,
            labels,
            "ruleSelector",
            namespaces,
            "ruleNamespaceSelector",
        )
    }

    /// The selector for AlertmanagerConfigs.
    pub(super) fn alertmanager_configs(by: Picker<'a>, spec: &'a AlertmanagerSpec) -> Self {
        let named = spec
            .alertmanager_configuration
            .as_ref()
            .and_then(|c| c.name.as_deref());
        Self {
            named,
            ..Self::new(
                by,
                Kind::AlertmanagerConfig,
                spec.alertmanager_config_selector.as_ref(),
                "alertmanagerConfigSelector",
                spec.alertmanager_config_namespace_selector.as_ref(),
                "alertmanagerConfigNamespaceSelector",
            )
        }
    }

    /// Returns whether it can select by labels: it has a label selector, and its selectors parse.
    pub const fn is_open(&self) -> bool {
        matches!(
            (&self.labels.parsed, &self.namespaces.parsed),
            (Ok(Some(_)), Ok(_))
        )
    }

    /// Returns whether it depends on labels of namespaces other than the name.
    pub fn reads_namespace_labels(&self) -> bool {
        let selector = self.namespaces.parsed.iter().flatten();
        selector
            .flat_map(Selector::requirements)
            .any(|requirement| requirement.key != NAMESPACE_NAME_LABEL)
    }

    /// Returns whether it selects namespaces, rather than take that of its workload.
    pub(super) const fn selects_namespaces(&self) -> bool {
        matches!(self.namespaces.parsed, Ok(Some(_)))
    }

    /// A label that a namespace must have to be selected, with the values of which it must have one.
    pub(super) fn namespace_values(&self) -> Option<(&str, &[String])> {
        let mut requirements = self
            .namespaces
            .parsed
            .iter()
            .flatten()
            .flat_map(Selector::requirements);
        let one =
            requirements.find(|one| matches!(one.operator, Operator::Equals | Operator::In))?;
        Some((one.key.as_str(), one.values.as_slice()))
    }

    /// Returns whether it takes a resource by its name besides.
    pub(super) const fn takes_by_name(&self) -> bool {
        self.named.is_some()
    }

    /// Returns whether it takes resources from a namespace by their labels.
    pub(super) fn may_take_from(&self, namespace: &str, cluster: &Cluster) -> bool {
        let namespaces = self.namespaces.parsed.as_ref();
        self.is_open()
            && namespaces.is_ok_and(|of| self.looks_into(of.as_ref(), namespace, cluster))
    }

    /// Returns whether it depends on labels that a namespace lacks, so that it may take more once they are known.
    #[must_use]
    pub fn excludes_namespaces(&self) -> bool {
        self.namespaces.parsed.iter().flatten().any(excludes_labels)
    }

    /// Returns whether it selects a resource by its name.
    pub(super) fn names(&self, metadata: &ObjectMeta) -> bool {
        self.named == Some(metadata.name.as_str()) && namespace_of(metadata) == self.by.namespace
    }

    /// The resources that it selects by labels, by namespace and name. `context` prefixes an error of the label
    /// selector.
    ///
    /// # Errors
    /// A selector that does not parse, in the operator's words.
    pub(super) fn selected<'c, T: Resource>(
        &self,
        all: &'c Objects<T>,
        cluster: &'c Cluster,
        context: &str,
        sink: &mut Sink,
    ) -> Result<Vec<&'c Object<T>>, String> {
        let namespaces = self
            .namespaces
            .read(sink)
            .map_err(|error| match self.takes {
                Kind::AlertmanagerConfig => error.clone(),
                _ => format!("failed to convert namespace label selector to selector: {error}"),
            })?;
        let labels = self
            .labels
            .read(sink)
            .map_err(|error| format!("{context}{error}"))?;
        let Some(labels) = labels else {
            return Ok(Vec::new());
        };
        // Objects are sorted by namespace, so each namespace is decided once.
        let mut last: Option<(&str, bool)> = None;
        let mut looks_into = |namespace: &'c str| match last {
            Some((known, is_picked)) if known == namespace => is_picked,
            _ => {
                let is_picked = self.looks_into(namespaces, namespace, cluster);
                last = Some((namespace, is_picked));
                is_picked
            }
        };
        let is_picked = |object: &&'c Object<T>| {
            looks_into(object.namespace()) && labels.matches(labels_of(object.value.metadata()))
        };
        let Some(near) = self.near_namespaces(cluster) else {
            return Ok(all.values().filter(is_picked).collect());
        };
        let within = |namespace| {
            let first = all
                .range(Key::new(namespace, "")..)
                .map(|(_, object)| object);
            first.take_while(move |object| object.namespace() == namespace)
        };
        Ok(near
            .into_iter()
            .flat_map(within)
            .filter(is_picked)
            .collect())
    }

    /// The namespaces that it may look into, in the order of objects. `None`: any.
    fn near_namespaces<'n>(&'n self, cluster: &'n Cluster) -> Option<Vec<&'n str>> {
        if !self.selects_namespaces() {
            return Some(vec![self.by.namespace]);
        }
        let (key, values) = self.namespace_values()?;
        let has = |labels: &StringMap| {
            labels
                .get(key)
                .is_some_and(|value| values.iter().any(|of| **of == **value))
        };
        let named = cluster
            .namespaces
            .iter()
            .filter(|(_, labels)| has(labels))
            .map(|(name, _)| name.as_str());
        let mut named: Vec<&str> = named.collect();
        // As keys have them: `a-b/` comes before `a/`.
        named.sort_by(|a, b| a.bytes().chain([b'/']).cmp(b.bytes().chain([b'/'])));
        Some(named)
    }

    fn looks_into(
        &self,
        namespaces: Option<&Selector>,
        namespace: &str,
        cluster: &Cluster,
    ) -> bool {
        if cluster.watch.ignored_by(self.takes, namespace).is_some() {
            return false;
        }
        // `NotIn` and `DoesNotExist` match what has no labels. Where they are left open, that is no match.
        let is_open =
            namespaces.is_some_and(excludes_labels) && cluster.open_namespaces.contains(namespace);
        !is_open && self.may_look_into(namespaces, namespace, cluster)
    }

    /// Returns whether it looks into a namespace, if labels that nobody states are no obstacle.
    fn may_look_into(
        &self,
        namespaces: Option<&Selector>,
        namespace: &str,
        cluster: &Cluster,
    ) -> bool {
        if cluster.watch.ignored_by(self.takes, namespace).is_some() {
            return false;
        }
        match namespaces {
            Some(selector) if selector.requirements().is_empty() => true,
            // A namespace that something is in has its name as a label, even without a manifest.
            Some(selector) => {
                selector.matches(cluster.namespace_labels(namespace).unwrap_or(&NO_LABELS))
            }
            // No selector means the workload's own namespace; an empty one means all.
            None => namespace == self.by.namespace,
        }
    }

    /// Returns whether it selects a resource of its kind.
    pub fn selects(&self, candidate: &Candidate<'_>, cluster: &Cluster) -> bool {
        let by_labels = || match (&self.labels.parsed, &self.namespaces.parsed) {
            (Ok(Some(labels)), Ok(namespaces)) => {
                self.looks_into(namespaces.as_ref(), candidate.namespace(), cluster)
                    && labels.matches(labels_of(candidate.metadata))
            }
            _ => false,
        };
        self.names(candidate.metadata) || by_labels()
    }

    /// The result for a resource of its kind. One that depends on labels of a namespace that are left open counts as taken.
    pub fn choose(&self, candidate: &Candidate<'_>, cluster: &Cluster) -> SelectionResult {
        if self.selects(candidate, cluster) {
            return SelectionResult::Taken;
        }
        let (Ok(labels), Ok(namespaces)) = (&self.labels.parsed, &self.namespaces.parsed) else {
            return SelectionResult::Broken;
        };
        let Some(labels) = labels else {
            return SelectionResult::NoSelector;
        };
        let namespace = candidate.namespace();
        let ignored = cluster.watch.ignored_by(self.takes, namespace);
        let namespace_miss = || match (ignored, namespaces) {
            (Some(flag), _) => NamespaceMiss::Unwatched(flag),
            (None, Some(namespaces)) => {
                let of_namespace = cluster.namespace_labels(namespace).unwrap_or(&NO_LABELS);
                NamespaceMiss::Labels(Miss::all(namespaces, of_namespace))
            }
            (None, None) => NamespaceMiss::Foreign,
        };
        let namespace =
            (!self.may_look_into(namespaces.as_ref(), namespace, cluster)).then(namespace_miss);
        let labels = Miss::all(labels, labels_of(candidate.metadata));
        match namespace.is_none() && labels.is_empty() {
            true => SelectionResult::Taken,
            false => SelectionResult::Missed { namespace, labels },
        }
    }
}

impl fmt::Display for WorkloadSelector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.by.fmt(f)
    }
}

/// Returns whether a selector of namespaces excludes labels other than the name, so that it selects what has no labels.
fn excludes_labels(selector: &Selector) -> bool {
    let mut requirements = selector.requirements().iter();
    requirements.any(|requirement| {
        matches!(
            requirement.operator,
            Operator::NotIn | Operator::DoesNotExist
        ) && requirement.key != NAMESPACE_NAME_LABEL
    })
}

fn namespace_of(metadata: &ObjectMeta) -> &str {
    metadata.namespace.as_deref().unwrap_or_default()
}

fn labels_of(metadata: &ObjectMeta) -> &StringMap {
    metadata.labels.as_ref().unwrap_or(&NO_LABELS)
}

/// Every selector of every workload, by kind of workload, namespace and name.
pub fn selectors(cluster: &Cluster) -> Vec<WorkloadSelector<'_>> {
    let of_prometheuses = cluster.prometheuses.values().flat_map(of_prometheus);
    let of_agents = cluster.prometheus_agents.values().flat_map(of_agent);
    let of_alertmanagers = cluster.alertmanagers.values().flat_map(of_alertmanager);
    let of_rulers = cluster.thanos_rulers.values().flat_map(of_thanos_ruler);
    of_prometheuses
        .chain(of_agents)
        .chain(of_alertmanagers)
        .chain(of_rulers)
        .collect()
}

/// Returns whether a workload asks for a label of namespaces that another excludes: the label says whose a namespace is, and one whose
/// labels nobody states may be of either.
pub fn namespaces_are_divided(cluster: &Cluster) -> bool {
    let all = selectors(cluster);
    let parsed = || all.iter().flat_map(|of| of.namespaces.parsed.iter());
    let requirements = || parsed().flatten().flat_map(Selector::requirements);
    let excludes =
        |of: &&Requirement| matches!(of.operator, Operator::NotIn | Operator::DoesNotExist);
    let asked = requirements().filter(|of| !excludes(of));
    let asked: BTreeSet<&str> = asked.map(|of| of.key.as_str()).collect_set();
    requirements()
        .filter(excludes)
        .any(|excluded| asked.contains(excluded.key.as_str()))
}

/// The selectors of a Prometheus.
pub fn of_prometheus(object: &Object<Prometheus>) -> Vec<WorkloadSelector<'_>> {
    let (spec, by) = (
        &object.value.spec,
        Picker::of_object(Kind::Prometheus, object),
    );
    let rules = WorkloadSelector::rules(
        by,
        spec.rule_selector.as_ref(),
        spec.rule_namespace_selector.as_ref(),
    );
    WorkloadSelector::monitors(by, &spec.common)
        .into_iter()
        .chain([rules])
        .collect()
}

/// The selectors of a PrometheusAgent.
pub fn of_agent(object: &Object<PrometheusAgent>) -> Vec<WorkloadSelector<'_>> {
    let by = Picker::of_object(Kind::PrometheusAgent, object);
    WorkloadSelector::monitors(by, &object.value.spec.common).into()
}

/// The selector of an Alertmanager.
pub fn of_alertmanager(object: &Object<Alertmanager>) -> Vec<WorkloadSelector<'_>> {
    let by = Picker::of_object(Kind::Alertmanager, object);
    vec![WorkloadSelector::alertmanager_configs(
        by,
        &object.value.spec,
    )]
}

/// The selector of a ThanosRuler.
pub fn of_thanos_ruler(object: &Object<ThanosRuler>) -> Vec<WorkloadSelector<'_>> {
    let (spec, by) = (
        &object.value.spec,
        Picker::of_object(Kind::ThanosRuler, object),
    );
    vec![WorkloadSelector::rules(
        by,
        spec.rule_selector.as_ref(),
        spec.rule_namespace_selector.as_ref(),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::meta::LabelSelectorRequirement;
    use promgen_resources::document::documents;
    use promgen_resources::release::CURRENT;
    use promgen_resources::schema::Definitions;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn cluster(selectors: &str) -> Cluster {
        let mut text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: k8s, namespace: a}}, spec: {{{selectors}}}}}\n---\n\
             {{apiVersion: v1, kind: Namespace, metadata: {{name: b, labels: {{team: x}}}}}}\n"
        );
        for (namespace, labels) in [
            ("a", "team: x"),
            ("a", "team: z"),
            ("b", "team: x"),
            ("b", ""),
            ("c", "team: x"),
        ] {
            text += &format!(
                "---\n{{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {{name: m-{}, namespace: {namespace}, \
                 labels: {{{labels}}}}}, spec: {{selector: {{}}}}}}\n",
                text.len()
            );
        }
        let mut sink = Sink::default();
        let cluster = Cluster::load(
            &documents(read(FileId::new(0), &text, &mut sink), "default", &mut sink),
            &CURRENT.version,
            &Definitions::default(),
            &mut sink,
        );
        assert!(sink.diagnostics().is_empty(), "{:?}", sink.diagnostics());
        cluster
    }

    #[test]
    fn what_is_picked_is_what_is_said_to_be_taken() {
        let (team, all) = (
            "podMonitorSelector: {matchLabels: {team: x}}",
            "podMonitorSelector: {}",
        );
        let (of_team, broken) = (
            "podMonitorNamespaceSelector: {matchLabels: {team: x}}",
            "matchExpressions: [{key: a, operator: Is}]",
        );
        for (selectors, n_picked) in [
            (String::new(), Ok(0)),
            (of_team.to_owned(), Ok(0)),
            (team.to_owned(), Ok(1)),
            (format!("{team}, {of_team}"), Ok(1)),
            (format!("{all}, {of_team}"), Ok(2)),
            (format!("{team}, podMonitorNamespaceSelector: {{}}"), Ok(3)),
            (format!("podMonitorSelector: {{{broken}}}"), Err(())),
            (
                format!("podMonitorNamespaceSelector: {{{broken}}}"),
                Err(()),
            ),
        ] {
            let cluster = cluster(&selectors);
            let of_pods = super::selectors(&cluster)
                .into_iter()
                .find(|selector| selector.takes == Kind::PodMonitor)
                .unwrap();
            let picked =
                of_pods.selected(&cluster.pod_monitors, &cluster, "", &mut Sink::default());
            let choices: Vec<_> = cluster
                .candidates()
                .map(|candidate| of_pods.choose(&candidate, &cluster))
                .collect();
            let n_taken = choices
                .iter()
                .filter(|choice| **choice == SelectionResult::Taken)
                .count();
            assert_eq!(
                picked.as_ref().map(Vec::len).map_err(|_| ()),
                n_picked,
                "{selectors}"
            );
            assert_eq!(n_taken, n_picked.unwrap_or_default(), "{selectors}");
            assert_eq!(
                choices
                    .iter()
                    .all(|choice| *choice == SelectionResult::Broken),
                picked.is_err(),
                "{selectors}"
            );
        }
    }

    #[test]
    fn a_requirement_stands_where_it_was_written() {
        let expression = |key: &str| LabelSelectorRequirement {
            key: key.to_owned(),
            operator: "Exists".to_owned(),
            values: None,
        };
        let written = LabelSelector {
            match_expressions: Some(vec![expression("app"), expression("team")]),
            match_labels: Some([("app".into(), "web".into())].into_iter().collect()),
        };
        let requirement = |key: &str| Requirement {
            key: key.to_owned(),
            operator: Operator::Exists,
            values: Vec::new(),
        };
        let at = |key: &str| {
            place(
                At::doc(DocId::NONE).key("selector"),
                Some(&written),
                &requirement(key),
            )
            .route
            .to_string()
        };
        assert_eq!(at("app"), "selector.matchLabels.app");
        assert_eq!(at("team"), "selector.matchExpressions[1]");
        assert_eq!(at("tier"), "selector.matchLabels.tier");
    }

    #[test]
    fn what_has_no_labels_is_selected_where_labels_are_excluded() {
        let excludes = |key: &str, operator: &str| {
            let expression = LabelSelectorRequirement {
                key: key.to_owned(),
                operator: operator.to_owned(),
                values: matches!(operator, "In" | "NotIn").then(|| vec!["a".to_owned()]),
            };
            let selector = LabelSelector {
                match_expressions: Some(vec![expression]),
                match_labels: None,
            };
            excludes_labels(&Selector::new(&selector).unwrap())
        };
        assert!(excludes("team", "NotIn") && excludes("team", "DoesNotExist"));
        assert!(!excludes("team", "In") && !excludes("team", "Exists"));
        assert!(!excludes(NAMESPACE_NAME_LABEL, "NotIn"));
    }
}
