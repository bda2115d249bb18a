//! The needs of the operator of the API server, by its documentation and its flags.

use std::collections::BTreeSet;

use crate::checks::View;
use promgen_compile::access::{CLUSTER, DISCOVERY_GROUP, Need, NeededObject};
use promgen_resources::api::Kind;

/// The place where the operator needs something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeedReach {
    /// In the namespaces that it watches for a kind.
    Of(Kind),
    /// In the whole cluster.
    Everywhere,
}

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

/// Group, resource, verbs and reach, as `Documentation/platform/rbac.md` of the operator has them.
const NEEDS: &[(&str, &str, &[&str], NeedReach)] = &[
    (
        MONITORING,
        "alertmanagers",
        READS,
        NeedReach::Of(Kind::Alertmanager),
    ),
    (
        MONITORING,
        "alertmanagers/finalizers",
        &["update"],
        NeedReach::Of(Kind::Alertmanager),
    ),
    (
        MONITORING,
        "alertmanagers/status",
        STATUS,
        NeedReach::Of(Kind::Alertmanager),
    ),
    (
        MONITORING,
        "alertmanagerconfigs",
        READS,
        NeedReach::Of(Kind::AlertmanagerConfig),
    ),
    (
        MONITORING,
        "prometheuses",
        READS,
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        MONITORING,
        "prometheuses/finalizers",
        &["update"],
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        MONITORING,
        "prometheuses/status",
        STATUS,
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        MONITORING,
        "prometheusagents",
        READS,
        NeedReach::Of(Kind::PrometheusAgent),
    ),
    (
        MONITORING,
        "prometheusagents/finalizers",
        &["update"],
        NeedReach::Of(Kind::PrometheusAgent),
    ),
    (
        MONITORING,
        "prometheusagents/status",
        STATUS,
        NeedReach::Of(Kind::PrometheusAgent),
    ),
    (
        MONITORING,
        "thanosrulers",
        READS,
        NeedReach::Of(Kind::ThanosRuler),
    ),
    (
        MONITORING,
        "thanosrulers/finalizers",
        &["update"],
        NeedReach::Of(Kind::ThanosRuler),
    ),
    (
        MONITORING,
        "thanosrulers/status",
        STATUS,
        NeedReach::Of(Kind::ThanosRuler),
    ),
    (
        MONITORING,
        "scrapeconfigs",
        READS,
        NeedReach::Of(Kind::ScrapeConfig),
    ),
    (
        MONITORING,
        "servicemonitors",
        READS,
        NeedReach::Of(Kind::ServiceMonitor),
    ),
    (
        MONITORING,
        "podmonitors",
        READS,
        NeedReach::Of(Kind::PodMonitor),
    ),
    (MONITORING, "probes", READS, NeedReach::Of(Kind::Probe)),
    (
        MONITORING,
        "prometheusrules",
        READS,
        NeedReach::Of(Kind::PrometheusRule),
    ),
    (
        "apps",
        "statefulsets",
        OWNS,
        NeedReach::Of(Kind::Prometheus),
    ),
    ("", "configmaps", OWNS, NeedReach::Of(Kind::Prometheus)),
    ("", "secrets", OWNS, NeedReach::Of(Kind::Prometheus)),
    (
        "",
        "pods",
        &["delete", "list"],
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        "",
        "services",
        &["create", "delete", "get", "update"],
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        "",
        "services/finalizers",
        &["create", "delete", "get", "update"],
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        "",
        "endpoints",
        &["create", "delete", "get", "update"],
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        DISCOVERY_GROUP,
        "endpointslices",
        OWNS,
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        "events.k8s.io",
        "events",
        &["create", "patch"],
        NeedReach::Of(Kind::Prometheus),
    ),
    ("", "nodes", &["list", "watch"], NeedReach::Everywhere),
    ("", "namespaces", READS, NeedReach::Everywhere),
    (
        "networking.k8s.io",
        "ingresses",
        READS,
        NeedReach::Of(Kind::Prometheus),
    ),
    (
        "storage.k8s.io",
        "storageclasses",
        &["get"],
        NeedReach::Everywhere,
    ),
];

const MONITORING: &str = "monitoring.coreos.com";

/// The needs of the operator for its flags.
pub(super) fn needs(view: &View<'_>) -> BTreeSet<Need> {
    let mut needs = BTreeSet::new();
    for (group, resource, verbs, reach) in NEEDS {
        let watched = match reach {
            NeedReach::Of(kind) => view.cluster.watch.watched(*kind),
            NeedReach::Everywhere => None,
        };
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
