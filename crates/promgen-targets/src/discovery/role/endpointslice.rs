//! Role `endpointslice`: a target for each port of each address of a slice.

use crate::discovery::object::{
    DiscoveredEndpoint, DiscoveredEndpointSlice, DiscoveredObject as _, EndpointPort, TargetRef,
};
use crate::discovery::role::backing::{BackingPods, Port};
use crate::discovery::role::{attach, pod};
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, bool_text, meta, set_known};
use crate::discovery::{ADDRESS, LabelledObject, SERVICE_NAME, TargetGroup};
use promgen_prometheus::config::sanitize;
use promgen_resources::api::Service;

impl DiscoveredEndpointSlice {
    /// The name of its service.
    pub(crate) fn service_name(&self) -> Option<&str> {
        self.labels().get(SERVICE_NAME).map(|name| &**name)
    }
}

/// The group of an EndpointSlice.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<DiscoveredEndpointSlice>,
) -> Option<TargetGroup> {
    let slice = &known.object;
    let mut group = scope.group("endpointslice", known);
    group.labels.insert(
        meta!("endpointslice_address_type"),
        Text::from(&slice.address_type),
    );
    let service = slice
        .service_name()
        .and_then(|name| scope.service(slice.namespace(), name));
    attach::extend(&mut group.labels, service.map(|service| &service.labels));
    if service.is_none_or(|service| is_first_family(&service.object, &slice.address_type)) {
        targets(scope, &mut group, slice);
    }
    Some(group)
}

/// Returns whether targets of that address type count. The others of a dual-stack service are the same pods once more.
fn is_first_family(service: &Service, address_type: &str) -> bool {
    let is_dual = matches!(
        service.spec.ip_family_policy.as_str(),
        "PreferDualStack" | "RequireDualStack"
    );
    service
        .spec
        .ip_families
        .first()
        .is_none_or(|first| !is_dual || first == address_type)
}

fn targets<'d>(
    scope: &QueryScope<'d>,
    group: &mut TargetGroup,
    slice: &'d DiscoveredEndpointSlice,
) {
    let mut backing = BackingPods::new(scope, slice.namespace());
    for endpoint in &slice.endpoints {
        let shared = endpoint_labels(scope, endpoint);
        for port in &slice.ports {
            for address in &endpoint.addresses {
                let mut target = shared.clone();
                target.extend(port_labels(address, port));
                let pod_port = Port {
                    number: port.port,
                    protocol: None,
                };
                backing.describe(&mut target, endpoint.target_ref.as_ref(), pod_port);
                scope.push(group, target);
                if group.is_cut {
                    return;
                }
            }
        }
    }
    backing.rest(group);
}

fn port_labels(address: &str, port: &EndpointPort) -> TargetLabels {
    let number = port.port.map(pod::number);
    let address = number.as_ref().map_or_else(
        || Text::from(address),
        |number| pod::address(address, number),
    );
    let mut labels = TargetLabels::from([(Text::from_static(ADDRESS), address)]);
    set_known(
        &mut labels,
        [
            (meta!("endpointslice_port"), number.map(Text::from)),
            (
                meta!("endpointslice_port_name"),
                port.name.as_ref().map(Text::from),
            ),
            (
                meta!("endpointslice_port_protocol"),
                port.protocol.as_ref().map(Text::from),
            ),
            (
                meta!("endpointslice_port_app_protocol"),
                port.app_protocol.as_ref().map(Text::from),
            ),
        ],
    );
    labels
}

/// The labels that the targets of an endpoint share.
fn endpoint_labels(scope: &QueryScope<'_>, endpoint: &DiscoveredEndpoint) -> TargetLabels {
    let mut labels = TargetLabels::new();
    let conditions = &endpoint.conditions;
    let texts = [
        (
            meta!("endpointslice_endpoint_conditions_ready"),
            conditions.ready.map(bool_text),
        ),
        (
            meta!("endpointslice_endpoint_conditions_serving"),
            conditions.serving.map(bool_text),
        ),
        (
            meta!("endpointslice_endpoint_conditions_terminating"),
            conditions.terminating.map(bool_text),
        ),
        (
            meta!("endpointslice_endpoint_hostname"),
            endpoint.hostname.as_ref().map(Text::from),
        ),
        (
            meta!("endpointslice_endpoint_node_name"),
            endpoint.node_name.as_ref().map(Text::from),
        ),
        (
            meta!("endpointslice_endpoint_zone"),
            endpoint.zone.as_ref().map(Text::from),
        ),
    ];
    set_known(&mut labels, texts);
    if let Some(TargetRef { kind, name, .. }) = &endpoint.target_ref {
        labels.insert(meta!("endpointslice_address_target_kind"), Text::from(kind));
        labels.insert(meta!("endpointslice_address_target_name"), Text::from(name));
    }
    for (name, value) in &endpoint.deprecated_topology {
        let name = sanitize(name);
        let label = |infix: &str| {
            Text::from(format!(
                "__meta_kubernetes_endpointslice_endpoint_topology_{infix}{name}"
            ))
        };
        labels.insert(label(""), Text::from(&**value));
        labels.insert(label("present_"), bool_text(true));
    }
    let target_node = endpoint
        .target_ref
        .as_ref()
        .filter(|target| target.kind == "Node");
    let node = target_node
        .map(|node| node.name.as_str())
        .or(endpoint.node_name.as_deref());
    attach::node(scope, &mut labels, node);
    labels
}
