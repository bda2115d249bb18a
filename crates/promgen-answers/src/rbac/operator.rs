//! The needs of the operator of the API server, by its documentation and its flags.

use std::collections::BTreeSet;

use promgen_compile::access::{CLUSTER, DISCOVERY_GROUP, Need, NeededObject};
use promgen_model::model::World;
use promgen_resources::api::Kind;

/// The verbs for what the operator owns.
const OWNS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];
/// The verbs for what it reads.
const READS: &[&str] = &["get", "list", "watch"];
/// The verbs for a status.
const STATUS: &[&str] = &["get", "patch", "update"];

/// Resource, verbs and kind of what the operator needs where it watches for that kind, as `Documentation/platform/rbac.md` of the
/// operator has them.
macro_rules! own_kinds {
    ($($written:literal $kind:ident),+; $($read:literal $read_kind:ident),+) => {
        &[
            $(
                ($written, READS, Kind::$kind),
                (concat!($written, "/finalizers"), &["update"], Kind::$kind),
                (concat!($written, "/status"), STATUS, Kind::$kind),
            )+
            $(($read, READS, Kind::$read_kind),)+
        ]
    };
}

const OF_OWN_KINDS: &[(&str, &[&str], Kind)] = own_kinds![
    "alertmanagers" Alertmanager,
    "prometheuses" Prometheus,
    "prometheusagents" PrometheusAgent,
    "thanosrulers" ThanosRuler;
    "alertmanagerconfigs" AlertmanagerConfig,
    "scrapeconfigs" ScrapeConfig,
    "servicemonitors" ServiceMonitor,
    "podmonitors" PodMonitor,
    "probes" Probe,
    "prometheusrules" PrometheusRule
];

/// The verbs for what it makes beside a workload.
const KEEPS: &[&str] = &["create", "delete", "get", "update"];

/// Group, resource and verbs of what it needs where it watches for Prometheuses.
const OF_WORKLOADS: &[(&str, &str, &[&str])] = &[
    ("apps", "statefulsets", OWNS),
    ("", "configmaps", OWNS),
    ("", "secrets", OWNS),
    ("", "pods", &["delete", "list"]),
    ("", "services", KEEPS),
    ("", "services/finalizers", KEEPS),
    ("", "endpoints", KEEPS),
    (DISCOVERY_GROUP, "endpointslices", OWNS),
    ("events.k8s.io", "events", &["create", "patch"]),
    ("networking.k8s.io", "ingresses", READS),
];

/// The same in the whole cluster.
const EVERYWHERE: &[(&str, &str, &[&str])] = &[
    ("", "nodes", &["list", "watch"]),
    ("", "namespaces", READS),
    ("storage.k8s.io", "storageclasses", &["get"]),
];

const MONITORING: &str = "monitoring.coreos.com";

/// The needs of the operator for its flags.
pub(super) fn needs(view: &World<'_>) -> BTreeSet<Need> {
    let own = OF_OWN_KINDS
        .iter()
        .map(|&(resource, verbs, kind)| ((MONITORING, resource, verbs), Some(kind)));
    let of_workloads = OF_WORKLOADS
        .iter()
        .map(|need| (*need, Some(Kind::Prometheus)));
    let everywhere = EVERYWHERE.iter().map(|need| (*need, None));
    let mut needs = BTreeSet::new();
    for ((group, resource, verbs), kind) in own.chain(of_workloads).chain(everywhere) {
        let watched = kind.and_then(|kind| view.cluster().watch.watched(kind));
        let namespaces = watched.map_or_else(|| vec![CLUSTER.to_owned()], <[String]>::to_vec);
        needs.extend(namespaces.into_iter().map(|namespace| Need::Resource {
            namespace,
            group,
            resource,
            object: NeededObject::All,
            verbs,
        }));
    }
    needs
}
