//! Role `node`: the kubelet of each node.

use crate::discovery::object::DiscoveredNode;
use crate::discovery::role::pod::address;
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, meta};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};
use promgen_prometheus::config::sanitize;

/// Types of addresses, best first.
const ADDRESS_TYPES: [&str; 6] = [
    "InternalIP",
    "InternalDNS",
    "ExternalIP",
    "ExternalDNS",
    "LegacyHostIP",
    "Hostname",
];

/// The group of a node. One without any address has none.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<DiscoveredNode>,
) -> Option<TargetGroup> {
    let (node, name) = (&known.object, &known.object.metadata.name);
    let addresses = &node.status.addresses;
    let host = ADDRESS_TYPES
        .iter()
        .find_map(|wanted| addresses.iter().find(|address| address.r#type == *wanted))?;
    let mut group = TargetGroup {
        source: format!("node/{name}"),
        labels: known.labels.clone(),
        ..TargetGroup::default()
    };
    group.labels.insert(
        meta!("node_provider_id"),
        Text::from(&node.spec.provider_id),
    );
    for condition in &node.status.conditions {
        let label = format!(
            "__meta_kubernetes_node_condition_{}",
            sanitize(&condition.r#type.to_lowercase())
        );
        group.labels.insert(
            Text::from(label),
            Text::from(condition.status.to_lowercase()),
        );
    }
    let port = node
        .status
        .daemon_endpoints
        .kubelet_endpoint
        .port
        .to_string();
    let mut target = TargetLabels::from([
        (Text::from_static(ADDRESS), address(&host.address, &port)),
        (Text::from_static("instance"), Text::from(&**name)),
    ]);
    for address in addresses {
        let label = format!(
            "__meta_kubernetes_node_address_{}",
            sanitize(&address.r#type)
        );
        target
            .entry(Text::from(label))
            .or_insert_with(|| Text::from(&address.address));
    }
    scope.push(&mut group, target);
    Some(group)
}
