//! Metadata of Kubernetes objects, and selectors of labels.

use promgen_derive::api;

use crate::api::scalar::{IgnoredValue, Time};
use crate::api::{fill_in, string_enum};
use promgen_text::yaml::{NodeText, StringMap};

// Manifests hardly have what is in a box.
/// Name, namespace, labels and bookkeeping of an object.
///
/// Kubernetes: meta/v1.ObjectMeta.
#[api]
pub struct ObjectMeta {
    /// Annotations for tools; selectors do not match them.
    pub annotations: Option<StringMap>,
    /// When the server created it.
    pub creation_timestamp: Option<Box<Time>>,
    /// Seconds that it may take to shut down, once deleted.
    pub deletion_grace_period_seconds: Option<i64>,
    /// When it is to be gone.
    pub deletion_timestamp: Option<Box<Time>>,
    /// The controllers that must finish before it is deleted.
    pub finalizers: Option<Box<Vec<String>>>,
    /// Prefix from which the server makes a name.
    pub generate_name: Option<Box<String>>,
    /// Counts the changes of the spec.
    pub generation: Option<i64>,
    /// StringMap, which selectors match.
    pub labels: Option<StringMap>,
    /// The managers of its fields, which promgen ignores.
    pub managed_fields: Option<IgnoredValue>,
    /// Unique within kind and namespace. Empty only together with `generateName`.
    #[api(default)]
    pub name: NodeText,
    /// The namespace. Filled in for documents that name none.
    pub namespace: Option<NodeText>,
    /// Its owners.
    pub owner_references: Option<Box<Vec<OwnerReference>>>,
    /// Changes with every write.
    pub resource_version: Option<Box<String>>,
    /// Where the object was found; no longer set by servers.
    pub self_link: Option<Box<String>>,
    /// Unique for all time.
    pub uid: Option<Box<String>>,
}

impl ObjectMeta {
    /// Takes over what the server alone knows of the live object.
    pub fn observe(&mut self, mut live: Self) {
        self.uid = live.uid;
        self.generation = live.generation;
        self.resource_version = live.resource_version;
        self.creation_timestamp = live.creation_timestamp;
        self.deletion_timestamp = live.deletion_timestamp;
        fill_in(&mut self.owner_references, &mut live.owner_references);
    }
}

/// The owner of an object.
///
/// Kubernetes: meta/v1.OwnerReference.
#[api]
pub struct OwnerReference {
    /// Group and version of the owner.
    pub api_version: String,
    /// Whether the owner is deleted only after this object.
    pub block_owner_deletion: Option<bool>,
    /// Whether the owner manages this object.
    pub controller: Option<bool>,
    /// Kind of the owner.
    pub kind: String,
    /// Name of the owner.
    pub name: String,
    /// Unique id of the owner.
    pub uid: String,
}

/// Metadata that the CRD drops: every field in it is unknown.
#[api]
pub struct PrunedMetadata {}

/// Objects by their labels: all requirements must hold. Empty matches everything.
#[api(of = "meta/v1.LabelSelector", omit_empty)]
pub struct LabelSelector {
    /// Requirements with operators.
    pub match_expressions: Option<Vec<LabelSelectorRequirement>>,
    /// StringMap and the value that each must have.
    pub match_labels: Option<StringMap>,
}

/// A requirement on one label.
#[api(of = "meta/v1.LabelSelectorRequirement")]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values; none for `Exists` and `DoesNotExist`.
    #[api(omit_empty)]
    pub values: Option<Vec<String>>,
}

string_enum! {
    /// The API group of the operator.
    pub enum MonitoringGroup {
        /// The one there is.
        Monitoring = "monitoring.coreos.com",
    }
}
