//! Role `pod`: a target for each port of each container.

use crate::discovery::object::DiscoveredObject as _;
use crate::discovery::role::attach;
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, bool_text, meta, set_known};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};
use crate::resolve::others::containers;
use promgen_resources::api::{ContainerStatus, DeclaredPort, Pod, PodContainer};

/// The group of a pod. A pod without an address has no targets, and neither has one whose node is requested and
/// missing.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<Pod>,
) -> Option<TargetGroup> {
    let pod = &known.object;
    let namespace = pod.namespace();
    let mut group = TargetGroup {
        source: format!("pod/{namespace}/{}", pod.metadata.name),
        ..TargetGroup::default()
    };
    if pod.status.pod_ip.is_empty() {
        return Some(group);
    }
    group.labels = labels(known);
    group
        .labels
        .insert(meta!("namespace"), Text::from(namespace));
    attach::namespace(scope, &mut group.labels, namespace);
    attach::owners(scope, &mut group.labels, pod);
    let has_node = attach::node(scope, &mut group.labels, Some(&pod.spec.node_name));
    if has_node || !scope.query.attach.node {
        for (container, is_init) in containers(&pod.spec) {
            container_targets(scope, &mut group, pod, container, is_init);
        }
    }
    Some(group)
}

fn container_targets(
    scope: &QueryScope<'_>,
    group: &mut TargetGroup,
    pod: &Pod,
    container: &PodContainer,
    is_init: bool,
) {
    let ip = &pod.status.pod_ip;
    let statuses = if is_init {
        &pod.status.init_container_statuses
    } else {
        &pod.status.container_statuses
    };
    let mut shared = container_labels(container, is_init);
    shared.insert(
        meta!("pod_container_id"),
        container_id(statuses, &container.name),
    );
    if container.ports.is_empty() {
        shared.insert(Text::from_static(ADDRESS), Text::from(ip));
        return scope.push(group, shared);
    }
    for port in &container.ports {
        let mut target = shared.clone();
        target.insert(
            Text::from_static(ADDRESS),
            address(ip, &number(port.container_port)),
        );
        port_labels(&mut target, port);
        scope.push(group, target);
    }
}

fn container_id(statuses: &[ContainerStatus], name: &str) -> Text {
    statuses
        .iter()
        .find(|status| status.name == name)
        .map_or(Text::from_static(""), |s| Text::from(&s.container_id))
}

/// The labels of every target of a pod, except for the namespace.
pub(crate) fn labels(known: &LabelledObject<Pod>) -> TargetLabels {
    let (pod, mut labels) = (&known.object, known.labels.clone());
    let ready = pod
        .status
        .conditions
        .iter()
        .find(|condition| condition.r#type == "Ready");
    labels.extend([
        (meta!("pod_ip"), Text::from(&pod.status.pod_ip)),
        (
            meta!("pod_ready"),
            ready.map_or(Text::from_static("unknown"), |c| {
                Text::from(c.status.to_lowercase())
            }),
        ),
        (meta!("pod_phase"), Text::from(&pod.status.phase)),
        (meta!("pod_node_name"), Text::from(&pod.spec.node_name)),
        (meta!("pod_host_ip"), Text::from(&pod.status.host_ip)),
        (
            meta!("pod_uid"),
            Text::from(pod.metadata.uid.as_deref().map(String::as_str)),
        ),
    ]);
    if let Some(controller) = pod.controller() {
        let filled = |text: &str| (!text.is_empty()).then(|| Text::from(text));
        set_known(
            &mut labels,
            [
                (meta!("pod_controller_kind"), filled(&controller.kind)),
                (meta!("pod_controller_name"), filled(&controller.name)),
            ],
        );
    }
    labels
}

/// The labels of a target's container.
pub(crate) fn container_labels(container: &PodContainer, is_init: bool) -> TargetLabels {
    TargetLabels::from([
        (meta!("pod_container_name"), Text::from(&container.name)),
        (meta!("pod_container_image"), Text::from(&container.image)),
        (meta!("pod_container_init"), bool_text(is_init)),
    ])
}

/// The labels of a target's container port.
pub(crate) fn port_labels(labels: &mut TargetLabels, port: &DeclaredPort) {
    labels.extend([
        (meta!("pod_container_port_name"), Text::from(&port.name)),
        (
            meta!("pod_container_port_number"),
            Text::from(number(port.container_port)),
        ),
        (
            meta!("pod_container_port_protocol"),
            Text::from(&port.protocol),
        ),
    ]);
}

/// A port as Prometheus prints it: as a number without a sign of 64 bits.
pub(crate) fn number(port: i32) -> String {
    i64::from(port).cast_unsigned().to_string()
}

/// Host and port, with brackets around an IPv6 address.
pub(crate) fn address(host: &str, port: &str) -> Text {
    Text::from(if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    })
}
