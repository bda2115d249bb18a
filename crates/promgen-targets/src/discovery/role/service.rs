//! Role `service`: a target for each port, by the DNS name of the service.

use crate::discovery::object::DiscoveredObject as _;
use crate::discovery::role::pod::address;
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, meta};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};
use promgen_resources::api::{Service, ServicePort};

/// The group of a service.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<Service>,
) -> Option<TargetGroup> {
    let service = &known.object;
    let mut group = scope.group("svc", known);
    for port in &service.spec.ports {
        scope.push(&mut group, target(service, port));
    }
    Some(group)
}

fn target(service: &Service, port: &ServicePort) -> TargetLabels {
    let spec = &service.spec;
    let host = format!("{}.{}.svc", service.metadata.name, service.namespace());
    let number = port.port.to_string();
    let mut labels = TargetLabels::from([
        (Text::from_static(ADDRESS), address(&host, &number)),
        (meta!("service_port_name"), Text::from(port.name.as_deref())),
        (meta!("service_port_number"), Text::from(number)),
        (
            meta!("service_port_protocol"),
            Text::from(port.protocol.as_deref()),
        ),
        (meta!("service_type"), Text::from(&spec.r#type)),
    ]);
    if spec.r#type == "ExternalName" {
        labels.insert(
            meta!("service_external_name"),
            Text::from(&spec.external_name),
        );
    } else {
        labels.insert(meta!("service_cluster_ip"), Text::from(&spec.cluster_ip));
    }
    if spec.r#type == "LoadBalancer" {
        labels.insert(meta!("service_loadbalancer_ip"), load_balancer_ip(service));
    }
    labels
}

/// The addresses of the load balancer, or else the requested one.
fn load_balancer_ip(service: &Service) -> Text {
    let ips = service
        .status
        .load_balancer
        .ingress
        .iter()
        .map(|ingress| ingress.ip.as_str());
    let ips: Vec<_> = ips.filter(|ip| !ip.is_empty()).collect();
    if ips.is_empty() {
        Text::from(&service.spec.load_balancer_ip)
    } else {
        Text::from(ips.join(","))
    }
}
