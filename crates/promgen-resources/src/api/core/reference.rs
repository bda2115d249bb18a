//! References from one object to another, or to a key of it.

use promgen_derive::api;

use crate::api::scalar::Quantity;

/// A key of a Secret in the same namespace.
#[api(of = "core/v1.SecretKeySelector")]
pub struct SecretKeySelector {
    /// The key within the Secret.
    pub key: String,
    /// The Secret.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether the Secret or the key is optional.
    pub optional: Option<bool>,
}

/// A key of a ConfigMap in the same namespace.
#[api(of = "core/v1.ConfigMapKeySelector")]
pub struct ConfigMapKeySelector {
    /// The key within the ConfigMap.
    pub key: String,
    /// The ConfigMap.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether the ConfigMap or the key is optional.
    pub optional: Option<bool>,
}

/// An object in the same namespace, by name.
#[api(of = "core/v1.LocalObjectReference")]
pub struct LocalObjectReference {
    /// The object.
    #[api(default, omit_empty)]
    pub name: String,
}

/// An object of any kind in the same namespace.
#[api(of = "core/v1.TypedLocalObjectReference")]
pub struct TypedLocalObjectReference {
    /// Its group; absent for the core of Kubernetes.
    pub api_group: Option<String>,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// An object of any kind in any namespace.
#[api(of = "core/v1.TypedObjectReference")]
pub struct TypedObjectReference {
    /// Its group; absent for the core of Kubernetes.
    pub api_group: Option<String>,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace. Default that of the claim.
    pub namespace: Option<String>,
}

/// A field of the pod itself.
#[api(of = "core/v1.ObjectFieldSelector")]
pub struct ObjectFieldSelector {
    /// The version in which the path is written. Default `v1`.
    #[api(omit_empty)]
    pub api_version: Option<String>,
    /// The path to the field, such as `metadata.name`.
    pub field_path: String,
}

/// A limit or request of a container.
#[api(of = "core/v1.ResourceFieldSelector")]
pub struct ResourceFieldSelector {
    /// The container; needed in volumes, the own one elsewhere.
    #[api(omit_empty)]
    pub container_name: Option<String>,
    /// The unit of the result. Default 1.
    pub divisor: Option<Quantity>,
    /// The resource, such as `limits.cpu`.
    pub resource: String,
}

/// A variable from an env file in a volume.
#[api(of = "core/v1.FileKeySelector")]
pub struct FileKeySelector {
    /// The variable within the file.
    pub key: String,
    /// Whether the file or the variable is optional. Default false.
    #[api(default)]
    pub optional: bool,
    /// The file, relative to the volume.
    pub path: String,
    /// The volume that holds the file.
    pub volume_name: String,
}
