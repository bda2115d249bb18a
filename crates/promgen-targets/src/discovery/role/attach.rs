//! Labels that are attached on request: the metadata of nodes and namespaces, and the owners of a pod.

use crate::discovery::object::DiscoveredObject as _;
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, meta};
use promgen_compile::cluster::Key;
use promgen_resources::api::Pod;

/// Attaches the metadata of a node, if the query requests it and the node exists. Returns whether it was attached.
pub(crate) fn node(scope: &QueryScope<'_>, labels: &mut TargetLabels, name: Option<&str>) -> bool {
    let node = name
        .filter(|_| scope.query.attach.node)
        .and_then(|name| scope.node(name));
    extend(labels, node.map(|node| &node.labels))
}

/// Attaches the metadata of a namespace, if the query requests it and the object exists.
pub(crate) fn namespace(scope: &QueryScope<'_>, labels: &mut TargetLabels, name: &str) {
    let namespace = scope
        .namespace(name)
        .filter(|_| scope.query.attach.namespace);
    extend(labels, namespace.map(|namespace| &namespace.labels));
}

/// Adds the labels of an object, if there is one.
pub(crate) fn extend(labels: &mut TargetLabels, more: Option<&TargetLabels>) -> bool {
    labels.extend(
        more.into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    more.is_some()
}

/// The names of the owners of a pod's controller, if the query requests them.
pub(crate) fn owners(scope: &QueryScope<'_>, labels: &mut TargetLabels, pod: &Pod) {
    let (attach, discovery) = (&scope.query.attach, scope.discovery);
    let Some(controller) = pod.controller() else {
        return;
    };
    let key = || Key::new(pod.namespace(), &controller.name);
    match controller.kind.as_str() {
        "ReplicaSet" if attach.deployment => {
            let set = discovery
                .replica_sets
                .get(&key())
                .and_then(|set| set.object.controller());
            if let Some(deployment) = set.filter(|owner| owner.kind == "Deployment") {
                labels.insert(meta!("pod_deployment_name"), Text::from(&deployment.name));
            }
        }
        "Job" => {
            if attach.job {
                labels.insert(meta!("pod_job_name"), Text::from(&controller.name));
            }
            let job = discovery.jobs.get(&key()).filter(|_| attach.cronjob);
            let owner = job.and_then(|job| job.object.controller());
            if let Some(cron_job) = owner.filter(|owner| owner.kind == "CronJob") {
                labels.insert(meta!("pod_cronjob_name"), Text::from(&cron_job.name));
            }
        }
        _ => {}
    }
}
