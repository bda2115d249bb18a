//! The needs of a configuration of the API server.
//!
//! Prometheus: each role of `discovery/kubernetes` lists and watches; it never gets an object by its name.

use std::collections::BTreeSet;

use promgen_prometheus::labels::text::parse_fields;
use promgen_text::yaml::{Map, Value};

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
        Self::Resource { namespace: namespace.to_owned(), group, resource, object: NeededObject::All, verbs: READS }
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
            Self::Resource { group: "", resource, .. } => (*resource).to_owned(),
            Self::Resource { group, resource, .. } => match resource.split_once('/') {
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
        let is_below =
            |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let resource = match self {
            Self::ApiServer => return Some(Need::Url(path.to_owned())),
            Self::Kubelets if is_below("/metrics") => "nodes/metrics",
            Self::Kubelets if is_below("/stats") => "nodes/stats",
            Self::Kubelets => return None,
        };
        let namespace = CLUSTER.to_owned();
        Some(Need::Resource { namespace, group: "", resource, object: NeededObject::Each, verbs: GETS })
    }
}

/// The path that a job scrapes, if it does so with the token of the service account, over TLS, and at the addresses that it
/// discovers.
#[must_use]
pub fn path_with_token(job: &Map) -> Option<&str> {
    let text = |key: &str| job.get(key).and_then(Value::as_str);
    let in_section = || job.get("authorization")?.get("credentials_file")?.as_str();
    let file = text("bearer_token_file").or_else(in_section)?;
    let is_own = file == SERVICE_ACCOUNT_TOKEN && text("scheme") == Some("https") && text("proxy_url").is_none();
    is_own.then(|| text("metrics_path").unwrap_or("/metrics"))
}

/// The needs of the service discovery of a job of the service account. `own` is the namespace that Prometheus runs in.
#[must_use]
pub fn of_job(job: &Map, own: &str) -> Vec<Need> {
    let entries = job.get("kubernetes_sd_configs").and_then(Value::as_seq).unwrap_or_default();
    entries.iter().flat_map(|entry| of_discovery(entry, own)).collect()
}

/// The needs of the discovery of Alertmanagers, of the section `alerting`.
#[must_use]
pub fn of_alerting(alerting: &Value, own: &str) -> Vec<Need> {
    let servers = alerting.get("alertmanagers").and_then(Value::as_seq).unwrap_or_default();
    servers.iter().filter_map(Value::as_map).flat_map(|server| of_job(server, own)).collect()
}

/// The settings of a discovery that asks another API server, or asks with other credentials.
const OTHER_CREDENTIALS: &[&str] =
    &["api_server", "kubeconfig_file", "basic_auth", "authorization", "bearer_token", "bearer_token_file", "oauth2"];

/// The needs of an entry of `kubernetes_sd_configs`.
fn of_discovery(entry: &Value, own: &str) -> Vec<Need> {
    if OTHER_CREDENTIALS.iter().any(|key| entry.get(key).is_some()) {
        return Vec::new();
    }
    let role = entry.get("role").and_then(Value::as_str).unwrap_or_default();
    let resources: &[(&str, &str, &str)] = match role {
        "endpoints" => &[("", "endpoints", "endpoints"), ("", "services", "service"), ("", "pods", "pod")],
        "endpointslice" => {
            &[(DISCOVERY_GROUP, "endpointslices", "endpointslice"), ("", "services", "service"), ("", "pods", "pod")]
        }
        "pod" => &[("", "pods", "pod")],
        "service" => &[("", "services", "service")],
        "ingress" => &[(NETWORKING_GROUP, "ingresses", "ingress")],
        _ => &[],
    };
    let attaches = |what: &str| entry.get("attach_metadata").and_then(|a| a.get(what)) == Some(&Value::Bool(true));
    let finds_pods = matches!(role, "endpoints" | "endpointslice" | "pod");
    let mut needs = Vec::new();
    for namespace in namespaces(entry, own) {
        // The owners of pods are read where the pods are: of a Deployment its ReplicaSets, of a CronJob its Jobs.
        if finds_pods && attaches("deployment") {
            needs.push(Need::reads(APPS_GROUP, "replicasets", namespace));
        }
        if finds_pods && (attaches("job") || attaches("cronjob")) {
            needs.push(Need::reads(BATCH_GROUP, "jobs", namespace));
        }
        for (group, resource, role) in resources {
            let (namespace, object) = (namespace.to_owned(), object(entry, role));
            needs.push(Need::Resource { namespace, group, resource, object, verbs: READS });
        }
    }
    // Both are read from the whole cluster.
    if role == "node" || attaches("node") {
        let (namespace, object) =
            (CLUSTER.to_owned(), if role == "node" { object(entry, role) } else { NeededObject::All });
        needs.push(Need::Resource { namespace, group: "", resource: "nodes", object, verbs: READS });
    }
    if attaches("namespace") {
        needs.push(Need::reads("", "namespaces", CLUSTER));
    }
    needs
}

/// The namespaces of a discovery.
fn namespaces<'v>(entry: &'v Value, own: &'v str) -> BTreeSet<&'v str> {
    let section = entry.get("namespaces");
    let names = section.and_then(|section| section.get("names")).and_then(Value::as_seq).unwrap_or_default();
    let mut names: BTreeSet<&str> = names.iter().filter_map(Value::as_str).collect();
    if section.and_then(|section| section.get("own_namespace")) == Some(&Value::Bool(true)) {
        names.insert(own);
    }
    if names.is_empty() {
        names.insert(CLUSTER);
    }
    names
}

/// The objects that the selectors of a discovery leave: the API server takes a selector of one name for that name.
fn object(entry: &Value, role: &str) -> NeededObject {
    let selectors = entry.get("selectors").and_then(Value::as_seq).unwrap_or_default();
    let of_role = selectors.iter().filter(|selector| selector.get("role").and_then(Value::as_str) == Some(role));
    let fields = of_role.filter_map(|selector| selector.get("field").and_then(Value::as_str));
    let terms = fields.flat_map(|text| parse_fields(text).unwrap_or_default());
    let mut named = terms.filter(|term| term.field == "metadata.name" && term.equals);
    named.next().map_or(NeededObject::All, |term| NeededObject::Named(term.value))
}
