//! Ports of Services that lead to no port of a container.

use promgen_resources::api::{IntOrString, ServicePort};
use promgen_resources::http_config::filled;
use promgen_targets::resolve::others::PodSource;

/// The protocol of ports that state none.
const TCP: &str = "TCP";

/// A named `targetPort` that no container declares.
pub struct UnresolvedPort<'p> {
    /// The name.
    pub target: &'p str,
    /// The protocol of the port of the Service.
    pub protocol: &'p str,
    /// The protocol of a port that has the name.
    pub other: Option<&'p str>,
}

/// The named `targetPort` of a port of a Service, if pods do not declare it with its protocol, so that there is no endpoint.
pub fn unresolved<'p>(port: &'p ServicePort, pods: &[&'p PodSource]) -> Option<UnresolvedPort<'p>> {
    let Some(IntOrString::String(target)) = &port.target_port else {
        return None;
    };
    let protocol = filled(port.protocol.as_deref()).unwrap_or(TCP);
    let named = pods.iter().flat_map(|pods| pods.ports());
    let named: Vec<&str> = named
        .filter(|port| port.name == target)
        .map(|port| port.protocol)
        .collect();
    let is_name = !pods.is_empty() && target.parse::<i64>().is_err();
    (is_name && !named.contains(&protocol)).then(|| UnresolvedPort {
        target,
        protocol,
        other: named.first().copied(),
    })
}

/// `no container behind Service shop/cart declares a port "web"`.
pub fn unresolved_words(who: &str, port: &UnresolvedPort<'_>) -> String {
    let UnresolvedPort {
        target,
        protocol,
        other,
    } = port;
    match other {
        Some(other) => format!(
            "no container behind {who} declares a {protocol} port \"{target}\": that of this name is a {other} port"
        ),
        None => format!("no container behind {who} declares a port \"{target}\""),
    }
}
