//! Ports that monitors name.

use std::fmt;

use crate::resolve::others::{PodPort, PodSource};
use crate::resolve::service::ResolvedService;
use promgen_resources::api::{Endpoint, IntOrString, PodMetricsEndpoint};
use promgen_resources::http_config::filled;
use promgen_text::go::regex::GoRegex;
use promgen_text::suggest;

/// The port of an endpoint of a monitor.
#[derive(Clone, Debug)]
pub struct MonitorPort {
    /// The field that names it: `port`, `portNumber`, `targetPort`.
    pub field: &'static str,
    /// The object that has the port.
    pub of: PortOwner,
    /// Its name or number, as it is written.
    pub text: String,
    name: Name,
}

/// The object that has a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortOwner {
    /// The service's, by name.
    Service,
    /// A container's.
    Pod,
}

#[derive(Clone, Debug)]
enum Name {
    /// Just that.
    Plain,
    /// Prometheus takes it for a regular expression, and so it is.
    Pattern(Box<GoRegex>),
    /// A number.
    Number(i64),
}

impl MonitorPort {
    /// The port of an endpoint of a ServiceMonitor. `None` if it accepts any.
    pub fn of_endpoint(endpoint: &Endpoint) -> Option<Self> {
        match filled(endpoint.port.as_deref()) {
            Some(port) => Some(Self::by_name("port", PortOwner::Service, port)),
            None => Self::by_target(endpoint.target_port.as_ref()?),
        }
    }

    /// The port of an endpoint of a PodMonitor. `None` if it accepts any.
    pub fn of_pod_endpoint(endpoint: &PodMetricsEndpoint) -> Option<Self> {
        if let Some(port) = filled(endpoint.port.as_deref()) {
            return Some(Self::by_name("port", PortOwner::Pod, port));
        }
        match endpoint.port_number.filter(|number| *number != 0) {
            Some(number) => Some(Self::by_number("portNumber", number.into())),
            None => Self::by_target(endpoint.target_port.as_ref()?),
        }
    }

    fn by_target(port: &IntOrString) -> Option<Self> {
        match port {
            IntOrString::String(name) if name.is_empty() => None,
            IntOrString::String(name) => Some(Self::by_name("targetPort", PortOwner::Pod, name)),
            IntOrString::Int(0) => None,
            IntOrString::Int(number) => Some(Self::by_number("targetPort", *number)),
        }
    }

    fn by_name(field: &'static str, of: PortOwner, text: &str) -> Self {
        let is_plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let pattern = if is_plain {
            None
        } else {
            GoRegex::anchored(text).ok()
        };
        let name = pattern.map_or(Name::Plain, |regex| Name::Pattern(Box::new(regex)));
        Self {
            field,
            of,
            text: text.to_owned(),
            name,
        }
    }

    fn by_number(field: &'static str, number: i64) -> Self {
        Self {
            field,
            of: PortOwner::Pod,
            text: number.to_string(),
            name: Name::Number(number),
        }
    }

    fn fits(&self, name: &str, number: i64) -> bool {
        match &self.name {
            Name::Plain => self.text == name,
            Name::Pattern(regex) => regex.is_match(name),
            Name::Number(wanted) => *wanted == number,
        }
    }

    /// The ports of a service that fit, by number in its list. All of them if it is no port of services.
    pub fn in_service(&self, service: &ResolvedService) -> Vec<usize> {
        let fits = |index: &usize| {
            let port = &service.ports()[*index];
            self.of == PortOwner::Pod
                || self.fits(port.name.as_deref().unwrap_or_default(), port.port.into())
        };
        (0..service.ports().len()).filter(fits).collect()
    }

    /// The ports of that name or number that containers of pods declare.
    pub fn of_pods<'p>(&self, pods: &'p PodSource) -> impl Iterator<Item = PodPort<'p>> {
        pods.ports()
            .filter(|port| self.fits(port.name, port.number))
    }

    /// Returns whether a container of such pods declares it.
    pub fn is_in_pods(&self, pods: &PodSource) -> bool {
        self.of_pods(pods).next().is_some()
    }

    /// The numbers of the ports of such pods that fit.
    pub fn numbers_in_pods(&self, pods: &PodSource) -> Vec<i64> {
        self.of_pods(pods).map(|port| port.number).collect()
    }

    /// The name that was most likely meant.
    pub fn closest_name<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        suggest::closest(
            &self.text,
            names.into_iter().filter(|name| !name.is_empty()),
        )
    }
}

impl fmt::Display for MonitorPort {
    /// `` `port: metrics` ``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}: {}`", self.field, self.text)
    }
}
