//! Other kinds in the input than those that promgen compiles: pods and their templates, nodes, autoscalers.
//!
//! In: the objects of a run. Out: the fields that findings depend on. Pod templates count in every kind, because
//! repositories contain Deployments, Rollouts and CloneSets rather than pods.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::resolve::labelled::Selectable;
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests};
use promgen_text::parallel;
use promgen_text::route::DocId;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, Value};

/// The label of nodes that names their zone.
const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// Labels that controllers add to pods, so that templates lack them.
const OF_CONTROLLERS: &[&str] = &[
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
    /// The documents whose namespace nobody says.
    pub adrift: BTreeSet<DocId>,
}

/// Pods of one sort.
#[derive(Clone, Debug, Default)]
pub struct PodSource {
    /// The kind of what makes them, or `Pod`.
    pub kind: String,
    namespace: String,
    is_anywhere: bool,
    name: String,
    labels: BTreeMap<String, String>,
    /// What their annotations say about scrapes, if one asks for them: `prometheus.io/scrape: "true"`.
    pub asked_scrape: Option<AskedScrape>,
    /// The ports that their containers declare.
    pub ports: Vec<PodPort>,
    /// Their containers.
    pub containers: Vec<DeclaredContainer>,
    /// They use the network of their node.
    pub host_network: bool,
    /// The place of their name. `None` if promgen generates them.
    pub span: Option<Span>,
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
        let is_slow = ["scrape-slow", "scrape_slow"].iter().any(|name| text(name) == Some("true"));
        (text("scrape") == Some("true")).then(|| Self { port, path: text("path").map(str::to_owned), is_slow })
    }
}

/// A container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredContainer {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: String,
}

/// A port that a container declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodPort {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its number.
    pub number: i64,
    /// It is one of TCP.
    pub is_tcp: bool,
    /// The name of its container.
    pub container: String,
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

    fn labels(&self) -> &BTreeMap<String, String> {
        &self.labels
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
        let terms = node.get("allowedTopologies").filter(|terms| !terms.items().is_empty());
        let zones_of = |term: &Node| {
            let expressions = term.get("matchLabelExpressions").map_or(&[][..], Node::items);
            // Each driver has a label of its own for the zone, with the same values.
            let is_zone = |of: &&Node| of.get("key").and_then(Node::as_str).is_some_and(|key| key.ends_with("/zone"));
            let values = |of: &Node| -> BTreeSet<String> {
                let values = of.get("values").map_or(&[][..], Node::items);
                values.iter().filter_map(Node::as_str).map(str::to_owned).collect()
            };
            expressions.iter().find(is_zone).map(values)
        };
        let zones = terms.and_then(|terms| {
            let of_terms = terms.items().iter().map(zones_of).collect::<Option<Vec<_>>>()?;
            Some(of_terms.into_iter().flatten().collect())
        });
        Self {
            name: name.to_owned(),
            is_default: node.find(&["metadata", "annotations", DEFAULT]).and_then(Node::as_str) == Some("true"),
            zones,
            span: terms.map_or(place, |terms| terms.span),
        }
    }
}

impl Others {
    /// Reads the objects of a run. Whether the user says where objects are that name no namespace.
    pub fn read(manifests: &Manifests, namespace_is_known: bool) -> Self {
        let mut others = Self::default();
        if !namespace_is_known {
            let adrift = manifests.documents.iter().filter(|document| !document.namespace_is_stated);
            others.adrift = adrift.map(|document| document.id).collect();
        }
        // Most objects of a run are the operator's.
        let is_other = |manifest: &Manifest<'_>| manifest.group != Kind::Prometheus.group();
        let manifests_of: Vec<Manifest<'_>> = manifests.iter().filter(is_other).collect();
        // They are kept with the documents.
        parallel::map(&manifests_of, 64, |manifest| drop(OwnPods::of(manifest)));
        manifests_of.iter().for_each(|manifest| others.add(manifest, &manifests.namespace, namespace_is_known));
        others
    }

    /// Adds what an object has. Those of the operator make no pods here: their workloads are compiled instead.
    fn add(&mut self, manifest: &Manifest<'_>, default: &str, namespace_is_known: bool) {
        let Manifest { kind, name, node, .. } = *manifest;
        let Some(place) = node.find(&["metadata", "name"]).map(|name| name.span) else { return };
        let namespace = manifest.namespace.unwrap_or(default);
        match kind {
            "Namespace" => {
                self.namespaces.insert(name.to_owned());
            }
            "ServiceAccount" => {
                self.service_accounts.insert((namespace.to_owned(), name.to_owned()));
            }
            "Node" => {
                if let Some(zone) = node.find(&["metadata", "labels", ZONE_LABEL]).and_then(Node::as_str) {
                    self.zones.entry(zone.to_owned()).or_insert(place);
                }
            }
            "StorageClass" => self.storage_classes.push(StorageClass::of(node, name, place)),
            "HorizontalPodAutoscaler" | "ScaledObject" => {
                self.autoscalers.extend(autoscaler(&format!("{kind} {namespace}/{name}"), namespace, kind, node));
            }
            _ => {
                let Some(pods) = OwnPods::of(manifest).0.clone() else { return };
                let is_anywhere = !namespace_is_known && stated(node).is_none();
                self.pods.push(PodSource {
                    namespace: namespace.into(),
                    is_anywhere,
                    name: name.into(),
                    kind: kind.into(),
                    span: Some(place),
                    ..pods
                });
            }
        }
    }
}

/// The namespace that an object names.
fn stated(node: &Node) -> Option<&str> {
    node.find(&["metadata", "namespace"]).and_then(Node::as_str).filter(|namespace| !namespace.is_empty())
}

fn autoscaler(what: &str, namespace: &str, kind: &str, node: &Node) -> Option<Autoscaler> {
    let target = node.find(&["spec", "scaleTargetRef"])?;
    let name = target.get("name")?;
    // KEDA scales a Deployment by default.
    let (default, least_field) =
        if kind == "ScaledObject" { ("Deployment", "minReplicaCount") } else { ("", "minReplicas") };
    Some(Autoscaler {
        what: what.to_owned(),
        namespace: namespace.to_owned(),
        kind: target.get("kind").and_then(Node::as_str).unwrap_or(default).to_owned(),
        name: name.as_str()?.to_owned(),
        least_field,
        least: node.find(&["spec", least_field]).and_then(|least| match least.data {
            Data::Int(least) => Some(least),
            _ => None,
        }),
        span: name.span,
    })
}

/// The pods that an object is, or that it makes.
struct OwnPods(Option<PodSource>);

impl OwnPods {
    fn of(manifest: &Manifest<'_>) -> Arc<Self> {
        manifest.node.derive(|node| Self(PodSource::of_node(manifest.kind, node)))
    }
}

impl PodSource {
    /// The pods that an object is, or that it makes. Name, namespace and kind are left to the caller.
    fn of_node(kind: &str, node: &Node) -> Option<Self> {
        let template = if kind == "Pod" {
            node
        } else {
            node.find(&["spec", "template"]).or_else(|| node.find(&["spec", "jobTemplate", "spec", "template"]))?
        };
        template.find(&["spec", "containers"])?;
        Some(Self::of_template(&template.to_value(), &["containers", "initContainers"]))
    }

    /// The pods that a generated object makes.
    pub fn of_value(value: &Value, namespace: &str) -> Option<Self> {
        let (metadata, template) = (value.get("metadata")?, value.get("spec")?.get("template")?);
        let pods = Self::of_template(template, &["containers"]);
        Some(Self {
            kind: text(value, "kind"),
            namespace: Some(text(metadata, "namespace"))
                .filter(|n| !n.is_empty())
                .unwrap_or_else(|| namespace.to_owned()),
            name: text(metadata, "name"),
            ..pods
        })
    }

    /// The pods of a template; the ports are those of these lists of containers.
    fn of_template(template: &Value, lists: &[&str]) -> Self {
        let containers = lists.iter().flat_map(|list| template.get("spec").map(|spec| items(spec, list)));
        let containers: Vec<&Value> = containers.flatten().collect();
        let ports = containers.iter().flat_map(|container| {
            let name = text(container, "name");
            items(container, "ports").iter().map(move |port| (name.clone(), port))
        });
        let port_of = |(container, port): (String, &Value)| PodPort {
            container,
            name: text(port, "name"),
            number: match port.get("containerPort") {
                Some(Value::Int(number)) => *number,
                _ => 0,
            },
            is_tcp: matches!(text(port, "protocol").as_str(), "" | "TCP"),
        };
        let labels = template.get("metadata").and_then(|metadata| metadata.get("labels")).and_then(Value::as_map);
        let label = |(key, value): &(Cow<'static, str>, Value)| Some((key.to_string(), value.as_str()?.to_owned()));
        let annotations = template.get("metadata").and_then(|metadata| metadata.get("annotations"));
        Self {
            asked_scrape: annotations.and_then(|all| AskedScrape::read(|name| all.get(name).and_then(Value::as_str))),
            labels: labels.into_iter().flatten().filter_map(label).collect(),
            ports: ports.map(port_of).collect(),
            containers: containers
                .iter()
                .map(|of| DeclaredContainer { name: text(of, "name"), image: text(of, "image") })
                .collect(),
            host_network: template.get("spec").and_then(|spec| spec.get("hostNetwork")) == Some(&Value::Bool(true)),
            ..Self::default()
        }
    }

    /// `Deployment shop/cart`.
    pub fn what(&self) -> String {
        format!("{} {}/{}", self.kind, self.namespace, self.name)
    }

    /// Their ports by name, or by number where there is no name.
    pub fn port_names(&self) -> Vec<String> {
        let name = |port: &PodPort| match port.name.as_str() {
            "" => port.number.to_string(),
            name => name.to_owned(),
        };
        self.ports.iter().map(name).collect()
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_seq).unwrap_or_default()
}
