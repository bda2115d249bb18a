//! The pods behind endpoints: what the roles `endpoints` and `endpointslice` share.

use std::collections::{BTreeMap, BTreeSet};

use crate::discovery::object::TargetRef;
use crate::discovery::role::{attach, pod};
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, meta};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};
use crate::resolve::others::containers;
use promgen_compile::cluster::Key;
use promgen_resources::api::{DeclaredPort, Pod};

/// A port of endpoints: its number, if it has one, and the protocol of its targets, if it is not the container's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port<'p> {
    pub number: Option<i32>,
    pub protocol: Option<&'p str>,
}

/// The pods of a group's targets so far, with their covered ports.
pub(crate) struct BackingPods<'d, 's> {
    scope: &'s QueryScope<'d>,
    /// The namespace of the endpoints.
    namespace: &'d str,
    pods: Vec<BackingPod<'d>>,
    places: BTreeMap<Key, usize>,
}

struct BackingPod<'d> {
    pod: &'d LabelledObject<Pod>,
    labels: TargetLabels,
    covered: BTreeSet<i32>,
}

impl<'d, 's> BackingPods<'d, 's> {
    pub(crate) const fn new(scope: &'s QueryScope<'d>, namespace: &'d str) -> Self {
        Self {
            scope,
            namespace,
            pods: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// Adds the labels of the pod behind a target.
    pub(crate) fn describe(
        &mut self,
        target: &mut TargetLabels,
        reference: Option<&TargetRef>,
        port: Port<'_>,
    ) {
        let Some(seen) = reference.and_then(|reference| self.seen(reference)) else {
            return;
        };
        attach::extend(target, Some(&seen.labels));
        let Some(number) = port.number else { return };
        seen.covered.insert(number);
        for (container, is_init) in containers(&seen.pod.object.spec) {
            if let Some(own) = container
                .ports
                .iter()
                .find(|own| own.container_port == number)
            {
                target.extend(pod::container_labels(container, is_init));
                pod::port_labels(target, own);
                if let Some(protocol) = port.protocol {
                    target.insert(meta!("pod_container_port_protocol"), Text::from(protocol));
                }
            }
        }
    }

    fn seen(&mut self, reference: &TargetRef) -> Option<&mut BackingPod<'d>> {
        if reference.kind != "Pod" {
            return None;
        }
        let key = Key::new(&reference.namespace, &reference.name);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => {
                let pod = self
                    .scope
                    .pod(self.namespace, &reference.namespace, &reference.name)?;
                self.pods.push(BackingPod {
                    pod,
                    labels: pod::labels(pod),
                    covered: BTreeSet::new(),
                });
                self.places.insert(key, self.pods.len() - 1);
                self.pods.len() - 1
            }
        };
        self.pods.get_mut(place)
    }

    /// Adds a target for each port of those pods that no port of the endpoints covers.
    pub(crate) fn rest(self, group: &mut TargetGroup) {
        for seen in self
            .pods
            .iter()
            .filter(|seen| !seen.pod.object.status.pod_ip.is_empty())
        {
            for (container, is_init) in containers(&seen.pod.object.spec) {
                let left = container
                    .ports
                    .iter()
                    .filter(|port| !seen.covered.contains(&port.container_port));
                for port in left {
                    let mut target = pod::container_labels(container, is_init);
                    target.extend(uncovered(&seen.pod.object, port));
                    attach::extend(&mut target, Some(&seen.labels));
                    self.scope.push(group, target);
                }
            }
        }
    }
}

fn uncovered(pod: &Pod, port: &DeclaredPort) -> TargetLabels {
    let address = pod::address(&pod.status.pod_ip, &pod::number(port.container_port));
    let mut labels = TargetLabels::from([(Text::from_static(ADDRESS), address)]);
    pod::port_labels(&mut labels, port);
    labels
}
