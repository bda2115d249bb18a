//! The needs of a configuration of the API server.
//!
//! Prometheus: each role of `discovery/kubernetes` lists and watches; it never gets an object by its name.

use crate::output::Job;
use crate::output::job::{DiscoverySelector, KubernetesDiscovery};
use promgen_prometheus::labels::text::parse_fields;
use promgen_text::yaml::Value;

/// The verbs of an informer.
pub const READS: &[&str] = &["list", "watch"];

/// The verb of a scrape.
const GETS: &[&str] = &["get"];

/// The namespace of requests for the whole cluster.
pub const CLUSTER: &str = "";

/// The group of EndpointSlices.
pub const DISCOVERY_GROUP: &str = "discovery.k8s.io";

/// The group of Ingresses.
const NETWORKING_GROUP: &str = "networking.k8s.io";

/// The groups of the owners of pods.
const APPS_GROUP: &str = "apps";
const BATCH_GROUP: &str = "batch";

/// The file of the token of a pod's service account.
pub const SERVICE_ACCOUNT_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// Requests for one thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// For objects of a resource.
    Resource {
        /// The namespace; [`CLUSTER`] for all of them, and for what lives in none.
        namespace: String,
        /// The group; empty for the core of Kubernetes.
        group: &'static str,
        /// The resource in plural, with its subresource.
        resource: &'static str,
        /// The objects.
        object: NeededObject,
        /// The verbs.
        verbs: &'static [&'static str],
    },
    /// A scrape of a path that belongs to no resource.
    Url(String),
}

/// The objects of a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeededObject {
    /// All of them: the request has no name.
    All,
    /// The one with that name.
    Named(String),
    /// Each one by its name, and nobody knows the names.
    Each,
}

impl Need {
    /// The needs of an informer in a namespace.
    #[must_use]
    pub fn reads(group: &'static str, resource: &'static str, namespace: &str) -> Self {
        Self::Resource {
            namespace: namespace.to_owned(),
            group,
            resource,
            object: NeededObject::All,
            verbs: READS,
        }
    }

    /// The verbs.
    #[must_use]
    pub const fn verbs(&self) -> &'static [&'static str] {
        match self {
            Self::Resource { verbs, .. } => verbs,
            Self::Url(_) => GETS,
        }
    }

    /// The namespace; [`CLUSTER`] for what lives in none.
    #[must_use]
    pub fn namespace(&self) -> &str {
        match self {
            Self::Resource { namespace, .. } => namespace,
            Self::Url(_) => CLUSTER,
        }
    }

    /// `endpointslices.discovery.k8s.io`, or `non-resource URL /metrics`.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Resource {
                group: "",
                resource,
                ..
            } => (*resource).to_owned(),
            Self::Resource {
                group, resource, ..
            } => match resource.split_once('/') {
                Some((resource, sub)) => format!("{resource}.{group}/{sub}"),
                None => format!("{resource}.{group}"),
            },
            Self::Url(path) => format!("the non-resource URL {path}"),
        }
    }
}

/// What the targets of a job are, other than pods: they ask the API server whether the account may scrape them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenTarget {
    /// Kubelets.
    Kubelets,
    /// The API server.
    ApiServer,
}

impl TokenTarget {
    /// The needs of a scrape of that path with the token of the service account. `None` if nobody knows.
    ///
    /// Kubernetes: the kubelet takes a path for a subresource of its node.
    #[must_use]
    pub fn need(self, path: &str) -> Option<Need> {
        let is_below = |root: &str| {
            path.strip_prefix(root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let resource = match self {
            Self::ApiServer => return Some(Need::Url(path.to_owned())),
            Self::Kubelets if is_below("/metrics") => "nodes/metrics",
            Self::Kubelets if is_below("/stats") => "nodes/stats",
            Self::Kubelets => return None,
        };
        let namespace = CLUSTER.to_owned();
        Some(Need::Resource {
            namespace,
            group: "",
            resource,
            object: NeededObject::Each,
            verbs: GETS,
        })
    }
}

/// The path that a job scrapes, if it does so with the token of the service account, over TLS, and at the addresses that it
/// discovers.
#[must_use]
pub fn path_with_token(job: &Job) -> Option<&str> {
    let is_own = job.token_file() == Some(SERVICE_ACCOUNT_TOKEN)
        && job.scheme() == "https"
        && !job.is_detour();
    is_own.then(|| job.metrics_path())
}

/// The requests that the service discovery of a job makes as the service account. `own` is the namespace that Prometheus runs in.
#[must_use]
pub fn of_job(job: &Job, own: &str) -> Vec<Need> {
    job.kubernetes()
        .flat_map(|discovery| of_discovery(discovery, own))
        .collect()
}

/// The needs of the discovery of Alertmanagers, of the section `alerting`.
#[must_use]
pub fn of_alerting(alerting: &Value, own: &str) -> Vec<Need> {
    let servers = alerting.items_of("alertmanagers");
    let discoveries = servers
        .iter()
        .filter_map(Value::as_map)
        .flat_map(KubernetesDiscovery::all);
    discoveries
        .flat_map(|discovery| of_discovery(discovery, own))
        .collect()
}

/// The needs of a discovery.
fn of_discovery(discovery: KubernetesDiscovery<'_>, own: &str) -> Vec<Need> {
    if discovery.has_other_credentials() {
        return Vec::new();
    }
    let role = discovery.role().unwrap_or_default();
    let resources: &[(&str, &str, &str)] = match role {
        "endpoints" => &[
            ("", "endpoints", "endpoints"),
            ("", "services", "service"),
            ("", "pods", "pod"),
        ],
        "endpointslice" => &[
            (DISCOVERY_GROUP, "endpointslices", "endpointslice"),
            ("", "services", "service"),
            ("", "pods", "pod"),
        ],
        "pod" => &[("", "pods", "pod")],
        "service" => &[("", "services", "service")],
        "ingress" => &[(NETWORKING_GROUP, "ingresses", "ingress")],
        _ => &[],
    };
    let finds_pods = matches!(role, "endpoints" | "endpointslice" | "pod");
    let mut needs = Vec::new();
    let mut namespaces = discovery.namespaces(own);
    if namespaces.is_empty() {
        namespaces.insert(CLUSTER);
    }
    for namespace in namespaces {
        // The owners of pods are read where the pods are: of a Deployment its ReplicaSets, of a CronJob its Jobs.
        if finds_pods && discovery.attaches("deployment") {
            needs.push(Need::reads(APPS_GROUP, "replicasets", namespace));
        }
        if finds_pods && (discovery.attaches("job") || discovery.attaches("cronjob")) {
            needs.push(Need::reads(BATCH_GROUP, "jobs", namespace));
        }
        for (group, resource, role) in resources {
            let (namespace, object) = (namespace.to_owned(), object(discovery, role));
            needs.push(Need::Resource {
                namespace,
                group,
                resource,
                object,
                verbs: READS,
            });
        }
    }
    // Both are read from the whole cluster.
    if role == "node" || discovery.attaches("node") {
        let (namespace, object) = (
            CLUSTER.to_owned(),
            if role == "node" {
                object(discovery, role)
            } else {
                NeededObject::All
            },
        );
        needs.push(Need::Resource {
            namespace,
            group: "",
            resource: "nodes",
            object,
            verbs: READS,
        });
    }
    if discovery.attaches("namespace") {
        needs.push(Need::reads("", "namespaces", CLUSTER));
    }
    needs
}

/// The objects that the selectors of a discovery leave: the API server takes a selector of one name for that name.
fn object(discovery: KubernetesDiscovery<'_>, role: &str) -> NeededObject {
    let of_role = discovery
        .selectors()
        .filter(|selector| selector.role() == Some(role));
    let fields = of_role.map(DiscoverySelector::field);
    let terms = fields.flat_map(|text| parse_fields(text).unwrap_or_default());
    let mut named = terms.filter(|term| term.field == "metadata.name" && term.equals);
    named
        .next()
        .map_or(NeededObject::All, |term| NeededObject::Named(term.value))
}
