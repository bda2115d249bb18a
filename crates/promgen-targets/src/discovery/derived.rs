//! Endpoints and EndpointSlices that a cluster has and an input lacks: each follows from the other, and both follow from
//! Services and pods.
//!
//! A dump of a cluster often has one of the two, or neither. The cluster has both for every Service with a selector.

use std::collections::BTreeMap;

use crate::discovery::object::{
    Address, DiscoveredEndpoint, DiscoveredEndpointSlice, DiscoveredEndpoints, DiscoveredObject,
    EndpointConditions, EndpointPort, Subset, TargetRef,
};
use crate::discovery::store::ObjectReader;
use crate::discovery::{DiscoveredObjects, Discovery, SERVICE_NAME};
use promgen_compile::cluster::Key;
use promgen_resources::api::{IntOrString, ObjectMeta, Pod, Service, ServicePort};
use promgen_text::hashed_map::HashedMap;
use promgen_text::shared::Shared;
use promgen_text::yaml::NodeText;

/// The most pods that all Services are compared with.
const MAX_COMPARED: usize = 4_000_000;

/// Pods by namespace, and by each of their labels.
#[derive(Default)]
struct PodsByLabel(HashedMap<(String, NodeText, NodeText), Vec<Shared<Pod>>>);

impl PodsByLabel {
    fn add(&mut self, pod: &Shared<Pod>) {
        for (name, value) in pod.labels() {
            let key = (pod.namespace().to_owned(), name.clone(), value.clone());
            self.0.entry(key).push(pod.clone());
        }
    }

    /// The pods with one of the labels that a Service asks for: the fewest.
    fn near(&self, namespace: &str, service: &Service) -> &[Shared<Pod>] {
        let with = |(name, value): (&NodeText, &NodeText)| {
            let key = (namespace.to_owned(), name.clone(), value.clone());
            self.0.get(&key).map(Vec::as_slice).unwrap_or_default()
        };
        service
            .spec
            .selector
            .iter()
            .map(with)
            .min_by_key(|pods| pods.len())
            .unwrap_or_default()
    }
}

impl ObjectReader {
    /// Adds what the input lacks.
    pub(crate) fn complete(&mut self) {
        let mut slices: BTreeMap<Key, Vec<Shared<DiscoveredEndpointSlice>>> = BTreeMap::new();
        for (key, slice) in self.discovery.slices.iter() {
            if let Some(service) = slice.object.service_name() {
                slices
                    .entry(Key::new(key.namespace(), service))
                    .or_default()
                    .push(slice.object.clone());
            }
        }
        let mut pods = PodsByLabel::default();
        for (_, pod) in self.discovery.pods.iter() {
            let is_over = matches!(pod.object.status.phase.as_str(), "Succeeded" | "Failed");
            if !pod.object.status.pod_ip.is_empty() && !is_over {
                pods.add(&pod.object);
            }
        }
        let services: Vec<(Key, Shared<Service>)> = self
            .discovery
            .services
            .iter()
            .map(|(key, service)| (key.clone(), service.object.clone()))
            .collect();
        let n_compared = services
            .iter()
            .map(|(key, service)| pods.near(key.namespace(), service).len());
        let reads_pods = n_compared.fold(0_usize, usize::saturating_add) <= MAX_COMPARED;
        for (key, service) in services {
            let subsets = self
                .discovery
                .endpoints
                .get(&key)
                .map(|endpoints| endpoints.object.subsets.clone());
            let of_slices = slices.get(&key);
            let derived = match (&subsets, of_slices) {
                (Some(_), Some(_)) => continue,
                (Some(subsets), None) => subsets.clone(),
                (None, Some(slices)) => slices.iter().map(|slice| subset_of(slice)).collect(),
                (None, None) if reads_pods => {
                    of_pods(&service, pods.near(key.namespace(), &service))
                }
                (None, None) => continue,
            };
            if derived.is_empty() {
                continue;
            }
            if of_slices.is_none() {
                for (index, subset) in derived.iter().enumerate() {
                    let mut slice = slice_of(subset);
                    let name = format!("{}-{index}", key.name());
                    slice.metadata = meta(&service, &name, Some(key.name()));
                    self.add(slice, |discovery| &mut discovery.slices);
                }
            }
            if subsets.is_none() {
                let metadata = meta(&service, key.name(), None);
                self.add(
                    DiscoveredEndpoints {
                        metadata,
                        subsets: derived,
                    },
                    |discovery| &mut discovery.endpoints,
                );
            }
        }
    }

    fn add<T: DiscoveredObject>(
        &mut self,
        object: T,
        objects: impl Fn(&mut Discovery) -> &mut DiscoveredObjects<T>,
    ) {
        let key = Key::new(object.namespace(), &object.metadata().name);
        let known = self.labelled(Shared::new(object));
        objects(&mut self.discovery).insert(key, known);
    }
}

/// The metadata of what belongs to a Service.
fn meta(service: &Service, name: &str, of: Option<&str>) -> ObjectMeta {
    let mut labels = service.labels().clone();
    labels.extend(of.map(|service| (SERVICE_NAME.into(), service.into())));
    let namespace = service.metadata.namespace.clone();
    ObjectMeta {
        name: name.into(),
        namespace,
        labels: Some(labels),
        ..ObjectMeta::default()
    }
}

fn subset_of(slice: &DiscoveredEndpointSlice) -> Subset {
    let addresses = |is_ready: bool| {
        let chosen = slice
            .endpoints
            .iter()
            .filter(move |endpoint| (endpoint.conditions.ready != Some(false)) == is_ready);
        let address = |endpoint: &DiscoveredEndpoint| {
            let endpoint = endpoint.clone();
            endpoint.addresses.into_iter().map(move |ip| Address {
                ip,
                hostname: endpoint.hostname.clone().unwrap_or_default(),
                node_name: endpoint.node_name.clone(),
                target_ref: endpoint.target_ref.clone(),
            })
        };
        chosen.flat_map(address).collect()
    };
    let port = |port: &EndpointPort| {
        let (name, protocol) = (port.name.clone(), port.protocol.clone());
        Some(ServicePort {
            name,
            port: port.port?,
            protocol,
            target_port: None,
        })
    };
    Subset {
        addresses: addresses(true),
        not_ready_addresses: addresses(false),
        ports: slice.ports.iter().filter_map(port).collect(),
    }
}

fn slice_of(subset: &Subset) -> DiscoveredEndpointSlice {
    let endpoint = |address: &Address, is_ready: bool| DiscoveredEndpoint {
        addresses: vec![address.ip.clone()],
        conditions: EndpointConditions {
            ready: Some(is_ready),
            serving: Some(is_ready),
            terminating: Some(false),
        },
        hostname: Some(address.hostname.clone()).filter(|name| !name.is_empty()),
        node_name: address.node_name.clone(),
        target_ref: address.target_ref.clone(),
        ..DiscoveredEndpoint::default()
    };
    let ready = subset
        .addresses
        .iter()
        .map(|address| endpoint(address, true));
    let others = subset
        .not_ready_addresses
        .iter()
        .map(|address| endpoint(address, false));
    let is_v6 = subset
        .addresses
        .iter()
        .chain(&subset.not_ready_addresses)
        .any(|address| address.ip.contains(':'));
    let port = |port: &ServicePort| EndpointPort {
        name: Some(port.name.clone().unwrap_or_default()),
        port: Some(port.port),
        protocol: port.protocol.clone(),
        app_protocol: None,
    };
    DiscoveredEndpointSlice {
        address_type: if is_v6 { "IPv6" } else { "IPv4" }.to_owned(),
        endpoints: ready.chain(others).collect(),
        ports: subset.ports.iter().map(port).collect(),
        ..DiscoveredEndpointSlice::default()
    }
}

/// The addresses of the pods behind a Service: those with the same ports together.
fn of_pods(service: &Service, pods: &[Shared<Pod>]) -> Vec<Subset> {
    let (selector, ports) = (&service.spec.selector, &service.spec.ports);
    if selector.is_empty() || service.spec.r#type == "ExternalName" {
        return Vec::new();
    }
    let is_behind = |pod: &&Shared<Pod>| {
        selector
            .iter()
            .all(|(key, value)| pod.labels().get(key) == Some(value))
    };
    let mut subsets: Vec<Subset> = Vec::new();
    for pod in pods.iter().filter(is_behind) {
        let own: Vec<ServicePort> = ports
            .iter()
            .filter_map(|port| own_port(port, pod))
            .collect();
        if own.is_empty() && !ports.is_empty() {
            continue;
        }
        let index = subsets
            .iter()
            .position(|subset| subset.ports == own)
            .unwrap_or_else(|| {
                subsets.push(Subset {
                    ports: own,
                    ..Subset::default()
                });
                subsets.len() - 1
            });
        let is_ready = pod
            .status
            .conditions
            .iter()
            .any(|of| of.r#type == "Ready" && of.status == "True");
        let address = Address {
            ip: pod.status.pod_ip.clone(),
            node_name: Some(pod.spec.node_name.clone()).filter(|name| !name.is_empty()),
            target_ref: Some(TargetRef {
                kind: "Pod".to_owned(),
                namespace: pod.namespace().to_owned(),
                name: pod.metadata.name.to_string(),
            }),
            ..Address::default()
        };
        let Some(subset) = subsets.get_mut(index) else {
            continue;
        };
        if is_ready {
            subset.addresses.push(address)
        } else {
            subset.not_ready_addresses.push(address)
        }
    }
    subsets
}

/// The port of a pod to which a port of a Service leads.
fn own_port(port: &ServicePort, pod: &Pod) -> Option<ServicePort> {
    let number = match &port.target_port {
        None | Some(IntOrString::Int(0)) => port.port,
        Some(IntOrString::Int(number)) => i32::try_from(*number).ok()?,
        Some(IntOrString::String(name)) => {
            let mut ports = pod
                .spec
                .containers
                .iter()
                .flat_map(|container| &container.ports);
            ports.find(|own| own.name == *name)?.container_port
        }
    };
    Some(ServicePort {
        port: number,
        target_port: None,
        ..port.clone()
    })
}
