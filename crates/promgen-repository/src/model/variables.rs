//! The variables that Flux fills in: those of a Kustomization itself, and those of the ConfigMaps and Secrets that it names.

use std::collections::BTreeMap;

use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Entry, Node};

use super::applied::ApplierHome;
use crate::destination::{DestinationCluster, are_apart};
use crate::path::folder;
use promgen_text::CollectOrdered;

/// Names with their values, as far as these are known.
type VariableValues = BTreeMap<String, Option<String>>;

/// The variables of a Kustomization.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variables {
    /// Its own, which come first.
    own: VariableValues,
    /// Those of objects, of which the last comes first. `None` if it is not known what an object has.
    of_objects: Vec<Option<VariableValues>>,
}

impl Variables {
    /// Reads those of a Kustomization. `objects`: what it may refer to.
    pub(super) fn read(root: &Node, home: &ApplierHome, objects: &VariableObjects<'_>) -> Self {
        let Some(post_build) = root.find(&["spec", "postBuild"]) else {
            return Self::default();
        };
        let own = values(post_build.get("substitute"));
        let namespace = root.text_at(&["metadata", "namespace"]);
        let sources = post_build.items_of("substituteFrom");
        let of = |source: &Node| {
            objects.values(
                source.get("kind")?.as_str()?,
                source.get("name")?.as_str()?,
                namespace,
                home,
            )
        };
        Self {
            own,
            of_objects: sources.iter().map(of).collect(),
        }
    }

    /// Returns whether there are any: without one, Flux fills in nothing.
    pub(super) fn are_some(&self) -> bool {
        !self.own.is_empty() || !self.of_objects.is_empty()
    }

    /// The value of a variable; `default` if it has none. `None` if nobody knows.
    pub(super) fn value<'v>(&'v self, name: &str, default: Option<&'v str>) -> Option<&'v str> {
        if let Some(own) = self.own.get(name) {
            return own.as_deref();
        }
        for values in self.of_objects.iter().rev() {
            if let Some(value) = values.as_ref()?.get(name) {
                return value.as_deref();
            }
        }
        default
    }
}

/// The values of a map, as far as they are known.
fn values(map: Option<&Node>) -> VariableValues {
    let of = |entry: &Entry| (entry.key.to_string(), scalar_text(&entry.value));
    map.map_or(&[][..], Node::entries)
        .iter()
        .map(of)
        .collect_map()
}

fn scalar_text(node: &Node) -> Option<String> {
    match &node.data {
        Data::String(text) if !text.contains("${") && !text.starts_with("ENC[") => {
            Some(text.to_string())
        }
        Data::Bool(value) => Some(value.to_string()),
        Data::Int(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The objects that variables may come from, by kind and name.
#[derive(Default)]
pub(super) struct VariableObjects<'o>(BTreeMap<(&'o str, &'o str), Vec<VariableObject<'o>>>);

/// An object that variables may come from.
struct VariableObject<'o> {
    namespace: Option<&'o str>,
    values: VariableValues,
    home: ApplierHome,
    /// The cluster that it is for, if that is certain.
    cluster: Option<DestinationCluster>,
}

impl<'o> VariableObjects<'o> {
    /// Adds an object, if variables may come from it.
    pub(super) fn add(&mut self, document: &'o ParsedDocument, home: impl FnOnce() -> ApplierHome) {
        let text = |keys: &[&str]| document.root.text_at(keys);
        let kind = text(&["kind"]).filter(|kind| matches!(*kind, "ConfigMap" | "Secret"));
        let Some((kind, name)) = kind.zip(text(&["metadata", "name"])) else {
            return;
        };
        let home = home();
        self.0
            .entry((kind, name))
            .or_default()
            .push(VariableObject {
                namespace: text(&["metadata", "namespace"]),
                values: of_object(&document.root),
                cluster: DestinationCluster::Flux(home.file.clone()).certain(),
                home,
            });
    }

    /// The values of an object that an applier in `home` names: one that stands beside the applier, or else the only one that may be
    /// for its cluster. `None` if it is not known which one it is. The values of Secrets are not known.
    fn values(
        &self,
        kind: &str,
        name: &str,
        namespace: Option<&str>,
        home: &ApplierHome,
    ) -> Option<VariableValues> {
        let is_in = |of: &&VariableObject<'_>| {
            of.namespace
                .zip(namespace)
                .is_none_or(|(own, asked)| own == asked)
        };
        let found: Vec<_> = self.0.get(&(kind, name))?.iter().filter(is_in).collect();
        let is_beside =
            |of: &ApplierHome| folder(&of.file) == folder(&home.file) && of.way == home.way;
        let beside: Vec<_> = found
            .iter()
            .filter(|of| is_beside(&of.home))
            .copied()
            .collect();
        let own = DestinationCluster::Flux(home.file.clone()).certain();
        let may_share = |of: &&VariableObject<'_>| !are_apart(&of.cluster, &own);
        let near = if beside.is_empty() {
            found.into_iter().filter(may_share).collect()
        } else {
            beside
        };
        let (first, others) = near.split_first()?;
        others
            .iter()
            .all(|other| other.values == first.values)
            .then(|| first.values.clone())
    }
}

fn of_object(root: &Node) -> VariableValues {
    let mut all = values(root.get("data"));
    all.extend(values(root.get("stringData")));
    if root.text_of("kind") == Some("Secret") {
        all.values_mut().for_each(|value| *value = None);
    }
    all
}
