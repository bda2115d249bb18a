//! An entry of `kubernetes_sd_configs`.

use std::collections::BTreeSet;

use crate::discovery::object::{
    DiscoveredEndpointSlice, DiscoveredEndpoints, DiscoveredIngress, DiscoveredNode,
    DiscoveredObject,
};
use promgen_compile::output::job::{DiscoverySelector, KubernetesDiscovery};
use promgen_prometheus::labels::Selector;
use promgen_prometheus::labels::text::{FieldTerm, parse_fields, parse_labels};
use promgen_resources::api::{Pod, Service};

/// A role of Kubernetes discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiscoveryRole {
    /// Ports of pods.
    Pod,
    /// Ports of services.
    Service,
    /// Addresses of services.
    Endpoints,
    /// Addresses of services, from slices.
    EndpointSlice,
    /// Paths of ingresses.
    Ingress,
    /// Kubelets.
    Node,
}

impl DiscoveryRole {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Pod,
        Self::Service,
        Self::Endpoints,
        Self::EndpointSlice,
        Self::Ingress,
        Self::Node,
    ];

    /// The role, as configurations spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pod => Pod::WORD,
            Self::Service => Service::WORD,
            Self::Endpoints => DiscoveredEndpoints::WORD,
            Self::EndpointSlice => DiscoveredEndpointSlice::WORD,
            Self::Ingress => DiscoveredIngress::WORD,
            Self::Node => DiscoveredNode::WORD,
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// The fields that its objects can be selected by.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Pod => Pod::FIELDS,
            Self::Service => Service::FIELDS,
            Self::Endpoints => DiscoveredEndpoints::FIELDS,
            Self::EndpointSlice => DiscoveredEndpointSlice::FIELDS,
            Self::Ingress => DiscoveredIngress::FIELDS,
            Self::Node => DiscoveredNode::FIELDS,
        }
    }
}

/// The metadata that is attached to targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "as many switches as Prometheus has"
)]
pub struct AttachedMetadata {
    /// Of the node.
    pub node: bool,
    /// Of the namespace.
    pub namespace: bool,
    /// The name of the Deployment behind a pod.
    pub deployment: bool,
    /// The name of the Job behind a pod.
    pub job: bool,
    /// The name of the CronJob behind a pod.
    pub cronjob: bool,
}

/// An entry of `kubernetes_sd_configs`. Jobs with equal entries have equal targets, so that results can be cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The role.
    pub role: DiscoveryRole,
    /// The namespaces; `None` means all. Nodes have no namespace.
    pub namespaces: BTreeSet<String>,
    /// The attached metadata.
    pub attach: AttachedMetadata,
    /// The selectors of objects.
    pub selectors: Vec<RoleSelector>,
}

/// A selector of the objects of a role, which are targets or describe targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleSelector {
    /// The role.
    pub role: DiscoveryRole,
    /// By label.
    pub labels: Selector,
    /// By field.
    pub fields: Vec<FieldTerm>,
}

impl Query {
    /// Everything of a role.
    #[must_use]
    pub const fn new(role: DiscoveryRole) -> Self {
        let attach = AttachedMetadata {
            node: false,
            namespace: false,
            deployment: false,
            job: false,
            cronjob: false,
        };
        Self {
            role,
            namespaces: BTreeSet::new(),
            attach,
            selectors: Vec::new(),
        }
    }

    /// Reads an entry of `kubernetes_sd_configs`. `own_namespace` is the one that Prometheus runs in.
    ///
    /// # Errors
    /// An unknown role, an invalid selector, or a selector of an unknown field; the API server's message.
    pub fn from_config(
        discovery: KubernetesDiscovery<'_>,
        own_namespace: &str,
    ) -> Result<Self, String> {
        let mut query = Self::new(role(discovery.role())?);
        query.namespaces = discovery
            .namespaces(own_namespace)
            .into_iter()
            .map(str::to_owned)
            .collect();
        query.attach = AttachedMetadata {
            node: discovery.attaches("node"),
            namespace: discovery.attaches("namespace"),
            deployment: discovery.attaches("deployment"),
            job: discovery.attaches("job"),
            cronjob: discovery.attaches("cronjob"),
        };
        query.selectors = discovery
            .selectors()
            .map(RoleSelector::from_config)
            .collect::<Result<_, _>>()?;
        Ok(query)
    }
}

fn role(written: Option<&str>) -> Result<DiscoveryRole, String> {
    let text = written.ok_or("its role is in a Secret; use --reveal-secrets to follow it")?;
    DiscoveryRole::parse(text).ok_or_else(|| format!("unknown Kubernetes SD role \"{text}\""))
}

impl RoleSelector {
    fn from_config(selector: DiscoverySelector<'_>) -> Result<Self, String> {
        let role = role(selector.role())?;
        let (labels, fields) = (
            parse_labels(selector.label())?,
            parse_fields(selector.field())?,
        );
        let known = |field: &str| {
            matches!(field, "metadata.name" | "metadata.namespace")
                || role.fields().contains(&field)
        };
        match fields.iter().find(|term| !known(&term.field)) {
            Some(term) => Err(format!("field label not supported: {}", term.field)),
            None => Ok(Self {
                role,
                labels,
                fields,
            }),
        }
    }

    pub(super) fn matches<T: DiscoveredObject>(&self, object: &T) -> bool {
        let fits = |term: &FieldTerm| (value(object, &term.field) == term.value) == term.equals;
        self.labels.matches(object.labels()) && self.fields.iter().all(fits)
    }
}

fn value<'o, T: DiscoveredObject>(object: &'o T, field: &str) -> &'o str {
    match field {
        "metadata.name" => &object.metadata().name,
        "metadata.namespace" => object.namespace(),
        field => object.field(field).unwrap_or_default(),
    }
}
