//! All objects of a run, typed, by namespace and name.
//!
//! In: the documents. Out: a [`Cluster`] of those that the API server would accept; the others are reported and left
//! out. Documents are independent until they are stored, so they are checked and read in parallel.

pub mod assets;
pub mod converted;
mod later;
mod read;
mod readable;
pub mod refused;

use crate::paths::name_at;
use std::borrow::{Borrow, Cow};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use promgen_resources::api::{
    Alertmanager, AlertmanagerConfig, ConfigMap, DaemonSet, Kind, Namespace, ObjectMeta, Pod,
    PodMonitor, Probe, Prometheus, PrometheusAgent, PrometheusRule, Resource, ScrapeConfig, Secret,
    Service, ServiceMonitor, StatefulSet, ThanosRuler,
};
use promgen_resources::document::{self, Document, is_observed};
use promgen_resources::schema::{self, Definitions};
use promgen_resources::watch::Watch;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::parallel;
use promgen_text::route::{At, DocId};
use promgen_text::shared::{Keyed, Shared};
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::decode::Decode;
use promgen_text::yaml::{self, Data, Node, StringMap};

use promgen_text::CollectOrdered;
use read::{ReadDocument, ReadKey, ReadObject, accepted_later};
use refused::{Refused, RefusedObject};

rules! {
    /// ## What it does
    /// Finds objects of the same kind, namespace and name that differ. The last one counts, as with `kubectl apply`.
    /// A manifest and the same object as a cluster showed it, with a uid, are no duplicates: the first one tells the spec,
    /// the observed one uid, generation and status.
    ///
    /// ## Why is this bad?
    /// What is deployed depends on the order of files.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: twice}
    /// data: {a: "1"}
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: twice}
    /// data: {a: "2"}
    /// ```
    /// Use instead: one of them.
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: twice}
    /// data: {a: "2"}
    /// ```
    DUPLICATE_OBJECT = "PG017" "duplicate-object" Warning: "an object that is defined twice, with different contents";
}

/// The label that every namespace has, whatever its manifest says.
pub const NAMESPACE_NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Namespace and name. Sorts as the text `namespace/name` does, byte by byte, so that `a-b/x` comes before `a/x`: the
/// order in which the operator takes objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    text: Arc<str>,
}

impl Key {
    /// The key of that namespace (empty for kinds that live in none) and name.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            text: format!("{namespace}/{name}").into(),
        }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.text
            .split_once('/')
            .map_or("", |(namespace, _)| namespace)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text
            .split_once('/')
            .map_or(&*self.text, |(_, name)| name)
    }

    /// `namespace/name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// An object, and the document that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<T> {
    /// The document that tells what is wanted.
    pub doc: DocId,
    /// The document that tells what is: of an object that was read from a cluster. It may be the same one.
    pub observed: Option<DocId>,
    /// The object, with its namespace filled in. Shared with those who read the same document before.
    pub value: Shared<T>,
}

impl<T: Resource + Clone> Object<T> {
    /// Takes over what the server knows.
    fn observe(&mut self, mut live: Self) {
        self.observed = live.observed;
        self.value.make_mut().observe(live.value.make_mut());
    }
}

impl<T: Resource> Object<T> {
    /// Its namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.value
            .metadata()
            .namespace
            .as_deref()
            .unwrap_or_default()
    }
    /// `namespace/name`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace(), self.value.metadata().name)
    }
}

/// A resource that workloads select.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its kind.
    pub kind: Kind,
    /// The document that tells what is wanted.
    pub doc: DocId,
    /// The document that tells what is.
    pub observed: Option<DocId>,
    /// Its metadata; the namespace is filled in.
    pub metadata: &'a ObjectMeta,
}

impl<'a> Candidate<'a> {
    /// `namespace/name`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace(), self.metadata.name)
    }

    /// Its namespace.
    #[must_use]
    pub fn namespace(&self) -> &'a str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// The place of its name.
    #[must_use]
    pub fn place(&self) -> At {
        name_at(self.doc)
    }
}

impl fmt::Display for Candidate<'_> {
    /// `ServiceMonitor shop/cart`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}/{}",
            self.kind.as_str(),
            self.namespace(),
            self.metadata.name
        )
    }
}

/// The objects of a kind.
pub type Objects<T> = BTreeMap<Key, Object<T>>;

/// Declares the kinds of a cluster: its fields, and how a document gets there.
macro_rules! kinds {
    ($($(#[$doc:meta])* $field:ident: $kind:ident,)+) => {
        /// All objects of a run.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Cluster {
            $($(#[$doc])* pub $field: Objects<$kind>,)+
            /// The labels of every namespace that is mentioned, `kubernetes.io/metadata.name` among them.
            pub namespaces: BTreeMap<String, StringMap>,
            /// The namespaces that have a manifest.
            wanted_namespaces: BTreeSet<String>,
            /// The namespaces whose labels nobody states, if they are left open: what excludes labels excludes them.
            pub open_namespaces: BTreeSet<String>,
            /// The namespaces that the operator watches.
            pub watch: Watch,
            /// What the API server refuses.
            pub refused: Refused,
        }

        /// An object of any kind.
        #[derive(Clone)]
        enum Any {
            Namespace(Shared<Namespace>),
            $($kind(Shared<$kind>),)+
        }

        fn parse(document: &Document, sink: &mut Sink) -> Option<Any> {
            match document.kind {
                Kind::Namespace => typed(document, sink).map(|value| Any::Namespace(Shared::new(value))),
                $(Kind::$kind => typed(document, sink).map(|mut value: $kind| {
                    value.metadata_mut().namespace = Some(document.namespace.clone());
                    Any::$kind(Shared::new(value))
                }),)+
            }
        }

        impl Cluster {
            /// Keeps an object, which may have been read from a cluster. Returns the document that it replaces: one of the same
            /// name that was read from a cluster, too, or neither was.
            fn store(&mut self, (document, is_observed): (&Document, bool), object: Any) -> Option<DocId> {
                match object {
                    Any::Namespace(namespace) => {
                        // As `settle`: the labels of a manifest are those that count.
                        if !is_observed || !self.wanted_namespaces.contains(document.name.as_str()) {
                            self.label_namespace(&document.name, namespace.metadata.labels.clone());
                        }
                        if !is_observed {
                            self.wanted_namespaces.insert(document.name.to_string());
                        }
                        None
                    }
                    $(Any::$kind(value) => {
                        self.mention_namespace(&document.namespace);
                        settle(&mut self.$field, (document, is_observed), value)
                    })+
                }
            }
        }
    };
}

kinds! {
    /// Servers.
    prometheuses: Prometheus,
    /// Agents.
    prometheus_agents: PrometheusAgent,
    /// Alertmanagers.
    alertmanagers: Alertmanager,
    /// Thanos Rulers.
    thanos_rulers: ThanosRuler,
    /// Parts of the configuration of Alertmanagers.
    alertmanager_configs: AlertmanagerConfig,
    /// Service monitors.
    service_monitors: ServiceMonitor,
    /// Pod monitors.
    pod_monitors: PodMonitor,
    /// Probes.
    probes: Probe,
    /// Scrape configs.
    scrape_configs: ScrapeConfig,
    /// Rules.
    prometheus_rules: PrometheusRule,
    /// Services.
    services: Service,
    /// Pods.
    pods: Pod,
    /// StatefulSets.
    stateful_sets: StatefulSet,
    /// DaemonSets.
    daemon_sets: DaemonSet,
    /// Secrets.
    secrets: Secret,
    /// ConfigMaps.
    config_maps: ConfigMap,
}

impl Cluster {
    /// Checks and reads documents, by definitions where there are some, and else as with those of that release of the operator.
    /// What the API server would refuse is reported and left out.
    #[must_use]
    pub fn load(
        documents: &[Document],
        operator: &Version,
        definitions: &Definitions,
        sink: &mut Sink,
    ) -> Self {
        Self::load_open(documents, operator, definitions, &|_| false, sink)
    }

    /// The same, of documents with values that are filled in later: none is refused for such a value.
    #[must_use]
    pub fn load_open(
        documents: &[Document],
        operator: &Version,
        definitions: &Definitions,
        is_later: &dyn Fn(Span) -> bool,
        sink: &mut Sink,
    ) -> Self {
        let operator = &Arc::new(operator.clone());
        let read: Vec<Keyed<ReadKey, ReadDocument>> = parallel::map(documents, 16, |document| {
            ReadDocument::of(document, operator, definitions)
        });
        let mut cluster = Self::default();
        for (document, read) in documents.iter().zip(read) {
            let first = sink.diagnostics().len();
            let readable = if is_custom(document.kind) {
                later::readable(document, is_later)
            } else {
                None
            };
            let written = readable.as_ref().unwrap_or(document);
            let read = readable.as_ref().map_or(read, |readable| {
                ReadDocument::of(readable, operator, definitions)
            });
            let object = match (
                &read.object,
                accepted_later(written, &read, (operator, definitions, is_later)),
            ) {
                (_, Some((object, found))) => {
                    sink.append_about(document.id, &found);
                    object
                }
                (ReadObject::Accepted(object), None) => {
                    read.report(document.id, sink);
                    object.clone()
                }
                (ReadObject::Refused(object), None) => {
                    read.report(document.id, sink);
                    cluster.refuse(document, object.clone(), &sink.diagnostics()[first..]);
                    continue;
                }
            };
            let replaced = cluster.store((document, read.is_observed), object);
            if let Some(old) = replaced.and_then(|old| document::find(documents, old))
                && old.node.to_value() != document.node.to_value()
            {
                sink.report(duplicate(document, old));
            }
        }
        cluster
    }

    fn refuse(&mut self, document: &Document, object: Option<Any>, findings: &[Diagnostic]) {
        self.refused
            .objects
            .push(RefusedObject::new(document, findings, object.is_some()));
        if let Some(object) = object {
            let is_observed = is_observed(&document.node);
            self.refused
                .workloads
                .get_or_insert_default()
                .store((document, is_observed), object);
        }
    }

    /// The resources that workloads select, by kind, namespace and name.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate<'_>> {
        fn all<T: Resource>(
            kind: Kind,
            objects: &Objects<T>,
        ) -> impl Iterator<Item = Candidate<'_>> {
            objects.values().map(move |object| {
                let Object {
                    doc,
                    observed,
                    ref value,
                } = *object;
                Candidate {
                    kind,
                    doc,
                    observed,
                    metadata: value.metadata(),
                }
            })
        }
        all(Kind::ServiceMonitor, &self.service_monitors)
            .chain(all(Kind::PodMonitor, &self.pod_monitors))
            .chain(all(Kind::Probe, &self.probes))
            .chain(all(Kind::ScrapeConfig, &self.scrape_configs))
            .chain(all(Kind::PrometheusRule, &self.prometheus_rules))
            .chain(all(Kind::AlertmanagerConfig, &self.alertmanager_configs))
    }

    /// The StatefulSets that a cluster showed. A manifest of one says nothing of the state of its pods.
    pub fn observed_stateful_sets(&self) -> impl Iterator<Item = (&Key, &Object<StatefulSet>)> {
        self.stateful_sets
            .iter()
            .filter(|(_, set)| set.observed.is_some())
    }

    /// The StatefulSet of that name, if a cluster showed it.
    #[must_use]
    pub fn observed_stateful_set(&self, key: &Key) -> Option<&StatefulSet> {
        self.stateful_sets
            .get(key)
            .filter(|set| set.observed.is_some())
            .map(|set| &*set.value)
    }

    /// The DaemonSet of that name, if a cluster showed it.
    #[must_use]
    pub fn observed_daemon_set(&self, key: &Key) -> Option<&DaemonSet> {
        self.daemon_sets
            .get(key)
            .filter(|set| set.observed.is_some())
            .map(|set| &*set.value)
    }

    /// The labels of a namespace. Namespaces always exist.
    pub fn namespace_labels(&self, namespace: &str) -> Option<&StringMap> {
        self.namespaces.get(namespace)
    }

    /// Leaves open what the labels of namespaces are that have no manifest among the documents.
    pub fn leave_namespaces_open(&mut self, documents: &[Document]) {
        let declared = documents
            .iter()
            .filter(|document| document.kind == Kind::Namespace);
        let declared: BTreeSet<&str> = declared
            .map(|document| document.name.as_str())
            .collect_set();
        let open = self
            .namespaces
            .keys()
            .filter(|name| !declared.contains(name.as_str()));
        self.open_namespaces = open.cloned().collect_set();
    }

    fn mention_namespace(&mut self, name: &str) {
        if !self.namespaces.contains_key(name) {
            self.label_namespace(name, None);
        }
    }

    fn label_namespace(&mut self, name: &str, labels: Option<StringMap>) {
        let mut labels = labels.unwrap_or_default();
        labels.insert(NAMESPACE_NAME_LABEL.into(), name.into());
        self.namespaces.insert(name.to_owned(), labels);
    }
}

/// Keeps an object. A manifest and the live object of the same name are one: the manifest has its labels and its spec, the
/// live object its status. Of two manifests, and of two live objects, the last one counts; returns the one before.
fn settle<T: Resource + Clone>(
    objects: &mut Objects<T>,
    (document, is_observed): (&Document, bool),
    value: Shared<T>,
) -> Option<DocId> {
    let mut new = Object {
        doc: document.id,
        observed: is_observed.then_some(document.id),
        value,
    };
    let old = match objects.entry(Key::new(&document.namespace, &document.name)) {
        Entry::Vacant(vacant) => {
            vacant.insert(new);
            return None;
        }
        Entry::Occupied(known) => known.into_mut(),
    };
    let has_manifest = old.observed != Some(old.doc);
    let replaced = if is_observed {
        old.observed
    } else {
        has_manifest.then_some(old.doc)
    };
    if is_observed && has_manifest {
        old.observe(new);
    } else {
        std::mem::swap(old, &mut new);
        if !is_observed && new.observed.is_some() {
            old.observe(new);
        }
    }
    replaced
}

fn typed<T: Decode>(document: &Document, sink: &mut Sink) -> Option<T> {
    let node = stored(document);
    match yaml::decode(&node) {
        Ok(value) => Some(value),
        // As the API server does, which takes the status of a manifest away before it reads the rest.
        Err(mismatch) if mismatch.route.starts_with_key("status") => {
            yaml::decode(&node.without_key("status")).ok()
        }
        Err(mismatch) => {
            let at = At {
                doc: document.id,
                route: mismatch.route,
            };
            sink.report(Diagnostic::new(&schema::WRONG_TYPE, at, mismatch.message));
            None
        }
    }
}

/// An object as the API server stores it. Of a custom resource, it drops the nulls of maps, in which nothing may be null:
/// they are no empty texts. Metadata is read by Go, as objects of Kubernetes are, which makes such texts of them.
fn stored(document: &Document) -> Cow<'_, Node> {
    let spec = document
        .node
        .get("spec")
        .filter(|_| is_custom(document.kind));
    match spec.is_some_and(Node::has_null_entry) {
        true => Cow::Owned(without_nulls(document.node.clone().into_value())),
        false => Cow::Borrowed(&document.node),
    }
}

/// Returns whether a kind is one of the operator's.
fn is_custom(kind: Kind) -> bool {
    kind.group() == Kind::Prometheus.group()
}

fn without_nulls(mut object: Node) -> Node {
    if let Data::Map(entries) = &mut object.data {
        entries
            .iter_mut()
            .filter(|entry| entry.key == "spec")
            .for_each(|entry| entry.value.remove_null_entries());
    }
    object
}

fn duplicate(document: &Document, old: &Document) -> Diagnostic {
    let name = |document: &Document| name_at(document.id);
    let message = format!(
        "{} is defined twice, with different contents: the last definition wins",
        document.resource()
    );
    Diagnostic::new(&DUPLICATE_OBJECT, name(document), message).related(name(old), "first here")
}

#[cfg(test)]
mod verdicts;

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::document::documents;
    use promgen_resources::release::CURRENT;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read as parse;

    fn load(text: &str) -> (Cluster, Vec<String>) {
        let mut sink = Sink::default();
        let documents = documents(parse(FileId::new(0), text, &mut sink), "default", &mut sink);
        let cluster = Cluster::load(
            &documents,
            &CURRENT.version,
            &Definitions::default(),
            &mut sink,
        );
        (
            cluster,
            sink.diagnostics()
                .iter()
                .map(|d| format!("{} {}", d.rule.code, d.message))
                .collect(),
        )
    }

    #[test]
    fn the_last_of_two_counts_and_only_a_difference_is_reported() {
        let config = |value: &str| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{k: {value}}}\n"
            )
        };
        let (cluster, found) = load(&format!("{}---\n{}", config("x"), config("x")));
        assert!(
            found.is_empty()
                && cluster.config_maps["default/a"].doc == DocId::new(FileId::new(0), 1)
        );
        let (cluster, found) = load(&format!("{}---\n{}", config("x"), config("z")));
        assert_eq!(
            cluster.config_maps["default/a"]
                .value
                .data
                .as_ref()
                .unwrap()
                .get("k")
                .unwrap(),
            "z"
        );
        assert_eq!(
            found,
            [
                "PG017 ConfigMap/default/a is defined twice, with different contents: the last definition wins"
            ]
        );
    }

    #[test]
    fn what_is_wanted_and_what_was_observed_are_one_object() {
        let wanted =
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {replicas: 2}\n";
        let observed = |replicas: i32| {
            format!(
                "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: a, uid: u, generation: 3}}\nspec: {{replicas: 1}}\nstatus: {{replicas: {replicas}}}\n"
            )
        };
        let id = |number| DocId::new(FileId::new(0), number);
        let join = |texts: &[&str]| {
            let (cluster, found) = load(&texts.join("---\n"));
            let object = &cluster.stateful_sets["default/a"];
            let facts = (
                object.value.spec.replicas,
                object.value.metadata.generation,
                object.value.status.replicas,
            );
            (facts, (object.doc, object.observed), found.len())
        };
        assert_eq!(
            join(&[wanted, &observed(5)]),
            ((Some(2), Some(3), 5), (id(0), Some(id(1))), 0)
        );
        assert_eq!(
            join(&[&observed(5), wanted]),
            ((Some(2), Some(3), 5), (id(1), Some(id(0))), 0)
        );
        let other = wanted.replace("2}", "4}");
        assert_eq!(
            join(&[wanted, &observed(5), &other]),
            ((Some(4), Some(3), 5), (id(2), Some(id(1))), 1)
        );
        assert_eq!(
            join(&[wanted, &observed(5), &observed(6)]),
            ((Some(2), Some(3), 6), (id(0), Some(id(2))), 1)
        );
    }

    #[test]
    fn nulls_of_custom_resources_are_dropped_and_metadata_has_empty_texts() {
        let (cluster, found) = load(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: a, labels: {x: }}\nspec:\n  serviceMonitorSelector: {matchLabels: {team: , app: web}}\n  externalLabels: {zone: }\n  nodeSelector: {disk: ~, os: ''}\n  podMetadata: {annotations: {a: null}}\n---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, labels: {disk: }}\nspec: {}\n---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: a}\nspec: {selector: {}, endpoints: [{port: web, params: {a: , b: [x]}}]}\n",
        );
        assert!(found.is_empty(), "{found:?}");
        let keys = |map: Option<&StringMap>| {
            map.map(|map| map.iter().map(|(key, _)| key.to_string()).collect())
        };
        let server = &cluster.prometheuses["default/a"].value;
        let common = &server.spec.common;
        let selector = common
            .service_monitor_selector
            .as_ref()
            .and_then(|selector| selector.match_labels.as_ref());
        assert_eq!(keys(selector), Some(vec!["app".to_owned()]));
        assert_eq!(
            keys(common.node_selector.as_ref()),
            Some(vec!["os".to_owned()])
        );
        assert_eq!(
            keys(
                common
                    .pod_metadata
                    .as_ref()
                    .and_then(|of| of.annotations.as_ref())
            ),
            Some(vec![])
        );
        assert_eq!(
            server
                .metadata
                .labels
                .as_ref()
                .and_then(|labels| labels.get("x"))
                .map(|x| &**x),
            Some("")
        );
        let set = &cluster.stateful_sets["default/a"].value.metadata;
        assert_eq!(keys(set.labels.as_ref()), Some(vec!["disk".to_owned()]));
        let monitor = &cluster.service_monitors["default/a"].value;
        assert_eq!(
            monitor.spec.endpoints[0]
                .params
                .as_ref()
                .map(|params| params.len()),
            Some(1)
        );
    }

    #[test]
    fn selectors_that_are_filled_in_later_parse_and_other_texts_stay() {
        let text = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: '${A}', b: __B__, c: plain}}\n  namespaceSelector: {matchNames: ['${NS}']}\n  podMetricsEndpoints: []\n";
        let mut sink = Sink::default();
        let documents = documents(parse(FileId::new(0), text, &mut sink), "default", &mut sink);
        let is_later =
            |span: Span| text[span.start as usize..span.end as usize].contains(['$', '_']);
        let definitions = Definitions::default();
        let cluster = Cluster::load_open(
            &documents,
            &CURRENT.version,
            &definitions,
            &is_later,
            &mut sink,
        );
        let spec = &cluster.pod_monitors["default/a"].value.spec;
        let labels = spec
            .selector
            .match_labels
            .iter()
            .flat_map(|labels| labels.iter());
        let labels: Vec<_> = labels
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        assert_eq!(labels, ["a=A", "b=B", "c=plain"]);
        let names = spec
            .namespace_selector
            .as_ref()
            .and_then(|selector| selector.match_names.clone());
        assert_eq!(names, Some(vec!["${NS}".to_owned()]));
    }

    #[test]
    fn a_status_that_does_not_fit_leaves_the_rest() {
        let (cluster, found) = load(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: a}\nspec: {shards: 2}\nstatus: {replicas: many}\n",
        );
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            cluster.prometheuses["default/a"].value.spec.common.shards,
            2
        );
    }

    #[test]
    fn a_manifest_of_a_stateful_set_is_not_observed() {
        let set = |metadata: &str, status: &str| {
            let text = format!(
                "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: a{metadata}}}\nspec: {{}}\n{status}"
            );
            load(&text)
                .0
                .observed_stateful_set(&Key::new("default", "a"))
                .is_some()
        };
        assert!(!set("", "") && !set("", "status: {}\n"));
        assert!(set(", uid: u", "") && set(", generation: 2", ""));
        assert!(set("", "status: {observedGeneration: 1, replicas: 0}\n"));
    }

    #[test]
    fn namespaces_exist_with_their_name_as_a_label() {
        let (cluster, _) = load(
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {team: x}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: b}}\n",
        );
        assert_eq!(
            cluster.namespace_labels("a").unwrap().get("team").unwrap(),
            "x"
        );
        assert_eq!(
            cluster
                .namespace_labels("a")
                .unwrap()
                .get(NAMESPACE_NAME_LABEL)
                .unwrap(),
            "a"
        );
        assert_eq!(
            cluster
                .namespace_labels("b")
                .unwrap()
                .get(NAMESPACE_NAME_LABEL)
                .unwrap(),
            "b"
        );
        assert_eq!(
            cluster.secrets["b/s"].value.metadata.namespace.as_deref(),
            Some("b")
        );
    }

    #[test]
    fn what_is_refused_is_left_out_and_the_rest_stays() {
        let (cluster, found) = load(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: bad}\nspec: {}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: good}\nspec: {selector: {}, colour: red}\n",
        );
        assert_eq!(
            cluster
                .pod_monitors
                .keys()
                .map(Key::as_str)
                .collect::<Vec<_>>(),
            ["default/good"]
        );
        assert_eq!(
            found,
            [
                "PG012 spec.selector: Required value",
                "PG010 unknown field \"spec.colour\""
            ]
        );
    }

    #[test]
    fn a_float_that_is_whole_is_a_whole_number() {
        let (cluster, found) = load(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: a}\nspec: {replicas: 2.0, shards: 1e1, web: {maxConnections: 3.0}}\n",
        );
        assert!(found.is_empty(), "{found:?}");
        let spec = &cluster.prometheuses["default/a"].value.spec.common;
        assert_eq!((spec.replicas, spec.shards), (Some(2), 10));
    }

    /// 1,000 monitors take a few milliseconds: `cargo test --release speed -- --nocapture`.
    #[test]
    fn speed_of_a_thousand_monitors() {
        let text: String = (0..1000)
            .map(|i| {
                format!(
                    "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: monitor-{i}\n  namespace: team-{}\n  labels:\n    app.kubernetes.io/name: app-{i}\nspec:\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: app-{i}\n  namespaceSelector:\n    matchNames: [team-{}]\n  endpoints:\n  - port: metrics\n    interval: 30s\n    path: /metrics\n    relabelings:\n    - sourceLabels: [__meta_kubernetes_pod_node_name]\n      targetLabel: node\n---\n",
                    i % 20,
                    i % 20
                )
            })
            .collect();
        let mut sink = Sink::default();
        let documents = documents(
            parse(FileId::new(0), &text, &mut sink),
            "default",
            &mut sink,
        );
        let _ = Cluster::load(
            &documents[..1],
            &CURRENT.version,
            &Definitions::default(),
            &mut sink,
        );
        #[expect(clippy::disallowed_methods, reason = "a measurement")]
        let start = std::time::Instant::now();
        let cluster = Cluster::load(
            &documents,
            &CURRENT.version,
            &Definitions::default(),
            &mut sink,
        );
        println!(
            "{} KB, {} monitors in {:?}",
            text.len() / 1024,
            cluster.service_monitors.len(),
            start.elapsed()
        );
        assert_eq!(
            (cluster.service_monitors.len(), sink.diagnostics().len()),
            (1000, 0)
        );
    }

    #[test]
    fn keys_sort_as_their_text() {
        let mut keys = [
            Key::new("a", "x"),
            Key::new("a-b", "x"),
            Key::new("a", "b"),
            Key::new("", "z"),
        ];
        keys.sort_unstable();
        assert_eq!(
            keys.iter().map(Key::as_str).collect::<Vec<_>>(),
            ["/z", "a-b/x", "a/b", "a/x"]
        );
        assert_eq!((keys[1].namespace(), keys[1].name()), ("a-b", "x"));
    }
}
