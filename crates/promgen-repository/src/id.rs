//! The identity of an object: group, version, kind, name, namespace.

use std::fmt;

use promgen_text::yaml::Node;

/// The identity of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version of the API.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`; empty if absent.
    pub namespace: String,
}

impl Id {
    /// The identity that an object states. What is absent, or no text, is empty.
    #[must_use]
    pub fn read(node: &Node) -> Self {
        let text = |keys: &[&str]| node.text_at(keys).unwrap_or_default().to_owned();
        let api_version = text(&["apiVersion"]);
        let (group, version) = split_api_version(&api_version);
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: text(&["kind"]),
            name: text(&["metadata", "name"]),
            namespace: text(&["metadata", "namespace"]),
        }
    }

    /// `apiVersion`, as an object has it.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

impl Id {
    /// The namespace that the object is in: `default` if it states none.
    #[must_use]
    pub fn effective_namespace(&self) -> &str {
        if self.is_cluster_scoped() {
            "_non_namespaceable_"
        } else {
            or_default(&self.namespace)
        }
    }

    /// Returns whether objects of this kind are in no namespace, as far as Kustomize knows: custom resources never are.
    #[must_use]
    pub fn is_cluster_scoped(&self) -> bool {
        let has = |words: &str, wanted: &str| words.split(' ').any(|word| word == wanted);
        CLUSTER_SCOPED.iter().any(|(group, versions, kinds)| {
            *group == self.group && has(kinds, &self.kind) && has(versions, &self.version)
        })
    }
}

/// A group, versions of it, and the kinds in each of them.
type ClusterScoped = (&'static str, &'static str, &'static str);

/// The kinds of Kubernetes 1.21, the version that Kustomize has built in, that are in no namespace.
static CLUSTER_SCOPED: &[ClusterScoped] = &[
    (
        "",
        "v1",
        "ComponentStatus Namespace Node NodeProxyOptions PersistentVolume",
    ),
    (
        "admissionregistration.k8s.io",
        "v1 v1beta1",
        "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    ),
    (
        "apiextensions.k8s.io",
        "v1 v1beta1",
        "CustomResourceDefinition",
    ),
    ("apiregistration.k8s.io", "v1 v1beta1", "APIService"),
    (
        "certificates.k8s.io",
        "v1 v1beta1",
        "CertificateSigningRequest",
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        "FlowSchema PriorityLevelConfiguration",
    ),
    ("networking.k8s.io", "v1 v1beta1", "IngressClass"),
    ("node.k8s.io", "v1 v1beta1", "RuntimeClass"),
    ("policy", "v1beta1", "PodSecurityPolicy"),
    (
        "rbac.authorization.k8s.io",
        "v1 v1beta1",
        "ClusterRole ClusterRoleBinding",
    ),
    ("scheduling.k8s.io", "v1 v1beta1", "PriorityClass"),
    (
        "storage.k8s.io",
        "v1 v1beta1",
        "CSIDriver CSINode StorageClass VolumeAttachment",
    ),
];

/// The namespace that objects are in which state this one: `default` if it is empty.
pub(crate) fn or_default(namespace: &str) -> &str {
    if namespace.is_empty() {
        "default"
    } else {
        namespace
    }
}

/// The group and the version of an `apiVersion`.
#[must_use]
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{} {}", self.kind, self.name)
        } else {
            write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
        }
    }
}
