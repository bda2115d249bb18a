//! The policies of a run, as they are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use promgen_derive::Decode;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::{IntOrString, LabelSelector};
use promgen_resources::document::{Manifest, Manifests};
use promgen_text::yaml::{self, Node, StringMap};

use crate::network::policy::{Policy, PolicyPeer, PolicyPort, PolicyRules};

/// The policies of a run.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// NetworkPolicies by namespace.
    by_namespace: BTreeMap<String, OwnPolicies>,
    /// A policy whose namespace nobody says.
    adrift: Option<String>,
    /// A policy of another kind, by its namespace; that of the whole cluster has none.
    foreign: BTreeMap<String, String>,
    /// What service meshes say of requests to pods, by namespace; that of the whole mesh has none.
    of_meshes: BTreeMap<String, Vec<MeshPolicy>>,
}

/// What a service mesh says of requests to pods.
#[derive(Clone, Debug)]
struct MeshPolicy {
    what: String,
    /// The pods. `None`: all.
    pods: Option<Selector>,
}

impl MeshPolicy {
    /// Reads an object. `None` for one that keeps no plain request out.
    fn of(manifest: &Manifest<'_>) -> Option<Self> {
        let of_mesh = match (manifest.group, manifest.kind) {
            ("security.istio.io", "PeerAuthentication") => is_strict(manifest.node),
            ("security.istio.io", "AuthorizationPolicy")
            | ("policy.linkerd.io", "Server" | "AuthorizationPolicy" | "ServerAuthorization") => {
                true
            }
            _ => false,
        };
        let selector = ["selector", "podSelector"];
        let selector = selector
            .iter()
            .find_map(|key| manifest.node.find(&["spec", key]));
        of_mesh.then(|| Self {
            what: format!("{} {}", manifest.kind, manifest.name),
            pods: selector.and_then(|node| Selector::new(&yaml::decode::decode_fitting(node)).ok()),
        })
    }
}

/// Returns whether a PeerAuthentication refuses plain text, on one port at least.
fn is_strict(node: &Node) -> bool {
    node.as_str() == Some("STRICT") || node.children().any(is_strict)
}

/// The namespace in which policies of Istio are about the whole mesh.
const ISTIO: &str = "istio-system";

/// The NetworkPolicies of a namespace, with an index of the labels that they ask for.
#[derive(Clone, Debug, Default)]
struct OwnPolicies {
    /// By name: of two documents the last one counts.
    by_name: BTreeMap<String, Arc<Policy>>,
    /// Those that select no pods without that label, by the label.
    by_label: BTreeMap<(String, String), Vec<Arc<Policy>>>,
    /// The others.
    others: Vec<Arc<Policy>>,
}

promgen_text::lenient! {(pub(super))
    /// Kubernetes: networking/v1.NetworkPolicySpec.
    struct PolicySpec {
        pod_selector: LabelSelector,
        policy_types: Vec<String>,
        ingress: Vec<PolicyIngress>,
        egress: Vec<PolicyEgress>,
    }

    /// Kubernetes: networking/v1.NetworkPolicyIngressRule.
    struct PolicyIngress {
        from: Vec<PeerObject>,
        ports: Vec<PortObject>,
    }

    /// Kubernetes: networking/v1.NetworkPolicyEgressRule.
    struct PolicyEgress {
        to: Vec<PeerObject>,
        ports: Vec<PortObject>,
    }

    /// Kubernetes: networking/v1.NetworkPolicyPeer.
    struct PeerObject {
        namespace_selector: Option<LabelSelector>,
        pod_selector: Option<LabelSelector>,
    }

    /// Kubernetes: networking/v1.NetworkPolicyPort.
    struct PortObject {
        protocol: String,
        port: Option<IntOrString>,
        end_port: Option<i64>,
    }
}

/// The group of NetworkPolicies.
const GROUP: &str = "networking.k8s.io";

/// The groups that have policies of other kinds, which may allow what a NetworkPolicy does not, or deny what it does.
const FOREIGN_GROUPS: &[&str] = &[
    "cilium.io",
    "crd.projectcalico.org",
    "projectcalico.org",
    "policy.networking.k8s.io",
];

impl Policies {
    /// Reads the objects of a run. `is_open`: whether something may change an object, or fills it in later.
    /// `namespace_is_known`: whether the user says where objects are that name no namespace.
    #[must_use]
    pub fn read(
        manifests: &Manifests,
        is_open: &dyn Fn(&Node) -> bool,
        namespace_is_known: bool,
    ) -> Self {
        let mut policies = Self::default();
        let default = namespace_is_known.then_some(&*manifests.namespace);
        for manifest in manifests.iter() {
            if let Some(policy) = MeshPolicy::of(&manifest) {
                let namespace = manifest.namespace.or(default).unwrap_or_default();
                let namespace = if namespace == ISTIO { "" } else { namespace };
                let of_mesh = policies.of_meshes.entry(namespace.to_owned());
                of_mesh.or_default().push(policy);
            }
            if !manifest.kind.ends_with("Policy") {
                continue;
            }
            if manifest.group == GROUP && manifest.kind == "NetworkPolicy" {
                match manifest.namespace.or(default) {
                    Some(namespace) => {
                        policies.add(Policy::of(&manifest, namespace, is_open(manifest.node)))
                    }
                    None => policies.adrift = Some(format!("NetworkPolicy {}", manifest.name)),
                }
            } else if FOREIGN_GROUPS.contains(&manifest.group) {
                let namespace = manifest.namespace.unwrap_or_default();
                policies.foreign.insert(
                    namespace.to_owned(),
                    format!("{} {}", manifest.kind, manifest.name),
                );
            }
        }
        for own in policies.by_namespace.values_mut() {
            own.index();
        }
        policies
    }

    fn add(&mut self, policy: Policy) {
        let own = self
            .by_namespace
            .entry(policy.namespace.clone())
            .or_default();
        own.by_name.insert(policy.name.clone(), Arc::new(policy));
    }

    /// The same with what a cluster has. A policy of the input is what the cluster will have, unless it is filled in later.
    #[must_use]
    pub fn completed(mut self, live: &Manifests) -> Self {
        let cluster = Self::read(live, &|_| false, false);
        self.adrift = None;
        self.by_namespace
            .values_mut()
            .for_each(|own| own.by_name.retain(|_, policy| !policy.is_open));
        for policy in cluster
            .by_namespace
            .into_values()
            .flat_map(|own| own.by_name.into_values())
        {
            let own = self
                .by_namespace
                .entry(policy.namespace.clone())
                .or_default();
            let own = own.by_name.entry(policy.name.clone());
            own.or_insert_with(|| {
                Arc::new(Policy {
                    span: None,
                    ..Policy::clone(&policy)
                })
            });
        }
        self.by_namespace.values_mut().for_each(OwnPolicies::index);
        for (namespace, foreign) in cluster.foreign {
            self.foreign.entry(namespace).or_insert(foreign);
        }
        for (namespace, of_mesh) in cluster.of_meshes {
            self.of_meshes.entry(namespace).or_default().extend(of_mesh);
        }
        self
    }

    /// Returns whether there is no policy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_namespace.is_empty()
    }

    /// The NetworkPolicies of a namespace that may select pods with such labels.
    pub(super) fn of(&self, namespace: &str, labels: &StringMap) -> Vec<&Policy> {
        let Some(own) = self.by_namespace.get(namespace) else {
            return Vec::new();
        };
        let labels = labels
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()));
        let labelled = labels
            .filter_map(|label| own.by_label.get(&label))
            .flatten();
        own.others
            .iter()
            .chain(labelled)
            .map(|policy| &**policy)
            .collect()
    }

    /// What a service mesh says of requests to pods of a namespace.
    pub(super) fn of_mesh(&self, namespace: &str, labels: &StringMap) -> Option<&str> {
        let own = self.of_meshes.get(namespace).into_iter();
        let mut all = own.chain(self.of_meshes.get("")).flatten();
        let is_about = |of: &&MeshPolicy| of.pods.as_ref().is_none_or(|pods| pods.matches(labels));
        all.find(is_about).map(|of| &*of.what)
    }

    /// A policy about pods of a namespace that is not followed.
    pub(super) fn foreign(&self, namespace: &str) -> Option<&str> {
        let foreign = self.foreign.get(namespace).or_else(|| self.foreign.get(""));
        foreign.or(self.adrift.as_ref()).map(String::as_str)
    }
}

impl OwnPolicies {
    fn index(&mut self) {
        self.by_label = BTreeMap::new();
        self.others.clear();
        for policy in self.by_name.values() {
            match policy.label() {
                Some(label) => self.by_label.entry(label).or_default(),
                None => &mut self.others,
            }
            .push(Arc::clone(policy));
        }
    }
}

impl Policy {
    fn of(manifest: &Manifest<'_>, namespace: &str, is_open: bool) -> Self {
        let node = manifest.node;
        let spec: Option<PolicySpec> = match node.get("spec") {
            None => Some(PolicySpec::default()),
            Some(spec) => yaml::decode(spec).ok(),
        };
        let is_open = is_open || spec.is_none();
        let PolicySpec {
            pod_selector,
            policy_types,
            ingress,
            egress,
        } = spec.unwrap_or_default();
        // Without types, a policy is about ingress, and about egress if it has rules of that.
        let has_type = |name: &str| policy_types.iter().any(|own| own == name);
        let has_ingress = policy_types.is_empty() || has_type("Ingress");
        let has_egress = if policy_types.is_empty() {
            !egress.is_empty()
        } else {
            has_type("Egress")
        };
        let ingress = ingress
            .into_iter()
            .map(|rule| PolicyRules::new(rule.from, rule.ports));
        let egress = egress
            .into_iter()
            .map(|rule| PolicyRules::new(rule.to, rule.ports));
        Self {
            namespace: namespace.to_owned(),
            name: manifest.name.to_owned(),
            span: node.find(&["metadata", "name"]).map(|name| name.span),
            pods: Selector::new(&pod_selector).ok(),
            ingress: has_ingress.then(|| ingress.collect()),
            egress: has_egress.then(|| egress.collect()),
            is_open,
        }
    }
}

impl PolicyRules {
    fn new(peers: Vec<PeerObject>, ports: Vec<PortObject>) -> Self {
        let ports = ports.into_iter().map(|port| PolicyPort {
            is_tcp: matches!(port.protocol.as_str(), "" | "TCP"),
            port: port.port,
            end: port.end_port,
        });
        Self {
            peers: peers.into_iter().map(PolicyPeer::of).collect(),
            ports: ports.collect(),
        }
    }
}

impl PolicyPeer {
    /// One that selects neither is a block of addresses.
    fn of(peer: PeerObject) -> Self {
        let PeerObject {
            namespace_selector,
            pod_selector,
        } = peer;
        let read =
            |selector: Option<LabelSelector>| selector.as_ref().map(Selector::new).transpose();
        match (read(namespace_selector), read(pod_selector)) {
            (Ok(None), Ok(None)) | (Err(_), _) | (_, Err(_)) => Self::Unknown,
            (Ok(namespaces), Ok(pods)) => Self::Pods { namespaces, pods },
        }
    }
}
