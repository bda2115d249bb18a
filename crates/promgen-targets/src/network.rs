//! Which pods may talk to which, by the NetworkPolicies of a run.
//!
//! In: the policies, two pods and a port. Out: a [`NetworkWay`]: open, blocked, or unknown. A policy isolates the pods that it selects,
//! in the direction of its types; what isolates a pod adds up what it allows. Reports no findings.

mod objects;
mod policy;
#[cfg(test)]
mod tests;
pub mod truth;

use promgen_compile::cluster::NAMESPACE_NAME_LABEL;

use promgen_resources::api::PodSpec;
use promgen_text::yaml::StringMap;

pub use objects::Policies;
pub use policy::{Direction, Policy};
use truth::Truth;

/// The port of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetPort {
    /// Its number.
    pub number: i64,
}

/// Pods at one end of a way.
#[derive(Clone, Copy, Debug)]
pub struct NetworkPods<'a> {
    /// Their namespace.
    pub namespace: &'a str,
    /// The labels of the namespace. `None` if they are not known.
    pub namespace_labels: Option<&'a StringMap>,
    /// Their labels.
    pub labels: &'a StringMap,
    /// Their containers, and whether they use the network of their node, to which policies do not apply.
    pub spec: &'a PodSpec,
}

/// Pods that scrape, with the policies that may isolate them.
#[derive(Clone, Debug)]
pub struct ScrapingPods<'a> {
    /// The pods.
    pub pods: NetworkPods<'a>,
    policies: Vec<&'a Policy>,
}

/// Whether pods reach a port of others.
#[derive(Clone, Debug)]
pub enum NetworkWay<'p> {
    /// They do.
    Open,
    /// These policies isolate one end, and none allows it.
    Blocked(Direction, Vec<&'p Policy>),
    /// What decides it is not in the input.
    Unknown(String),
}

impl NetworkPods<'_> {
    /// Returns whether the namespace has what a requirement asks for.
    fn namespace_has(&self, requirement: &promgen_prometheus::labels::Requirement) -> Truth {
        if requirement.key == NAMESPACE_NAME_LABEL {
            let own = [(NAMESPACE_NAME_LABEL.into(), self.namespace.into())]
                .into_iter()
                .collect();
            return requirement.matches(&own).into();
        }
        self.namespace_labels
            .map_or(Truth::Unknown, |labels| requirement.matches(labels).into())
    }
}

impl Policies {
    /// Pods that scrape.
    #[must_use]
    pub fn scraping<'a>(&'a self, pods: NetworkPods<'a>) -> ScrapingPods<'a> {
        ScrapingPods {
            pods,
            policies: self.of(pods.namespace, pods.labels),
        }
    }

    /// Returns whether pods reach a port of others over TCP.
    #[must_use]
    pub fn way<'a>(
        &'a self,
        from: &ScrapingPods<'a>,
        to: &NetworkPods<'_>,
        port: TargetPort,
    ) -> NetworkWay<'a> {
        if from.pods.spec.host_network || to.spec.host_network {
            return NetworkWay::Unknown(
                "policies do not apply to pods with `hostNetwork`".to_owned(),
            );
        }
        let foreign = self
            .foreign(from.pods.namespace)
            .or_else(|| self.foreign(to.namespace))
            .or_else(|| self.of_mesh(to.namespace, to.labels));
        if let Some(foreign) = foreign {
            return NetworkWay::Unknown(format!("{foreign} is not followed"));
        }
        let out = end(Direction::Egress, &from.policies, &from.pods, to, to, port);
        if matches!(out, NetworkWay::Blocked(..)) {
            return out;
        }
        match (
            out,
            end(
                Direction::Ingress,
                &self.of(to.namespace, to.labels),
                to,
                &from.pods,
                to,
                port,
            ),
        ) {
            (NetworkWay::Unknown(why), NetworkWay::Open) => NetworkWay::Unknown(why),
            (_, way) => way,
        }
    }
}

/// Returns whether one end lets it pass, by the policies of its namespace.
fn end<'p>(
    direction: Direction,
    policies: &[&'p Policy],
    own: &NetworkPods<'_>,
    other: &NetworkPods<'_>,
    to: &NetworkPods<'_>,
    port: TargetPort,
) -> NetworkWay<'p> {
    let (mut blocking, mut may_block, mut may_allow) = (Vec::new(), None, None);
    for policy in policies.iter().filter(|policy| policy.has(direction)) {
        let selects = policy.selects(own.labels);
        if selects == Truth::No {
            continue;
        }
        match (selects, policy.allows(direction, other, to, port)) {
            (Truth::Yes, Truth::Yes) => return NetworkWay::Open,
            (Truth::Yes, Truth::No) => blocking.push(*policy),
            (_, Truth::Yes) => may_allow = Some(policy),
            (_, Truth::No) => may_block = Some(policy),
            (_, Truth::Unknown) => (may_allow, may_block) = (Some(policy), Some(policy)),
        }
    }
    let undecided = if blocking.is_empty() {
        may_block
    } else {
        may_allow
    };
    match undecided {
        Some(policy) => NetworkWay::Unknown(format!("the input does not tell what {policy} does")),
        None if blocking.is_empty() => NetworkWay::Open,
        None => NetworkWay::Blocked(direction, blocking),
    }
}
