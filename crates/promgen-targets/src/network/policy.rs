//! One NetworkPolicy.
//!
//! Kubernetes: networking/v1.NetworkPolicySpec; its documentation says what each field means.

use std::fmt;

use promgen_prometheus::labels::{Operator, Requirement, Selector};
use promgen_resources::api::IntOrString;
use promgen_text::source::Span;
use promgen_text::yaml::StringMap;

use crate::network::truth::Truth;
use crate::network::{NetworkPods, TargetPort};
use crate::resolve::others::{is_of_controller, ports};

/// A direction of traffic, seen from the pods that a policy selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the pods.
    Ingress,
    /// From the pods.
    Egress,
}

/// A NetworkPolicy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The place of its name. `None` if it is that of a cluster.
    pub span: Option<Span>,
    /// The pods that it isolates. `None` if that is not known.
    pub(super) pods: Option<Selector>,
    /// What it allows to come in. `None` if it says nothing of that.
    pub(super) ingress: Option<Vec<PolicyRules>>,
    /// What it allows to go out.
    pub(super) egress: Option<Vec<PolicyRules>>,
    /// A part of it is not known.
    pub(super) is_open: bool,
}

/// The connections that one rule of a policy allows.
#[derive(Clone, Debug)]
pub(super) struct PolicyRules {
    /// The other ends; any, if there is none.
    pub(super) peers: Vec<PolicyPeer>,
    /// The ports; any, if there is none.
    pub(super) ports: Vec<PolicyPort>,
}

/// The other end of traffic.
#[derive(Clone, Debug)]
pub(super) enum PolicyPeer {
    /// Pods of namespaces: of the policy's own, if it does not select any.
    Pods {
        namespaces: Option<Selector>,
        pods: Option<Selector>,
    },
    /// Addresses, which may be those of any pod, or what cannot be read.
    Unknown,
}

/// Ports of the pods that are reached.
#[derive(Clone, Debug)]
pub(super) struct PolicyPort {
    pub(super) is_tcp: bool,
    /// `None` for all of them.
    pub(super) port: Option<IntOrString>,
    /// The last one of a range.
    pub(super) end: Option<i64>,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkPolicy {}/{}", self.namespace, self.name)
    }
}

impl Policy {
    fn rules(&self, direction: Direction) -> Option<&[PolicyRules]> {
        match direction {
            Direction::Ingress => self.ingress.as_deref(),
            Direction::Egress => self.egress.as_deref(),
        }
    }

    /// A label without which it selects no pods.
    pub(super) fn label(&self) -> Option<(String, String)> {
        let selector = self.pods.as_ref().filter(|_| !self.is_open)?;
        let is_plain = |requirement: &&Requirement| {
            requirement.operator == Operator::Equals && !is_of_controller(&requirement.key)
        };
        let requirement = selector.requirements().iter().find(is_plain)?;
        Some((requirement.key.clone(), requirement.values.first()?.clone()))
    }

    /// Returns whether it isolates in that direction.
    pub(super) fn has(&self, direction: Direction) -> bool {
        self.is_open || self.rules(direction).is_some()
    }

    /// Returns whether it selects pods of its namespace.
    pub(super) fn selects(&self, labels: &StringMap) -> Truth {
        match &self.pods {
            Some(selector) if !self.is_open => pods_have(selector, labels),
            _ => Truth::Unknown,
        }
    }

    /// Returns whether one of its rules allows the port `to` the pods that are reached; `other` is the end that it does
    /// not select.
    pub(super) fn allows(
        &self,
        direction: Direction,
        other: &NetworkPods<'_>,
        to: &NetworkPods<'_>,
        port: TargetPort,
    ) -> Truth {
        if self.is_open {
            return Truth::Unknown;
        }
        let rules = self.rules(direction).unwrap_or_default();
        Truth::any(rules.iter().map(|rule| {
            let is_port =
                rule.ports.is_empty() || rule.ports.iter().any(|allowed| allowed.is(port, to));
            Truth::from(is_port).and(|| match rule.peers.is_empty() {
                true => Truth::Yes,
                false => Truth::any(
                    rule.peers
                        .iter()
                        .map(|peer| peer.is(other, &self.namespace)),
                ),
            })
        }))
    }
}

impl PolicyPeer {
    fn is(&self, other: &NetworkPods<'_>, own: &str) -> Truth {
        let Self::Pods { namespaces, pods } = self else {
            return Truth::Unknown;
        };
        let in_namespace = match namespaces {
            None => (other.namespace == own).into(),
            Some(selector) => Truth::all(
                selector
                    .requirements()
                    .iter()
                    .map(|requirement| other.namespace_has(requirement)),
            ),
        };
        in_namespace.and(|| {
            pods.as_ref()
                .map_or(Truth::Yes, |selector| pods_have(selector, other.labels))
        })
    }
}

impl PolicyPort {
    /// A name means the port of the pods that are reached.
    fn is(&self, port: TargetPort, to: &NetworkPods<'_>) -> bool {
        self.is_tcp
            && match &self.port {
                None => true,
                Some(IntOrString::Int(first)) => {
                    (*first..=self.end.unwrap_or(*first)).contains(&port.number)
                }
                Some(IntOrString::String(name)) => ports(to.spec)
                    .any(|own| own.is_tcp && own.name == *name && own.number == port.number),
            }
    }
}

/// Returns whether pods have what a selector asks for. Nobody knows the labels that controllers add.
fn pods_have(selector: &Selector, labels: &StringMap) -> Truth {
    Truth::all(
        selector
            .requirements()
            .iter()
            .map(|requirement: &Requirement| {
                if is_of_controller(&requirement.key)
                    && !labels.contains_key(requirement.key.as_str())
                {
                    return Truth::Unknown;
                }
                requirement.matches(labels).into()
            }),
    )
}
