//! What every cluster has without a manifest: the Service of the API server, the pods of the control plane, and what the
//! operator creates for kubelets. A selector that matches one of these leads somewhere, although the input does not show it.

use crate::resolve::labelled::NamespaceScope;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::Kind;

/// Something that every cluster has.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its namespace.
    pub namespace: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its description in messages.
    pub what: &'static str,
    labels: &'static [(&'static str, &'static str)],
}

/// Services. Operator: `--kubelet-service` for that of the kubelets.
const SERVICES: &[BuiltIn] = &[
    BuiltIn {
        namespace: "default",
        name: "kubernetes",
        what: "Service default/kubernetes of the API server",
        labels: &[("component", "apiserver"), ("provider", "kubernetes")],
    },
    BuiltIn {
        namespace: "kube-system",
        name: "kubelet",
        what: "Service kube-system/kubelet, which the operator creates",
        labels: &[
            ("app.kubernetes.io/managed-by", "prometheus-operator"),
            ("app.kubernetes.io/name", "kubelet"),
            ("k8s-app", "kubelet"),
        ],
    },
    BuiltIn {
        namespace: "kube-system",
        name: "kube-dns",
        what: "Service kube-system/kube-dns of the cluster",
        labels: &[
            ("k8s-app", "kube-dns"),
            ("kubernetes.io/cluster-service", "true"),
            ("kubernetes.io/name", "CoreDNS"),
        ],
    },
];

/// Pods that kubeadm, and most of what builds on it, runs.
const PODS: &[BuiltIn] = &[
    control_plane("etcd", &[("component", "etcd"), ("tier", "control-plane")]),
    control_plane(
        "kube-apiserver",
        &[("component", "kube-apiserver"), ("tier", "control-plane")],
    ),
    control_plane(
        "kube-controller-manager",
        &[
            ("component", "kube-controller-manager"),
            ("tier", "control-plane"),
        ],
    ),
    control_plane(
        "kube-scheduler",
        &[("component", "kube-scheduler"), ("tier", "control-plane")],
    ),
    control_plane("kube-proxy", &[("k8s-app", "kube-proxy")]),
    control_plane("CoreDNS", &[("k8s-app", "kube-dns")]),
];

const fn control_plane(
    what: &'static str,
    labels: &'static [(&'static str, &'static str)],
) -> BuiltIn {
    BuiltIn {
        namespace: "kube-system",
        name: what,
        what,
        labels,
    }
}

/// The Service of every cluster that a selector matches.
#[must_use]
pub fn service(scope: &NamespaceScope<'_>, selector: &Selector) -> Option<&'static BuiltIn> {
    find(SERVICES, scope, selector)
}

/// The pods of every cluster that a selector matches.
#[must_use]
pub fn pods(scope: &NamespaceScope<'_>, selector: &Selector) -> Option<&'static BuiltIn> {
    find(PODS, scope, selector)
}

/// What every cluster has and a monitor of that kind selects.
#[must_use]
pub fn of_kind(
    kind: Kind,
    scope: &NamespaceScope<'_>,
    selector: &Selector,
) -> Option<&'static BuiltIn> {
    match kind {
        Kind::ServiceMonitor => service(scope, selector),
        Kind::PodMonitor => pods(scope, selector),
        _ => None,
    }
}

fn find(
    all: &'static [BuiltIn],
    scope: &NamespaceScope<'_>,
    selector: &Selector,
) -> Option<&'static BuiltIn> {
    let is_in = |namespace: &str| match scope {
        NamespaceScope::Any => true,
        NamespaceScope::Names(names) => names.contains(namespace),
    };
    let matches = |thing: &&BuiltIn| {
        let labels = thing
            .labels
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()));
        is_in(thing.namespace) && selector.matches(&labels.collect())
    };
    all.iter()
        .filter(|_| !selector.requirements().is_empty())
        .find(matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::LabelSelector;

    fn selector(labels: &[(&str, &str)]) -> Selector {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        Selector::new(&LabelSelector {
            match_labels: Some(labels),
            ..LabelSelector::default()
        })
        .unwrap()
    }

    #[test]
    fn every_cluster_has_an_api_server() {
        let api_server = selector(&[("component", "apiserver"), ("provider", "kubernetes")]);
        assert!(service(&NamespaceScope::one("default"), &api_server).is_some());
        assert!(service(&NamespaceScope::one("shop"), &api_server).is_none());
        assert!(service(&NamespaceScope::Any, &selector(&[])).is_none());
        assert!(
            pods(
                &NamespaceScope::one("kube-system"),
                &selector(&[("component", "kube-scheduler")])
            )
            .is_some()
        );
    }
}
