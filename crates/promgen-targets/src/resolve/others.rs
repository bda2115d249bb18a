//! Other kinds in the input than those that promgen compiles: pods and their templates, nodes, autoscalers.
//!
//! In: the objects of a run. Out: the fields that findings depend on. Pod templates count in every kind, because
//! repositories contain Deployments, Rollouts and CloneSets rather than pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::resolve::labelled::{NO_LABELS, Selectable};
use promgen_compile::cluster::{Cluster, Key, Object};
use promgen_compile::sharding::ZONE_LABEL;
use promgen_resources::api::{Kind, Pod, PodContainer, PodSpec};
use promgen_resources::document::{self, Manifest, Manifests};
use promgen_text::CollectOrdered;
use promgen_text::parallel;
use promgen_text::route::DocId;
use promgen_text::shared::Shared;
use promgen_text::source::Span;
use promgen_text::yaml::decode::{decode_fitting, from_json};
use promgen_text::yaml::{Data, Node, StringMap, Value};

/// Labels that controllers add to pods, so that templates lack them.
pub const OF_CONTROLLERS: &[&str] = &[
    "apps.kubernetes.io/pod-index",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-name",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-generation",
    "pod-template-hash",
    "rollouts-pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
];

/// Returns whether a controller puts that label on pods.
pub fn is_of_controller(key: &str) -> bool {
    OF_CONTROLLERS.contains(&key)
}

/// The other objects in the input.
#[derive(Debug, Default)]
pub struct Others {
    /// Pods and their templates.
    pub pods: Vec<PodSource>,
    /// The namespaces that have a manifest.
    pub namespaces: BTreeSet<String>,
    /// The ServiceAccounts, by namespace and name.
    pub service_accounts: BTreeSet<(String, String)>,
    /// The zone of each node that has one, with the place of its name.
    pub zones: BTreeMap<String, Span>,
    /// The autoscalers that set the number of shards.
    pub autoscalers: Vec<Autoscaler>,
    /// The StorageClasses.
    pub storage_classes: Vec<StorageClass>,
    /// The Ingresses.
    pub ingresses: Vec<IngressSource>,
    /// The documents whose namespace nobody says.
    pub adrift: BTreeSet<DocId>,
}

/// Pods of one sort.
#[derive(Clone, Debug)]
pub struct PodSource {
    /// The kind of what makes them, or `Pod`.
    pub kind: String,
    namespace: String,
    is_anywhere: bool,
    name: String,
    /// There are none: `replicas: 0`, and no autoscaler starts some.
    pub is_stopped: bool,
    /// One of them: its metadata and its spec.
    pod: Shared<Pod>,
    /// The place of their name. `None` if promgen generates them.
    pub span: Option<Span>,
}

/// An Ingress, which a Probe may select.
#[derive(Clone, Debug)]
pub struct IngressSource {
    namespace: String,
    is_anywhere: bool,
    name: String,
    labels: StringMap,
    /// The place of its name.
    pub span: Span,
}

impl Selectable for IngressSource {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn is_anywhere(&self) -> bool {
        self.is_anywhere
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn labels(&self) -> &StringMap {
        &self.labels
    }

    fn is_given(&self) -> bool {
        true
    }
}

/// A scrape that annotations ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedScrape {
    /// `prometheus.io/port`.
    pub port: Option<i64>,
    /// `prometheus.io/path`.
    pub path: Option<String>,
    /// It is asked for less often: `prometheus.io/scrape-slow: "true"`.
    pub is_slow: bool,
}

impl AskedScrape {
    /// Reads annotations. `None` if none asks for a scrape.
    pub fn read<'a>(annotation: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let text = |name: &str| annotation(&format!("prometheus.io/{name}"));
        let port = text("port").and_then(|port| port.parse().ok());
        let is_slow = ["scrape-slow", "scrape_slow"]
            .iter()
            .any(|name| text(name) == Some("true"));
        (text("scrape") == Some("true")).then(|| Self {
            port,
            path: text("path").map(str::to_owned),
            is_slow,
        })
    }
}

/// A port that a container declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodPort<'p> {
    /// Its name; empty if it has none.
    pub name: &'p str,
    /// Its number.
    pub number: i64,
    /// It is one of TCP.
    pub is_tcp: bool,
    /// Its protocol.
    pub protocol: &'p str,
    /// The name of its container.
    pub container: &'p str,
}

/// The containers of a pod, then those that run before them, each with whether it is of the latter.
pub fn containers(pod: &PodSpec) -> impl Iterator<Item = (&PodContainer, bool)> {
    let (main, init) = (pod.containers.iter(), pod.init_containers.iter());
    main.map(|container| (container, false))
        .chain(init.map(|container| (container, true)))
}

/// The ports that the containers of a pod declare.
pub fn ports(pod: &PodSpec) -> impl Iterator<Item = PodPort<'_>> {
    containers(pod).flat_map(
        |(
            PodContainer {
                name: container,
                ports,
                ..
            },
            _,
        )| {
            ports.iter().map(move |port| PodPort {
                name: &port.name,
                number: port.container_port.into(),
                is_tcp: matches!(port.protocol.as_str(), "" | "TCP"),
                protocol: if port.protocol.is_empty() {
                    "TCP"
                } else {
                    &port.protocol
                },
                container,
            })
        },
    )
}

impl Selectable for PodSource {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn is_anywhere(&self) -> bool {
        self.is_anywhere
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn labels(&self) -> &StringMap {
        self.pod.metadata.labels.as_ref().unwrap_or(&NO_LABELS)
    }

    fn is_given(&self) -> bool {
        self.span.is_some()
    }
}

/// An autoscaler of a workload.
#[derive(Clone, Debug)]
pub struct Autoscaler {
    /// Its kind and name: `HorizontalPodAutoscaler monitoring/k8s`.
    pub what: String,
    /// Its namespace: that of what it scales.
    pub namespace: String,
    /// The kind that it scales.
    pub kind: String,
    /// The name of what it scales.
    pub name: String,
    /// The field with the least number: `minReplicas`.
    pub least_field: &'static str,
    /// The least number that it sets.
    pub least: Option<i64>,
    /// The place of its target.
    pub span: Span,
}

/// A StorageClass.
#[derive(Clone, Debug)]
pub struct StorageClass {
    /// Its name.
    pub name: String,
    /// Claims that name no class are of this one.
    pub is_default: bool,
    /// The zones that its volumes are in. `None`: any.
    pub zones: Option<BTreeSet<String>>,
    /// The place of what limits the zones, or of its name.
    pub span: Span,
}

impl StorageClass {
    /// Reads a StorageClass. Kubernetes: a volume fits one of the terms, and all expressions of that.
    fn of(node: &Node, name: &str, place: Span) -> Self {
        const DEFAULT: &str = "storageclass.kubernetes.io/is-default-class";
        let terms = node
            .get("allowedTopologies")
            .filter(|terms| !terms.items().is_empty());
        let zones_of = |term: &Node| {
            let expressions = term.items_of("matchLabelExpressions");
            // Each driver has a label of its own for the zone, with the same values.
            let is_zone = |of: &&Node| of.text_of("key").is_some_and(|key| key.ends_with("/zone"));
            let values = |of: &Node| -> BTreeSet<String> {
                let values = of.items_of("values");
                values
                    .iter()
                    .filter_map(Node::as_str)
                    .map(str::to_owned)
                    .collect()
            };
            expressions.iter().find(is_zone).map(values)
        };
        let zones = terms.and_then(|terms| {
            let of_terms = terms
                .items()
                .iter()
                .map(zones_of)
                .collect::<Option<Vec<_>>>()?;
            Some(of_terms.into_iter().flatten().collect())
        });
        Self {
            name: name.to_owned(),
            is_default: node.text_at(&["metadata", "annotations", DEFAULT]) == Some("true"),
            zones,
            span: terms.map_or(place, |terms| terms.span),
        }
    }
}

impl Others {
    /// Reads the objects of a run. Whether the user says where objects are that name no namespace.
    pub fn read(manifests: &Manifests, cluster: &Cluster, namespace_is_known: bool) -> Self {
        let mut others = Self::default();
        if !namespace_is_known {
            let adrift = manifests
                .documents
                .iter()
                .filter(|document| !document.namespace_is_stated);
            others.adrift = adrift.map(|document| document.id).collect_set();
        }
        // Most objects of a run are the operator's.
        let is_other = |manifest: &Manifest<'_>| manifest.group != Kind::Prometheus.group();
        let manifests_of: Vec<Manifest<'_>> = manifests.iter().filter(is_other).collect();
        // They are kept with the documents.
        parallel::map(&manifests_of, 64, |manifest| drop(MadePod::of(manifest)));
        manifests_of
            .iter()
            .for_each(|manifest| others.add(manifest, manifests, cluster, namespace_is_known));
        // A HorizontalPodAutoscaler leaves what has no replicas alone, unless none is what it may set.
        let starts = |of: &&Autoscaler| {
            !of.what.starts_with("HorizontalPodAutoscaler ") || of.least == Some(0)
        };
        let scaled = |pods: &PodSource| {
            others.autoscalers.iter().filter(starts).any(|of| {
                (&of.namespace, &of.kind, &of.name) == (&pods.namespace, &pods.kind, &pods.name)
            })
        };
        let scaled: Vec<bool> = others.pods.iter().map(scaled).collect();
        for (pods, is_scaled) in others.pods.iter_mut().zip(scaled) {
            pods.is_stopped &= !is_scaled;
        }
        others
    }

    /// Adds what an object has. Those of the operator make no pods here: their workloads are compiled instead.
    fn add(
        &mut self,
        manifest: &Manifest<'_>,
        manifests: &Manifests,
        cluster: &Cluster,
        namespace_is_known: bool,
    ) {
        let Manifest {
            kind, name, node, ..
        } = *manifest;
        let Some(place) = node.find(&["metadata", "name"]).map(|name| name.span) else {
            return;
        };
        let namespace = manifest.namespace.unwrap_or(&manifests.namespace);
        let is_anywhere = !namespace_is_known && stated(node).is_none();
        match kind {
            "Namespace" => {
                self.namespaces.insert(name.to_owned());
            }
            "ServiceAccount" => {
                self.service_accounts
                    .insert((namespace.to_owned(), name.to_owned()));
            }
            "Node" => {
                if let Some(zone) = node.text_at(&["metadata", "labels", ZONE_LABEL]) {
                    self.zones.entry(zone.to_owned()).or_insert(place);
                }
            }
            "StorageClass" => self
                .storage_classes
                .push(StorageClass::of(node, name, place)),
            "Ingress" => {
                let labels = node.find(&["metadata", "labels"]);
                self.ingresses.push(IngressSource {
                    namespace: namespace.to_owned(),
                    is_anywhere,
                    name: name.to_owned(),
                    labels: labels.and_then(decode_fitting).unwrap_or_default(),
                    span: place,
                });
            }
            "HorizontalPodAutoscaler" | "ScaledObject" => {
                self.autoscalers.extend(autoscaler(
                    &format!("{kind} {namespace}/{name}"),
                    namespace,
                    kind,
                    node,
                ));
            }
            _ => {
                let known = if kind == "Pod" {
                    cluster.pods.get(&Key::new(namespace, name))
                } else {
                    None
                };
                let is_it = |pod: &Object<Pod>| {
                    document::find(&manifests.documents, pod.doc)
                        .is_some_and(|of| of.node.is_same(node))
                };
                let pods = match known {
                    Some(pod) if is_it(pod) => Some(pod.value.clone()),
                    // A manifest and the live object are one.
                    Some(_) => return,
                    None => MadePod::of(manifest).0.clone(),
                };
                self.pods.extend(pods.map(|pod| PodSource {
                    namespace: namespace.into(),
                    is_anywhere,
                    name: name.into(),
                    kind: kind.into(),
                    is_stopped: is_zero(node.find(&["spec", "replicas"])),
                    span: Some(place),
                    pod,
                }));
            }
        }
    }
}

fn is_zero(node: Option<&Node>) -> bool {
    node.is_some_and(|node| matches!(node.data, Data::Int(0)))
}

/// The namespace that an object names.
fn stated(node: &Node) -> Option<&str> {
    node.text_at(&["metadata", "namespace"])
        .filter(|namespace| !namespace.is_empty())
}

fn autoscaler(what: &str, namespace: &str, kind: &str, node: &Node) -> Option<Autoscaler> {
    let target = node.find(&["spec", "scaleTargetRef"])?;
    let name = target.get("name")?;
    // KEDA scales a Deployment by default.
    let (default, least_field) = if kind == "ScaledObject" {
        ("Deployment", "minReplicaCount")
    } else {
        ("", "minReplicas")
    };
    Some(Autoscaler {
        what: what.to_owned(),
        namespace: namespace.to_owned(),
        kind: target.text_of("kind").unwrap_or(default).to_owned(),
        name: name.as_str()?.to_owned(),
        least_field,
        least: node
            .find(&["spec", least_field])
            .and_then(|least| match least.data {
                Data::Int(least) => Some(least),
                _ => None,
            }),
        span: name.span,
    })
}

/// A pod as an object makes it: metadata and spec, as far as they fit.
struct MadePod(Option<Shared<Pod>>);

impl MadePod {
    fn of(manifest: &Manifest<'_>) -> Arc<Self> {
        manifest
            .node
            .derive(|node| Self(Self::read(manifest.kind, node)))
    }

    fn read(kind: &str, node: &Node) -> Option<Shared<Pod>> {
        let template = match kind {
            "Pod" => node,
            _ => node
                .find(&["spec", "template"])
                .or_else(|| node.find(&["spec", "jobTemplate", "spec", "template"]))?,
        };
        template.find(&["spec", "containers"])?;
        let metadata = template
            .get("metadata")
            .map(decode_fitting)
            .unwrap_or_default();
        let spec = template.get("spec").map(decode_fitting).unwrap_or_default();
        Some(Shared::new(Pod {
            metadata,
            spec,
            ..Pod::default()
        }))
    }
}

impl PodSource {
    /// The pods that a generated object makes.
    pub fn of_value(value: &Value, namespace: &str) -> Option<Self> {
        let (metadata, template) = (value.get("metadata")?, value.get("spec")?.get("template")?);
        let mut pod: Pod = from_json(&serde_json::to_value(template).ok()?).ok()?;
        pod.spec.init_containers.clear();
        let text = |value: &Value, key: &str| value.text_of(key).unwrap_or_default().to_owned();
        Some(Self {
            kind: text(value, "kind"),
            namespace: Some(text(metadata, "namespace"))
                .filter(|n| !n.is_empty())
                .unwrap_or_else(|| namespace.to_owned()),
            is_anywhere: false,
            is_stopped: value.get("spec")?.get("replicas") == Some(&Value::Int(0)),
            name: text(metadata, "name"),
            pod: Shared::new(pod),
            span: None,
        })
    }

    /// Its pods, as far as it says.
    pub fn spec(&self) -> &PodSpec {
        &self.pod.spec
    }

    /// Their containers.
    pub fn containers(&self) -> impl Iterator<Item = &PodContainer> {
        containers(&self.pod.spec).map(|(container, _)| container)
    }

    /// The ports that their containers declare.
    pub fn ports(&self) -> impl Iterator<Item = PodPort<'_>> {
        ports(&self.pod.spec)
    }

    /// What their annotations say about scrapes, if one asks for them: `prometheus.io/scrape: "true"`.
    pub fn asked_scrape(&self) -> Option<AskedScrape> {
        let annotations = self.pod.metadata.annotations.as_ref()?;
        AskedScrape::read(|name| annotations.get(name).map(|value| &**value))
    }

    /// `Deployment shop/cart`.
    pub fn what(&self) -> String {
        format!("{} {}/{}", self.kind, self.namespace, self.name)
    }

    /// Their ports by name, or by number where there is no name.
    pub fn port_names(&self) -> Vec<String> {
        let name = |port: PodPort<'_>| {
            if port.name.is_empty() {
                port.number.to_string()
            } else {
                port.name.to_owned()
            }
        };
        self.ports().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::release::CURRENT;
    use promgen_resources::schema::Definitions;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn pods(text: &str) -> Vec<PodSource> {
        let sink = &mut Sink::default();
        let manifests = Manifests::read(read(FileId::new(0), text, sink), "here", sink);
        let cluster = Cluster::load(
            &manifests.documents,
            &CURRENT.version,
            &Definitions::default(),
            sink,
        );
        Others::read(&manifests, &cluster, true).pods
    }

    #[test]
    fn what_does_not_fit_a_template_leaves_the_rest() {
        let found = pods(
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {\
             metadata: {labels: {app: a, version: 1.0}, annotations: {prometheus.io/scrape: 'true', n: 5}}, \
             spec: {hostNetwork: true, initContainers: {}, containers: [5, {name: c, image: [], ports: [\
             {name: web, containerPort: '${PORT}'}, {containerPort: 80, protocol: UDP}]}]}}}}",
        );
        let ports: Vec<_> = found[0].ports().collect();
        let port = |name, number, is_tcp| PodPort {
            name,
            number,
            is_tcp,
            protocol: if is_tcp { "TCP" } else { "UDP" },
            container: "c",
        };
        assert_eq!(ports, [port("web", 0, true), port("", 80, false)]);
        assert_eq!(
            found[0].labels().iter().collect::<Vec<_>>(),
            [(&"app".into(), &"a".into())]
        );
        assert!(found[0].asked_scrape().is_some() && found[0].spec().host_network);
    }

    #[test]
    fn a_pod_and_its_live_object_are_one_and_a_refused_one_is_kept() {
        let pod = |metadata: &str, port: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{{metadata}}}, \
                 spec: {{containers: [{{name: c, ports: [{{containerPort: {port}}}]}}]}}}}\n---\n"
            )
        };
        let texts = [
            pod("name: a", "80"),
            pod("name: a, uid: u, labels: {b: c}", "81"),
            pod("name: b", "x"),
        ];
        let found = pods(&texts.concat());
        let numbers = |pods: &PodSource| pods.ports().map(|port| port.number).collect::<Vec<_>>();
        let found: Vec<_> = found
            .iter()
            .map(|pods| (pods.what(), numbers(pods), pods.labels().len()))
            .collect();
        assert_eq!(
            found,
            [
                ("Pod here/a".to_owned(), vec![80], 0),
                ("Pod here/b".to_owned(), vec![0], 0)
            ]
        );
    }
}
