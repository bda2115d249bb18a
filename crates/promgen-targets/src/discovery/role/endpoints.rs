//! Role `endpoints`: a target for each port of each address of a service.

use crate::discovery::object::{Address, DiscoveredEndpoints, DiscoveredObject as _, TargetRef};
use crate::discovery::role::backing::{BackingPods, Port};
use crate::discovery::role::{attach, pod};
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, bool_text, meta, set_known};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};
use promgen_resources::api::ServicePort;

/// The group of an Endpoints object.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<DiscoveredEndpoints>,
) -> Option<TargetGroup> {
    let (namespace, name) = (known.object.namespace(), &known.object.metadata.name);
    let mut group = scope.group("endpoints", known);
    let service = scope.service(namespace, name);
    attach::extend(&mut group.labels, service.map(|service| &service.labels));
    let mut backing = BackingPods::new(scope, namespace);
    for subset in &known.object.subsets {
        for port in &subset.ports {
            let ready = subset.addresses.iter().map(|address| (address, true));
            for (address, is_ready) in
                ready.chain(subset.not_ready_addresses.iter().map(|a| (a, false)))
            {
                let mut target = target(scope, port, address, is_ready);
                let pod_port = Port {
                    number: Some(port.port),
                    protocol: Some(port.protocol.as_deref().unwrap_or_default()),
                };
                backing.describe(&mut target, address.target_ref.as_ref(), pod_port);
                scope.push(&mut group, target);
                if group.is_cut {
                    return Some(group);
                }
            }
        }
    }
    backing.rest(&mut group);
    Some(group)
}

fn target(
    scope: &QueryScope<'_>,
    port: &ServicePort,
    address: &Address,
    is_ready: bool,
) -> TargetLabels {
    let mut labels = TargetLabels::from([
        (
            Text::from_static(ADDRESS),
            pod::address(&address.ip, &pod::number(port.port)),
        ),
        (
            meta!("endpoint_port_name"),
            Text::from(port.name.as_deref()),
        ),
        (
            meta!("endpoint_port_protocol"),
            Text::from(port.protocol.as_deref()),
        ),
        (meta!("endpoint_ready"), bool_text(is_ready)),
    ]);
    if let Some(TargetRef { kind, name, .. }) = &address.target_ref {
        labels.insert(meta!("endpoint_address_target_kind"), Text::from(kind));
        labels.insert(meta!("endpoint_address_target_name"), Text::from(name));
    }
    set_known(
        &mut labels,
        [(
            meta!("endpoint_node_name"),
            address.node_name.as_ref().map(Text::from),
        )],
    );
    if !address.hostname.is_empty() {
        labels.insert(meta!("endpoint_hostname"), Text::from(&address.hostname));
    }
    let target_node = address
        .target_ref
        .as_ref()
        .filter(|target| target.kind == "Node");
    let node = address
        .node_name
        .as_deref()
        .or(target_node.map(|node| node.name.as_str()));
    attach::node(scope, &mut labels, node);
    labels
}
