//! What identifies an object: group, version, kind, name, namespace.

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
    pub fn read(node: &Node<'_>) -> Self {
        let text = |keys: &[&str]| node.find(keys).and_then(Node::as_str).unwrap_or_default().to_owned();
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
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
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
